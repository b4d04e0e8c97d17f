"""Words pages with what the archive holds: locks their paragraphs, looks each up, and puts its words in.

A pure function of a draft, the tables and the archive: no model is asked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from worldforge.builders.pages.outline import KindOutline
from worldforge.builders.pages.prose.archive import find, key_of
from worldforge.builders.pages.prose.draft_check import Checker
from worldforge.builders.pages.prose.paragraphs import (
    LockedSpan,
    Paragraph,
    TextEdit,
    edited,
    edits,
    lock,
    moved,
    prose_lines,
)
from worldforge.builders.pages.prose.prose_counts import ProseCounts
from worldforge.builders.pages.site_formats import unit_on
from worldforge.core.errors import InputError
from worldforge.core.store_server import open_store
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.lexicon.sentence_splitting import begins_sentence
from worldforge.world.page_draft import PageDraft
from worldforge.world.passages import Passages, plain
from worldforge.world.text_marks import Marks

_ROLES = {
    **{kind: kind for kind in ("number", "unit", "date", "address", "name", "value")},
    "word": "name",
    "capital": "name",
}
"""Sorts of facts that are locked wherever they stand, and what a model is told of them."""
_FIGURES = frozenset(("integer", "number", "year", "date", "unit"))


@dataclass(frozen=True, slots=True)
class WantedParagraph:
    """A paragraph that a model is to word: its key in the archive, its page's sort, its place among a chunk's pages."""

    key: str
    sort: str
    row: int
    paragraph: Paragraph


@dataclass(frozen=True, slots=True)
class ProseRewriter:
    """What is needed to word the pages of one world. `columns` are those of its tables, by code."""

    spec: WorldSpec
    columns: tuple[ColumnInfo, ...]
    checker: Checker
    path: Path

    def wanted(self, pages: KindOutline, urls: Sequence[str], draft: PageDraft) -> Iterator[WantedParagraph | None]:
        """Lock the paragraphs of drafted pages, in order; None for one that is to be left alone."""
        sort = pages.kind.generator.replace(":", ".").rpartition(".")[2].replace("_", " ")
        marks = draft.text.marks
        starts = np.searchsorted(marks.row, np.arange(len(urls) + 1))
        for row, text in enumerate(draft.text.text.to_pylist()):
            own = slice(int(starts[row]), int(starts[row + 1]))
            stated = self._stated(text, marks, own, pages.key)
            for start, end in prose_lines(text):
                paragraph = self._lock(text, start, end, stated)
                if paragraph is None:
                    yield None
                else:
                    yield WantedParagraph(key_of(urls[row], sort, paragraph), sort, row, paragraph)

    def reworded(self, pages: KindOutline, urls: Sequence[str], draft: PageDraft) -> tuple[PageDraft, ProseCounts]:
        """Word drafted pages as the archive has it. Raises InputError where a paragraph is not in it."""
        tally = ProseCounts()
        changes: list[list[TextEdit]] = [[] for _ in urls]
        with open_store(self.path) as store:
            for one in self.wanted(pages, urls, draft):
                if one is None:
                    tally += ProseCounts(left_alone=1)
                    continue
                entry = find(store, one.key)
                if entry is None:
                    raise InputError(
                        f"{self.path} has lost a paragraph of {urls[one.row]}", "build again, with `--model`"
                    )
                # the world may have changed since, and the file come from anywhere
                refused = self.checker.refusal(one.paragraph, entry.words) if entry.words is not None else None
                tally += ProseCounts.of(entry, refused=refused)
                if entry.words is not None and refused is None:
                    changes[one.row] += edits(one.paragraph, entry.words)
        return replace(draft, text=changed(draft.text, changes)), tally

    def _stated(self, text: str, marks: Marks, own: slice, page_kind: str) -> list[LockedSpan]:
        """Return what one page states and links to, with the unit after a value."""
        stated = []
        codes, firsts, lengths = (column[own].tolist() for column in (marks.code, marks.start, marks.length))
        for code, start, length in zip(codes, firsts, lengths, strict=True):
            end = start + length
            if code >= len(self.columns):
                stated.append(LockedSpan(start, end))
                continue
            column = self.columns[code]
            if named := unit_on(self.spec, page_kind, column):
                unit = next((unit for unit in (f" {named}", named) if text.startswith(unit, end)), "")
                end += len(unit)
            labels = (column.label,) if column.name != "name" else ()
            stated.append(LockedSpan(start, end, column.label, labels, column.kind in _FIGURES))
        return stated

    def _lock(self, text: str, start: int, end: int, stated: Sequence[LockedSpan]) -> Paragraph | None:
        own = [one for one in stated if one.start < end and start < one.end]
        words = text[start:end]
        found = [
            LockedSpan(start + one.start, start + one.end, _ROLES[one.kind], figure=one.kind in _FIGURES)
            for one in self.checker.lexicon.found(words)
            if one.kind in _ROLES and not (one.kind == "word" and begins_sentence(words, one.start))
        ]
        return lock(text, start, end, [*own, *found])


def changed(passages: Passages, changes: Sequence[Sequence[TextEdit]]) -> Passages:
    """Make changes to texts, and move their marks with them."""
    marks = passages.marks
    bounds = np.searchsorted(marks.row, np.arange(len(changes) + 1))
    starts = marks.start.copy()
    texts: list[str] = passages.text.to_pylist()
    for row, own in enumerate(changes):
        if own:
            here = slice(int(bounds[row]), int(bounds[row + 1]))
            starts[here] = moved(starts[here].tolist(), own)
            texts[row] = edited(texts[row], own)
    worded = plain(pa.array(texts, pa.string()))
    return Passages(worded.text, worded.length, Marks(marks.row, starts, marks.length, marks.what))
