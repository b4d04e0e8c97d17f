"""Words pages with what the archive holds: locks their paragraphs, looks each up, and puts its words in.

A pure function of a draft, the tables and the archive: no model is asked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.prose.archive import find, key_of
from worldforge.builders.pages.prose.draft_check import DraftChecker
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
from worldforge.world.marked_text import MarkedText
from worldforge.world.page_writer import Page

_ROLES = {
    **{kind: kind for kind in ("number", "unit", "date", "address", "name", "value")},
    "word": "name",
    "capital": "name",
}
"""Sorts of facts that are locked wherever they stand, and what a model is told of them."""
_FIGURES = frozenset(("integer", "number", "year", "date", "unit"))


@dataclass(frozen=True, slots=True)
class WantedParagraph:
    """A paragraph that a model is to word: its key in the archive, and its page's sort."""

    key: str
    sort: str
    paragraph: Paragraph


@dataclass(frozen=True, slots=True)
class ProseRewriter:
    """What is needed to word the pages of one world. `columns` are those of its tables, by code."""

    spec: WorldSpec
    columns: tuple[ColumnInfo, ...]
    checker: DraftChecker
    path: Path

    def wanted(self, kind: KindOutline, url: str, page: Page) -> Iterator[WantedParagraph | None]:
        """Lock the paragraphs of a page, in order; None for one that is left as it is."""
        sort = kind.kind.generator.replace(":", ".").rpartition(".")[2].replace("_", " ")
        text = str(page.text)
        stated = self._stated(text, page.text, kind.key)
        for start, end in prose_lines(text):
            paragraph = self._lock(text, start, end, stated)
            yield None if paragraph is None else WantedParagraph(key_of(url, sort, paragraph), sort, paragraph)

    def reword(self, kind: KindOutline, urls: Sequence[str], pages: Sequence[Page]) -> ProseCounts:
        """Put the archive's words into pages. Raises InputError where a paragraph is not in it."""
        tally = ProseCounts()
        with open_store(self.path) as store:
            for page in pages:
                changes: list[TextEdit] = []
                for one in self.wanted(kind, urls[page.number], page):
                    if one is None:
                        tally += ProseCounts(left_alone=1)
                        continue
                    entry = find(store, one.key)
                    if entry is None:
                        raise InputError(
                            f"{self.path} has lost a paragraph of {urls[page.number]}", "build again, with `--model`"
                        )
                    # the world may have changed since, and the file come from anywhere
                    refused = self.checker.refusal(one.paragraph, entry.words) if entry.words is not None else None
                    tally += ProseCounts.of(entry, refused=refused)
                    if entry.words is not None and refused is None:
                        changes += edits(one.paragraph, entry.words)
                if changes:
                    page.text = changed(page.text, changes)
        return tally

    def _stated(self, text: str, marked: MarkedText, page_kind: str) -> list[LockedSpan]:
        """Return what a page states and links to, with the unit after a value."""
        stated = [LockedSpan(start, end) for start, end, _ in marked.links]
        for start, end, code, _ in marked.marks:
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


def changed(marked: MarkedText, changes: Sequence[TextEdit]) -> MarkedText:
    """Make changes to a text, and move its marks with them."""
    text = MarkedText()
    starts = moved([start for start, *_ in marked.marks], changes)
    marks = [
        (begin, begin + end - start, code, row)
        for begin, (start, end, code, row) in zip(starts, marked.marks, strict=True)
    ]
    starts = moved([start for start, *_ in marked.links], changes)
    links = [(begin, begin + end - start, page) for begin, (start, end, page) in zip(starts, marked.links, strict=True)]
    text.write_marked(edited(str(marked), changes), marks, links)
    return text
