"""Stream the selected rows, in the order chosen or one task at a time, in bounded memory.

In the order of the shards, rows are read through. In any other order they are first spread over files of portions of
that order, each small enough to be sorted in memory: a row is written and read once more, however the orders differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.core.temp_dir import TempDir
from worldforge.datasets.selection.selection_report import Histograms, SelectionReport
from worldforge.datasets.selection.shard_reader import RUN, Places, ShardReader
from worldforge.datasets.selection.token_counts import N_TOKENS
from worldforge.rollouts.trajectory import TRAJECTORIES

ROWS_PER_PORTION = 1_024
MOST_PORTIONS = 512  # files open at a time
_COMPRESSED = pa.ipc.IpcWriteOptions(compression="lz4")


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """The rows chosen, in order: their places in the shards, their tasks (numbered by id), their tokens if counted."""

    places: Places
    tasks: npt.NDArray[np.int32]
    n_tokens: npt.NDArray[np.int32] | None


class SelectedRows:
    """Trajectories that were chosen. Holds a folder for what does not stay in memory: close it, or use `with`.

    Pickles: another process reads from the same folder, and leaves it to this one to remove.

    `report` says what each step removed. `pass_rates` are, by task id, the share of its finished trajectories that
    succeeded, over all there were before any filter; one that ended as `failed` was no attempt.
    """

    def __init__(
        self,
        reader: ShardReader,
        chosen: ChosenRows,
        report: SelectionReport,
        pass_rates: Mapping[str, float],
        histograms: Histograms,
        folder: TempDir,
    ) -> None:
        self.report, self.pass_rates, self.histograms = report, pass_rates, histograms
        self._reader, self._chosen, self._path = reader, chosen, folder.path
        self._folder: TempDir | None = folder

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_folder": None}

    @property
    def n_rows(self) -> int:
        """How many rows were chosen."""
        return len(self._chosen.places)

    @property
    def schema(self) -> pa.Schema:
        """The columns: `run`, those of `TRAJECTORIES` and, where a tokenizer was named, `n_tokens`."""
        rows = TRAJECTORIES.insert(0, RUN)
        return rows if self._chosen.n_tokens is None else rows.append(N_TOKENS)

    def tables(self) -> Iterator[pa.Table]:
        """Give the rows in the order chosen, as tables of at most `ROWS_PER_PORTION`, as far as all fit."""
        if self._is_as_played:
            return (table for _, table in self._read(np.arange(self.n_rows)))
        return self._sorted("tables", np.arange(self.n_rows))

    def groups(self) -> Iterator[pa.Table]:
        """Give the rows one task at a time, tasks in the order of their ids, each task's rows in the order chosen."""
        order = np.argsort(self._chosen.tasks, kind="stable")
        left = self._chosen.tasks[order]
        for table in self._sorted("groups", order):
            tasks, left = left[: table.num_rows], left[table.num_rows :]
            starts = [0, *(np.flatnonzero(np.diff(tasks)) + 1), table.num_rows]
            yield from (table.slice(start, end - start) for start, end in pairwise(starts))

    def prepare(self, takes: Collection[str]) -> None:
        """Write to disk what `tables` and `groups` will read there, so that several processes may."""
        if "trajectories" in takes and not self._is_as_played:
            self._spread("tables", np.arange(self.n_rows))
        if "groups" in takes:
            self._spread("groups", np.argsort(self._chosen.tasks, kind="stable"))

    def close(self) -> None:
        """Remove what was moved to disk."""
        if self._folder is not None:
            self._folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _is_as_played(self) -> bool:
        return bool(np.all(np.diff(self._chosen.places) > 0))

    def _read(self, rows: Places) -> Iterator[tuple[Places, pa.Table]]:
        """Read chosen rows, whose places ascend: some of `rows` at a time, and their table."""
        n_read = 0
        for places, table in self._reader.read(self._chosen.places[rows], TRAJECTORIES.names):
            here = rows[n_read : n_read + len(places)]
            n_read += len(places)
            if self._chosen.n_tokens is not None:
                table = table.append_column(N_TOKENS, pa.array(self._chosen.n_tokens[here]))
            yield here, table

    def _sorted(self, name: str, order: Places) -> Iterator[pa.Table]:
        """Give the rows in `order`, a portion at a time."""
        for path in self._spread(name, order):
            with pa.OSFile(str(path)) as raw, pa.ipc.open_stream(raw) as stream:
                yield stream.read_all().sort_by("_rank").drop_columns("_rank")

    def _spread(self, name: str, order: Places) -> list[Path]:
        """Write each row, with its rank in `order`, to the file of its portion, unless that is done; return the files.

        A task's rows, where `order` has them together, are in one portion.
        """
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        portions = self._portions(order, name)[ranks]
        files = [self._path / name / f"{n:03d}.arrow" for n in range(portions.max(initial=-1) + 1)]
        done = self._path / name / "done"
        if not done.exists():
            done.parent.mkdir(exist_ok=True)
            schema = self.schema.append(pa.field("_rank", pa.int64()))
            with ExitStack() as stack:
                writers = [_writer(stack, file, schema) for file in files]
                for rows, table in _gathered(self._read(np.argsort(self._chosen.places)), ROWS_PER_PORTION):
                    ranked = table.append_column("_rank", pa.array(ranks[rows]))
                    for portion in np.unique(portions[rows]).tolist():
                        chosen = np.flatnonzero(portions[rows] == portion)
                        writers[portion].write_table(ranked.take(pa.array(chosen)))
            done.touch()
        return files

    def _portions(self, order: Places, name: str) -> Places:
        """Number the portions of an order, from 0, for each rank in it."""
        size = max(ROWS_PER_PORTION, -(-len(order) // MOST_PORTIONS))
        portions = np.arange(len(order)) // size
        if name == "groups" and len(order):
            tasks = self._chosen.tasks[order]
            first = np.searchsorted(tasks, tasks)  # the rank of the first row of each row's task
            portions = np.unique(portions[first], return_inverse=True)[1]
        return portions


def _gathered(read: Iterator[tuple[Places, pa.Table]], n_rows: int) -> Iterator[tuple[Places, pa.Table]]:
    """Put tables together until they have at least `n_rows`."""
    rows: list[Places] = []
    tables: list[pa.Table] = []
    for here, table in read:
        rows.append(here)
        tables.append(table)
        if sum(map(len, rows)) >= n_rows:
            yield np.concatenate(rows), pa.concat_tables(tables)
            rows, tables = [], []
    if rows:
        yield np.concatenate(rows), pa.concat_tables(tables)


def _writer(stack: ExitStack, file: Path, schema: pa.Schema) -> pa.ipc.RecordBatchStreamWriter:
    raw = stack.enter_context(pa.OSFile(str(file), "wb"))
    return stack.enter_context(pa.ipc.new_stream(raw, schema, options=_COMPRESSED))
