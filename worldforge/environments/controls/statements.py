"""Where pages state facts: in a page's text, and in the plain text that snippets are cut from.

Loaded lazily, page by page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.environments.views import Excerpt, FactInText
from worldforge.search.page_store import PageStore, plain_text
from worldforge.world.evidence import Evidence
from worldforge.world.stable_ids import is_fact, rows_of, split_fact
from worldforge.world.table_files import TRUE_STANCES
from worldforge.world.value_formats import ValueFormat, ValueFormats
from worldforge.world.world import World

ELISION = "…"
"""What stands where something is withheld, or was cut off."""
_MOST_PAGES_HELD = 4_096
_FIRST_MARK, _LAST_MARK, _END_MARK = 0xF0000, 0xFFFFC, "\U0010fffd"  # private characters: no page has them
_MARKS = re.compile(f"[{chr(_FIRST_MARK)}-{chr(_LAST_MARK)}{_END_MARK}]")


@dataclass(frozen=True, slots=True)
class PageStatement:
    """A fact stated in a text, its cell (table, row, column), and the characters [start, end) of its value as written.

    `also` are further facts that the same characters state, as in a merged table cell.
    """

    fact: str
    cell: tuple[str, int, str]
    start: int
    end: int
    value: str
    true: bool
    form: ValueFormat | None = None
    """The site's own format for such values, if it has one."""
    also: tuple[str, ...] = ()


class Statements:
    """The statements of one world's pages; pages by row number."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.on_page = lru_cache(_MOST_PAGES_HELD)(self._on_page)
        self.in_plain_text = lru_cache(_MOST_PAGES_HELD)(self._in_plain_text)

    def is_list(self, page: int) -> bool:
        """Whether a page names more than one entity."""
        named = self._evidence.n_named
        return page < len(named) and bool(named[page] > 1)

    def stands_elsewhere(self, fact: str) -> bool:
        """Whether a page that is no list states the fact truly."""
        mentions = self._evidence.of(fact)
        own = mentions[self._evidence.n_named[self._evidence.page[mentions]] <= 1]
        return any(self._world.mentions["stance"][int(mention)].as_py() in TRUE_STANCES for mention in own)

    def located(self, excerpt: Excerpt) -> Iterator[tuple[int, int, PageStatement]]:
        """Yield an excerpt's statements, whole or in part, with their characters [start, end) in its text.

        A snippet's text between its ellipses is located in the page's plain text.
        """
        text, first = excerpt.text, excerpt.start
        if excerpt.page < 0:
            stated: Iterable[PageStatement] = filter(None, (_in_excerpt(excerpt, span) for span in excerpt.facts))
        elif excerpt.plain:
            text = text.removeprefix(ELISION).removesuffix(ELISION)
            plain, stated = self.in_plain_text(excerpt.page)
            first = plain.find(text)
            if first < 0 or not text:
                return
        else:
            stated = self.on_page(excerpt.page)
        last = first + len(text)
        shift = first - (excerpt.plain and excerpt.text.startswith(ELISION))
        for one in stated:
            if one.start < last and one.end > first:
                yield max(one.start, first) - shift, min(one.end, last) - shift, one

    def spans(self, excerpt: Excerpt) -> Iterable[FactInText]:
        """Return the facts that an excerpt states in whole, with their places in its text."""
        if excerpt.page < 0:
            return excerpt.facts
        found = self.located(excerpt)
        return (FactInText(one.fact, start, end) for start, end, one in found if end - start == one.end - one.start)

    def _on_page(self, page: int) -> tuple[PageStatement, ...]:
        """Return a page's statements in the order of its text."""
        first, last = np.searchsorted(self._pages, [page, page + 1]).tolist()
        kind = self._world.pages["kind"][page].as_py()
        return tuple(_statements(self._world.mentions.slice(first, last - first), self._forms, kind))

    def _in_plain_text(self, page: int) -> tuple[str, tuple[PageStatement, ...]]:
        """Return a page's plain text, and its statements in order."""
        text, plain = self._store.cells(page, "text", "plain")
        stated = self.on_page(page)[: _LAST_MARK - _FIRST_MARK]
        marked = plain_text(_with_marks(text, stated))
        return plain, tuple(_without_marks(marked, stated)) if _MARKS.sub("", marked) == plain else ()

    @cached_property
    def _forms(self) -> ValueFormats:
        return ValueFormats.of_world(self._world)

    @cached_property
    def _pages(self) -> npt.NDArray[np.int64]:
        return rows_of(self._world.mentions["page"])

    @cached_property
    def _evidence(self) -> Evidence:
        return Evidence(self._world.stored("mentions.parquet"))

    @cached_property
    def _store(self) -> PageStore:
        return PageStore(self._world.path / "index")


def _in_excerpt(excerpt: Excerpt, span: FactInText) -> PageStatement | None:
    """Convert a fact that an excerpt names; None where it is no cell of the world's tables."""
    if not is_fact(span.fact):
        return None
    value = excerpt.text[span.start : span.end]
    return PageStatement(span.fact, split_fact(span.fact), span.start, span.end, value, true=True)


def _statements(mentions: pa.Table, forms: ValueFormats, kind: str) -> Iterator[PageStatement]:
    for _, span in groupby(mentions.to_pylist(), key=lambda row: (row["start"], row["end"])):
        row, *others = span
        cell = table, _, column = split_fact(row["fact"])
        true = row["stance"] in TRUE_STANCES
        form = forms.of(kind, table, column)
        also = tuple(other["fact"] for other in others)
        yield PageStatement(row["fact"], cell, row["start"], row["end"], row["value"], true, form, also)


def _with_marks(text: str, stated: Sequence[PageStatement]) -> str:
    """Insert a numbered mark before each statement, and an end mark after it."""
    pieces, at = [], 0
    for number, one in enumerate(stated):
        pieces += [text[at : one.start], chr(_FIRST_MARK + number), text[one.start : one.end], _END_MARK]
        at = one.end
    return "".join([*pieces, text[at:]])


def _without_marks(marked: str, stated: Sequence[PageStatement]) -> Iterator[PageStatement]:
    """Yield statements at their places in the text without marks; those whose marks are gone are skipped."""
    begun: tuple[PageStatement, int] | None = None
    for n_marks, mark in enumerate(_MARKS.finditer(marked)):
        place = mark.start() - n_marks
        if mark[0] != _END_MARK:
            begun = stated[ord(mark[0]) - _FIRST_MARK], place
        elif begun is not None:
            one, start = begun
            yield replace(one, start=start, end=place)
            begun = None
