"""The trajectories as runs record them: one row an episode, with all columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from worldforge.datasets.selection.token_counts import N_TOKENS
from worldforge.datasets.trajectory_columns import MEANINGS, columns_of
from worldforge.datasets.view import REPOSITORY, DatasetView, ExportContext, Snippet
from worldforge.datasets.world_rows import CANARY

_DUCKDB = f"""\
SELECT agent, avg(item_f1) FROM 'hf://datasets/{REPOSITORY}/trajectories/*.parquet' GROUP BY agent;
"""
_POLARS = f"""\
import polars
polars.scan_parquet("hf://datasets/{REPOSITORY}/trajectories/*.parquet").select("task", "item_f1", "n_steps").collect()
"""


def _marked(portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    for table in portions:
        if N_TOKENS.name not in table.column_names:
            table = table.append_column(N_TOKENS, pa.nulls(table.num_rows, N_TOKENS.type))
        yield table.append_column(CANARY, pa.repeat(pa.scalar(context.canary), table.num_rows))


VIEW = DatasetView(
    "trajectories",
    "datasets, DuckDB, polars, whoever makes a format of their own",
    "trajectories",
    columns_of(*MEANINGS),
    tables=_marked,
    loading=(Snippet("DuckDB", "sql", _DUCKDB), Snippet("polars", "python", _POLARS)),
)
