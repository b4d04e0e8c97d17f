"""Read the tables of a world in batches, and mark each row with the canary."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.datasets.view import ExportContext, with_meanings
from worldforge.world.table_files import TASKS
from worldforge.world.world import World

ROWS_PER_PORTION = 2_000
TASKS_PER_PORTION = 200  # a gold table may have thousands of cells
CANARY = pa.field("canary", pa.string())
CANARY_HOLDS = "the dataset's canary: a model that can complete it was trained on this"


def read_batches(path: Path, rows: int = ROWS_PER_PORTION, columns: list[str] | None = None) -> Iterator[pa.Table]:
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


def read_task_batches(world: World, rows: int = TASKS_PER_PORTION) -> Iterator[pa.Table]:
    """Read the world's tasks in tables of at most `rows`, ordered by id: `world.tables.TASKS`."""
    return read_batches(world.path / "tasks.parquet", rows)


def with_canary(table: pa.Table, context: ExportContext) -> pa.Table:
    """Append the canary to each row."""
    return table.append_column(CANARY, pa.repeat(pa.scalar(context.canary), table.num_rows))


_DIFFICULTY_HOLDS = {
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
TASKS_RATED = TASKS.append(pa.field("pass_rate", pa.float64()))
"""The columns of tasks, and how often they were done."""
DIFFICULTY = with_meanings(pa.schema([TASKS_RATED.field(name) for name in _DIFFICULTY_HOLDS]), _DIFFICULTY_HOLDS)
"""How hard a task is: columns of tasks."""
