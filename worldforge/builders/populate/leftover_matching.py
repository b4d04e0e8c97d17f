"""Rows and targets that are left over find one another, directly or through a third row that changes places."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from worldforge.builders.populate.reference_targets import Popularity, TargetLimits, choose_targets
from worldforge.core.chance import Rows, Stream
from worldforge.core.groups import Indices, rank_in_group

_ATTEMPTS = 128


def place(stream: Stream, rows: Rows, popularity: Popularity, limits: TargetLimits) -> Indices:
    """Draw a target for each row, within the limits; `n_targets` for the rows for which none can be found."""
    n_targets = len(popularity.order)
    targets = choose_targets(stream, rows, popularity, limits)
    lost = np.flatnonzero(targets == n_targets)
    if not len(lost) or limits.room is None:
        return targets
    free = limits.room - np.bincount(targets, minlength=n_targets + 1)[:n_targets]
    needy = np.repeat(popularity.order, np.minimum(free, len(lost))[popularity.order])
    needy = needy[np.argsort(stream.child("free").bits(np.arange(len(needy))), kind="stable")]
    return exchange(stream, targets, lost, needy, n_targets, limits)[0]


def exchange(
    stream: Stream, targets: Indices, rows: Indices, needy: Indices, n_targets: int, limits: TargetLimits
) -> tuple[Indices, Indices, Indices]:
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


def _fits(targets: Indices, moved: Indices, to: Indices, n_targets: int, limits: TargetLimits) -> npt.NDArray[np.bool_]:
    """Tell which rows may be moved to other targets: each once, no pair twice, none where it is barred."""
    fits = rank_in_group(moved) == 0
    if limits.owners is not None:
        width = n_targets + 1
        pairs = limits.owners[moved] * width + to
        fits &= ~np.isin(pairs, limits.owners * width + targets) & (rank_in_group(pairs) == 0)
    if limits.barred is not None:
        fits &= limits.barred[moved] != to
    return fits
