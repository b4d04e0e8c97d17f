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
        with pa.OSFile(self._path(number), "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
            file.write_table(table)

    def take(self, number: int) -> pa.Table:
        """Map a table that was put down into memory; its file goes, its bytes stay while the table is in use."""
        path = self._path(number)
        table = pa.ipc.open_file(pa.memory_map(path)).read_all()
        remove(Path(path))
        return table

    def _path(self, number: int) -> str:
        return str(self.folder / f"{number:06}.arrow")


@contextmanager
def spilling(folder: Path) -> Iterator[Spills]:
    """Give an empty folder to spill to, and remove it afterwards; what a killed run left there goes first."""
    remove(folder)
    folder.mkdir(parents=True)
    try:
        yield Spills(folder)
    finally:
        remove(folder)
