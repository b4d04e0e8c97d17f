"""The questions with their answers: one row a task."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from worldforge.datasets.view import ExportContext
from worldforge.datasets.world_rows import RATED_TASKS, read_batches, world_view


def _tables(context: ExportContext) -> Iterator[pa.Table]:
    for portion in read_batches(context.world.path / "tasks.parquet"):
        rates = [context.pass_rates.get(task) for task in portion["id"].to_pylist()]
        yield portion.append_column("pass_rate", pa.array(rates, pa.float64()))


VIEW = world_view("tasks", "datasets, DuckDB, polars", RATED_TASKS, _tables)
