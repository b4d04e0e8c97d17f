"""A shard: the finished episodes of one unit as a Parquet file, in episode order; in the run's folder, or at a URL.

Shards are written without dictionaries and on one thread: with so few rows to a file both cost more than they save.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.core.files import atomic
from worldforge.core.folder_cache import explain_url_errors
from worldforge.rollouts.tally import count_rows
from worldforge.rollouts.trajectory import TRAJECTORIES

SHARDS = "shards"


def shard_bytes(table: pa.Table) -> bytes:
    """Encode a table of `TRAJECTORIES` as a Parquet file; the same rows give the same bytes."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", compression_level=1, use_dictionary=False)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def shard_record(name: str, content: bytes, table: pa.Table) -> dict[str, Any]:
    """Describe a shard for the ledger: its digest, its counts, and the episodes that failed."""
    failed = table.filter(pc.equal(table["ending"], "failed")).select(["id", "error", "n_steps"])
    return {
        "id": name,
        "sha256": sha256(content).hexdigest(),
        "counts": count_rows(table),
        "failed": failed.to_pylist(),
    }


def table_of(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Make a table of `TRAJECTORIES`."""
    return pa.Table.from_pylist(rows, schema=TRAJECTORIES)


def write_shard(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows of `TRAJECTORIES` as a shard, atomically."""
    write_bytes(path, shard_bytes(table_of(rows)))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a shard that is encoded, atomically."""
    with atomic(path) as beside:
        beside.write_bytes(content)


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
    """Read the footer of a shard and those of `columns` that it has, opening the file once."""
    with pq.ParquetFile(path) as file:
        return file.metadata, file.read(list(columns), use_threads=False)


def read_shard(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a whole shard, or some of its columns."""
    with pq.ParquetFile(path) as file:
        return file.read(columns, use_threads=False)


@dataclass(frozen=True, slots=True)
class ShardStore:
    """The place of a run's shards: its own `folder`, or the folder `url` of an fsspec file system.

    Shards at a URL are fetched into the run's folder when they are read. Methods raise InputError where the file system
    is not installed, or refuses.
    """

    folder: Path
    url: str = ""

    def path(self, name: str) -> Path:
        """Return where a shard is in the run's folder, or would be if it were fetched."""
        return self.folder / SHARDS / name

    def put(self, name: str, content: bytes) -> None:
        """Write a shard, replacing one of that name."""
        if not self.url:
            write_bytes(self.path(name), content)
            return
        with self._remote() as (files, root):
            files.pipe_file(f"{root}/{name}", content)

    def names(self) -> set[str]:
        """Return the names of the shards at the URL. Makes its folder where there is none."""
        with self._remote() as (files, root):
            files.makedirs(root, exist_ok=True)
            files.invalidate_cache(root)
            return {str(path).rpartition("/")[2] for path in files.ls(root, detail=False)}

    def fetch(self, name: str, digests: Collection[str]) -> None:
        """Copy a shard from the URL into the run's folder. Raises InputError where it has none of the digests."""
        with self._remote() as (files, root):
            content = files.cat_file(f"{root}/{name}")
        if sha256(content).hexdigest() not in digests:
            raise InputError(f"{self.url}/{name} is damaged", "remove it, and repeat the rollout: it is played again")
        write_bytes(self.path(name), content)

    def remove(self, name: str) -> None:
        """Remove a shard from the URL."""
        with self._remote() as (files, root):
            files.rm_file(f"{root}/{name}")

    @contextmanager
    def _remote(self) -> Iterator[tuple[Any, str]]:
        try:
            with explain_url_errors(self.url):
                yield fsspec.core.url_to_fs(self.url)
        except FileNotFoundError as error:
            raise InputError(
                f"a shard is missing at {self.url}: {error}", "repeat the rollout: it plays it again"
            ) from error
