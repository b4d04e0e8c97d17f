"""Which page states which fact where: one row a statement."""

from __future__ import annotations

from worldforge.datasets.world_rows import read_batches, world_view
from worldforge.world.table_files import MENTIONS

VIEW = world_view(
    "mentions",
    "datasets, DuckDB, polars, span extraction",
    MENTIONS,
    lambda context: read_batches(context.world.path / "mentions.parquet"),
)
