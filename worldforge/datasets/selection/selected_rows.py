"""Read the shards of runs, and stream the selected rows, in the order chosen or one task at a time, in bounded memory.

The place of a row is its number over all shards, in order, from 0.

In the order of the shards, rows are read through. In any other order they are first spread over files of portions of
that order, each small enough to be sorted in memory: a row is written and read once more, however the orders differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq

from worldforge.core.files import atomic
from worldforge.datasets.selection.selection_report import Histograms, SelectionReport
from worldforge.datasets.selection.token_counts import N_TOKENS
from worldforge.rollouts.ledger import whole_shards
from worldforge.rollouts.run import RunSummary
from worldforge.rollouts.shards import read_shard
from worldforge.rollouts.trajectory import TRAJECTORIES

ROWS_PER_PORTION = 1_024
MOST_PORTIONS = 512  # files open at a time
_ADDED = pa.schema([("_rank", pa.int64()), ("_portion", pa.int32())])
_TABLES, _GROUPS = "tables", "groups"


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """Trajectories that were chosen, in order: `places` in the shards, `tasks` numbered by id, `n_tokens` if counted.

    `report` says what each step removed. `pass_rates` are, by task id, the share of its finished trajectories that
    succeeded, over all there were before any filter; one that ended as `failed` was no attempt. What does not stay in
    memory is moved to `folder`. Pickles: another process reads from the same folder.
    """

    reader: ShardReader
    places: Places
    tasks: npt.NDArray[np.int32]
    n_tokens: npt.NDArray[np.int32] | None
    report: SelectionReport
    pass_rates: Mapping[str, float]
    histograms: Histograms
    folder: Path

    @property
    def n_rows(self) -> int:
        """How many rows were chosen."""
        return len(self.places)

    @property
    def schema(self) -> pa.Schema:
        """The columns: `run`, those of `TRAJECTORIES` and, where a tokenizer was named, `n_tokens`."""
        rows = TRAJECTORIES.insert(0, RUN)
        return rows if self.n_tokens is None else rows.append(N_TOKENS)

    def tables(self) -> Iterator[pa.Table]:
        """Give the rows in the order chosen, as tables of at most `ROWS_PER_PORTION`, as far as all fit."""
        return (table for _, table in self._read()) if self._is_in_shard_order else self._read_portions(_TABLES)

    def groups(self) -> Iterator[pa.Table]:
        """Give the rows one task at a time, tasks in the order of their ids, each task's rows in the order chosen."""
        left = np.sort(self.tasks)
        for table in self._read_portions(_GROUPS):
            tasks, left = left[: table.num_rows], left[table.num_rows :]
            starts = [0, *(np.flatnonzero(np.diff(tasks)) + 1), table.num_rows]
            yield from (table.slice(start, end - start) for start, end in pairwise(starts))

    def prepare(self, takes: Collection[str]) -> None:
        """Write to disk what `tables` and `groups` will read there, so that several processes may."""
        if "trajectories" in takes and not self._is_in_shard_order:
            self._write_portions(_TABLES)
        if "groups" in takes:
            self._write_portions(_GROUPS)

    @property
    def _is_in_shard_order(self) -> bool:
        return bool(np.all(np.diff(self.places) > 0))

    def _read(self) -> Iterator[tuple[Places, pa.Table]]:
        """Read the rows in the order of the shards: their numbers in the order chosen, and their table."""
        rows, n_read = np.argsort(self.places), 0
        for places, table in self.reader.read(self.places[rows], TRAJECTORIES.names):
            here = rows[n_read : n_read + len(places)]
            n_read += len(places)
            if self.n_tokens is not None:
                table = table.append_column(N_TOKENS, pa.array(self.n_tokens[here]))
            yield here, table

    def _read_portions(self, name: str) -> Iterator[pa.Table]:
        """Give the rows in the order `name`, a portion at a time."""
        folder = self._write_portions(name)
        for portion in range(len(list(folder.iterdir()))):
            table = pads.dataset(folder / str(portion), format="ipc").to_table()
            yield table.sort_by("_rank").drop_columns("_rank")

    def _write_portions(self, name: str) -> Path:
        """Write each row, with its rank in the order `name`, below the folder of its portion, unless that is done.

        A task's rows, where the order has them together, are in one portion.
        """
        folder = self.folder / name
        if folder.exists():
            return folder
        order = np.arange(self.n_rows) if name == _TABLES else np.argsort(self.tasks, kind="stable")
        first = np.arange(self.n_rows)  # by rank: the first rank that has to be in the same portion
        if name == _GROUPS:
            first = np.searchsorted(self.tasks[order], self.tasks[order])
        portions = np.unique(first // max(ROWS_PER_PORTION, -(-self.n_rows // MOST_PORTIONS)), return_inverse=True)[1]
        ranks = np.argsort(order)
        batches = (
            batch for rows, table in self._read() for batch in _ranked(table, ranks[rows], portions[ranks[rows]])
        )
        with atomic(folder) as draft:
            draft.mkdir()
            pads.write_dataset(
                batches,
                draft,
                schema=pa.schema([*self.schema, *_ADDED]),
                format="ipc",
                partitioning=pads.partitioning(pa.schema([_ADDED.field("_portion")])),
                file_options=pads.IpcFileFormat().make_write_options(compression="lz4"),
                max_open_files=MOST_PORTIONS,
                existing_data_behavior="overwrite_or_ignore",
            )
        return folder


def _ranked(table: pa.Table, ranks: Places, portions: Places) -> list[pa.RecordBatch]:
    added = pa.table([ranks, portions], schema=_ADDED)
    return pa.table([*table.columns, *added.columns], pa.schema([*table.schema, *_ADDED])).to_batches()


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
