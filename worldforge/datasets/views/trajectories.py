"""The trajectories as runs record them: one row an episode, with all columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from worldforge.datasets.selection.selected_rows import RUN
from worldforge.datasets.selection.token_counts import N_TOKENS
from worldforge.datasets.view import ExportContext, shipped_view
from worldforge.datasets.world_rows import CANARY
from worldforge.rollouts.trajectory import TRAJECTORIES


def _tables(portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    for table in portions:
        if N_TOKENS.name not in table.column_names:
            table = table.append_column(N_TOKENS, pa.nulls(table.num_rows, N_TOKENS.type))
        yield table.append_column(CANARY, pa.repeat(pa.scalar(context.canary), table.num_rows))


VIEW = shipped_view(
    "trajectories",
    "datasets, DuckDB, polars, whoever makes a format of their own",
    "trajectories",
    TRAJECTORIES.insert(0, RUN).append(N_TOKENS).append(CANARY),
    tables=_tables,
)
