"""Which page states which fact where: one row a statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from worldforge.datasets.view import DatasetView, ExportContext, with_meanings
from worldforge.datasets.world_rows import CANARY, CANARY_HOLDS, read_batches, with_canary
from worldforge.world.table_files import MENTIONS

_SCHEMA = MENTIONS.append(CANARY)
_HOLDS = {
    "page": "the page's id",
    "fact": "the fact it states: an entity's column, `club/0031#founded`",
    "start": "where in the page's text the value begins, in characters",
    "end": "where it ends",
    "stance": "`current`, `alias` or `restated` where the page is right, `outdated` or `mistaken` where it is not",
    "value": "the value as written there: `text[start:end]`",
    "canary": CANARY_HOLDS,
}


def _tables(_taken: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    return (
        with_canary(portion, context).cast(VIEW.schema)
        for portion in read_batches(context.world.path / "mentions.parquet")
    )


VIEW = DatasetView(
    "mentions", "datasets, DuckDB, polars, span extraction", "world", with_meanings(_SCHEMA, _HOLDS), tables=_tables
)
