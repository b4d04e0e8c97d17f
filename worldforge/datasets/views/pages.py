"""The world's web: one row a page."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from worldforge.datasets.view import ExportContext
from worldforge.datasets.world_rows import read_batches, world_view
from worldforge.world.table_files import AUTHORITY, PAGES


def _tables(context: ExportContext) -> Iterator[pa.Table]:
    authority, first = context.world.authority["authority"], 0
    for portion in read_batches(context.world.path / "pages.parquet"):
        yield portion.append_column("authority", authority.slice(first, portion.num_rows))
        first += portion.num_rows


_SCHEMA = PAGES.append(AUTHORITY.field("authority"))
VIEW = world_view("pages", "datasets, DuckDB, polars, whoever builds an index of their own", _SCHEMA, _tables)
