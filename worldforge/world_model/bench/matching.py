"""Which item of a draft is which of the truth, and whether they stand in its order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from worldforge.world_model.bench.claims import Item

_ALIKE = 0.5  # share of facts that two items of other addresses must have in common to be one


@dataclass(frozen=True, slots=True)
class Match:
    """Pairs of a true item and the draft's, in the truth's order; true items `lost`, and items `extra` in the draft."""

    pairs: tuple[tuple[Item, Item], ...]
    lost: tuple[Item, ...]
    extra: tuple[Item, ...]


def match_items(truth: Sequence[Item], draft: Sequence[Item]) -> Match:
    """Match items by what they are called; then, of the rest, those that tell most of the same: half at least."""
    left = list(range(len(draft)))
    found: dict[int, int] = {}
    for number, item in enumerate(truth):
        same = next((place for place in left if draft[place].place == item.place), None)
        if same is not None:
            found[number] = same
            left.remove(same)
    for number, item in enumerate(truth):
        likeness = {place: _likeness(item, draft[place]) for place in left} if number not in found else {}
        best = max(likeness, key=lambda place: likeness[place], default=None)
        if best is not None and likeness[best] >= _ALIKE:
            found[number] = best
            left.remove(best)
    return Match(
        tuple((item, draft[found[number]]) for number, item in enumerate(truth) if number in found),
        tuple(item for number, item in enumerate(truth) if number not in found),
        tuple(draft[place] for place in left),
    )


def rank_agreement(match: Match, draft: Sequence[Item]) -> float | None:
    """Return the share of pairs of matched items in the truth's order, (tau + 1) / 2; None without a pair.

    Two items are in order where the one comes first in the draft that does in the truth, and, where both are numbered,
    has the lower number. Only items of one query are compared.
    """
    places = {id(item): place for place, item in enumerate(draft)}
    pairs = [(a, b) for (_, a), (_, b) in combinations(match.pairs, 2) if a.block == b.block]
    if not pairs:
        return None
    ordered = sum(
        places[id(a)] < places[id(b)] and (not (a.number and b.number) or a.number < b.number) for a, b in pairs
    )
    return ordered / len(pairs)


def _likeness(item: Item, other: Item) -> float:
    if item.block != other.block or not item.facts:
        return 0.0
    common = (Counter(item.facts) & Counter(other.facts)).total()
    return common / max(len(item.facts), len(other.facts))
