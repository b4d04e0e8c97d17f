"""Whether a sentence still says the same of its slots: what each is, and which is what of the other.

    ⟦1⟧ is the birthplace of ⟦2⟧.        said of a town and a player
    It was ⟦1⟧ that became the birthplace of ⟦2⟧.      the same
    ⟦1⟧ has its birthplace in ⟦2⟧.       turned round

A sentence that sets two values side by side, or speaks of two names in words of its own, keeps what is between them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldforge.builders.pages.prose.paragraphs import SLOT, LockedSpan, words_of
from worldforge.world.lexicon.english_lexicon import FUNCTION_WORDS

_WORD = re.compile(r"[^\W\d_]+")
_STEM = 5  # letters that two forms of a word share: founded, founding
_OWNS = re.compile(r"['’]s\b|['’](?=\s)|\b(?:whose|has|had|have|having|with|its|their|his|her)\b")
_IS = r"(?:^|[,;(–—]|\b(?:is|was|are|were|be|being|been|as|became|becomes|remains|forms))\s*"


def keeps_labels(before: str, after: str, slots: Sequence[LockedSpan]) -> bool:
    """Say whether a sentence says what its slots are: by the words it had of their labels, or else by all it had."""
    old, new = _content(before), _content(after)
    for label in (label for slot in slots for label in slot.labels):
        words = [word for word in _content(label) if _has(old, word)]
        if not all(_has(new, word) for word in words or old):
            return False
    return True


def keeps_direction(before: str, after: str, slots: Sequence[LockedSpan]) -> bool:
    """Say whether a sentence leaves it at that which of its slots is what of the other."""
    values = [place for place, slot in enumerate(slots) if slot.labels]
    names = [place for place, slot in enumerate(slots) if not slot.labels and not slot.figure]
    old, new = words_of(before)[1:-1], words_of(after)[1:-1]
    if old == new or (len(values) == 1 and (slots[values[0]].figure or not names)):
        return True
    label = [word for word in _content(" ".join(slots[values[0]].labels)) if _has(_content(before), word)]
    if len(values) > 1 or not label:
        return False
    value, name = values[0], min(names, key=lambda place: abs(place - values[0]))
    between = " ".join(new[min(value, name) : max(value, name)]).lower()
    called = rf"\b{re.escape(label[-1][:_STEM])}\w*"
    if value < name:
        return re.search(rf"{called}.*\b(?:of|to|for)\b", between) is not None and not _OWNS.search(between)
    return re.search(rf"{_IS}(?:(?:the|a|an)\s+)?(?:[\w-]+\s+)?{called}\s+(?:of|to|for)\s*$", between) is None


def _content(text: str) -> list[str]:
    """Return the words of a text that say something."""
    words = _WORD.findall(SLOT.sub(" ", text).lower())
    return [word for word in words if word not in FUNCTION_WORDS]


def _has(words: Sequence[str], wanted: str) -> bool:
    """Say whether one of `words` is a form of the one wanted: they begin alike."""
    return any(word[: min(_STEM, len(wanted))] == wanted[: min(_STEM, len(word))] for word in words)
