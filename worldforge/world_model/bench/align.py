"""Facts of a draft beside those of its truth, in order: what was told, told otherwise, added, left out.

align(["1911", "Velmar"], ["1912", "Velmar"])    # one wrong: 1912 in the place of 1911; nothing added or missing
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from worldforge.world_model.prose import Fact


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
    """Align two sequences of facts: longest common runs first; between them like is paired with like."""
    said: list[Fact | None] = [None] * len(truth)
    wrong: list[Fact] = []
    added: list[Fact] = []
    missing: list[Fact] = []
    for tag, first, last, begin, end in SequenceMatcher(None, truth, draft, autojunk=False).get_opcodes():
        if tag == "equal":
            said[first:last] = draft[begin:end]
            continue
        pairs = _paired(truth[first:last], draft[begin:end])
        for place, other in pairs:
            said[first + place] = draft[begin + other]
            wrong.append(draft[begin + other])
        told, retold = {place for place, _ in pairs}, {other for _, other in pairs}
        missing += [truth[first + place] for place in range(last - first) if place not in told]
        added += [draft[begin + other] for other in range(end - begin) if other not in retold]
    moved = Counter(added) & Counter(missing)
    return Alignment(tuple(said), (*wrong, *added), tuple((Counter(missing) - moved).elements()))


def _paired(truth: Sequence[Fact], draft: Sequence[Fact]) -> list[tuple[int, int]]:
    """Pair facts that stand for one another: those of a kind first, then what is left, each in order."""
    pairs: list[tuple[int, int]] = []
    left = list(range(len(draft)))
    for alike in (True, False):
        for place, fact in enumerate(truth):
            if any(place == told for told, _ in pairs):
                continue
            other = next((one for one in left if draft[one][0] == fact[0] or not alike), None)
            if other is not None:
                pairs.append((place, other))
                left.remove(other)
    return pairs
