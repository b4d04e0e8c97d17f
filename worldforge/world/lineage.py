"""Trace an id: from a gold cell to its facts, from a fact to the pages and spans that state it.

explain(world, "task/list-0003")      the query, and for each gold cell its facts and where they are stated
explain(world, "club/0031")           the entity's row
explain(world, "club/0031#founded")   the value, how it came to be, and where it is stated
explain(world, "club/0031#capacity@herald")     the figure that a site gives, and where it does
explain(world, "page/000418")         the page and all that it states
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.errors import InputError
from worldforge.schema.column_paths import derived_columns, drawn_columns
from worldforge.schema.web_section import OWN_SITE
from worldforge.world.computed_cells import facts_of
from worldforge.world.parquet_reader import cell_reader, rows_matching
from worldforge.world.site_figures import is_of_site, of_table, page_sites, parted, with_site_figures
from worldforge.world.stable_ids import entity_id, rows_of, split_fact
from worldforge.world.table_files import AUTHORITY_FILE, MENTIONS, RELATIVE, TOTAL, TRUE_STANCES
from worldforge.world.task import Task
from worldforge.world.world import World

_CONTEXT = 40  # characters shown on either side of a span


@dataclass(frozen=True, slots=True)
class Statement:
    """A place where a page states a fact: `text[start:end]`, with what stands around it."""

    page: str
    url: str
    start: int
    end: int
    stance: str
    before: str
    value: str
    after: str
    relative_to: str | None = None
    difference: float | None = None


@dataclass(frozen=True, slots=True)
class FactLineage:
    """A fact: its value in the table, how the spec says it comes to be, and who states it."""

    fact: str
    value: str
    origin: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class CellLineage:
    """A cell of a gold table, and the fact it is; where it is computed, all facts that it is computed from."""

    row: int
    column: str
    gold: str
    facts: tuple[FactLineage, ...]


@dataclass(frozen=True, slots=True)
class TaskLineage:
    """A task, from wording and query to the pages behind each gold cell."""

    task: Task
    cells: tuple[CellLineage, ...]


@dataclass(frozen=True, slots=True)
class EntityLineage:
    """An entity's or a relation row's cells."""

    id: str
    cells: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PageLineage:
    """A page and the facts that it states."""

    id: str
    url: str
    title: str
    kind: str
    authority: float
    facts: tuple[tuple[str, Statement], ...]


def explain(world: World, id_: str) -> TaskLineage | EntityLineage | FactLineage | PageLineage:
    """Trace what `id_` names. Raises InputError where it names nothing in this world."""
    if id_.startswith("task/"):
        return _explain_task(world, id_)
    if id_.startswith("page/"):
        return _explain_page(world, id_)
    if "#" in id_:
        return _fact_lineages(world, [id_])[id_]
    table, row, _ = split_fact(f"{id_}#id")
    return EntityLineage(id_, _row_of(world, table, row, id_))


def _fact_lineages(world: World, facts: Sequence[str]) -> dict[str, FactLineage]:
    """Trace facts of a world; its mentions and texts are read once for all of them."""
    wanted = pa.array(sorted({of_table(fact) for fact in facts}), pa.string())
    mentions = rows_matching(world.stored("mentions.parquet"), MENTIONS.names, "fact", wanted)
    statements: dict[str, list[Statement]] = {}
    for fact, statement in _statements(world, mentions.filter(pc.not_equal(mentions["stance"], TOTAL))):
        statements.setdefault(fact, []).append(statement)
    asks_sites = any(map(is_of_site, facts))
    sites = page_sites(world) if asks_sites else None
    tables = with_site_figures(world.tables(), world.path) if asks_sites else {}
    found = {}
    for fact in facts:
        table, row, column = split_fact(fact)
        cells = _row_of(world, table, row, fact)
        if is_of_site(fact):
            cells = tables[table].slice(row, 1).to_pylist()[0]
        if column not in cells:
            raise InputError(f"`{table}` has no column `{column}`", f"it has {', '.join(cells)}")
        own, (_, site) = statements.get(of_table(fact), []), parted(column)
        if sites is not None and site:
            pages = np.array([int(one.page.rpartition("/")[2]) for one in own], np.int64)
            on_site = sites.on(site, table, row, pages).tolist()
            own = [one for one, there in zip(own, on_site, strict=True) if there and one.stance != RELATIVE]
        else:
            own = [one for one in own if one.stance in (*TRUE_STANCES, RELATIVE)]
        found[fact] = FactLineage(fact, str(cells[column]), _origin(world, table, column), tuple(own))
    return found


def _explain_task(world: World, id_: str) -> TaskLineage:
    task = next((task for task in world.tasks if task.id == id_), None)
    if task is None:
        raise InputError(f"{world.name} has no {id_}", f"it has {', '.join(t.id for t in world.tasks[:3])}, …")
    facts = _fact_lineages(world, task.answer_facts)
    cells = [
        CellLineage(row, label, gold, tuple(facts[one] for one in facts_of(cell)))
        for row, (golds, row_facts) in enumerate(zip(task.gold, task.facts, strict=True))
        for label, gold, cell in zip(task.labels, golds, row_facts, strict=True)
    ]
    return TaskLineage(task, tuple(cells))


def _explain_page(world: World, id_: str) -> PageLineage:
    number, pages = id_.removeprefix("page/"), world.stored("pages.parquet")
    if not number.isdecimal() or int(number) >= pages.num_rows:
        raise InputError(f"{world.name} has no {id_}", f"its pages are page/000000 to page/{pages.num_rows - 1:06d}")
    page = {name: cell_reader(pages, name)(int(number)) for name in ("id", "url", "title", "kind")}
    authority = cell_reader(world.stored(AUTHORITY_FILE), "authority")(int(number))
    stated = rows_matching(world.stored("mentions.parquet"), MENTIONS.names, "page", pa.array([page["id"]]))
    return PageLineage(facts=tuple(_statements(world, stated)), authority=authority, **page)


def _statements(world: World, mentions: pa.Table) -> Iterator[tuple[str, Statement]]:
    """Yield for each mention the fact and where it is stated; texts are read in the order of pages, each once."""
    pages = world.stored("pages.parquet")
    text_of, url_of = cell_reader(pages, "text"), cell_reader(pages, "url")
    numbers = rows_of(mentions["page"]).tolist()
    read = {number: (url_of(number), text_of(number)) for number in sorted(set(numbers))}
    for number, row in zip(numbers, mentions.to_pylist(), strict=True):
        url, text = read[number]
        before = text[max(0, row["start"] - _CONTEXT) : row["start"]].rpartition("\n")[2]
        after = text[row["end"] : row["end"] + _CONTEXT].partition("\n")[0]
        yield row.pop("fact"), Statement(url=url, before=before, after=after, **row)


def _row_of(world: World, table: str, row: int, id_: str) -> dict[str, Any]:
    names = [*world.spec.types, *world.spec.relations]
    rows = (world.entities if table in world.spec.types else world.relation)(table) if table in names else pa.table({})
    if row >= rows.num_rows or entity_id(table, row) != id_.partition("#")[0]:
        raise InputError(f"{world.name} has no {id_}", f"it has {', '.join(f'{name}/0000' for name in names)}, …")
    found: dict[str, Any] = rows.slice(row, 1).to_pylist()[0]
    return found


def _origin(world: World, table: str, column: str) -> str:
    """Describe how the spec makes a column."""
    spec, (_, site) = world.spec, parted(column)
    if site:
        return "as its own site gives it" if site == OWN_SITE else f"as pages of the site `{site}` give it"
    if attribute := drawn_columns(spec, table).get(column):
        if attribute.generator:
            return f"drawn by {attribute.generator}"
        return f"drawn among {attribute.references}" + (f" where {attribute.where}" if attribute.where else "")
    if derived := derived_columns(spec, table).get(column):
        if derived.rank is not None:
            return f"derived: rank by {derived.rank}" + (f", within {derived.within}" if derived.within else "")
        over = f" over {derived.over}" if derived.over else f" over the tree of {derived.tree}" if derived.tree else ""
        return f"derived: {derived.sql}{over}"
    return "the entity's name" if column == "name" else "the relation itself"
