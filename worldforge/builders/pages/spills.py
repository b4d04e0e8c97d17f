"""Tables put aside until they are needed: the first ones in memory, the others on disk, read back without a copy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from worldforge.core.files import remove


class Spills:
    """Numbered tables: up to `n_bytes` of them are held in memory, the others are Arrow files in one folder."""

    def __init__(self, folder: Path, n_bytes: int) -> None:
        self._folder = folder
        self._left = n_bytes
        self._held: dict[int, pa.Table] = {}

    def write(self, number: int, table: pa.Table) -> None:
        """Put a table aside."""
        if table.nbytes <= self._left:
            self._left -= table.nbytes
            self._held[number] = table
        else:
            self._left = 0  # what is held are the first ones: they are wanted first
            put_down(self._path(number), table)

    def take(self, number: int) -> pa.Table:
        """Take a table that was put aside; of one on disk the file goes, its bytes stay while the table is in use."""
        if number in self._held:
            return self._held.pop(number)
        path = self._path(number)
        table = mapped(path)
        remove(path)
        return table

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06}.arrow"


def put_down(path: Path, table: pa.Table) -> None:
    """Write a table as an Arrow file."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)


def mapped(path: Path) -> pa.Table:
    """Map the table of an Arrow file into memory."""
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


@contextmanager
def spilling(folder: Path, n_bytes: int) -> Iterator[Spills]:
    """Give what holds up to `n_bytes`, and an empty folder to spill to; what a killed run left there goes first."""
    remove(folder)
    folder.mkdir(parents=True)
    try:
        yield Spills(folder, n_bytes)
    finally:
        remove(folder)
