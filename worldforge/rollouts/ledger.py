"""Which episodes of a run are done. Every episode belongs to one unit; a unit is a journal, then a shard.

    shards/00002.parquet      unit 2: done, all of its episodes in order; at a URL, where the run has one
    shards/00003.jsonl        unit 3: some of its episodes, as they finished
    ledger.jsonl              a line for each whole shard: digest, counts, failed episodes

A kill at any moment leaves a unit as a journal, as a shard, or as nothing. What is missing or damaged is played again,
and a shard is always made from its journal: the same bytes whether the run was disturbed or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, remove, replace, write_text
from worldforge.rollouts import journal
from worldforge.rollouts.config import read_config
from worldforge.rollouts.shards import (
    SHARDS,
    ShardStore,
    check_columns,
    read_shard,
    shard_bytes,
    shard_record,
    table_of,
)
from worldforge.rollouts.trajectory import TRAJECTORIES

LEDGER = "ledger.jsonl"
_COLUMNS = frozenset(TRAJECTORIES.names)
_UNITS, _LEAST, _MOST = 512, 8, 128  # units that a run has at least, if each may have as few or many episodes
Records = dict[str, list[dict[str, Any]]]
"""The lines of a ledger by shard. Before a shard is rescored the ledger gets a line for the new bytes."""


def unit_size(n_episodes: int) -> int:
    """Return how many episodes a unit of a run of `n_episodes` has: a power of two."""
    size = _LEAST
    while size < _MOST and size * 2 * _UNITS <= n_episodes:
        size *= 2
    return size


def unit_places(unit: int, n_episodes: int) -> range:
    """Return the places of the episodes of a unit."""
    size = unit_size(n_episodes)
    return range(unit * size, min((unit + 1) * size, n_episodes))


def shard_paths(folder: Path, n_episodes: int) -> list[Path]:
    """Return where the shards of the run of `n_episodes` in `folder` are, or would be if fetched; in order."""
    n_units = -(-n_episodes // unit_size(n_episodes))
    return [folder / SHARDS / f"{unit:05d}.parquet" for unit in range(n_units)]


def store_of(folder: Path) -> ShardStore:
    """Return where the shards of the run in `folder` are, by its config.json."""
    url = (read_config(folder) or {}).get("shards", "")
    return ShardStore(folder, f"{url.rstrip('/')}/{folder.name}" if url else "")


def whole_shards(folder: Path, n_episodes: int, *, any_version: bool = False) -> list[Path]:
    """Return the shards of a finished run, in order; those at a URL are fetched into the run's folder.

    Raises InputError where one is not as it was written, and, unless `any_version` will do, where one has not the
    columns of `TRAJECTORIES`.
    """
    records, store, paths = read_records(folder), store_of(folder), shard_paths(folder, n_episodes)
    for path in paths:
        lines = records.get(path.name, [])
        if lines and store.url and not _is_whole(path, lines):
            store.fetch(path.name, _digests(lines))
        if not _is_whole(path, lines):
            raise InputError(f"{path} is missing or damaged", "repeat the rollout: it plays again what is damaged")
        if not any_version:
            check_columns(path)
    return paths


def n_recorded(folder: Path, n_episodes: int) -> int:
    """Count the episodes that are on record in the run of `n_episodes` in `folder`, changing nothing there."""
    at_url = read_records(folder) if store_of(folder).url else {}
    count = 0
    for unit, shard in enumerate(shard_paths(folder, n_episodes)):
        if shard.exists() or shard.name in at_url:
            count += len(unit_places(unit, n_episodes))
        else:
            count += len({row["id"] for row in journal.read(shard.with_suffix(".jsonl"))})
    return count


def read_records(folder: Path) -> Records:
    """Read the ledger of the run in `folder`."""
    records: Records = {}
    for line in journal.read(folder / LEDGER):
        records.setdefault(line["id"], []).append(line)
    return records


def records_of_shards(folder: Path, n_episodes: int) -> list[dict[str, Any]]:
    """Return the ledger's last line for each shard of a run that is played, in order."""
    records = read_records(folder)
    return [records[path.name][-1] for path in shard_paths(folder, n_episodes)]


def rewrite_shard(folder: Path, shard: Path, rows: Sequence[dict[str, Any]]) -> bool:
    """Put `rows` in the place of those of a whole shard of the run in `folder`; say whether a byte changed.

    The ledger has the digest of the new shard before it stands there: any of its digests will do, until `settle`.
    """
    table = table_of(rows)
    content = shard_bytes(table)
    if sha256(content).hexdigest() == file_digest(shard):
        return False
    journal.recover(folder / LEDGER)
    journal.append(folder / LEDGER, journal.to_line(shard_record(shard.name, content, table)), safe=True)
    beside = shard.with_name(f".{shard.name}.rewritten")
    try:
        beside.write_bytes(content)
        replace(beside, shard)
    finally:
        remove(beside)
    store = store_of(folder)
    if store.url:
        store.put(shard.name, content)
    return True


def settle(folder: Path, n_episodes: int) -> None:
    """Write the ledger of a finished run by its shards as they are now."""
    records = [_described(shard) for shard in whole_shards(folder, n_episodes)]
    if journal.recover(folder / LEDGER) != records:
        write_text(folder / LEDGER, b"".join(map(journal.to_line, records)).decode())


def copy_records(folder: Path, target: Path, ids: Sequence[str]) -> None:
    """Copy what is on record of the run in `folder` to the folder `target`, as journals of a run of episodes `ids`.

    Raises InputError where a whole shard has not the columns of `TRAJECTORIES`.
    """
    records, places = read_records(folder), {id_: place for place, id_ in enumerate(ids)}
    found = {path.with_suffix(".parquet") for path in (folder / SHARDS).glob("[0-9]*.*")}
    store, targets, size = store_of(folder), shard_paths(target, len(ids)), unit_size(len(ids))
    (target / SHARDS).mkdir(parents=True, exist_ok=True)
    for shard in sorted(found | ({store.path(name) for name in records} if store.url else set())):
        lines: dict[Path, list[bytes]] = {}
        for row in _rows_on_record(shard, records.get(shard.name, []), store):
            if row["id"] in places and row.keys() >= _COLUMNS:
                path = targets[places[row["id"]] // size].with_suffix(".jsonl")
                lines.setdefault(path, []).append(journal.to_line(row))
        for path, copied in lines.items():
            journal.append(path, b"".join(copied), safe=True)


class Ledger:
    """The record of the episodes `ids` of the run in `folder`. One process at a time holds it."""

    def __init__(self, folder: Path, ids: Sequence[str], *, retry_failed: bool = False) -> None:
        """Take up what is there: whole shards are kept, journals read, all else is missing.

        With `retry_failed`, episodes that are on record as failed are missing too. Raises InputError where a whole
        shard has not the columns of `TRAJECTORIES`.
        """
        self._ids, self._path, self.store = ids, folder / LEDGER, store_of(folder)
        self._shards = shard_paths(folder, len(ids))
        (folder / SHARDS).mkdir(parents=True, exist_ok=True)
        journal.recover(self._path)
        lines, at_url = read_records(folder), self.store.names() if self.store.url else set()
        self._records: dict[str, dict[str, Any]] = {}
        for shard in self._shards:
            known = [line for line in lines.get(shard.name, []) if shard.name in at_url or _is_whole(shard, [line])]
            if known and _is_whole(shard, known):
                check_columns(shard)
            if known:
                self._records[shard.name] = known[-1] if "counts" in known[-1] else _described(shard)
        for shard in self._shards if retry_failed else ():
            self._forget_failed(shard)
        self._missing: dict[int, set[int]] = {}
        for unit in range(len(self._shards)):
            self._missing[unit] = self._take_up(unit)

    @property
    def missing(self) -> list[int]:
        """The places, in `ids`, of the episodes that have still to be played; in order."""
        return [place for unit in self._missing for place in sorted(self._missing[unit])]

    def unit_ids(self, unit: int) -> list[str]:
        """Return the ids of all episodes of a unit, in order."""
        return [self._ids[place] for place in unit_places(unit, len(self._ids))]

    def journal_lines(self, unit: int) -> list[bytes]:
        """Return the lines of a unit's journal."""
        return [journal.to_line(row) for row in journal.recover(self._journal(unit))]

    def unit_of(self, place: int) -> int:
        """Return the unit of the episode at a place."""
        return place // unit_size(len(self._ids))

    def keep(self, unit: int, lines: Iterable[bytes], played: Iterable[int] = ()) -> None:
        """Append finished episodes of a unit to its journal; those at the places `played` are no longer missing."""
        content = b"".join(map(journal.sealed, lines))
        if content:
            journal.append(self._journal(unit), content)
        self._missing[unit].difference_update(played)

    def commit(self, unit: int, record: dict[str, Any], shard: bytes | None = None) -> None:
        """Put down that the shard of a unit is whole; `shard` is its content, where it is not in its place yet."""
        if shard is not None:
            self.store.put(record["id"], shard)
        journal.append(self._path, journal.to_line(record))
        remove(self._journal(unit))
        self._records[record["id"]] = record
        self._missing[unit] = set()

    def put_in_order(self) -> None:
        """Name each shard once and in order: the same bytes for any number of workers."""
        in_order = b"".join(journal.to_line(self._records[shard.name]) for shard in self._shards)
        if in_order and self._path.read_bytes() != in_order:
            write_text(self._path, in_order.decode())

    def _take_up(self, unit: int) -> set[int]:
        """Return the places of a unit that are missing. One whose journal has all episodes gets its shard."""
        if self._shards[unit].name in self._records:
            remove(self._journal(unit))
            return set()
        rows = {row["id"]: row for row in journal.recover(self._journal(unit)) if row.keys() >= _COLUMNS}
        places = unit_places(unit, len(self._ids))
        missing = {place for place in places if self._ids[place] not in rows}
        if not missing:
            content, record = close_unit(self._shards[unit].name, [rows[self._ids[place]] for place in places])
            self.commit(unit, record, content)
        return missing

    def _forget_failed(self, shard: Path) -> None:
        """Leave of a unit a journal of the episodes that did not fail, unless none did."""
        record = self._records.get(shard.name)
        if record is not None and not record["failed"]:
            return
        rows = _rows_on_record(shard, [record] if record else [], self.store)
        kept = [row for row in rows if row["ending"] != "failed"]
        if len(kept) < len(rows):
            write_text(shard.with_suffix(".jsonl"), b"".join(map(journal.to_line, kept)).decode())
            if self.store.url and record:
                self.store.remove(shard.name)
            remove(shard)
            self._records.pop(shard.name, None)

    def _journal(self, unit: int) -> Path:
        return self._shards[unit].with_suffix(".jsonl")


def close_unit(name: str, rows: Sequence[dict[str, Any]]) -> tuple[bytes, dict[str, Any]]:
    """Return the content of the shard of a unit's episodes, and its line in the ledger."""
    table = table_of(rows)
    content = shard_bytes(table)
    return content, shard_record(name, content, table)


def _described(shard: Path) -> dict[str, Any]:
    """Return the ledger's line for a shard as it is."""
    return shard_record(shard.name, shard.read_bytes(), read_shard(shard))


def _rows_on_record(shard: Path, lines: Sequence[dict[str, Any]], store: ShardStore) -> list[dict[str, Any]]:
    """Return the rows of a unit that are on record: those of its shard where that is whole, else of its journal."""
    if lines and store.url and not _is_whole(shard, lines):
        store.fetch(shard.name, _digests(lines))
    if not _is_whole(shard, lines):
        return journal.recover(shard.with_suffix(".jsonl"))
    check_columns(shard)
    return read_shard(shard).to_pylist()


def _is_whole(shard: Path, lines: Iterable[dict[str, Any]]) -> bool:
    """Say whether a shard is in the run's folder with a digest that the ledger has put down for it."""
    return shard.exists() and file_digest(shard) in _digests(lines)


def _digests(lines: Iterable[dict[str, Any]]) -> set[str]:
    return {line.get("sha256", "") for line in lines}
