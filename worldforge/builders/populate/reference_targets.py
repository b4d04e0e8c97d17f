"""Choose the targets of references by popularity, within the capacity of each target.

Where targets can take only so many rows, the outcome is that of rows choosing one after another, each going down a
list of its own until a target is free. It is computed for all rows at once: everybody asks the next on their list,
every target keeps the earliest rows and sends the others on, until nobody is sent on (deferred acceptance, Gale and
Shapley 1962, with the row number as every target's preference). So a row's target depends on earlier rows alone,
but for the few that find nothing free on their list.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from worldforge.core.arrays import Integers, rank_in_group
from worldforge.core.chance import Rows, Stream

GOLDEN = (math.sqrt(5) - 1) / 2
BY_POPULARITY = 8  # places of a row's list that are drawn by popularity; the rest runs through all targets
_SHORT_LIST = 512
_CROWDED = 0.9  # share of the places taken, above which lists are short


@dataclass(frozen=True, slots=True)
class Popularity:
    """How likely each target is to be chosen: `order` lists targets by rank, `edges` cumulates the ranks' weights."""

    order: Integers
    edges: npt.NDArray[np.float64]

    @classmethod
    def draw(
        cls, stream: Stream, n_targets: int, distribution: Literal["uniform", "zipf"], exponent: float
    ) -> Popularity:
        """Rank the targets by chance; under zipf, rank r weighs r^-exponent."""
        ranks = np.arange(n_targets, dtype=np.int64)
        weights = (ranks + 1.0) ** -exponent if distribution == "zipf" else np.ones(n_targets)
        return cls(stream.child("order").permutation(ranks, n_targets), np.cumsum(weights))

    def choice(self, share: npt.NDArray[np.float64], place: Integers) -> Integers:
        """Return the target at `place` of the lists that belong to `share`, a number in [0, 1) a row.

        The first places follow popularity, at golden steps from the share; the others take every target in turn.
        """
        size = len(self.order)
        shifted = (share + place * GOLDEN) % 1.0
        by_weight = np.minimum(np.searchsorted(self.edges, shifted * self.edges[-1], side="right"), size - 1)
        in_turn = (np.floor(share * size).astype(np.int64) + place * stride(size)) % size
        return self.order[np.where(place < BY_POPULARITY, by_weight, in_turn)]


@dataclass(frozen=True, slots=True)
class TargetLimits:
    """Limits on which row may get which target; None for no limit.

    `room`: how many rows each target may take. `owners`: no two rows of one owner get the same target. `barred`: the
    target that each row may not get.
    """

    room: Integers | None = None
    owners: Integers | None = None
    barred: Integers | None = None

    def of(self, rows: Integers) -> TargetLimits:
        """Return the limits of some of the rows."""
        owners, barred = (None if one is None else one[rows] for one in (self.owners, self.barred))
        return replace(self, owners=owners, barred=barred)


def choose_targets(stream: Stream, rows: Rows, popularity: Popularity, limits: TargetLimits) -> Integers:
    """Draw a target for each row, within the limits; `n_targets` for a row that finds none on its list.

    Lists run through all targets; through fewer where nearly all places are to be taken, so that the last rows need
    not search long.
    """
    n_targets = len(popularity.order)
    length = BY_POPULARITY + n_targets
    if limits.room is not None and len(rows) > _CROWDED * limits.room.sum():
        length = min(length, _SHORT_LIST)
    share = stream.uniform(rows)

    def search(searching: Integers, place: Integers) -> tuple[Integers, Integers]:
        found = popularity.choice(share[searching], place)
        return np.where(place < length, found, n_targets), place

    return defer_acceptance(search, len(rows), n_targets, limits)


def defer_acceptance(
    search: Callable[[Integers, Integers], tuple[Integers, Integers]],
    n_rows: int,
    n_targets: int,
    limits: TargetLimits,
    note: Callable[[Integers], None] | None = None,
) -> Integers:
    """Assign rows to targets by deferred acceptance: each target keeps the earliest rows that chose it.

    `search` gives, for rows and places of their lists, the target there, or a later one that will do, and its place;
    `n_targets` where the list ends. `note` hears what all have chosen, each time before others search on.
    """
    chosen, place = search(np.arange(n_rows), np.zeros(n_rows, np.int64))
    displaced = _displaced(chosen, np.flatnonzero(chosen < n_targets), n_targets, limits)
    while len(displaced):
        chosen[displaced] = n_targets
        if note is not None:
            note(chosen)
        chosen[displaced], place[displaced] = search(displaced, place[displaced] + 1)
        displaced = _displaced(chosen, displaced[chosen[displaced] < n_targets], n_targets, limits)
    return chosen


def _displaced(chosen: Integers, moved: Integers, n_targets: int, limits: TargetLimits) -> Integers:
    """Find the rows that lose their target after those in `moved` chose again."""
    looked_at = _possible_conflicts(chosen, moved, n_targets, limits)
    here, limits = chosen[looked_at], limits.of(looked_at)
    refused = np.zeros(len(here), bool) if limits.barred is None else here == limits.barred
    if limits.owners is not None:
        pairs = np.where(refused, -1 - np.arange(len(here)), limits.owners * n_targets + here)
        refused |= rank_in_group(pairs) > 0
    if limits.room is not None:
        candidates = np.flatnonzero(~refused)
        refused[candidates] = rank_in_group(here[candidates]) >= limits.room[here[candidates]]
    return looked_at[refused]


def _possible_conflicts(chosen: Integers, moved: Integers, n_targets: int, limits: TargetLimits) -> Integers:
    """Find the rows that may conflict with those in `moved`: at the same target or of the same owner."""
    targets = np.zeros(n_targets + 1, bool)
    targets[chosen[moved]] = True
    touched = targets[chosen]
    if limits.owners is not None:
        owners = np.zeros(int(limits.owners.max(initial=0)) + 1, bool)
        owners[limits.owners[moved]] = True
        touched |= owners[limits.owners]
    return np.flatnonzero(touched & (chosen < n_targets))


def stride(size: int) -> int:
    """Return the number nearest to the golden share of `size` that has no divisor in common with it."""
    near = max(1, round(size * GOLDEN))
    return next(stride for stride in range(near, near + size + 1) if math.gcd(stride, size) == 1)


_ATTEMPTS = 128


def place_rows(stream: Stream, rows: Rows, popularity: Popularity, limits: TargetLimits) -> Integers:
    """Draw a target for each row, within the limits, exchanging targets where needed; `n_targets` for none."""
    n_targets = len(popularity.order)
    targets = choose_targets(stream, rows, popularity, limits)
    lost = np.flatnonzero(targets == n_targets)
    if not len(lost) or limits.room is None:
        return targets
    free = limits.room - np.bincount(targets, minlength=n_targets + 1)[:n_targets]
    needy = np.repeat(popularity.order, np.minimum(free, len(lost))[popularity.order])
    needy = needy[np.argsort(stream.child("free").bits(np.arange(len(needy))), kind="stable")]
    return exchange_targets(stream, targets, lost, needy, n_targets, limits)[0]


def exchange_targets(
    stream: Stream, targets: Integers, rows: Integers, needy: Integers, n_targets: int, limits: TargetLimits
) -> tuple[Integers, Integers, Integers]:
    """Send `rows` to the targets in `needy`, one to each place, until one of the two is used up.

    `targets` holds each row's target, `n_targets` where it has none. Where a row may not go to its target (its owner is
    there already, it is barred), a third row goes there and leaves its own target to it. Returns the targets, and what
    is left of `rows` and of `needy`: of both, where no exchange was found in many attempts.
    """
    targets = targets.copy()
    settled = targets < n_targets
    settled[rows] = False
    others = np.flatnonzero(settled)
    for attempt in range(_ATTEMPTS):
        n_pairs = min(len(rows), len(needy))
        if not n_pairs:
            break
        moved, to = rows[:n_pairs], needy[:n_pairs]
        if attempt % 2 and len(others):
            third = others[stream.child("third", attempt).integers(np.arange(n_pairs), 0, len(others) - 1)]
            moved, to = np.r_[third, moved], np.r_[to, targets[third]]
        fits = _fits(targets, moved, to, n_targets, limits).reshape(-1, n_pairs).all(axis=0)
        done = np.tile(fits, len(moved) // n_pairs)
        targets[moved[done]] = to[done]
        rows = np.r_[rows[n_pairs:], rows[:n_pairs][~fits]]
        needy = np.r_[needy[n_pairs:], needy[:n_pairs][~fits]]
    return targets, rows, needy


def _fits(
    targets: Integers, moved: Integers, to: Integers, n_targets: int, limits: TargetLimits
) -> npt.NDArray[np.bool_]:
    """Return which rows may move to other targets: each row once, no pair twice, none where it is barred."""
    fits = rank_in_group(moved) == 0
    if limits.owners is not None:
        width = n_targets + 1
        pairs = limits.owners[moved] * width + to
        fits &= ~np.isin(pairs, limits.owners * width + targets) & (rank_in_group(pairs) == 0)
    if limits.barred is not None:
        fits &= limits.barred[moved] != to
    return fits
