"""Writes the pages of a chunk: each by its generator, which is given what the page may state."""

from __future__ import annotations

import datetime
import gc
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from worldforge.builders.pages.conflicts.known_at import ALWAYS
from worldforge.builders.pages.event_facts import EventFacts
from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.outline import Outline
from worldforge.builders.pages.page_facts import PageFacts
from worldforge.builders.pages.page_parts import ends_shown
from worldforge.builders.pages.page_tables import tables_of
from worldforge.builders.pages.prose.prose_counts import ProseCounts
from worldforge.builders.pages.prose.prose_rewrite import ProseRewriter, WantedParagraph
from worldforge.builders.pages.site_formats import exchange_rates
from worldforge.builders.pages.site_labels import redesigned_on
from worldforge.builders.pages.site_map_facts import SiteMapFacts
from worldforge.core.arrays import Integers
from worldforge.core.errors import InputError
from worldforge.core.imports import load, own_code_errors
from worldforge.schema.column_paths import errors_at
from worldforge.world.page_inputs import NAVIGATION, ArchivedPage, Original, Subject, Value
from worldforge.world.page_writer import Page

_PAGE_WEIGHT = 8  # a page's own text weighs about as much as this many rows of a list
_CHUNK_WEIGHT = 20_000
_EPOCH = datetime.date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pages `low` to `high` (not included) of the kind at place `kind`."""

    kind: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Composed:
    """A chunk's pages (`PAGES`), their mentions, and their links.

    Beside the columns of `LINKS`, links have `LINKED_PAGES`. `tally` counts the paragraphs that a model was to word.
    """

    pages: pa.Table
    mentions: pa.Table
    links: pa.Table
    tally: ProseCounts | None = None


def cut(outline: Outline) -> list[Chunk]:
    """Cut the pages into chunks of about the same size, of one kind each, and either of later parts or of none."""
    chunks = []
    for place, pages in enumerate(outline.kinds):
        shares = (np.cumsum(_PAGE_WEIGHT + _rows_shown(outline, pages)) - 1) // _CHUNK_WEIGHT
        bounds = [0, *(np.flatnonzero(np.diff(shares)) + 1).tolist(), _n_heads(outline, pages), len(pages)]
        chunks += [Chunk(place, low, high) for low, high in pairwise(sorted(bounds)) if low < high]
    return chunks


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Pause it while many objects are made and let go of, none of which refers back: it takes a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@_without_garbage_collection()
def compose(outline: Outline, chunk: Chunk, prose: ProseRewriter | None = None) -> Composed:
    """Write the pages of a chunk, worded by a model where `prose` has its words.

    Raises InputError where their generator fails, or leaves a page without text or title.
    """
    kind = outline.kinds[chunk.kind]
    pages, tally = _worded(outline, chunk, prose)
    return Composed(*tables_of(outline, kind, pages), tally)


def _worded(
    outline: Outline, chunk: Chunk, prose: ProseRewriter | None, only: Container[int] | None = None
) -> tuple[list[Page], ProseCounts | None]:
    """Write a chunk's pages, and have a model's words put in where a model words them."""
    kind, pages = outline.kinds[chunk.kind], write_chunk(outline, chunk, prose, only)
    if prose is None or kind.kind.prose != "model":
        return pages, None
    return pages, prose.reword(kind, outline.url_list, pages)


def write_chunk(
    outline: Outline, chunk: Chunk, prose: ProseRewriter | None = None, only: Container[int] | None = None
) -> list[Page]:
    """Write the pages of a chunk, all or those of the kind's pages `only`, by their generator.

    What they copy is worded as `prose` has it.

    Raises InputError as `compose` does.
    """
    kind = outline.kinds[chunk.kind]
    days = outline.days[kind.key]
    earliest = outline.overrides.earliest.get(kind.key)
    numbers = np.arange(chunk.low, chunk.high)
    drawn_as = numbers if kind.archived is None else kind.archived.pages[numbers]
    draws = kind.stream.child("words").draws(drawn_as)
    rates = exchange_rates(outline.spec, outline.written, kind.key)
    pages, redesigned = [], redesigned_on(outline, kind)
    with errors_at(outline.spec, ("pages", kind.key)):
        generator, params, subjects = _subjects(outline, kind, chunk, prose)
        more = PageFacts(outline, kind).more(chunk.low, chunk.high)
        write = load(generator, outline.code_from)
        for place, subject in enumerate(subjects):
            number = chunk.low + place
            if only is not None and number not in only:
                continue
            page = Page(
                site=kind.site.title if kind.archived is None else kind.archived.title,
                language=kind.page_language.language,
                published=_date(days[number]),
                as_of=datetime.date.fromisoformat(outline.spec.as_of),
                draws=draws[place],
                number=kind.first + number,
                not_before=None if earliest is None or earliest[number] == ALWAYS else _date(earliest[number]),
                address=outline.link_address,
                phrases=outline.phrases.get(kind.page_language.language),
                seed=outline.spec.seed,
                more=more[place],
                old_design=bool(days[number] < redesigned),
            )
            _write(write, page, kind, generator, subject, params)
            if rates is not None and not rates.codes.isdisjoint(page.text.marked[2::4]):
                page.write(rates.line)
            pages.append(page)
        if kind.parts is not None and only is None:
            _check_links(kind, generator, pages, kind.parts.next[chunk.low : chunk.high])
    return pages


def wanted_prose(outline: Outline, chunks: Iterable[Chunk], prose: ProseRewriter) -> Iterator[WantedParagraph | None]:
    """Yield the paragraphs that a model is to word, chunk by chunk; None for one that is left as it is."""
    for chunk in chunks:
        kind = outline.kinds[chunk.kind]
        if kind.kind.prose == "model":
            for page in write_chunk(outline, chunk, prose):
                yield from prose.wanted(kind, outline.url_list[page.number], page)


def _subjects(
    outline: Outline, kind: KindOutline, chunk: Chunk, prose: ProseRewriter | None
) -> tuple[str, Mapping[str, Any], Sequence[Any]]:
    """Return the generator of a chunk's pages, its parameters, and what each page is about."""
    facts, generator, params = PageFacts(outline, kind), kind.kind.generator, kind.kind.params
    if kind.copied is not None:
        return generator, params, _originals(outline, kind, chunk, prose)
    if kind.site_map is not None:
        return generator, params, SiteMapFacts(outline, kind).pages_of_map(chunk.low, chunk.high)
    if kind.archived is not None:
        return generator, {}, _archived(outline, kind, chunk)
    if chunk.low >= kind.n_heads:
        return kind.layout.continued, {}, facts.continuations(chunk.low, chunk.high)
    if kind.rows is not None:
        return generator, params, EventFacts(outline, kind).events(chunk.low, chunk.high)
    return generator, params, (facts.subjects if kind.lists is None else facts.listings)(chunk.low, chunk.high)


def _archived(outline: Outline, kind: KindOutline, chunk: Chunk) -> list[ArchivedPage]:
    """Return what writes the pages that a chunk holds archived copies of."""
    assert kind.archived is not None
    original = next(one for one in outline.kinds if one.key == kind.archived.of)
    write = load(original.kind.generator, outline.code_from)
    live = original.first + kind.archived.pages[chunk.low : chunk.high]
    subjects = PageFacts(outline, kind).subjects(chunk.low, chunk.high)
    return [
        ArchivedPage(
            write=partial(_as_original, write, subject, original.kind.params),
            archive=kind.site.title,
            live=Value(outline.url_list[target], NAVIGATION, target=target),
        )
        for subject, target in zip(subjects, live.tolist(), strict=True)
    ]


def _as_original(write: Callable[..., None], subject: Subject, params: Mapping[str, Any], page: Page) -> None:
    write(page, subject, **params)


def _originals(outline: Outline, kind: KindOutline, chunk: Chunk, prose: ProseRewriter | None) -> list[Original]:
    """Write the pages that a chunk's pages copy, as they stand on their own site."""
    assert kind.copied is not None
    place = next(place for place, one in enumerate(outline.kinds) if one.key == kind.copied.of)
    own = kind.copied.pages[chunk.low : chunk.high].tolist()
    pages, _ = _worded(outline, Chunk(place, own[0], own[-1] + 1), prose, only=frozenset(own))
    first, site = outline.kinds[place].first, outline.kinds[place].site.title
    by_number = {page.number - first: page for page in pages}
    return [Original(page.title, page.text, page.published, site) for page in map(by_number.__getitem__, own)]


def _write(
    write: Callable[..., Any], page: Page, kind: KindOutline, generator: str, subject: object, params: Mapping[str, Any]
) -> None:
    """Call a page generator. Raises InputError where a spec's own fails, or leaves out the text or the title."""
    with own_code_errors(generator, f"pages.{kind.key}:", "see docs/how-to/own-page-kind.md"):
        write(page, subject, **params)
        page.end_paragraph()
    if not page.title or not page.text.pieces:
        missing = "text" if page.title else "title"
        raise InputError(f"pages.{kind.key}: `{generator}` left a page without {missing}", "begin with `page.heading`")


def _check_links(kind: KindOutline, generator: str, pages: Sequence[Page], following: Integers) -> None:
    """Check that every page links to the part that follows it (-1 for none). Raises InputError where one does not."""
    for page, part in zip(pages, following.tolist(), strict=True):
        if part >= 0 and kind.first + part not in page.text.linked[2::3]:
            hint = "write `RelatedRows.next` below the table of a relation, and `Continuation.next` on later parts"
            raise InputError(f"`{generator}` leaves out the link to where a page goes on", hint)


def _rows_shown(outline: Outline, pages: KindOutline) -> Integers:
    """Return how many rows of lists or of relations each page of a kind may show."""
    if pages.copied is not None:
        original = next(kind for kind in outline.kinds if kind.key == pages.copied.of)
        return _rows_shown(outline, original)[pages.copied.pages]
    if pages.site_map is not None:
        return pages.site_map.end - pages.site_map.start
    if pages.lists is not None:
        return np.diff(pages.lists.offsets)
    rows = np.zeros(len(pages), np.int64)
    for end in ends_shown(outline.spec, pages.kind):
        if pages.parts is not None:
            rows += pages.parts.stretch(end, pages.about, slice(None))[1]
        else:
            rows += np.diff(outline.runs[end].starts)[pages.about]
    return rows


def _n_heads(outline: Outline, pages: KindOutline) -> int:
    """Return how many of a kind's pages, the first ones, are neither later parts of pages nor copies of such."""
    if pages.copied is None:
        return pages.n_heads
    original = next(kind for kind in outline.kinds if kind.key == pages.copied.of)
    return int(np.searchsorted(pages.copied.pages, original.n_heads))


def _date(day: np.int64) -> datetime.date:
    return _EPOCH + datetime.timedelta(days=int(day))
