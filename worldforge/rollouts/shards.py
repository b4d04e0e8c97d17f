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
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.core.files import atomic
from worldforge.core.folder_cache import explain_url_errors
from worldforge.rollouts.tally import count_rows
from worldforge.rollouts.trajectory import TRAJECTORIES

SHARDS = "shards"


def encode_shard(name: str, rows: Sequence[dict[str, Any]]) -> tuple[bytes, dict[str, Any]]:
    """Encode rows of `TRAJECTORIES` as a Parquet file; the same rows give the same bytes.

    Return them and the shard's line in the ledger: its digest, its counts, and the episodes that failed.
    """
    sink = pa.BufferOutputStream()
    table = pa.Table.from_pylist(rows, schema=TRAJECTORIES)
    pq.write_table(table, sink, compression="zstd", compression_level=1, use_dictionary=False)
    content = sink.getvalue().to_pybytes()
    failed = [{key: row[key] for key in ("id", "error", "n_steps")} for row in rows if row["ending"] == "failed"]
    digest = sha256(content).hexdigest()
    return content, {"id": name, "sha256": digest, "counts": count_rows(rows), "failed": failed}


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
            self._write(name, content)
            return
        with self._remote() as (files, root):
            files.pipe_file(f"{root}/{name}", content)

    def names(self) -> set[str]:
        """Return the names of the shards at the URL, if there is one. Makes its folder where there is none."""
        if not self.url:
            return set()
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
        self._write(name, content)

    def remove(self, name: str) -> None:
        """Remove a shard."""
        if self.url:
            with self._remote() as (files, root):
                files.rm_file(f"{root}/{name}")
        self.path(name).unlink(missing_ok=True)

    def _write(self, name: str, content: bytes) -> None:
        with atomic(self.path(name)) as beside:
            beside.write_bytes(content)

    @contextmanager
    def _remote(self) -> Iterator[tuple[Any, str]]:
        try:
            with explain_url_errors(self.url):
                yield fsspec.core.url_to_fs(self.url)
        except FileNotFoundError as error:
            raise InputError(
                f"a shard is missing at {self.url}: {error}", "repeat the rollout: it plays it again"
            ) from error
