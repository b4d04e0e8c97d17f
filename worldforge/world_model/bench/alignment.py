"""Which item of a draft is which of the truth, in which order they stand, and how the facts of each compare.

align(["Velmar", "1911"], ["Velmar", "1912"])    # one wrong: 1912 in the place of 1911; nothing added or missing
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations

from worldforge.world_model.bench.claims import Item
from worldforge.world_model.prose import Fact

_NEAR = 2  # facts away: where half of those are told as they are, another stands in its own place
_ALIKE = 0.5  # share of facts that two items of other addresses must have in common to be one


@dataclass(frozen=True, slots=True)
class Alignment:
    """`matched` is, for each fact of the truth, what a draft says in its place, None where nothing.

    `wrong` are the draft's facts that are not the truth's in their place, put there or added; `missing` those of the
    truth that are told nowhere. A fact told in another's place is wrong, and not missing: no error counts twice.
    """

    matched: tuple[Fact | None, ...]
    wrong: tuple[Fact, ...]
    missing: tuple[Fact, ...]


def align(truth: Sequence[Fact], draft: Sequence[Fact]) -> Alignment:
    """Align two sequences of facts: longest common runs first; between them like is paired with like.

    A fact is told otherwise only where at least half of those around it are told as they are. Elsewhere a text about
    something else stands in its place, and it is missing.
    """
    matched: list[Fact | None] = [None] * len(truth)
    wrong: list[Fact] = []
    blocks = SequenceMatcher(None, truth, draft, autojunk=False).get_opcodes()
    for tag, first, last, begin, end in blocks:
        if tag == "equal":
            matched[first:last] = draft[begin:end]
    anchored = [_is_near(matched, place) for place in range(len(truth))]
    added: list[Fact] = []
    for tag, first, last, begin, end in blocks:
        if tag == "equal":
            continue
        places = [place for place in range(first, last) if anchored[place]]
        left = list(draft[begin:end])
        for place, other in _paired([truth[place] for place in places], left):
            matched[places[place]] = other
            left.remove(other)
            wrong.append(other)
        added += left
    untold = Counter(fact for fact, other in zip(truth, matched, strict=True) if other is None)
    moved = Counter(added) & untold
    return Alignment(tuple(matched), (*wrong, *added), tuple((untold - moved).elements()))


def _is_near(matched: Sequence[Fact | None], place: int) -> bool:
    near = [*matched[max(0, place - _NEAR) : place], *matched[place + 1 : place + _NEAR + 1]]
    return bool(near) and 2 * sum(fact is not None for fact in near) >= len(near)


def _paired(truth: Sequence[Fact], draft: Sequence[Fact]) -> Iterator[tuple[int, Fact]]:
    """Pair places in the truth with facts that stand there: those of a kind first, then what is left, each in order."""
    places, left = list(range(len(truth))), list(draft)
    for alike in (True, False):
        for place in tuple(places):
            other = next((fact for fact in left if fact[0] == truth[place][0] or not alike), None)
            if other is not None:
                yield place, other
                places.remove(place)
                left.remove(other)


@dataclass(frozen=True, slots=True)
class MatchedItems:
    """Pairs of a true item and the draft's, in the truth's order; true items `lost`, and items `extra` in the draft."""

    pairs: tuple[tuple[Item, Item], ...]
    lost: tuple[Item, ...]
    extra: tuple[Item, ...]


def match_items(truth: Sequence[Item], draft: Sequence[Item]) -> MatchedItems:
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
    return MatchedItems(
        tuple((item, draft[found[number]]) for number, item in enumerate(truth) if number in found),
        tuple(item for number, item in enumerate(truth) if number not in found),
        tuple(draft[place] for place in left),
    )


def rank_agreement(match: MatchedItems, draft: Sequence[Item]) -> float | None:
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
