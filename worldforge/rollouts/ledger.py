"""Which episodes of a run are done. Every episode belongs to one unit; a unit is a journal, then a shard.

    shards/00002.parquet      unit 2: done, all of its episodes in order
    shards/00003.jsonl        unit 3: some of its episodes, as they finished
    ledger.jsonl              the digest of each shard, put down when it is whole; before one is rescored, the next too

A kill at any moment leaves a unit as a journal, as a shard, or as nothing. What is missing or damaged is played again,
and a shard is always made from its journal: the same bytes whether the run was disturbed or not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, remove, replace, write_text
from worldforge.rollouts import journal
from worldforge.rollouts.shards import check_columns, read_shard, write_shard
from worldforge.rollouts.trajectory import TRAJECTORIES

EPISODES_PER_UNIT = 128
LEDGER, SHARDS = "ledger.jsonl", "shards"
_COLUMNS = frozenset(TRAJECTORIES.names)
_Digests = dict[str, set[str]]


def shard_paths(folder: Path, n_episodes: int) -> list[Path]:
    """Return where the shards of the run of `n_episodes` in `folder` are, in order."""
    n_units = -(-n_episodes // EPISODES_PER_UNIT)
    return [folder / SHARDS / f"{unit:05d}.parquet" for unit in range(n_units)]


def whole_shards(folder: Path, n_episodes: int, *, any_version: bool = False) -> list[Path]:
    """Return the shards of a finished run, in order.

    Raises InputError where one is not as it was written, and, unless `any_version` will do, where one has not the
    columns of `TRAJECTORIES`.
    """
    digests = _digests(folder)
    paths = shard_paths(folder, n_episodes)
    for path in paths:
        if not _is_whole(path, digests):
            raise InputError(f"{path} is missing or damaged", "repeat the rollout: it plays again what is damaged")
        if not any_version:
            check_columns(path)
    return paths


def n_recorded(folder: Path, n_episodes: int) -> int:
    """Count the episodes that are on record in the run of `n_episodes` in `folder`, changing nothing there."""
    count = 0
    for unit, shard in enumerate(shard_paths(folder, n_episodes)):
        n_journal = len({row["id"] for row in journal.read(shard.with_suffix(".jsonl"))})
        count += min(EPISODES_PER_UNIT, n_episodes - unit * EPISODES_PER_UNIT) if shard.exists() else n_journal
    return count


def rewrite_shard(folder: Path, shard: Path, rows: Sequence[dict[str, Any]]) -> bool:
    """Put `rows` in the place of those of a whole shard of the run in `folder`; say whether a byte changed.

    The ledger knows the new shard before it stands there: whole is what it has ever put down, until `settle`.
    """
    beside = shard.with_name(f".{shard.name}.rewritten")
    try:
        write_shard(beside, rows)
        digest = file_digest(beside)
        if digest == file_digest(shard):
            return False
        journal.recover(folder / LEDGER)
        journal.append(folder / LEDGER, journal.to_line({"id": shard.name, "sha256": digest}), safe=True)
        replace(beside, shard)
        return True
    finally:
        remove(beside)


def settle(folder: Path, n_episodes: int) -> None:
    """Let the ledger of a finished run know its shards as they are, and not as they were."""
    shards = whole_shards(folder, n_episodes)
    lines = [journal.to_line({"id": shard.name, "sha256": file_digest(shard)}) for shard in shards]
    if journal.recover(folder / LEDGER) != [json.loads(line) for line in lines]:
        write_text(folder / LEDGER, b"".join(lines).decode())


def copy_records(folder: Path, target: Path, ids: Sequence[str]) -> None:
    """Copy what is on record of the run in `folder` to the folder `target`, as journals of a run of episodes `ids`.

    Raises InputError where a whole shard has not the columns of `TRAJECTORIES`.
    """
    digests, places = _digests(folder), {id_: place for place, id_ in enumerate(ids)}
    shards = sorted({path.with_suffix(".parquet") for path in (folder / SHARDS).glob("[0-9]*.*")})
    targets = shard_paths(target, len(ids))
    (target / SHARDS).mkdir(parents=True, exist_ok=True)
    for shard in shards:
        if _is_whole(shard, digests):
            check_columns(shard)
        lines: dict[Path, list[bytes]] = {}
        for row in _on_record(shard, digests):
            if row["id"] in places and row.keys() >= _COLUMNS:
                path = targets[places[row["id"]] // EPISODES_PER_UNIT].with_suffix(".jsonl")
                lines.setdefault(path, []).append(journal.to_line(row))
        for path, found in lines.items():
            journal.append(path, b"".join(found), safe=True)


class Ledger:
    """The record of the episodes `ids` of the run in `folder`. One process at a time holds it."""

    def __init__(self, folder: Path, ids: Sequence[str], *, retry_failed: bool = False) -> None:
        """Take up what is there: whole shards are kept, journals read, all else is missing.

        With `retry_failed`, episodes that are on record as failed are missing too. Raises InputError where a whole
        shard has not the columns of `TRAJECTORIES`.
        """
        self._ids, self._path, self._shards = ids, folder / LEDGER, shard_paths(folder, len(ids))
        (folder / SHARDS).mkdir(parents=True, exist_ok=True)
        journal.recover(self._path)
        digests = _digests(folder)
        for shard in self._shards:
            if _is_whole(shard, digests):
                check_columns(shard)
        if retry_failed:
            for unit in range(len(self._shards)):
                self._forget_failed(unit, digests)
        self._missing = {unit: self._take_up(unit, digests) for unit in range(len(self._shards))}

    @property
    def missing(self) -> list[int]:
        """The places, in `ids`, of the episodes that have still to be played; in order."""
        return [place for unit in self._missing for place in sorted(self._missing[unit])]

    def record(self, place: int, line: bytes) -> None:
        """Put down the finished episode at `place`; the last of its unit closes the unit."""
        unit = place // EPISODES_PER_UNIT
        self._missing[unit].remove(place)
        journal.append(self._journal(unit), journal.sealed(line))
        if not self._missing[unit]:
            self._close(unit)

    def put_in_order(self) -> None:
        """Name the shards in their order, whoever was first with one: the same bytes for any number of workers."""
        places = {shard.name: place for place, shard in enumerate(self._shards)}
        found = journal.recover(self._path)
        lines = [journal.to_line(line) for line in sorted(found, key=lambda line: places.get(line["id"], len(places)))]
        in_order = b"".join(dict.fromkeys(lines))  # one that was damaged and made again is named twice
        if lines and self._path.read_bytes() != in_order:
            write_text(self._path, in_order.decode())

    def _take_up(self, unit: int, digests: _Digests) -> set[int]:
        if _is_whole(self._shards[unit], digests):
            remove(self._journal(unit))
            return set()
        written = {row["id"] for row in journal.recover(self._journal(unit)) if row.keys() >= _COLUMNS}
        missing = {place for place in self._places(unit) if self._ids[place] not in written}
        if not missing:
            self._close(unit)
        return missing

    def _forget_failed(self, unit: int, digests: _Digests) -> None:
        """Leave of a unit a journal of the episodes that did not fail, unless none did."""
        shard = self._shards[unit]
        rows = _on_record(shard, digests)
        kept = [row for row in rows if row["ending"] != "failed"]
        if len(kept) < len(rows):
            write_text(self._journal(unit), b"".join(map(journal.to_line, kept)).decode())
            remove(shard)

    def _close(self, unit: int) -> None:
        shard = self._shards[unit]
        rows = {row["id"]: row for row in journal.recover(self._journal(unit))}
        write_shard(shard, [rows[self._ids[place]] for place in self._places(unit)])
        journal.append(self._path, journal.to_line({"id": shard.name, "sha256": file_digest(shard)}))
        remove(self._journal(unit))

    def _places(self, unit: int) -> range:
        first = unit * EPISODES_PER_UNIT
        return range(first, min(first + EPISODES_PER_UNIT, len(self._ids)))

    def _journal(self, unit: int) -> Path:
        return self._shards[unit].with_suffix(".jsonl")


def _on_record(shard: Path, digests: _Digests) -> list[dict[str, Any]]:
    """Return the rows of a unit that are on record: those of its shard where that is whole, else of its journal."""
    return read_shard(shard).to_pylist() if _is_whole(shard, digests) else journal.recover(shard.with_suffix(".jsonl"))


def _digests(folder: Path) -> _Digests:
    digests: _Digests = {}
    for line in journal.read(folder / LEDGER):
        digests.setdefault(line["id"], set()).add(str(line.get("sha256")))
    return digests


def _is_whole(shard: Path, digests: _Digests) -> bool:
    return shard.exists() and file_digest(shard) in digests.get(shard.name, ())
