"""Check that a spec's own page generators write the same pages when they are asked again."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from worldforge.builders.pages.compose import Chunk, draft_pages
from worldforge.builders.pages.outline import Outline
from worldforge.core.errors import InputError
from worldforge.core.imports import is_own
from worldforge.schema.column_paths import errors_at
from worldforge.world.page_draft import PageDraft

_BEFORE, _SHOWN = 15, 40  # characters of a text that are shown, and how many of them before what differs
_SAMPLE = 16  # pages of a kind that are written twice


def check_repeatable(outline: Outline) -> None:
    """Write a few pages of each own generator twice. Raises InputError for a generator whose pages differ."""
    for place, pages in enumerate(outline.kinds):
        heads = Chunk(place, 0, min(_SAMPLE, pages.n_heads))
        later = Chunk(place, pages.n_heads, min(pages.n_heads + _SAMPLE, len(pages)))
        for generator, chunk in ((pages.kind.generator, heads), (pages.layout.continued, later)):
            if not is_own(generator) or chunk.low == chunk.high:
                continue
            once, again = (draft_pages(outline, chunk) for _ in range(2))
            if (what := _difference(once, again)) is not None:
                with errors_at(outline.spec, ("pages", pages.key)):
                    raise InputError(
                        f"pages.{pages.key}: `{generator}` wrote other pages when it was asked again: {what}",
                        "draw from `stream` alone, without `random`, the clock, or anything kept between calls",
                    )


def _difference(once: PageDraft, again: PageDraft) -> str | None:
    """Say in which way two drafts of the same pages differ; None where they do not."""
    pairs = (
        ("title", once.title, again.title),
        ("text", once.text.text, again.text.text),
        ("day", once.published, again.published),
    )
    for name, first, second in pairs:
        if not first.equals(second):
            row = int(pc.index(pc.equal(first, second), False).as_py())
            one, other = _where_they_part(str(first[row].as_py()), str(second[row].as_py()))
            return f"the {name} of page {row} has `{one}`, then `{other}`"
    marks, others = once.text.marks, again.text.marks
    same = len(marks.row) == len(others.row) and all(
        np.array_equal(getattr(marks, field), getattr(others, field)) for field in ("row", "start", "length", "what")
    )
    return None if same else "the texts are the same, and state other facts"


def _where_they_part(one: str, other: str) -> tuple[str, str]:
    alike = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(alike - _BEFORE, 0)
    first, second = (text[start : start + _SHOWN].replace("\n", " ") for text in (one, other))
    return first, second
