"""Who meets whom, and when: all entities of a group meet one another in rounds, each once a round at most.

The circle method: of an even number n of places one stands still, and the others move on by one each round, so that
round r brings together the places whose numbers add up to 2r (modulo n - 1), and place r with the one that stands
still. Where n is odd, that one is nobody. Sides follow de Werra ("Scheduling in sports", 1981): in a leg, nobody is at
one side more than once oftener than at the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from worldforge.builders.populate.draft_tables import DraftTables
from worldforge.core.chance import Stream
from worldforge.core.groups import Indices, rank_in_group
from worldforge.schema.expressions import compile_expression
from worldforge.schema.spec import Pairs
from worldforge.world.stable_ids import rows_of


class Meetings(NamedTuple):
    """Rows of a relation, ordered by source, then round: the row numbers of the two that meet, and rounds from 1."""

    sources: Indices
    targets: Indices
    rounds: Indices


def groups_of(draft: DraftTables, type_name: str, pairs: Pairs) -> Indices:
    """Return the group of each entity of a type, by number; -1 for those that meet nobody."""
    if pairs.within is None:
        return np.zeros(len(draft.rows(type_name)), np.int64)
    path = compile_expression(pairs.within, type_name, draft.spec)
    return rows_of(draft.evaluate(type_name, {"within": path})["within"])


def count_meetings(groups: Indices, legs: int) -> int:
    """Return how many rows there are when all of each group meet one another `legs` times."""
    sizes = np.bincount(groups[groups >= 0])
    return int(legs * (sizes * (sizes - 1) // 2).sum())


def draw_meetings(stream: Stream, groups: Indices, legs: int) -> Meetings:
    """Let all of each group meet one another `legs` times, sides changed from leg to leg.

    Where each stands in the circle of its group is drawn by chance; `groups` is one number an entity, -1 for none.
    """
    entities = np.flatnonzero(groups >= 0)
    circle = entities[np.lexsort((stream.child("order").bits(entities), groups[entities]))]
    group = groups[circle]
    size, place = np.bincount(group)[group], rank_in_group(group)
    one = np.repeat(np.arange(len(circle)), size - 1 - place)  # each meets those that stand after it
    other = one + 1 + rank_in_group(one)
    n_rounds = (size[one] - 1) | 1
    rounds = _round_of(place[one], place[other], n_rounds)
    begins = _has_first_side(place[one], place[other], rounds, n_rounds)
    sources, targets = np.where(begins, one, other), np.where(begins, other, one)
    odd = np.arange(legs) % 2 == 1
    home = circle[np.where(odd[:, None], targets, sources)].ravel()
    away = circle[np.where(odd[:, None], sources, targets)].ravel()
    numbers = (np.arange(legs)[:, None] * n_rounds + rounds + 1).ravel()
    order = np.lexsort((numbers, home))
    return Meetings(home[order], away[order], numbers[order])


def _round_of(one: Indices, other: Indices, n_rounds: Indices) -> Indices:
    """Return the round, from 0, in which two places meet; `other` may be the one that stands still."""
    half = (n_rounds + 1) // 2  # the inverse of 2
    return np.where(other == n_rounds, one, (one + other) * half % n_rounds)


def _has_first_side(one: Indices, other: Indices, rounds: Indices, n_rounds: Indices) -> npt.NDArray[np.bool_]:
    """Tell whether the first of two places is at the first side: those at an odd distance from the round's number."""
    odd: npt.NDArray[np.bool_] = np.where(other == n_rounds, rounds, (one - rounds) % n_rounds) % 2 == 1
    return odd
