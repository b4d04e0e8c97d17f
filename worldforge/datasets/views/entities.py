"""The truth behind the pages: one row an entity, those of one type after those of another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from worldforge.datasets.view import DatasetView, ExportContext, with_meanings
from worldforge.datasets.world_rows import CANARY, CANARY_HOLDS, read_batches, with_canary

_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("type", pa.string()),
        ("name", pa.string()),
        ("aliases", pa.list_(pa.string())),
        ("attributes", pa.string()),
        CANARY,
    ]
)
_HOLDS = {
    "id": "the entity's id: `club/0031`",
    "type": "its type",
    "name": "its name",
    "aliases": "other names it goes by",
    "attributes": "the other columns of its type as one JSON object; a reference is the id of what it refers to",
    "canary": CANARY_HOLDS,
}


def _tables(_taken: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    for kind in context.world.spec.types:
        for portion in read_batches(context.world.path / "entities" / f"{kind}.parquet"):
            yield with_canary(_rows(kind, portion), context).cast(VIEW.schema)


def _rows(kind: str, portion: pa.Table) -> pa.Table:
    attributes = portion.drop_columns(["id", "name", "aliases"]).to_pylist()
    return pa.table(
        {
            "id": portion["id"],
            "type": pa.repeat(pa.scalar(kind), portion.num_rows),
            "name": portion["name"],
            "aliases": portion["aliases"],
            "attributes": [json.dumps(row, ensure_ascii=False, default=_iso_date) for row in attributes],
        }
    )


def _iso_date(value: Any) -> str:
    """Write a date, which JSON has no form for, as 2031-05-20."""
    return str(value.isoformat())


VIEW = DatasetView(
    "entities",
    "datasets, DuckDB, polars",
    "world",
    with_meanings(_SCHEMA, _HOLDS),
    tables=_tables,
)
