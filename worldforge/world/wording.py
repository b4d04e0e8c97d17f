"""A sentence of a phrasebook, or a part of one: its words, and the slots between them.

wording("was founded in {value}", "founded").parts      ("was founded in ", Slot("founded", "fact"))
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from worldforge.schema.phrasebook import REFERENCES, SLOT

_STOPS = (".", "!", "?", "。", "！", "？", "…")
_CLOSING_QUOTES = "”」』\"'"
_COUNTED = re.compile(
    r" (?:[a-z]*\{[^{}]*\||(?!(?:a|an|and|as|at|but|by|for|from|in|is|of|on|or|out|over|per|than|that|the|to|under|up"
    r"|was|when|where|which|while|with)\b)[a-z])"
)
"""What follows a number that counts something: a noun, or what stands before one."""
_AFTER_COUNT = re.compile(r"[ ,.;!?]|$")
_NUMBERING = re.compile(r"\b(?:day|number|no\.|page|place|position|rank|round|seat) $", re.IGNORECASE)
_DIGITS_AFTER = re.compile(r"\b(?:at|against|to|for|by|than) $", re.IGNORECASE)
"""A number stays in digits after these words where no noun follows it: `won by 3`."""
_TIMES = re.compile(r"\{([a-z0-9_]+)\} \{(?:value|\1)\?time\|times\}")
_WORD = re.compile(r"[a-z]{4,}")
_COMMON = {
    "about", "after", "also", "among", "before", "between", "could", "from", "have", "into", "more", "most", "over",
    "some", "than", "that", "their", "them", "then", "there", "these", "they", "this", "those", "under", "were", "what",
    "when", "where", "which", "while", "whose", "with", "would",
}  # fmt: skip
_GIVEN = re.compile(r"(?:^|and )([a-z_]+) = (?:['\d]|true|false)")
_A, _THE = re.compile(r"\b[Aa]n? $"), re.compile(r"\b[Tt]he $")


class Slot(NamedTuple):
    """A place in a wording."""

    name: str
    kind: Literal["reference", "fact", "worded", "number", "plural"]
    """What fills it: what a text is about, a value as it is or as a phrasebook words it, a computed number, or one of
    two words by a value."""
    form: str = ""
    """`words`, `ordinal` or `plural` of a computed number; `times` of a fact that says how often, or `ordinal`."""
    one: str = ""
    many: str = ""
    expression: str = ""
    """What a computed number is computed by."""
    after_article: bool = False
    """Whether `the` stands before a reference, and `a` or `an` before a fact."""
    before_comma: bool = False
    begins: bool = False
    """Whether it stands behind a stop, and begins a sentence."""
    counts: bool = False
    """Whether it says how many: `{value} matches`, `lost {value}`, not `place {value}`."""


def ends_sentence(text: str) -> bool:
    """Return whether a text ends in a stop, or in one within quotation marks, but not in a title such as “So …”."""
    bare = text.rstrip(_CLOSING_QUOTES)
    return bare.endswith(_STOPS) and (bare == text or not bare.endswith("…"))


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """A sentence, or a part of one."""

    parts: tuple[str | Slot, ...]
    facts: frozenset[str]
    """The keys of the columns whose values it states."""
    when: str = ""
    let: tuple[tuple[str, str], ...] = ()
    """Computed numbers: slot and expression."""
    entry: str = ""
    """The text of the book that it is one reading of."""
    worded: frozenset[str] = frozenset()
    """The keys of the columns whose values it words."""
    ordinals: frozenset[str] = frozenset()
    """The keys of the columns whose values it writes as ordinals: `third`."""
    is_plain: bool = True
    """Whether it fits wherever its facts are known. One with a condition, a computed number or an ordinal may not."""
    tells: frozenset[str] = frozenset()
    """The columns that need not be told after it: its facts, and those whose values its condition gives."""
    opening: tuple[str, ...] = ()
    """The first two words before a slot, or fewer."""
    sentence: tuple[str | Slot, ...] = ()
    """The parts with a capital letter."""
    is_sentence: bool = False
    """Whether `sentence` begins with a word and ends in a stop."""
    refers: bool = False
    """Whether it names, or refers to, what the text is about."""
    words: frozenset[str] = frozenset()
    """Its English words of four letters or more, in lower case, without the most common ones."""
    number: int = 0
    """A number by which pages share out sentences without facts; the readings of one entry have the same."""


Wordings = tuple[Wording, ...]


def wording(
    text: str, value: str = "", when: str = "", let: Mapping[str, str] | None = None, entry: str = ""
) -> Wording:
    """Read a text without choices; `value` is the column that `{value}` and `{worded}` stand for."""
    text = _TIMES.sub(r"{\1:times}", text)
    parts: list[str | Slot] = []
    last, facts, worded, ordinals, computed = 0, set(), set(), set(), dict(let or {})
    for match in SLOT.finditer(text):
        before = text[last : match.start()]
        if before:
            parts.append(before)
        last = match.end()
        slot = _slot(match, value, before, computed)
        if slot.kind in ("fact", "worded"):
            facts.add(slot.name)
        if slot.kind == "worded":
            worded.add(slot.name)
        if slot.kind == "fact" and slot.form == "ordinal":
            ordinals.add(slot.name)
        begins = before.endswith(" ") and ends_sentence(before.rstrip())
        counts = slot.kind == "fact" and not before[-1:].strip() and _counts(before, text[last:])
        parts.append(slot._replace(before_comma=text.startswith(", ", last), begins=begins, counts=counts))
    if last < len(text):
        parts.append(text[last:])
    is_plain = not (when or computed or worded or ordinals)
    sentence = [
        part[:1].upper() + part[1:] if isinstance(part, str) and not place else part for place, part in enumerate(parts)
    ]
    words = parts[0].split() if parts and isinstance(parts[0], str) else []
    return Wording(
        tuple(parts),
        frozenset(facts),
        when,
        tuple(computed.items()),
        entry or text,
        frozenset(worded),
        frozenset(ordinals),
        is_plain,
        frozenset(facts.union(_GIVEN.findall(when))),
        tuple(words[:2]),
        tuple(sentence),
        bool(words) and isinstance(parts[-1], str) and ends_sentence(parts[-1]),
        any(isinstance(part, Slot) and part.kind == "reference" and part.name != "noun" for part in parts),
        frozenset(_WORD.findall(" ".join(part for part in parts if isinstance(part, str)).lower())) - _COMMON,
        zlib.crc32((entry or text).encode()),
    )


def _counts(before: str, behind: str) -> bool:
    """Return whether a number between two texts says how many: `three matches`, `let in three`, but not `place 3`."""
    if _NUMBERING.search(before) is not None:
        return False
    return _COUNTED.match(behind) is not None or (
        _AFTER_COUNT.match(behind) is not None and _DIGITS_AFTER.search(before) is None
    )


def _slot(match: re.Match[str], value: str, before: str, computed: Mapping[str, str]) -> Slot:
    name, one, many, form = match.groups()
    if name == "worded":
        return Slot(value, "worded")
    name = value if name == "value" else name
    if name in computed:
        form = "plural" if many is not None else form or ""
        return Slot(name, "number", form, one or "", many or "", computed[name])
    if many is not None:
        return Slot(name, "plural", "", one, many)
    if name in REFERENCES:
        return Slot(name, "reference", after_article=_THE.search(before) is not None)
    return Slot(name, "fact", form if form in ("times", "ordinal") else "", after_article=_A.search(before) is not None)
