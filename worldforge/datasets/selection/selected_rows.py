"""Stream the selected rows: in the order chosen, or one task at a time.

Only a few numbers a row are held; conversations pass through.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.core.temp_dir import TempDir
from worldforge.datasets.selection.row_streams import in_order, portioned, prepare
from worldforge.datasets.selection.selection_report import SelectionReport
from worldforge.datasets.selection.shard_reader import RUN, Places, ShardReader
from worldforge.datasets.selection.token_counts import N_TOKENS
from worldforge.rollouts.trajectory import TRAJECTORIES


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
        folder: TempDir | None,
    ) -> None:
        self.report, self.pass_rates = report, pass_rates
        self._reader, self._chosen, self._folder = reader, chosen, folder
        self._spill = folder.path if folder is not None else Path()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_folder": None}

    @property
    def n_rows(self) -> int:
        """How many rows were chosen."""
        return len(self._chosen.places)

    @property
    def n_bytes(self) -> int:
        """About how many bytes the chosen rows take uncompressed, from the shards' footers."""
        return round(self._reader.n_bytes * self.n_rows / max(1, self._reader.n_rows))

    @property
    def schema(self) -> pa.Schema:
        """The columns: `run`, those of `TRAJECTORIES` and, where a tokenizer was named, `n_tokens`."""
        rows = TRAJECTORIES.insert(0, RUN)
        return rows if self._chosen.n_tokens is None else rows.append(N_TOKENS)

    def tables(self, n_rows: int) -> Iterator[pa.Table]:
        """Give the rows in the order chosen, as tables of `n_rows` each, the last of what is left."""
        n_tables = -(-self.n_rows // n_rows)
        return portioned(self._stream(np.arange(self.n_rows), "tables"), iter([n_rows] * n_tables))

    def groups(self) -> Iterator[pa.Table]:
        """Give the rows one task at a time, tasks in the order of their ids, each task's rows in the order chosen."""
        order = self._by_task()
        _, sizes = np.unique(self._chosen.tasks, return_counts=True)
        return portioned(self._stream(order, "groups"), iter(sizes.tolist()))

    def prepare(self, takes: Collection[str]) -> None:
        """Move to disk now what `tables` and `groups` would, as views of these `takes` need, for others to read."""
        if not self.n_rows:
            return
        orders = {"trajectories": ("tables", np.arange(self.n_rows)), "groups": ("groups", self._by_task())}
        for name, order in (orders[kind] for kind in orders if kind in takes):
            prepare(self._reader, self._chosen.places[order], TRAJECTORIES.names, self._spill / name)

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

    def _by_task(self) -> Places:
        return np.argsort(self._chosen.tasks, kind="stable")

    def _stream(self, order: Places, name: str) -> Iterator[pa.Table]:
        places, n_read = self._chosen.places[order], 0
        for table in in_order(self._reader, places, TRAJECTORIES.names, self._spill / name):
            whole = table.select([RUN.name, *TRAJECTORIES.names])
            if self._chosen.n_tokens is not None:
                counted = self._chosen.n_tokens[order[n_read : n_read + table.num_rows]]
                whole = whole.append_column(N_TOKENS, pa.array(counted, pa.int32()))
            n_read += table.num_rows
            yield whole
