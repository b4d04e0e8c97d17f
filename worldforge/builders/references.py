"""Whom rows refer to: each draws a target by popularity, within what a target can take.

Where targets can take only so many rows, the outcome is that of rows choosing one after another, each going down a
list of its own until a target is free. It is computed for all rows at once: everybody asks the next on their list,
every target keeps the earliest rows and sends the others on, until nobody is sent on (deferred acceptance, Gale and
Shapley 1962, with the row number as every target's preference). So a row's target depends on earlier rows alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import RowsError
from worldforge.core.groups import Indices, rank_in_group

_GOLDEN = (math.sqrt(5) - 1) / 2
_BY_POPULARITY = 8  # places of a row's list that are drawn by popularity; the rest runs through all targets


@dataclass(frozen=True, slots=True)
class Popularity:
    """How likely each target is to be chosen: `order` lists targets by rank, `edges` cumulates the ranks' weights."""

    order: Indices
    edges: npt.NDArray[np.float64]

    @classmethod
    def draw(
        cls, stream: Stream, n_targets: int, distribution: Literal["uniform", "zipf"], exponent: float
    ) -> Popularity:
        """Rank the targets by chance; under zipf, rank r weighs r^-exponent."""
        ranks = np.arange(n_targets, dtype=np.int64)
        weights = (ranks + 1.0) ** -exponent if distribution == "zipf" else np.ones(n_targets)
        return cls(stream.child("order").permutation(ranks, n_targets), np.cumsum(weights))

    def choice(self, share: npt.NDArray[np.float64], place: Indices) -> Indices:
        """Return the target at `place` of the lists that belong to `share`, a number in [0, 1) a row.

        The first places follow popularity, at golden steps from the share; the others take every target in turn.
        """
        size = len(self.order)
        shifted = (share + place * _GOLDEN) % 1.0
        by_weight = np.minimum(np.searchsorted(self.edges, shifted * self.edges[-1], side="right"), size - 1)
        in_turn = (np.floor(share * size).astype(np.int64) + place * _stride(size)) % size
        return self.order[np.where(place < _BY_POPULARITY, by_weight, in_turn)]


@dataclass(frozen=True, slots=True)
class Limits:
    """What holds between rows and targets, nothing where None.

    `room`: how many rows each target may take. `owners`: no two rows of one owner get the same target. `barred`: the
    target that each row may not get.
    """

    room: Indices | None = None
    owners: Indices | None = None
    barred: Indices | None = None

    def of(self, rows: Indices) -> Limits:
        """Return the limits of some of the rows."""
        owners, barred = (None if one is None else one[rows] for one in (self.owners, self.barred))
        return replace(self, owners=owners, barred=barred)


def choose_targets(stream: Stream, rows: Rows, popularity: Popularity, limits: Limits) -> Indices:
    """Draw a target for each row, within the limits. Raises RowsError for the rows that find none."""
    n_targets = len(popularity.order)
    share, place = stream.uniform(rows), np.zeros(len(rows), np.int64)
    chosen = popularity.choice(share, place)
    sent_on = _sent_on(chosen, np.arange(len(rows)), n_targets, limits)
    while len(sent_on):
        place[sent_on] += 1
        lost = sent_on[place[sent_on] >= _BY_POPULARITY + n_targets]
        if len(lost):
            raise RowsError(f"{len(lost)} of {len(rows)} rows find none of the {n_targets} targets free", "", lost)
        chosen[sent_on] = popularity.choice(share[sent_on], place[sent_on])
        sent_on = _sent_on(chosen, sent_on, n_targets, limits)
    return chosen


def choose_slots(stream: Stream, n_rows: int, n_targets: int, capacity: int) -> Indices:
    """Draw a target for each row, all as likely, each at most `capacity` times: a permutation of their places.

    `n_rows` must not exceed `n_targets * capacity`.
    """
    return stream.permutation(np.arange(n_rows, dtype=np.int64), n_targets * capacity) % n_targets


def _sent_on(chosen: Indices, moved: Indices, n_targets: int, limits: Limits) -> Indices:
    """Find the rows that cannot keep their target, now that those in `moved` have chosen anew."""
    looked_at = _touched(chosen, moved, n_targets, limits)
    here, limits = chosen[looked_at], limits.of(looked_at)
    refused = np.zeros(len(here), bool) if limits.barred is None else here == limits.barred
    if limits.owners is not None:
        pairs = np.where(refused, -1 - np.arange(len(here)), limits.owners * n_targets + here)
        refused |= rank_in_group(pairs) > 0
    if limits.room is not None:
        candidates = np.flatnonzero(~refused)
        refused[candidates] = rank_in_group(here[candidates]) >= limits.room[here[candidates]]
    return looked_at[refused]


def _touched(chosen: Indices, moved: Indices, n_targets: int, limits: Limits) -> Indices:
    """Find the rows that those in `moved` may have come into conflict with: at the same target, or the owner's."""
    targets = np.zeros(n_targets, bool)
    targets[chosen[moved]] = True
    touched = targets[chosen]
    if limits.owners is not None:
        owners = np.zeros(int(limits.owners.max(initial=0)) + 1, bool)
        owners[limits.owners[moved]] = True
        touched |= owners[limits.owners]
    return np.flatnonzero(touched)


def _stride(size: int) -> int:
    """Return the number nearest to the golden share of `size` that has no divisor in common with it."""
    near = max(1, round(size * _GOLDEN))
    return next(stride for stride in range(near, near + size + 1) if math.gcd(stride, size) == 1)
