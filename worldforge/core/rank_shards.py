"""Work split by number: rank r of n does its share, on any machine that sees the folder, and a merge puts all together.

    share = RankShard(2, 8)                             # `--rank 2 --of 8`
    share.mine(items)                                   # places 2, 10, 18, …
    folder = share.folder(place)                        # <place>/2-of-8, this rank's own
    write_record(folder / RECORD, share, config, outputs)          # last: the share is whole
    ranks = collect(place, of, config)                  # the merge: all of them, or a refusal that names each gap

Ranks know nothing of each other. Each writes below a folder of its own, so that none waits for another, any of them may
be killed and repeated, and nothing rests on locks between machines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from worldforge.core.errors import InputError, PartialError
from worldforge.core.files import file_digest, locked, remove_at_once, write_json

RECORD, LOCK = "done.json", ".lock"
_FOLDER = re.compile(r"(0|[1-9][0-9]{0,6})-of-([1-9][0-9]{0,6})")
_SHOWN = 20  # gaps told one by one

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


@dataclass(frozen=True, slots=True)
class MissingShard:
    """A share that is not whole, and why."""

    share: RankShard
    why: str


class MissingShardsError(PartialError):
    """Shares are wanting. `gaps` are those, by rank; `str` of it says which options fill each."""

    def __init__(self, place: str, gaps: Sequence[MissingShard]) -> None:
        self.place, self.gaps = place, tuple(gaps)
        of = self.gaps[0].share.of
        super().__init__(
            f"{place} cannot be merged: {len(gaps):,} of {of:,} ranks {'is' if len(gaps) == 1 else 'are'} not whole\n"
            + "\n".join(self._lines()),
            f"the same command with `--rank {self.gaps[0].share.rank} --of {of}` fills the first gap; then merge again",
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.place, self.gaps)

    def _lines(self) -> Iterator[str]:
        for gap in self.gaps[:_SHOWN]:
            yield f"  rank {gap.share.rank}: {gap.why}"
        if len(self.gaps) > _SHOWN:
            ranks = in_short([gap.share.rank for gap in self.gaps])
            yield f"  and {len(self.gaps) - _SHOWN:,} more; all of them: {ranks}"


def write_record(
    path: Path, share: RankShard, config: Mapping[str, Any], outputs: Iterable[Path], **more: Any
) -> dict[str, Any]:
    """Put on record that a share is whole: last of all, atomically; return what was written.

    `config` is what decides what the share holds, as JSON values; `outputs` are files beside the record or below,
    written down by their digests; `more` is whatever the merge wants to know.
    """
    digests = {file.relative_to(path.parent).as_posix(): file_digest(file) for file in outputs}
    record = {**more, "rank": share.rank, "of": share.of, "config": dict(config), "outputs": digests}
    write_json(path, record)
    return record


def read_record(path: Path) -> dict[str, Any] | None:
    """Read the record of a share; None where there is none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        whole = all(isinstance(found[key], dict) for key in ("config", "outputs"))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if whole else None


def differences(before: Mapping[str, Any], now: Mapping[str, Any], named_only: Sequence[str] = ()) -> list[str]:
    """Say in words what differs between two configurations: the keys, with short values; `named_only` without."""
    keys = [*now, *sorted(before.keys() - now.keys())]
    return [_difference(key, before, now, named_only) for key in keys if before.get(key) != now.get(key)]


def has_ranks(place: Path) -> bool:
    """Say whether ranks have been at work in `place`, and what they did has not been merged yet."""
    return bool(shards_found(place))


def shards_found(place: Path) -> list[RankShard]:
    """Return the shares that have a folder in `place`."""
    names = [path.name for path in place.iterdir()] if place.is_dir() else []
    numbers = [(int(found[1]), int(found[2])) for found in map(_FOLDER.fullmatch, names) if found]
    return sorted(RankShard(rank, of) for rank, of in numbers if rank < of)


def number_of_ranks(place: Path, of: int | None) -> int:
    """Say how many ranks a merge is to put together: as many as were asked for, or as are found.

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


def collect(
    place: Path, of: int, config: Mapping[str, Any], *, record: str = RECORD, named_only: Sequence[str] = ()
) -> list[tuple[Path, dict[str, Any]]]:
    """Return the folder and the record of every rank, in order, having read what each wrote.

    Raises MissingShardsError where shares are missing, unfinished or damaged, InputError where one was made under
    another configuration than `config`, naming what differs.
    """
    shares = [RankShard(rank, of) for rank in range(of)]
    folders = [share.folder(place) for share in shares]
    records = [read_record(folder / record) for folder in folders]
    _check_configs(place, zip(shares, records, strict=True), config, named_only)
    whys = [_why(folder / record, found) for folder, found in zip(folders, records, strict=True)]
    gaps = [MissingShard(share, why) for share, why in zip(shares, whys, strict=True) if why]
    if gaps:
        raise MissingShardsError(str(place), gaps)
    return [(folder, found) for folder, found in zip(folders, records, strict=True) if found is not None]


@contextmanager
def lock_shards(place: Path) -> Iterator[None]:
    """Hold the locks of all ranks in `place`. Raises InputError where one of them is at work."""
    with ExitStack() as stack:
        for share in shards_found(place):
            stack.enter_context(locked(share.folder(place) / LOCK, f"{share} is at work in {place}"))
        yield


def clear(place: Path) -> None:
    """Remove the folders of all ranks in `place`, and it: a kill leaves all of them or none, and the next removes."""
    remove_at_once(place)


def _check_configs(
    place: Path,
    records: Iterable[tuple[RankShard, dict[str, Any] | None]],
    config: Mapping[str, Any],
    named_only: Sequence[str],
) -> None:
    differing = {
        share: ", ".join(differences(record["config"], config, named_only))
        for share, record in records
        if record is not None and record["config"] != config
    }
    if differing:
        told = "\n".join(f"  rank {share.rank}: {what}" for share, what in [*differing.items()][:_SHOWN])
        ranks = in_short([share.rank for share in differing])
        raise InputError(
            f"{place} cannot be merged: shares were made under another configuration than this command's\n{told}",
            f"merge with the options that the ranks were given, or repeat these with those given here: {ranks}",
        )


def _why(path: Path, record: Mapping[str, Any] | None) -> str:
    if record is not None:
        return _damaged(path, record)
    return "has begun, and is not finished" if path.parent.exists() else "has not begun"


def _damaged(path: Path, record: Mapping[str, Any]) -> str:
    for name, digest in record["outputs"].items():
        file = path.parent / name
        if not file.is_file():
            return f"{name} is missing"
        if file_digest(file) != digest:
            return f"{name} is not as it was written"
    return ""


def _difference(key: str, before: Mapping[str, Any], now: Mapping[str, Any], named_only: Sequence[str]) -> str:
    was, is_now = (str(config.get(key))[:16] for config in (before, now))
    return f"`{key}`" if was == is_now or key in named_only else f"`{key}` was {was}, is now {is_now}"


def in_short(numbers: Sequence[int]) -> str:
    """Write ascending numbers in short: `0,3-7`, as Slurm's `--array` takes them."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
