"""Tables put down on disk until they are needed, and read back without a copy in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from worldforge.core.files import remove


@dataclass(frozen=True, slots=True)
class Spills:
    """Numbered tables, as Arrow files in one folder."""

    folder: Path

    def write(self, number: int, table: pa.Table) -> None:
        """Put a table down."""
        put_down(self._path(number), table)

    def take(self, number: int) -> pa.Table:
        """Map a table that was put down into memory; its file goes, its bytes stay while the table is in use."""
        path = self._path(number)
        table = mapped(path)
        remove(path)
        return table

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.arrow"


def put_down(path: Path, table: pa.Table) -> None:
    """Write a table as an Arrow file."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)


def mapped(path: Path) -> pa.Table:
    """Map the table of an Arrow file into memory."""
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


@contextmanager
def spilling(folder: Path) -> Iterator[Spills]:
    """Give an empty folder to spill to, and remove it afterwards; what a killed run left there goes first."""
    remove(folder)
    folder.mkdir(parents=True)
    try:
        yield Spills(folder)
    finally:
        remove(folder)
