"""Writes trajectories as a dataset: Parquet files of even size, streamed, the same bytes for the same trajectories.

Page index and content-defined chunking are what the Hub's viewer and its storage want; a row group stays below what the
viewer reads at once (formats as `datasets` itself writes them, but for the compression).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.progress import Progress
from worldforge.rollouts.shards import read_shard
from worldforge.rollouts.trajectory import TRAJECTORIES

ROWS_PER_GROUP = 1_000
BYTES_PER_GROUP = 64 * 2**20
PATTERN = "train-*.parquet"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many rows there are in all, in a file at most, in a row group at most."""

    n_rows: int
    per_file: int
    per_group: int

    @property
    def n_files(self) -> int:
        """How many files hold them."""
        return -(-self.n_rows // self.per_file)

    def groups(self, file: int) -> Iterator[int]:
        """Give the rows of each row group of the `file`-th file, from 0."""
        left = min(self.per_file, self.n_rows - file * self.per_file)
        while left:
            yield min(left, self.per_group)
            left -= min(left, self.per_group)


def plan_sizes(sources: Sequence[Path], rows_per_file: int) -> Sizes:
    """Plan the files from the footers of the `sources`, shards of a run: row groups of at most 1,000 rows, or 64 MB."""
    footers = [pq.read_metadata(path) for path in sources]
    n_rows = sum(footer.num_rows for footer in footers)
    n_bytes = sum(footer.row_group(i).total_byte_size for footer in footers for i in range(footer.num_row_groups))
    fitting = BYTES_PER_GROUP * n_rows // max(1, n_bytes)
    return Sizes(n_rows, rows_per_file, max(1, min(ROWS_PER_GROUP, fitting)))


def write_files(sources: Sequence[Path], folder: Path, sizes: Sizes, progress: Progress) -> list[Path]:
    """Write the rows of `sources`, in order, as files in `folder`, a row group at a time; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    stream = _Stream(map(read_shard, sources))
    paths = [folder / f"train-{file:05d}-of-{sizes.n_files:05d}.parquet" for file in range(sizes.n_files)]
    for file, path in enumerate(paths):
        with _writer(path) as writer:
            for n_rows in sizes.groups(file):
                writer.write_table(stream.take(n_rows), row_group_size=n_rows)
                progress.advance(n_rows)
    return paths


def _writer(path: Path) -> pq.ParquetWriter:
    return pq.ParquetWriter(
        path,
        TRAJECTORIES,
        compression="zstd",
        compression_level=1,
        write_page_index=True,
        use_content_defined_chunking=True,
    )


class _Stream:
    """Rows that come table by table, and are taken in other portions."""

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self._tables = iter(tables)
        self._rest = TRAJECTORIES.empty_table()

    def take(self, n_rows: int) -> pa.Table:
        """Take the next `n_rows`, which must be there."""
        portions, missing = [self._rest.slice(0, n_rows)], n_rows - self._rest.num_rows
        self._rest = self._rest.slice(n_rows)
        while missing > 0:
            table = next(self._tables)
            portions.append(table.slice(0, missing))
            self._rest = table.slice(missing)
            missing -= table.num_rows
        return pa.concat_tables(portions)
