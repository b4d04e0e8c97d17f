"""Work split by number: rank r of n does its share, on any machine that sees the folder, and a merge puts all together.

    share = RankShard(2, 8)                             # `--rank 2 --of 8`
    share.mine(items)                                   # places 2, 10, 18, …
    folder = share.folder(place)                        # <place>/2-of-8, this rank's own
    write_record(folder / RECORD, share, config, outputs)          # last: the share is whole
    ranks = collect(place, of, config, RECORD)          # the merge: all of them, or a refusal that names each gap

Ranks know nothing of each other. Each writes below a folder of its own, so that none waits for another, any of them may
be killed and repeated, and nothing rests on locks between machines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from worldforge.core.errors import InputError, PartialError
from worldforge.core.files import file_digest, locked, write_json

_FOLDER = re.compile(r"(0|[1-9][0-9]{0,6})-of-([1-9][0-9]{0,6})")
_LISTED = 20  # ranks that a message lists one by one
_LONG = 40  # characters of a value from which a message names its key alone

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, order=True)
class RankShard:
    """The part of a work that falls to one rank: `rank` counts from 0, `of` says how many there are.

    Raises InputError where no rank can have that number.
    """

    rank: int
    of: int

    def __post_init__(self) -> None:
        if self.of < 1:
            raise InputError(f"`--of {self.of}`: there must be one rank at least")
        if not 0 <= self.rank < self.of:
            raise InputError(
                f"`--rank {self.rank} --of {self.of}`: ranks count from 0, so they go from 0 to {self.of - 1}",
                f"number the jobs of an array from 0: `--array=0-{self.of - 1}` with Slurm",
            )

    def mine(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return the items of this rank: those at places rank, rank + of, …"""
        return items[self.rank :: self.of]

    def folder(self, place: Path) -> Path:
        """Return the folder that is this rank's alone, in the `place` where they work."""
        return place / f"{self.rank}-of-{self.of}"

    def __str__(self) -> str:
        return f"rank {self.rank} of {self.of}"


@dataclass(frozen=True, slots=True)
class Merge:
    """Put together what ranks have done. `of` says how many they were; None: as many as are found."""

    of: int | None = None


Part = RankShard | Merge


def write_record(path: Path, share: RankShard, config: Mapping[str, Any], outputs: Iterable[Path], **more: Any) -> None:
    """Put on record that a share is whole: last of all, atomically.

    `config` is what decides what the share holds, as JSON values; `outputs` are files beside the record or below,
    written down by their digests; `more` is whatever the merge wants to know.
    """
    digests = {file.relative_to(path.parent).as_posix(): file_digest(file) for file in outputs}
    write_json(path, {**more, "rank": share.rank, "of": share.of, "config": dict(config), "outputs": digests})


def _read_record(path: Path) -> dict[str, Any] | None:
    """Read the record of a share; None where there is none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        whole = all(isinstance(found[key], dict) for key in ("config", "outputs"))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if whole else None


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Name the keys in which two configurations differ, with their values where these are short."""
    found = []
    for key in [*now, *sorted(before.keys() - now.keys())]:
        if before.get(key) != now.get(key):
            was, is_now = str(before.get(key)), str(now.get(key))
            found.append(f"`{key}`" if max(len(was), len(is_now)) > _LONG else f"`{key}` was {was}, is now {is_now}")
    return found


def shards_found(place: Path) -> list[RankShard]:
    """Return the shares that have a folder in `place`: ranks were at work there, and are not merged yet."""
    names = [path.name for path in place.iterdir()] if place.is_dir() else []
    numbers = [(int(found[1]), int(found[2])) for found in map(_FOLDER.fullmatch, names) if found]
    return sorted(RankShard(rank, of) for rank, of in numbers if rank < of)


def number_of_ranks(place: Path, of: int | None) -> int:
    """Return how many ranks a merge is to put together: as many as were asked for, or as are found.

    Raises InputError where that cannot be told.
    """
    found = sorted({share.of for share in shards_found(place)})
    if of is not None:
        return RankShard(0, of).of
    if len(found) == 1:
        return found[0]
    if not found:
        hint = "`--rank 0 --of N` does the first share of N; once they are merged, what they did is gone"
        raise InputError(f"no rank has been at work in {place}", hint)
    numbers = " and of ".join(map(str, found))
    raise InputError(f"shares of {numbers} ranks are in {place}", "say which are meant: `--merge --of N`")


def collect(place: Path, of: int, config: Mapping[str, Any], record: str) -> list[tuple[Path, dict[str, Any]]]:
    """Return the folder and the record (a file of that name) of every rank, in order, having read what each wrote.

    Raises PartialError where shares are missing, unfinished or damaged, InputError where one was made under another
    configuration than `config`, naming what differs.
    """
    folders = [RankShard(rank, of).folder(place) for rank in range(of)]
    records = [_read_record(folder / record) for folder in folders]
    found = [(folder, one) for folder, one in zip(folders, records, strict=True) if one is not None]
    differing = {
        rank: ", ".join(differences(one["config"], config))
        for rank, one in enumerate(records)
        if one is not None and one["config"] != config
    }
    if differing:
        raise InputError(
            f"{place} cannot be merged: shares have another configuration than this command's\n{_listed(differing)}",
            f"merge with the options that the ranks were given, or repeat these with yours: {in_short(differing)}",
        )
    gaps = {rank: _gap(folders[rank], one) for rank, one in enumerate(records)}
    gaps = {rank: why for rank, why in gaps.items() if why}
    if gaps:
        raise PartialError(
            f"{place} cannot be merged: {len(gaps):,} of {of:,} ranks are not whole\n{_listed(gaps)}",
            f"repeat the command with `--rank R --of {of}` for R = {in_short(gaps)}, then merge again",
        )
    return found


def _listed(reasons: Mapping[int, str]) -> str:
    return "\n".join(f"  rank {rank}: {reason}" for rank, reason in islice(reasons.items(), _LISTED))


def _gap(folder: Path, record: Mapping[str, Any] | None) -> str:
    """Return why a share is not whole; empty where it is."""
    if record is None:
        return "has begun, and is not finished" if folder.exists() else "has not begun"
    for name, digest in record["outputs"].items():
        if not (folder / name).is_file():
            return f"{name} is missing"
        if file_digest(folder / name) != digest:
            return f"{name} is not as it was written"
    return ""


@contextmanager
def lock_shards(place: Path, lock: str) -> Iterator[None]:
    """Hold the locks of all ranks in `place`, files of that name. Raises InputError where one of them is at work."""
    with ExitStack() as stack:
        for share in shards_found(place):
            stack.enter_context(locked(share.folder(place) / lock, f"{share} is at work in {place}"))
        yield


def in_short(numbers: Iterable[int]) -> str:
    """Write ascending numbers in short: `0,3-7`, as Slurm's `--array` takes them."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
