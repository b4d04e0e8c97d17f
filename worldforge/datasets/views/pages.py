"""The world's web: one row a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from worldforge.datasets.view import DatasetView, ExportContext, with_meanings
from worldforge.datasets.world_rows import CANARY, CANARY_HOLDS, read_batches, with_canary
from worldforge.world.table_files import AUTHORITY, PAGES

_SCHEMA = PAGES.append(AUTHORITY.field("authority")).append(CANARY)
_HOLDS = {
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
}


def _tables(_taken: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    authority, first = context.world.authority["authority"], 0
    for portion in read_batches(context.world.path / "pages.parquet"):
        weighed = portion.append_column("authority", authority.slice(first, portion.num_rows))
        first += portion.num_rows
        yield with_canary(weighed, context).cast(VIEW.schema)


VIEW = DatasetView(
    "pages",
    "datasets, DuckDB, polars, whoever builds an index of their own",
    "world",
    with_meanings(_SCHEMA, _HOLDS),
    tables=_tables,
)
