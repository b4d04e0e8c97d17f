"""The pages of a chunk as Arrow tables: their texts, mentions and links."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.outline import Outline
from worldforge.core.arrays import Integers
from worldforge.world.marked_text import Spans, spans_of
from worldforge.world.page_writer import Page
from worldforge.world.table_files import MENTIONS, MENTIONS_STORAGE, in_memory_schema

LINKED_PAGES = ["source_page", "target_page"]
"""The columns of a chunk's links that hold page numbers (int32); the target is null where it is gone."""


def tables_of(outline: Outline, kind: KindOutline, pages: Sequence[Page]) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Return pages of a kind (`PAGES`), their mentions (`MENTIONS`), and their links: `LINKS` and `LINKED_PAGES`."""
    numbers = np.array([page.number for page in pages], np.int64)
    ids, texts = outline.ids.take(pa.array(numbers)), [str(page.text) for page in pages]
    table = pa.table(
        {
            "id": ids,
            "url": outline.urls.take(pa.array(numbers)),
            "site": outline.hosts.take(pa.array(numbers)),
            "kind": pa.repeat(kind.key, len(pages)),
            "title": pa.array([page.title for page in pages], pa.string()),
            "language": pa.repeat(kind.page_language.language, len(pages)),
            "published": pa.array(outline.days[kind.key][numbers - kind.first], pa.int32()).cast(pa.date32()),
            "text": pa.array(texts, pa.string()),
        }
    )
    marks, links = spans_of([page.text for page in pages])
    return table, _mentions(outline, marks, texts, ids), _links(outline, links, texts, ids, numbers)


def _mentions(outline: Outline, marks: Spans, texts: Sequence[str], ids: pa.Array) -> pa.Table:
    start, end, codes, rows = marks.columns.T
    return pa.table(
        [
            ids.take(pa.array(marks.text_of)),
            outline.written.facts(codes, rows),
            pa.array(start, pa.int32()),
            pa.array(end, pa.int32()),
            outline.written.stances_of(codes),
            _as_written(outline, texts, marks),
            *_relations(outline, codes, rows),
        ],
        schema=in_memory_schema(MENTIONS, MENTIONS_STORAGE),
    )


def _relations(outline: Outline, codes: Integers, rows: Integers) -> tuple[pa.Array, pa.Array]:
    """Return which fact each mark states its own relative to, and by what difference; null where it does not."""
    relative_to, differences = np.full(len(codes), None, object), np.full(len(codes), None, object)
    for own in outline.relative.values():
        for column in own.values():
            places = np.flatnonzero(codes == column.code)
            if not len(places):
                continue
            others = column.others[rows[places]]
            relative_to[places] = outline.written.facts(np.full(len(places), column.code), others).to_pylist()
            if column.differences is not None:
                differences[places] = column.differences[rows[places]]
    return pa.array(relative_to, pa.string()), pa.array(differences, pa.float64())


def _as_written(outline: Outline, texts: Sequence[str], marks: Spans) -> pa.Array:
    """Return what each mark holds: its cell as written, or for wordings of values what stands on the page."""
    start, end, codes, rows = marks.columns.T
    values = outline.written.values(codes, rows)
    worded = frozenset(code for phrases in outline.phrases.values() for code in phrases.worded.values())
    worded |= set(outline.totals.values())
    worded |= {column.code for own in outline.relative.values() for column in own.values()}
    places = np.flatnonzero(np.isin(codes, list(worded))) if worded else ()
    if not len(places):
        return values
    spans = zip(marks.text_of[places].tolist(), start[places].tolist(), end[places].tolist(), strict=True)
    said = pa.array([texts[page][low:high] for page, low, high in spans], pa.string())
    mask = np.zeros(len(codes), np.bool_)
    mask[places] = True
    return pc.replace_with_mask(values, mask, said)


def _links(
    outline: Outline, links: Spans, texts: Sequence[str], ids: pa.Array, numbers: npt.NDArray[np.int64]
) -> pa.Table:
    start, end, targets = links.columns.T
    page_of = links.text_of
    gone = targets < 0
    spans = zip(page_of.tolist(), start.tolist(), end.tolist(), strict=True)
    return pa.table(
        {
            "source": ids.take(pa.array(page_of)),
            "target": outline.ids.take(pa.array(targets, mask=gone)),
            "anchor": pa.array([texts[page][low:high] for page, low, high in spans], pa.string()),
            "source_page": pa.array(numbers[page_of], pa.int32()),
            "target_page": pa.array(targets, pa.int32(), mask=gone),
        }
    )
