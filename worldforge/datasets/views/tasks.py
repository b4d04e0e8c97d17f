"""The questions with their answers: one row a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from worldforge.datasets.view import DatasetView, ExportContext, with_meanings
from worldforge.datasets.world_rows import CANARY, CANARY_HOLDS, DIFFICULTY, TASKS_RATED, read_task_batches, with_canary

_SCHEMA = TASKS_RATED.append(CANARY)
_HOLDS = {
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
    **{name: holds for name, _, holds in DIFFICULTY},
    "gold": "the gold table: rows of cells, in the order of `columns`",
    "facts": "the fact that each cell of it is; of a computed cell all that it comes from, with blanks between",
    "evidence": "the facts that show the rows to meet the conditions",
    "canary": CANARY_HOLDS,
}


def _tables(_taken: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    for portion in read_task_batches(context.world):
        rates = [context.pass_rates.get(task) for task in portion["id"].to_pylist()]
        rated = portion.append_column("pass_rate", pa.array(rates, pa.float64()))
        yield with_canary(rated, context).cast(VIEW.schema)


VIEW = DatasetView(
    "tasks",
    "datasets, DuckDB, polars",
    "world",
    with_meanings(_SCHEMA, _HOLDS),
    tables=_tables,
)
