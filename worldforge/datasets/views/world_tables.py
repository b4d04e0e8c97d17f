"""The world's own tables as views: pages, entities, mentions, tasks. Read a portion at a time, never a whole table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.datasets.views.view import Context, View
from worldforge.world import table_files as world_tables
from worldforge.world.world import World

ROWS_PER_PORTION = 2_000
TASKS_PER_PORTION = 200  # a gold table may have thousands of cells
CANARY = pa.field("canary", pa.string())
CANARY_HOLDS = "the dataset's canary: a model that can complete it was trained on this"
_GIVEN = ("id", "name", "aliases")
"""Columns that every table of entities begins with."""


def portions(path: Path, rows: int = ROWS_PER_PORTION, columns: list[str] | None = None) -> Iterator[pa.Table]:
    """Read a Parquet file of a world in tables of at most `rows`. Raises InputError where it is missing or damaged."""
    try:
        with pq.ParquetFile(path, memory_map=True) as file:
            for batch in file.iter_batches(rows, columns=columns):
                yield pa.Table.from_batches([batch])
    except FileNotFoundError as error:
        raise InputError(f"{path} is missing", "build the world again: `worldforge build`") from error
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"{path} cannot be read: {error}", "build the world again: `worldforge build --fresh`"
        ) from error


def task_portions(world: World, rows: int = TASKS_PER_PORTION) -> Iterator[pa.Table]:
    """Read the world's tasks in tables of at most `rows`, ordered by id: `world.tables.TASKS`."""
    return portions(world.path / "tasks.parquet", rows)


def marked(table: pa.Table, context: Context) -> pa.Table:
    """Append the canary to each row."""
    return table.append_column(CANARY, pa.repeat(pa.scalar(context.canary), table.num_rows))


def _pages(_taken: Iterable[pa.Table], context: Context) -> Iterator[pa.Table]:
    authority, first = context.world.authority["authority"], 0
    for portion in portions(context.world.path / "pages.parquet"):
        weighed = portion.append_column("authority", authority.slice(first, portion.num_rows))
        first += portion.num_rows
        yield marked(weighed, context).cast(_PAGES)


def _mentions(_taken: Iterable[pa.Table], context: Context) -> Iterator[pa.Table]:
    return (marked(portion, context).cast(_MENTIONS) for portion in portions(context.world.path / "mentions.parquet"))


def _tasks(_taken: Iterable[pa.Table], context: Context) -> Iterator[pa.Table]:
    for portion in task_portions(context.world):
        rates = [context.pass_rates.get(task) for task in portion["id"].to_pylist()]
        rated = portion.append_column("pass_rate", pa.array(rates, pa.float64()))
        yield marked(rated, context).cast(_TASKS)


def _entities(_taken: Iterable[pa.Table], context: Context) -> Iterator[pa.Table]:
    for kind in context.world.spec.types:
        for portion in portions(context.world.path / "entities" / f"{kind}.parquet"):
            yield marked(_entity_rows(kind, portion), context).cast(_ENTITIES)


def _entity_rows(kind: str, portion: pa.Table) -> pa.Table:
    attributes = portion.drop_columns(list(_GIVEN)).to_pylist()
    return pa.table(
        {
            "id": portion["id"],
            "type": pa.repeat(pa.scalar(kind), portion.num_rows),
            "name": portion["name"],
            "aliases": portion["aliases"],
            "attributes": [json.dumps(row, ensure_ascii=False, default=_written) for row in attributes],
        }
    )


def _written(value: Any) -> str:
    """Write what JSON has no form for: a date, as 2031-05-20."""
    return str(value.isoformat())


_PAGES = world_tables.PAGES.append(world_tables.AUTHORITY.field("authority")).append(CANARY)
_MENTIONS = world_tables.MENTIONS.append(CANARY)
_TASKS = world_tables.TASKS.append(pa.field("pass_rate", pa.float64())).append(CANARY)
_ENTITIES = pa.schema(
    [
        ("id", pa.string()),
        ("type", pa.string()),
        ("name", pa.string()),
        ("aliases", pa.list_(pa.string())),
        ("attributes", pa.string()),
        CANARY,
    ]
)

PAGES = View(
    "pages",
    "datasets, DuckDB, polars, whoever builds an index of their own",
    "world",
    _PAGES,
    {
        "id": "the page's id",
        "url": "its address",
        "site": "the site it stands on",
        "kind": "what sort of page it is: its key in the spec's `pages`",
        "title": "its title",
        "language": "its language",
        "published": "the day it is dated; null where it is not",
        "text": "the whole text, in Markdown",
        "authority": "its PageRank among the world's pages, with mean 1",
        "canary": CANARY_HOLDS,
    },
    tables=_pages,
)
"""The world's web: one row a page."""

ENTITIES = View(
    "entities",
    "datasets, DuckDB, polars",
    "world",
    _ENTITIES,
    {
        "id": "the entity's id: `club/0031`",
        "type": "its type",
        "name": "its name",
        "aliases": "other names it goes by",
        "attributes": "the other columns of its type as one JSON object; a reference is the id of what it refers to",
        "canary": CANARY_HOLDS,
    },
    tables=_entities,
)
"""The truth behind the pages: one row an entity, those of one type after those of another."""

MENTIONS = View(
    "mentions",
    "datasets, DuckDB, polars, span extraction",
    "world",
    _MENTIONS,
    {
        "page": "the page's id",
        "fact": "the fact it states: an entity's column, `club/0031#founded`",
        "start": "where in the page's text the value begins, in characters",
        "end": "where it ends",
        "stance": "`current`, `alias` or `restated` where the page is right, `outdated` or `mistaken` where it is not",
        "value": "the value as written there: `text[start:end]`",
        "canary": CANARY_HOLDS,
    },
    tables=_mentions,
)
"""Which page states which fact where: one row a statement."""

DIFFICULTY = {
    "n_rows": "rows of the gold table",
    "n_columns": "its columns",
    "n_cells": "its cells",
    "n_conditions": "conditions of the question",
    "n_hops": "references that have to be followed from entity to entity",
    "n_conflicts": "facts behind the answer on which pages disagree",
    "logic": "what the question takes beside looking up: words such as `and or not between top`",
    "distractor_ratio": "entities that meet all conditions but one, for each that meets them all",
    "best_page_share": "share of the facts needed that the best single page states",
    "gold_page_share": "share of the gold table's facts that the best single page states",
    "guess_f1": "item F1 of a guess that has read the question and no page",
    "n_pages": "pages that the oracle opened",
    "n_tool_calls": "tool calls that the oracle made",
    "side": "`train` or `evaluation` where the world's entities are split so, else empty",
    "pass_rate": "share of the chosen runs' trajectories that gave a perfect table; null where nobody tried",
}
"""How hard a task is, and what each measure holds."""
DIFFICULTY_TYPES = {
    name: _TASKS.field(name).type for name in DIFFICULTY if not pa.types.is_int32(_TASKS.field(name).type)
}
"""The Arrow types of those measures that are no counts."""

TASKS = View(
    "tasks",
    "datasets, DuckDB, polars",
    "world",
    _TASKS,
    {
        "id": "the task's id",
        "family": "its family: `list`, `filter`, …",
        "about": "the type of the entities asked for",
        "language": "language of the question",
        "wording": "the question",
        "query": "the SQL query over the world's tables that gives the gold table",
        "conditions": "the conditions as JSON: path, operator, value; or terms that hold conditions, such as `any_of`",
        "shape": "what is made of the entities that meet them, as JSON: a ranking",
        "columns": "the answer's columns: where each comes from, what the question calls it, what it holds",
        "keys": "the columns that name a row",
        "evaluation": "the WideSearch benchmark's `evaluation` object as JSON: how each column is compared",
        **{name: holds for name, holds in DIFFICULTY.items() if name != "pass_rate"},
        "gold": "the gold table: rows of cells, in the order of `columns`",
        "facts": "the fact that each cell of it is; of a computed cell all that it comes from, with blanks between",
        "evidence": "the facts that show the rows to meet the conditions",
        "pass_rate": DIFFICULTY["pass_rate"],
        "canary": CANARY_HOLDS,
    },
    tables=_tasks,
)
"""The questions with their answers: one row a task."""
