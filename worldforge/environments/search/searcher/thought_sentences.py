"""Sentences of `thoughts.yaml` with slots in the place of what is put into them.

filled_sentence("With {points}, {name} qualifies.", ("{name} fits: {points}.",), {"name": "Orsk", "points": "…"})
# SlottedSentence("With ⟦1⟧, ⟦2⟧ qualifies.", (Slot("…"), Slot("Orsk", "name")), ("⟦2⟧ fits: ⟦1⟧.",))
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from worldforge.rewording.slotted_text import CLOSE, OPEN, Slot, SlotKind, SlottedSentence

_FIELD = re.compile(r"(?P<open>[“《`]?)\{(?P<name>\w+)\}(?P<close>[”》`]?)")
_MARKS = ("“”", "《》", "``")
_KINDS: Mapping[str, SlotKind] = {
    **dict.fromkeys(("name", "names", "other", "owner", "items", "of", "group", "groups"), "name"),
    **dict.fromkeys(("label", "labels", "kinds", "rows", "title", "titles", "words", "agents"), "words"),
}
_WORDS = "measure"  # a slot that is filled with a word of the sentence


def filled_sentence(text: str, every: tuple[str, ...], values: Mapping[str, str]) -> SlottedSentence:
    """Fill one of `every` sentences of an occasion; the others are its alternatives, where they have the same slots."""
    slotted, fields, alternatives = _slotted(text, every, values.get(_WORDS, ""))
    slots = (_slot(marks, name, values[name]) for marks, name in fields)
    return SlottedSentence(slotted, tuple(slots), alternatives)


@lru_cache(maxsize=4096)
def _slotted(
    text: str, every: tuple[str, ...], measure: str
) -> tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Number the fields of a text; return it, each field with the marks around it, and the texts with the same."""
    fields = _fields(text)
    numbers = {field: number for number, field in enumerate(fields, 1)}
    same = (one for one in every if one != text and Counter(_fields(one)) == Counter(fields))
    numbered = [_numbered(one, numbers).replace(f"{{{_WORDS}}}", measure) for one in (text, *same)]
    return numbered[0], tuple((marks, name) for marks, name, _ in fields), tuple(numbered[1:])


def _fields(text: str) -> list[tuple[str, str, int]]:
    """Return the marks around each field, its name, and how often that was there before."""
    seen: Counter[str] = Counter()
    found = []
    for match in _FIELD.finditer(text):
        if match["name"] != _WORDS:
            found.append((_marks(match), match["name"], seen[match["name"]]))
            seen[match["name"]] += 1
    return found


def _numbered(text: str, numbers: Mapping[tuple[str, str, int], int]) -> str:
    fields = iter(_fields(text))

    def number(match: re.Match[str]) -> str:
        if match["name"] == _WORDS:
            return match[0]
        slot = f"{OPEN}{numbers[next(fields)]}{CLOSE}"
        return slot if _marks(match) else f"{match['open']}{slot}{match['close']}"

    return _FIELD.sub(number, text)


def _marks(match: re.Match[str]) -> str:
    """Return the marks that enclose a field; empty where there are none, or one alone."""
    marks = match["open"] + match["close"]
    return marks if marks in _MARKS else ""


def _slot(marks: str, name: str, text: str) -> Slot:
    if marks == "《》" and "《" in text:  # a title that has such marks itself
        marks = "“”"
    return Slot(f"{marks[:1]}{text}{marks[1:]}", _KINDS.get(name, "value"), name)
