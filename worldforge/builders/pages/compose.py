"""Composes the pages of a chunk: told what may be stated, its generator writes; marks become mentions and links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.builders.pages.generator_input import GeneratorInput
from worldforge.builders.pages.link_rewrite import rewrite_links
from worldforge.builders.pages.outline import KindOutline, Outline
from worldforge.builders.pages.page_copies import CopiedPages, originals
from worldforge.builders.pages.page_links import leads_on, read_links
from worldforge.builders.pages.page_parts import ends_shown
from worldforge.builders.pages.prose.prose_counts import ProseCounts
from worldforge.builders.pages.prose.prose_rewrite import ProseRewriter, WantedParagraph
from worldforge.builders.pages.site_formats import with_rates
from worldforge.core.errors import InputError
from worldforge.core.imports import is_own, load
from worldforge.schema.column_paths import errors_at
from worldforge.world.page_draft import ContinuedPages, ListingPages, OriginalPages, PageDraft, Subjects
from worldforge.world.passages import Positions
from worldforge.world.table_files import MENTIONS, MENTIONS_STORAGE, in_memory_schema
from worldforge.world.text_marks import Marks

LINKED_PAGES = ["source_page", "target_page"]
"""The columns of a chunk's links that hold page numbers (int32); the target is null where it is gone."""
_PAGE_WEIGHT = 8  # a page's own text weighs about as much as this many rows of a list
_CHUNK_WEIGHT = 100_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pages `low` to `high` (not included) of the kind at place `kind`."""

    kind: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Composed:
    """A chunk's pages (`PAGES`), their mentions, and their links.

    Beside the columns of `LINKS`, links have `LINKED_PAGES`. `tally` says how it went where a model had a say.
    """

    pages: pa.Table
    mentions: pa.Table
    links: pa.Table
    tally: ProseCounts | None = None


def cut(outline: Outline) -> list[Chunk]:
    """Cut the pages into chunks of about the same size, of one kind each, and either of later parts or of none."""
    chunks = []
    for place, pages in enumerate(outline.kinds):
        shares = (np.cumsum(_PAGE_WEIGHT + _rows_told(outline, pages)) - 1) // _CHUNK_WEIGHT
        bounds = [0, *(np.flatnonzero(np.diff(shares)) + 1).tolist(), _n_heads(outline, pages), len(pages)]
        chunks += [Chunk(place, low, high) for low, high in pairwise(sorted(bounds)) if low < high]
    return chunks


def compose(outline: Outline, chunk: Chunk, prose: ProseRewriter | None = None) -> Composed:
    """Write the pages of a chunk, those that a model words as `prose` has them.

    Raises InputError where their generator gives back what is no draft of them.
    """
    pages = outline.kinds[chunk.kind]
    draft, tally = _worded(outline, chunk, prose)
    numbers = page_numbers(outline, chunk)
    text, gone = rewrite_links(outline, draft.text, numbers)
    draft = replace(draft, text=text)
    ids = outline.ids.take(pa.array(numbers))
    stated = draft.text.marks.below(outline.written.n_codes)
    return Composed(
        pages=_pages(outline, pages, draft, numbers, ids),
        mentions=_mentions(outline, draft.text.marks.where(stated), ids),
        links=_links(outline, draft.text.marks.where(~stated), numbers, ids, gone),
        tally=tally,
    )


def _worded(outline: Outline, chunk: Chunk, prose: ProseRewriter | None) -> tuple[PageDraft, ProseCounts | None]:
    """Have a chunk's pages written, and worded by a model where one words them, with how that went."""
    pages, draft = outline.kinds[chunk.kind], draft_pages(outline, chunk, prose)
    if prose is None or pages.kind.prose != "model":
        return draft, None
    urls = outline.urls.take(pa.array(page_numbers(outline, chunk))).to_pylist()
    return prose.reworded(pages, urls, draft)


def _originals(
    outline: Outline, pages: KindOutline, copied: CopiedPages, chunk: Chunk, prose: ProseRewriter | None
) -> OriginalPages:
    """Tell of the pages that a chunk's pages copy, as they stand on their own site."""
    place = next(place for place, kind in enumerate(outline.kinds) if kind.key == copied.of)
    own = copied.pages[chunk.low : chunk.high]
    draft, _ = _worded(outline, Chunk(place, int(own[0]), int(own[-1]) + 1), prose)
    sites = (outline.kinds[place].site.title, pages.site.title)
    rows, language = np.arange(chunk.low, chunk.high), pages.tongue.language
    return originals(draft, int(own[0]), own, rows, sites, outline.spec.as_of, language)


def draft_pages(outline: Outline, chunk: Chunk, prose: ProseRewriter | None = None) -> PageDraft:
    """Have a chunk's pages written by their generator. Raises InputError where that gives back no draft of them.

    What they copy is worded as `prose` has it.
    """
    pages = outline.kinds[chunk.kind]
    with errors_at(outline.spec, ("pages", pages.key)):
        return _drafted_chunk(outline, pages, chunk, prose)


def _drafted_chunk(outline: Outline, pages: KindOutline, chunk: Chunk, prose: ProseRewriter | None) -> PageDraft:
    told = GeneratorInput(outline, pages)
    about: Subjects | ListingPages | OriginalPages | ContinuedPages
    generator, params = pages.kind.generator, pages.kind.params
    if pages.copied is not None:
        about = _originals(outline, pages, pages.copied, chunk, prose)
    elif chunk.low >= pages.n_heads:
        generator, params = pages.layout.continued, {}
        about = told.continued(chunk.low, chunk.high, _days_of_heads(outline, pages, chunk))
    else:
        about = (told.subjects if pages.lists is None else told.listing)(chunk.low, chunk.high)
    write = load(generator, outline.code_from)
    draft = _drafted(write, pages, generator, about, params)
    n = chunk.high - chunk.low
    if not isinstance(draft, PageDraft) or {len(draft.title), len(draft.text), len(draft.published)} != {n}:
        raise InputError(f"`{generator}` gave no draft of {n} pages", "see worldforge/world/page_draft.py")
    if draft.text.text.null_count or draft.title.null_count or draft.published.null_count:
        raise InputError(f"`{generator}` left pages without text, title or date", "see its `PageDraft`")
    if pages.parts is not None and not leads_on(outline, draft.text.marks, pages.parts.next[chunk.low : chunk.high]):
        hint = "below a table of a relation stands `Related.more`, on later parts `ContinuedPages.next`"
        raise InputError(f"`{generator}` leaves out the way to where a page goes on", hint)
    whose = about.subjects if isinstance(about, ContinuedPages) else about
    settled = None if isinstance(whose, OriginalPages) else whose.published
    if settled is not None and not draft.published.equals(settled):
        hint = "where `published` is given, pages bear those days"
        raise InputError(f"`{generator}` gave pages other days than they were published on", hint)
    return with_rates(outline.spec, outline.written, pages.key, draft)


def _drafted(
    write: Callable[..., Any], pages: KindOutline, generator: str, about: object, params: Mapping[str, Any]
) -> Any:
    """Call a page generator. Raises InputError where a spec's own fails."""
    try:
        return write(pages.stream, about, **params)
    except InputError:
        raise
    except Exception as error:
        if not is_own(generator):
            raise
        message = f"pages.{pages.key}: `{generator}` failed: {type(error).__name__}: {error}"
        raise InputError(message, "see docs/how-to/own-page-kind.md") from error


def _days_of_heads(outline: Outline, pages: KindOutline, chunk: Chunk) -> pa.Array:
    """Return the days of the pages that a chunk of later parts goes on with: parts are of one day."""
    assert pages.parts is not None
    heads = pages.parts.head[chunk.low : chunk.high]
    first = int(heads[0])
    return draft_pages(outline, Chunk(chunk.kind, first, int(heads[-1]) + 1)).published.take(pa.array(heads - first))


def wanted_prose(outline: Outline, chunks: Iterable[Chunk], prose: ProseRewriter) -> Iterator[WantedParagraph | None]:
    """Go through the paragraphs that a model is to word, chunk by chunk; None for one that is to be left alone."""
    for chunk in chunks:
        pages = outline.kinds[chunk.kind]
        if pages.kind.prose == "model":
            urls = outline.urls.take(pa.array(page_numbers(outline, chunk))).to_pylist()
            yield from prose.wanted(pages, urls, draft_pages(outline, chunk))


def page_numbers(outline: Outline, chunk: Chunk) -> Positions:
    """Return the numbers of a chunk's pages."""
    return outline.kinds[chunk.kind].first + np.arange(chunk.low, chunk.high)


def _rows_told(outline: Outline, pages: KindOutline) -> Positions:
    """Return how many rows of lists or of relations each page of a kind may show."""
    if pages.copied is not None:
        original = next(kind for kind in outline.kinds if kind.key == pages.copied.of)
        return _rows_told(outline, original)[pages.copied.pages]
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


def _pages(outline: Outline, pages: KindOutline, draft: PageDraft, numbers: Positions, ids: pa.Array) -> pa.Table:
    place = pa.array(numbers)
    n = len(numbers)
    return pa.table(
        {
            "id": ids,
            "url": outline.urls.take(place),
            "site": outline.hosts.take(place),
            "kind": pa.repeat(pages.key, n),
            "title": draft.title,
            "language": pa.repeat(pages.tongue.language, n),
            "published": draft.published,
            "text": draft.text.text,
        }
    )


def _mentions(outline: Outline, marks: Marks, ids: pa.Array) -> pa.Table:
    codes, rows = marks.code, marks.item
    return pa.table(
        [
            ids.take(pa.array(marks.row)),
            outline.written.facts(codes, rows),
            pa.array(marks.start, pa.int32()),
            pa.array(marks.start + marks.length, pa.int32()),
            outline.written.stances_of(codes),
            outline.written.values(codes, rows),
        ],
        schema=in_memory_schema(MENTIONS, MENTIONS_STORAGE),
    )


def _links(outline: Outline, marks: Marks, numbers: Positions, ids: pa.Array, gone: npt.NDArray[np.bool_]) -> pa.Table:
    targets, anchors = read_links(outline, marks)
    return pa.table(
        {
            "source": ids.take(pa.array(marks.row)),
            "target": outline.ids.take(pa.array(targets, mask=gone)),
            "anchor": anchors,
            "source_page": pa.array(numbers[marks.row], pa.int32()),
            "target_page": pa.array(targets, pa.int32(), mask=gone),
        }
    )
