"""Composed chunks of pages on disk: what a rank has made, until a merge puts it into the world.

    <folder>/chunks/000010/{pages,mentions,links}.arrow     a chunk; 000010.json beside it: it is whole

Arrow files as they lie in memory: a merge maps them, and holds no more of them than it is writing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from worldforge.builders.pages.compose import Composed
from worldforge.builders.pages.prose.prose_counts import ProseCounts
from worldforge.builders.ranks import CHUNKS
from worldforge.core.errors import InputError
from worldforge.core.files import atomic, remove, value_digest
from worldforge.core.ranks import Share, is_whole, read_record, write_record
from worldforge.core.store import Store

_TABLES = ("pages", "mentions", "links")


@dataclass(frozen=True, slots=True)
class Units:
    """The chunks of all ranks: the folder of each and the record over it, in order."""

    ranks: Sequence[tuple[Path, Mapping[str, Any]]]

    def get(self, number: int) -> Composed | None:
        """Return the chunk of that number; None where ranks have left it to the merge."""
        folder, record = self.ranks[number % len(self.ranks)]
        told = record["chunks"].get(_name(number))
        if told is None:
            return None
        tables = {name: mapped(path) for name, path in zip(_TABLES, _files(folder, number), strict=True)}
        return Composed(**tables, tally=None if told["tally"] is None else ProseCounts.from_data(told["tally"]))

    def take_in_words(self, archive: Path) -> None:
        """Put what a model has worded for ranks into a world's `archive`."""
        kept = [path for folder, _ in self.ranks if (path := folder / archive.name).exists()]
        if kept:
            with Store(archive) as store:
                for path in kept:
                    store.take_in(path)

    def check_tables(self, digests: Mapping[str, str]) -> None:
        """Raise InputError where ranks had other tables than those of these `digests`, by file."""
        others = [rank for rank, (_, record) in enumerate(self.ranks) if record["tables"] != value_digest(digests)]
        if others:
            raise InputError(
                f"the tables made here are not those that rank {others[0]} has made of the same spec",
                "processors and libraries can differ in last digits: let one kind of machine make and merge all shares",
            )


def write_unit(folder: Path, number: int, composed: Composed, share: Share, config: Mapping[str, Any]) -> None:
    """Put a chunk down in a rank's `folder`, and last the record that it is whole."""
    files = _files(folder, number)
    with atomic(files[0].parent) as beside:
        beside.mkdir()
        for file, name in zip(files, _TABLES, strict=True):
            put_down(beside / file.name, getattr(composed, name))
    told = {"n_" + name: getattr(composed, name).num_rows for name in _TABLES}
    tally = None if composed.tally is None else composed.tally.as_data()
    write_record(_record(folder, number), share, config, files, **told, tally=tally)


def put_down(path: Path, table: pa.Table) -> None:
    """Write a table as an Arrow file."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)


def mapped(path: Path) -> pa.Table:
    """Map the table of an Arrow file into memory."""
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def keep_whole(folder: Path, numbers: Sequence[int], config: Mapping[str, Any]) -> list[int]:
    """Remove from a rank's `folder` all but the chunks `numbers`, as far as they are whole; return those missing."""
    whole = [number for number in numbers if is_whole(_record(folder, number), config)]
    names = {_name(number) for number in whole}
    place = folder / CHUNKS
    for path in sorted(place.iterdir(), reverse=True) if place.exists() else ():  # records before what they are of
        if path.name.partition(".")[0] not in names:
            remove(path)
    return sorted({*numbers} - {*whole})


def units_told(folder: Path, numbers: Sequence[int]) -> tuple[list[Path], dict[str, dict[str, Any]]]:
    """Return the files of a rank's chunks, and by chunk what their records say of them."""
    files = [file for number in numbers for file in _files(folder, number)]
    return files, dict(_told(folder, numbers))


def _told(folder: Path, numbers: Sequence[int]) -> Iterator[tuple[str, dict[str, Any]]]:
    for number in numbers:
        record = read_record(_record(folder, number)) or {}
        yield _name(number), {key: record[key] for key in ("n_pages", "n_mentions", "n_links", "tally")}


def _name(number: int) -> str:
    return f"{number:06}"


def _record(folder: Path, number: int) -> Path:
    return folder / CHUNKS / f"{_name(number)}.json"


def _files(folder: Path, number: int) -> list[Path]:
    return [folder / CHUNKS / _name(number) / f"{name}.arrow" for name in _TABLES]
