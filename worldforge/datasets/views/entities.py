"""The truth behind the pages: one row an entity, those of one type after those of another."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pyarrow as pa

from worldforge.datasets.view import ExportContext
from worldforge.datasets.world_rows import read_batches, world_view

_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("type", pa.string()),
        ("name", pa.string()),
        ("aliases", pa.list_(pa.string())),
        ("attributes", pa.string()),
    ]
)


def _tables(context: ExportContext) -> Iterator[pa.Table]:
    for kind in context.world.spec.types:
        for portion in read_batches(context.world.path / "entities" / f"{kind}.parquet"):
            rows = portion.drop_columns(["id", "name", "aliases"]).to_pylist()
            attributes = [json.dumps(row, ensure_ascii=False, default=str) for row in rows]  # a date as 2031-05-20
            own = {"type": pa.repeat(kind, len(rows)), "attributes": pa.array(attributes, pa.string())}
            names = _SCHEMA.names
            yield pa.table({name: own[name] if name in own else portion[name] for name in names})


VIEW = world_view("entities", "datasets, DuckDB, polars", _SCHEMA, _tables)
