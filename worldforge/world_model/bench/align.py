"""Facts of a draft beside those of its truth, in order: what was told, told otherwise, added, left out.

align(["Velmar", "1911"], ["Velmar", "1912"])    # one wrong: 1912 in the place of 1911; nothing added or missing
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from worldforge.world_model.prose import Fact

_NEAR = 2  # facts away: where half of those are told as they are, another stands in its own place


@dataclass(frozen=True, slots=True)
class Alignment:
    """`said` is, for each fact of the truth, what a draft says in its place, None where nothing.

    `wrong` are the draft's facts that are not the truth's in their place, put there or added; `missing` those of the
    truth that are told nowhere. A fact told in another's place is wrong, and not missing: no error counts twice.
    """

    said: tuple[Fact | None, ...]
    wrong: tuple[Fact, ...]
    missing: tuple[Fact, ...]


def align(truth: Sequence[Fact], draft: Sequence[Fact]) -> Alignment:
    """Align two sequences of facts: longest common runs first; between them like is paired with like.

    A fact is told otherwise only where at least half of those around it are told as they are. Elsewhere a text about
    something else stands in its place, and it is missing.
    """
    said: list[Fact | None] = [None] * len(truth)
    wrong: list[Fact] = []
    blocks = SequenceMatcher(None, truth, draft, autojunk=False).get_opcodes()
    for tag, first, last, begin, end in blocks:
        if tag == "equal":
            said[first:last] = draft[begin:end]
    anchored = [_is_near(said, place) for place in range(len(truth))]
    added: list[Fact] = []
    for tag, first, last, begin, end in blocks:
        if tag == "equal":
            continue
        places = [place for place in range(first, last) if anchored[place]]
        left = list(draft[begin:end])
        for place, other in _paired([truth[place] for place in places], left):
            said[places[place]] = other
            left.remove(other)
            wrong.append(other)
        added += left
    untold = Counter(fact for fact, other in zip(truth, said, strict=True) if other is None)
    moved = Counter(added) & untold
    return Alignment(tuple(said), (*wrong, *added), tuple((untold - moved).elements()))


def _is_near(said: Sequence[Fact | None], place: int) -> bool:
    near = [*said[max(0, place - _NEAR) : place], *said[place + 1 : place + _NEAR + 1]]
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
