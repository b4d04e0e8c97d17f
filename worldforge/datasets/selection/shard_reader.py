"""Read the shards of runs as one table: the place of a row is its number over all shards, in order, from 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.rollouts.ledger import whole_shards
from worldforge.rollouts.run import RunSummary
from worldforge.rollouts.shards import read_shard
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
    """Return the shards of finished runs. Raises InputError where one is damaged or of another version."""
    return [RunShards(run.run, tuple(whole_shards(run.folder, run.tally.n_episodes))) for run in runs]


class ShardReader:
    """Reads the shards of several runs, one after another, and holds one at a time."""

    def __init__(self, sources: Sequence[RunShards]) -> None:
        self._shards = [(source.run, path) for source in sources for path in source.shards]
        n_rows = [pq.read_metadata(path).num_rows for _, path in self._shards]
        self._starts: Places = np.cumsum([0, *n_rows], dtype=np.int64)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self._starts[-1])

    def scan(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Give `place`, `run` and some columns of all rows."""
        schema = pa.schema([("place", pa.int64()), RUN, *(TRAJECTORIES.field(name) for name in columns)])
        read = self.read(np.arange(self.n_rows), columns)
        tables = (table.add_column(0, "place", pa.array(places)).cast(schema) for places, table in read)
        batches = (batch for table in tables for batch in table.to_batches())
        return pa.RecordBatchReader.from_batches(schema, batches)

    def read(self, places: Places, columns: Sequence[str]) -> Iterator[tuple[Places, pa.Table]]:
        """Give `run` and some columns of the rows at `places`, which ascend: a shard's places, and their table."""
        cuts = np.searchsorted(places, self._starts)
        for shard, (run, path) in enumerate(self._shards):
            chosen = places[cuts[shard] : cuts[shard + 1]]
            if len(chosen):
                table = read_shard(path, list(columns))
                if len(chosen) < table.num_rows:
                    table = table.take(chosen - self._starts[shard])
                yield chosen, table.add_column(0, RUN, pa.repeat(pa.scalar(run), table.num_rows))
