"""Work split by number: rank r of n plays its share, on any machine that sees the folder; `ranks` merges all of them.

    share = RankShard(2, 8)                             # `--rank 2 --of 8`
    share.mine(items)                                   # places 2, 10, 18, …
    folder = share.folder(place)                        # <place>/2-of-8, this rank's own

Ranks know nothing of each other. Each writes below a folder of its own, so that none waits for another, any of them may
be killed and repeated, and nothing rests on locks between machines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from worldforge.core.errors import InputError
from worldforge.core.files import locked

_FOLDER = re.compile(r"(0|[1-9][0-9]{0,6})-of-([1-9][0-9]{0,6})")

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
