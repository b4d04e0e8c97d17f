"""Lines of a Markdown page by their form: table rows, list items, `label: value` lines, headings, menus, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TABLE, ITEM, LABEL, HEADING, MENU, PROSE, EMPTY = "table", "item", "label", "heading", "menu", "prose", "empty"
STRUCTURED = frozenset({TABLE, ITEM, LABEL})
"""The forms that state a fact without a sentence."""

_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+\S")
_LABEL = re.compile(r"\s*(?P<label>[^:：.。!?！？|>\n]{1,60}?)\s*[:：]\s*(?P<value>\S.*)")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$|\s*```")
_SENTENCE_END = re.compile(r"[.!?]\s+\S|[。！？；]|[.!?]$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_MARKS = re.compile(r"\*\*|__|`|~~|(?<!\w)[*_]|[*_](?!\w)|\[\^?\w{1,3}\]|<[^>]{1,40}>")
_SEPARATED = re.compile(r"\s[·|•/»]\s|｜")
_LEAST_ENTRIES, _MOST_WORDS = 3, 4
"""Of a menu: entries between separators without links; words beside links."""
_WIDE = re.compile(r"[㐀-鿿]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: where it starts in the page's text, the text, its form."""

    start: int
    text: str
    form: str


def lines(text: str) -> Iterator[Line]:
    """Yield the lines of a page with their forms."""
    start = 0
    for line in text.split("\n"):
        yield Line(start, line, form_of(line))
        start += len(line) + 1


def form_of(line: str) -> str:
    """Return the form of a line."""
    bare = line.strip()
    if not bare or _RULE.match(line):
        return EMPTY
    if bare.startswith("|"):
        return TABLE
    if bare.startswith("#"):
        return HEADING
    if _ITEM.match(line):
        return ITEM
    if label_and_value(line):
        return LABEL
    return MENU if is_menu(bare) else PROSE


def is_menu(line: str) -> bool:
    """Return whether a line is navigation: links with hardly a word beside them, or entries between separators."""
    beside = plain(_LINK.sub(" ", line))
    if "](" in line:
        return n_words(beside) <= _MOST_WORDS and _SENTENCE_END.search(beside) is None
    return len(_SEPARATED.split(line)) >= _LEAST_ENTRIES and _SENTENCE_END.search(line) is None


def label_and_value(line: str) -> tuple[str, str] | None:
    """Return the two parts of a `label: value` line; None for a sentence that has a colon."""
    found = _LABEL.fullmatch(plain(line))
    if found is None:
        return None
    label, value = found["label"].strip(), found["value"].strip()
    if n_words(label) > 6 or n_words(value) > 12 or _SENTENCE_END.search(value):
        return None
    return label, value


def plain(text: str) -> str:
    """Return Markdown without the addresses of links and without marks of emphasis."""
    return _MARKS.sub("", _LINK.sub(r"\1", text))


def links(text: str) -> list[tuple[str, str]]:
    """Return the texts and addresses of the links of a text."""
    return re.findall(r"\[([^\]]+)\]\(([^)\s]+)\)", text)


def n_words(text: str) -> int:
    """Count words; two Chinese characters count as one."""
    n_wide = len(_WIDE.findall(text))
    return len(re.findall(r"\w+", _WIDE.sub(" ", text))) + (n_wide + 1) // 2


def length(text: str, language: str) -> int:
    """Return the length of a page as it is shown: words, or for Chinese characters that are no blanks."""
    shown = plain(text)
    return len(re.sub(r"\s", "", shown)) if language == "zh" else len(re.findall(r"\w+(?:[.,'’-]\w+)*", shown))


def cells(row: str) -> list[str]:
    """Return the cells of a table row, as written."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def is_rule(row: str) -> bool:
    """Return whether a table row only separates the head from the body."""
    return re.fullmatch(r"[|\s:-]+", row.strip()) is not None
