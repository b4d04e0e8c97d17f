"""Read the shards of runs as one table: the place of a row is its number over all shards, in order, from 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.rollouts.ledger import whole_shards
from worldforge.rollouts.run import RunSummary
from worldforge.rollouts.shards import read_footer, read_shard
from worldforge.rollouts.trajectory import TRAJECTORIES

Places = npt.NDArray[np.int64]
RUN = pa.field("run", pa.string())
"""The name of a row's run: with the row's id it is unique in a dataset."""


@dataclass(frozen=True, slots=True)
class RunShards:
    """One run: its name and its shards, in order. A trajectory is known by the run's name and its own id."""

    run: str
    shards: tuple[Path, ...]


def shards_of_runs(runs: Sequence[RunSummary]) -> list[RunShards]:
    """Return the shards of finished runs. Raises InputError where one is not as it was written."""
    return [RunShards(run.run, tuple(whole_shards(run.folder, run.tally.n_episodes))) for run in runs]


class ShardReader:
    """The shards of several runs, one after another.

    `n_bytes` is what their rows take in memory, about. While each is open for that, `columns` of all its rows are read,
    and given to `take` with their places and run. Raises InputError where a shard lacks columns of `TRAJECTORIES`.
    """

    def __init__(
        self, sources: Sequence[RunShards], columns: Sequence[str], take: Callable[[pa.Table], object]
    ) -> None:
        self.shards = [(source.run, path) for source in sources for path in source.shards]
        starts, self.n_bytes, checked = [0], 0, None
        for run, path in self.shards:
            footer, table = read_footer(path, columns)
            if checked is None or not footer.schema.equals(checked):
                _check_columns(run, path, footer)
                checked = footer.schema
            names = pa.repeat(pa.scalar(run), table.num_rows)
            places = pa.arange(starts[-1], starts[-1] + table.num_rows)
            take(table.select(columns).add_column(0, RUN, names).add_column(0, "place", places))
            starts.append(starts[-1] + table.num_rows)
            self.n_bytes += sum(footer.row_group(group).total_byte_size for group in range(footer.num_row_groups))
        self.starts: Places = np.array(starts, np.int64)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.starts[-1])

    def read(self, places: Places, columns: Sequence[str]) -> Iterator[tuple[Places, pa.Table]]:
        """Give some columns of the rows at `places`, which ascend, shard by shard: which they are, and their table.

        The name of their run, `RUN`, comes first. Each shard is read once at most, and one at a time is held.
        """
        cuts = np.searchsorted(places, self.starts)
        for shard, (run, path) in enumerate(self.shards):
            chosen = places[cuts[shard] : cuts[shard + 1]]
            if len(chosen):
                table = read_shard(path, list(columns))
                table = table.add_column(0, RUN, pa.repeat(pa.scalar(run), table.num_rows))
                start, end = self.starts[shard : shard + 2]
                yield chosen, table if len(chosen) == end - start else table.take(chosen - start)


def _check_columns(run: str, path: Path, footer: pq.FileMetaData) -> None:
    found = set(footer.schema.to_arrow_schema().names)
    missing = [name for name in TRAJECTORIES.names if name not in found]
    if missing:
        raise InputError(
            f"{path} has no column `{missing[0]}`: run `{run}` was written by another version",
            "`worldforge rescore` scores it anew",
        )
