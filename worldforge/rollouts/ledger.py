"""Which episodes of a run are done. Every episode belongs to one unit; a unit is a journal, then a shard.

    shards/00002.parquet      unit 2: done, all of its episodes in order; at a URL, where the run has one
    shards/00003.jsonl        unit 3: some of its episodes, as they finished
    ledger.jsonl              a line for each whole shard: digest, counts, failed episodes

A kill at any moment leaves a unit as a journal, as a shard, or as nothing. What is missing or damaged is played again,
and a shard is always made from its journal: the same bytes whether the run was disturbed or not. A shard that lacks
episodes, of a run to which trials were added, becomes a journal again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, remove, write_text
from worldforge.rollouts import journal
from worldforge.rollouts.config import read_config
from worldforge.rollouts.shards import SHARDS, ShardStore, check_columns, encode_shard, read_shard
from worldforge.rollouts.trajectory import TRAJECTORIES

LEDGER = "ledger.jsonl"
_COLUMNS = frozenset(TRAJECTORIES.names)
_SMALL, _N_SMALL, _LARGE = 8, 512, 128  # episodes of each of the first units, their number, episodes of the others
Records = dict[str, list[dict[str, Any]]]
"""The lines of a ledger by shard. Before a shard is rescored the ledger gets a line for the new bytes."""


def unit_of(place: int) -> int:
    """Return the unit of the episode at a place; it does not depend on how many episodes follow."""
    first_large = _SMALL * _N_SMALL
    return place // _SMALL if place < first_large else _N_SMALL + (place - first_large) // _LARGE


def unit_places(unit: int, n_episodes: int) -> range:
    """Return the places of the episodes of a unit."""
    first = min(unit, _N_SMALL) * _SMALL + max(unit - _N_SMALL, 0) * _LARGE
    return range(first, min(first + (_SMALL if unit < _N_SMALL else _LARGE), n_episodes))


def shard_paths(folder: Path, n_episodes: int) -> list[Path]:
    """Return where the shards of the run of `n_episodes` in `folder` are, or would be if fetched; in order."""
    n_units = unit_of(n_episodes - 1) + 1 if n_episodes else 0
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
        if not _is_here(path, records.get(path.name, []), store):
            raise InputError(f"{path} is missing or damaged", "repeat the rollout: it plays again what is damaged")
        if not any_version:
            check_columns(path)
    return paths


def n_recorded(folder: Path, n_episodes: int) -> int:
    """Count the episodes that are on record in the run of `n_episodes` in `folder`, changing nothing there."""
    records, at_url, count = read_records(folder), bool(store_of(folder).url), 0
    for shard in shard_paths(folder, n_episodes):
        if shard.name in records and (at_url or shard.exists()):
            count += int(records[shard.name][-1]["counts"]["n_episodes"])
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


def append_record(folder: Path, record: dict[str, Any], *, safe: bool = False) -> None:
    """Append a shard's line to the ledger of the run in `folder`; with `safe` it is on disk when the call returns."""
    journal.append(folder / LEDGER, journal.sealed(journal.to_line(record)), safe=safe)


def rewrite_shard(folder: Path, shard: Path, rows: Sequence[dict[str, Any]]) -> bool:
    """Put `rows` in the place of those of a whole shard of the run in `folder`; say whether a byte changed.

    The ledger has the digest of the new shard before it stands there: any of its digests will do, until `settle`.
    """
    content, record = encode_shard(shard.name, rows)
    if record["sha256"] == file_digest(shard):
        return False
    journal.read(folder / LEDGER, repair=True)
    append_record(folder, record, safe=True)
    ShardStore(folder).put(shard.name, content)
    store = store_of(folder)
    if store.url:
        store.put(shard.name, content)
    return True


def settle(folder: Path, n_episodes: int) -> None:
    """Write the ledger of a finished run by its shards as they are now."""
    records = read_records(folder)
    lines = [
        next(line for line in records[shard.name] if line["sha256"] == file_digest(shard))
        for shard in whole_shards(folder, n_episodes)
    ]
    _write(folder / LEDGER, lines)


class Ledger:
    """The record of the episodes `ids` of the run in `folder`. One process at a time holds it."""

    def __init__(self, folder: Path, ids: Sequence[str], *, retry_failed: bool = False) -> None:
        """Take up what is there: whole shards are kept, journals read, all else is missing.

        With `retry_failed`, episodes that are on record as failed are missing too. Raises InputError where a whole
        shard has not the columns of `TRAJECTORIES`.
        """
        self.ids, self._folder, self.store = ids, folder, store_of(folder)
        self._shards = shard_paths(folder, len(ids))
        (folder / SHARDS).mkdir(parents=True, exist_ok=True)
        journal.read(folder / LEDGER, repair=True)
        lines, at_url = read_records(folder), self.store.names()
        self._records: dict[str, dict[str, Any]] = {}
        self._missing: dict[int, set[int]] = {}
        for unit, shard in enumerate(self._shards):
            known = [line for line in lines.get(shard.name, []) if shard.name in at_url or _is_whole(shard, [line])]
            if known:
                self._records[shard.name] = known[-1]
            self._reopen(unit, retry_failed=retry_failed)
            self._missing[unit] = self._take_up(unit)

    @property
    def missing(self) -> list[int]:
        """The places, in `ids`, of the episodes that have still to be played; in order."""
        return [place for unit in self._missing for place in sorted(self._missing[unit])]

    def unit_ids(self, unit: int) -> list[str]:
        """Return the ids of all episodes of a unit, in order."""
        return [self.ids[place] for place in unit_places(unit, len(self.ids))]

    def journal_lines(self, unit: int) -> list[bytes]:
        """Return the lines of a unit's journal."""
        return [journal.to_line(row) for row in journal.read(self._journal(unit), repair=True)]

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
        append_record(self._folder, record)
        remove(self._journal(unit))
        self._records[record["id"]] = record
        self._missing[unit] = set()

    def put_in_order(self) -> None:
        """Name each shard once and in order: the same bytes for any number of workers."""
        _write(self._folder / LEDGER, [self._records[shard.name] for shard in self._shards])

    def _reopen(self, unit: int, *, retry_failed: bool) -> None:
        """Make a journal again of a shard that lacks episodes; leave out those that failed if they are retried."""
        shard, record = self._shards[unit], self._records.get(self._shards[unit].name)
        if record is None and not retry_failed:
            return
        if record is None:
            rows = journal.read(self._journal(unit), repair=True)
        else:
            if _is_whole(shard, [record]):
                check_columns(shard)
            is_full = record["counts"]["n_episodes"] == len(unit_places(unit, len(self.ids)))
            if is_full and not (retry_failed and record["failed"]):
                return
            _is_here(shard, [record], self.store)
            rows = read_shard(shard).to_pylist()
        _write(self._journal(unit), [row for row in rows if not retry_failed or row["ending"] != "failed"])
        if record is not None:
            self.store.remove(shard.name)
            del self._records[shard.name]

    def _take_up(self, unit: int) -> set[int]:
        """Return the places of a unit that are missing. One whose journal has all episodes gets its shard."""
        if self._shards[unit].name in self._records:
            remove(self._journal(unit))
            return set()
        rows = {row["id"]: row for row in journal.read(self._journal(unit), repair=True) if row.keys() >= _COLUMNS}
        places = unit_places(unit, len(self.ids))
        missing = {place for place in places if self.ids[place] not in rows}
        if not missing:
            content, record = encode_shard(self._shards[unit].name, [rows[self.ids[place]] for place in places])
            self.commit(unit, record, content)
        return missing

    def _journal(self, unit: int) -> Path:
        return self._shards[unit].with_suffix(".jsonl")


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows as JSON lines, unless they are there already."""
    content = b"".join(journal.sealed(journal.to_line(row)) for row in rows)
    if not path.exists() or path.read_bytes() != content:
        write_text(path, content.decode())


def _is_here(shard: Path, lines: Sequence[dict[str, Any]], store: ShardStore) -> bool:
    """Fetch a shard from the run's URL, if it has one; say whether it is in the run's folder, as the ledger says."""
    if lines and store.url and not _is_whole(shard, lines):
        store.fetch(shard.name, {line["sha256"] for line in lines})
    return _is_whole(shard, lines)


def _is_whole(shard: Path, lines: Iterable[dict[str, Any]]) -> bool:
    """Say whether a shard is in the run's folder with a digest that the ledger has put down for it."""
    return shard.exists() and file_digest(shard) in {line.get("sha256") for line in lines}
