"""Paragraphs whose facts are locked, and the words around them, which may change.

    **Kalo** is a town; the region is [Sarn](https://…). Its elevation is 728 m.
    ⟦1⟧ is a town; the region is ⟦2⟧. Its elevation is ⟦3⟧.

A slot stands for a stretch of text that is copied as it is, byte for byte: what a page states or links to, with the
signs and units that belong to it, and all else that looks like a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

OPEN, CLOSE = "⟦", "⟧"
SLOT = re.compile(rf"{OPEN}([0-9]+){CLOSE}")
_LINE = re.compile(r"[^\n]+")
_NO_PROSE = re.compile(r"[#|>\-+=~`<\s]|[*_](?![*_])|\d+[.)]\s|\*\*\*")
"""How a line begins that is a heading, a table, a list, a quotation, a rule, code, or all in italics."""
_SENTENCE_END = re.compile(r"[.!?…。！？][”\"’)）]*$")
_WRAPPED = re.compile(r"\*\*[^*\n]+\*\*|\[[^\]\n]*\]\([^)\n]*\)|<[^>\n]+>|`[^`\n]+`")
"""What Markdown sets apart within a line: bold words, links, tags, code."""
_PLAIN = re.compile(r"[A-Za-zÀ-ɏ ,;:.!?…'’‘“”\"()–—-]*")
"""Words and stops; no digit, and no sign that Markdown or a web address needs."""
_PLAIN_CHINESE = re.compile("[\u4e00-\u9fff〇，。、；：？！“”‘’（）—…·]*")
_WITHIN_WORD = re.compile(r"\w[.!?…:;,]\w")


@dataclass(frozen=True, slots=True)
class LockedSpan:
    """Characters `start` to `end` of a page's text, which stay as they are.

    `role` says what they are, for people (`founding year`, `name`); `labels` are those of the columns that they state;
    `figure` tells a figure or a date from a name or a word.
    """

    start: int
    end: int
    role: str = ""
    labels: tuple[str, ...] = ()
    figure: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Characters `start` to `end` of a page's text. `slotted` is the same with slots 1 to n where `locked` stands."""

    start: int
    end: int
    slotted: str
    locked: tuple[LockedSpan, ...]


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Characters `start` to `end` of a text are to be `text` instead."""

    start: int
    end: int
    text: str


def prose_lines(text: str) -> Iterator[tuple[int, int]]:
    """Find the paragraphs of a Markdown text that are prose: where each starts and ends.

    A paragraph is one line that ends as a sentence does; headings, tables, lists, quotations, rules and lines set in
    italics throughout are none.
    """
    for line in _LINE.finditer(text):
        words = line.group().rstrip()
        if _NO_PROSE.match(words) is None and _SENTENCE_END.search(words):
            yield line.start(), line.start() + len(words)


def lock(text: str, start: int, end: int, locked: Iterable[LockedSpan]) -> Paragraph | None:
    """Lock stretches of the paragraph at `start` to `end`; those that meet become one, as does what Markdown wraps.

    None where the paragraph is to be left alone: what is outside its slots is not plain words, or a stretch is empty
    or reaches beyond it.
    """
    wrapped = [LockedSpan(start + w.start(), start + w.end()) for w in _WRAPPED.finditer(text[start:end])]
    joined = _joined([*locked, *wrapped])
    if any(not start <= one.start < one.end <= end for one in joined):
        return None
    starts, ends = [start, *(one.end for one in joined)], [*(one.start for one in joined), end]
    words = [text[first:last] for first, last in zip(starts, ends, strict=True)]
    if not (all(map(is_plain, words)) or all(map(is_plain_chinese, words))):
        return None
    slots = (f"{OPEN}{number}{CLOSE}{said}" for number, said in enumerate(words[1:], 1))
    return Paragraph(start, end, words[0] + "".join(slots), tuple(joined))


def words_of(slotted: str) -> list[str]:
    """Return what a text says before, between and after its slots."""
    return SLOT.split(slotted)[::2]


def is_plain(words: str) -> bool:
    """Say whether words are nothing but words and stops: no digit, no sign of Markdown, no stop within a word."""
    return _PLAIN.fullmatch(words) is not None and _WITHIN_WORD.search(words) is None


def is_plain_chinese(words: str) -> bool:
    """Say whether words are nothing but Chinese words and stops."""
    return _PLAIN_CHINESE.fullmatch(words) is not None


def edits(paragraph: Paragraph, draft: str) -> list[TextEdit]:
    """Return how a page's text changes where `draft` is what the paragraph says: between its slots, nowhere else.

    `draft` has the paragraph's slots, each once and in order. Raises ValueError for any other.
    """
    if not keeps_slots(paragraph, draft):
        raise ValueError("the draft does not have each slot once, in order")
    starts = [paragraph.start, *(one.end for one in paragraph.locked)]
    ends = [*(one.start for one in paragraph.locked), paragraph.end]
    return [TextEdit(start, end, said) for start, end, said in zip(starts, ends, words_of(draft), strict=True)]


def keeps_slots(paragraph: Paragraph, draft: str) -> bool:
    """Say whether a draft has each slot of the paragraph once, in order."""
    return SLOT.findall(draft) == [str(number) for number in range(1, len(paragraph.locked) + 1)]


def edited(text: str, changes: Sequence[TextEdit]) -> str:
    """Make changes, which are in order and do not overlap, to a text."""
    pieces, at = [], 0
    for change in changes:
        pieces += [text[at : change.start], change.text]
        at = change.end
    return "".join([*pieces, text[at:]])


def moved(starts: Sequence[int], changes: Sequence[TextEdit]) -> list[int]:
    """Return where the characters at `starts`, ascending and in no change, stand once `changes` are made."""
    shift, place, found = 0, 0, []
    for start in starts:
        while place < len(changes) and changes[place].end <= start:
            change = changes[place]
            shift += len(change.text) - (change.end - change.start)
            place += 1
        found.append(start + shift)
    return found


def _joined(locked: Iterable[LockedSpan]) -> list[LockedSpan]:
    """Put stretches in order and join those that meet: the first that has a role gives it, labels come together."""
    joined: list[LockedSpan] = []
    for one in sorted(locked, key=lambda one: (one.start, -one.end)):
        if joined and one.start <= joined[-1].end:
            last = joined[-1]
            labels = tuple(dict.fromkeys(last.labels + one.labels))
            first = last if last.role else one
            joined[-1] = LockedSpan(last.start, max(last.end, one.end), first.role, labels, first.figure)
        else:
            joined.append(one)
    return joined
