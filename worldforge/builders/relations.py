"""The rows of a relation: how many targets each source has, and which."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from worldforge.builders.draft import Draft
from worldforge.builders.references import Limits, Popularity, choose_targets
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError, RowsError
from worldforge.core.groups import Indices, rank_in_group
from worldforge.schema.spec import Relation

_ATTEMPTS = 64


def draw_relation(draft: Draft, name: str) -> None:
    """Draw a relation's rows, ordered by source, and open its table with `id`, `source` and `target`.

    Raises InputError where its cardinalities cannot hold.
    """
    relation = draft.spec.relations[name]
    stream = draft.stream(name, "target")
    n_sources, n_targets = (draft.spec.n_entities(side) for side in (relation.source, relation.target))
    low, high = relation.per_source.low, relation.per_source.high
    counts = stream.child("count").integers(np.arange(n_sources, dtype=np.int64), low, high)
    sources = np.repeat(np.arange(n_sources, dtype=np.int64), counts)
    _check_cardinalities(name, relation, n_targets, counts)
    targets = _draw_targets(stream, name, relation, n_targets, sources)
    targets = _raise_to_low(stream, name, relation, n_targets, sources, targets)
    draft.open(name, len(sources))
    draft.put(name, "source", draft.ids(relation.source).take(sources))
    draft.put(name, "target", draft.ids(relation.target).take(targets))


def _draw_targets(stream: Stream, name: str, relation: Relation, n_targets: int, sources: Indices) -> Indices:
    limits = Limits(
        room=None if relation.per_target is None else np.full(n_targets, relation.per_target.high, np.int64),
        owners=sources if relation.distinct else None,
        barred=sources if relation.source == relation.target else None,
    )
    popularity = Popularity.draw(stream, n_targets, relation.distribution, relation.exponent)
    try:
        return choose_targets(stream, np.arange(len(sources), dtype=np.int64), popularity, limits)
    except RowsError as error:
        raise InputError(
            f"{name}: {error.message}, though `per_target` has room for all",
            "raise `per_target.high`, so that the last sources can still find different targets",
        ) from error


def _raise_to_low(
    stream: Stream, name: str, relation: Relation, n_targets: int, sources: Indices, targets: Indices
) -> Indices:
    """Hand rows of targets that have more than `per_target.low` to those that have fewer.

    Where a source already meets the target in need, a third row goes there and leaves its own target to that source.
    """
    low = 0 if relation.per_target is None else relation.per_target.low
    needy = np.repeat(np.arange(n_targets), np.maximum(low - np.bincount(targets, minlength=n_targets), 0))
    rank, targets = rank_in_group(targets), targets.copy()
    kept, spare = np.flatnonzero(rank < low), np.flatnonzero(rank >= low)
    spare = spare[np.argsort(stream.child("spare").bits(spare), kind="stable")]
    for attempt in range(_ATTEMPTS):
        if not len(needy):
            return targets
        rows, moved, to = spare[: len(needy)], spare[: len(needy)], needy
        if attempt:
            third = kept[stream.child("third", attempt).integers(np.arange(len(needy)), 0, len(kept) - 1)]
            moved, to = np.r_[third, rows], np.r_[needy, targets[third]]
        fits = _fits(relation, n_targets, sources, targets, moved, to).reshape(-1, len(rows)).all(axis=0)
        done = np.tile(fits, len(moved) // len(rows))
        targets[moved[done]] = to[done]
        needy, spare = needy[~fits], np.r_[rows[~fits], spare[len(rows) :]]
    raise InputError(
        f"{name}: {len(needy)} rows are missing to give every `{relation.target}` its `per_target.low` of {low}",
        "lower `per_target.low`, or raise `per_source`",
    )


def _fits(
    relation: Relation, n_targets: int, sources: Indices, targets: Indices, moved: Indices, to: Indices
) -> npt.NDArray[np.bool_]:
    """Tell which rows may be moved to other targets: each once, no pair twice, nobody to itself."""
    pairs = sources[moved] * n_targets + to
    fits = rank_in_group(moved) == 0
    if relation.distinct:
        fits &= ~np.isin(pairs, sources * n_targets + targets) & (rank_in_group(pairs) == 0)
    if relation.source == relation.target:
        fits &= sources[moved] != to
    return fits


def _check_cardinalities(name: str, relation: Relation, n_targets: int, counts: Indices) -> None:
    """Refuse what arithmetic alone rules out."""
    n_others = n_targets - (relation.source == relation.target)
    most, n_rows = int(counts.max(initial=0)), int(counts.sum())
    if most > (n_others if relation.distinct else most * min(1, n_others)):
        raise InputError(
            f"{name}: a `{relation.source}` has {most} targets, but there are only {n_others} × `{relation.target}`",
            "lower `per_source.high`, or raise the count of the target's type",
        )
    if relation.per_target is None:
        return
    for bound, wrong, change in (
        ("low", n_rows < n_targets * relation.per_target.low, "lower it, or raise `per_source`"),
        ("high", n_rows > n_targets * relation.per_target.high, "raise it, or lower `per_source`"),
    ):
        if wrong:
            limit = getattr(relation.per_target, bound)
            raise InputError(
                f"{name}: {n_rows} rows and {n_targets} × `{relation.target}` do not go with a `per_target.{bound}` "
                f"of {limit}",
                change,
            )
