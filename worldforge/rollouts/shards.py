"""A shard: the finished episodes of one unit as a Parquet file, in episode order.

Without dictionaries and on one thread: with so few rows to a file both cost more than they save.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.core.files import atomic
from worldforge.rollouts.trajectory import TRAJECTORIES


def write_shard(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows of `TRAJECTORIES` as a shard, atomically; the same rows give the same bytes."""
    write_shard_table(path, pa.Table.from_pylist(rows, schema=TRAJECTORIES))


def write_shard_table(path: Path, table: pa.Table) -> None:
    """Write a table of `TRAJECTORIES` as a shard, atomically."""
    with atomic(path) as beside:
        pq.write_table(table, beside, compression="zstd", compression_level=1, use_dictionary=False)


def check_columns(path: Path) -> None:
    """Raise InputError where a shard was written by a version whose trajectories have other columns."""
    schema = pq.read_schema(path)
    if schema.equals(TRAJECTORIES):
        return
    here, now = ({(field.name, field.type) for field in columns} for columns in (schema, TRAJECTORIES))
    differing = ", ".join(f"`{name}`" for name in sorted({name for name, _ in here ^ now})) or "in their order"
    raise InputError(
        f"{path} was written by another version of WorldForge; its columns differ: {differing}",
        "`worldforge rescore WORLD` brings finished runs up to date; `worldforge rollout --resume never` begins anew",
    )


def read_footer(path: Path, columns: Sequence[str]) -> tuple[pq.FileMetaData, pa.Table]:
    """Read the footer of a shard and those of `columns` that it has: opening it once is most of what that takes."""
    with pq.ParquetFile(path) as file:
        return file.metadata, file.read(list(columns), use_threads=False)


def read_shard(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a whole shard, or some of its columns."""
    with pq.ParquetFile(path) as file:
        return file.read(columns, use_threads=False)
