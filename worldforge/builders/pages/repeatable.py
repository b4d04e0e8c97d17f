"""Check that a spec's own page generators write the same pages when they are asked again."""

from __future__ import annotations

from collections.abc import Sequence

from worldforge.builders.pages.compose import Chunk, write_chunk
from worldforge.builders.pages.outline import Outline
from worldforge.core.errors import InputError
from worldforge.core.imports import is_own
from worldforge.schema.column_paths import errors_at
from worldforge.world.page_writer import Page

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
            once, again = (write_chunk(outline, chunk) for _ in range(2))
            if (what := _difference(once, again)) is not None:
                with errors_at(outline.spec, ("pages", pages.key)):
                    raise InputError(
                        f"pages.{pages.key}: `{generator}` wrote other pages when it was asked again: {what}",
                        "draw from `page.draws` alone, without `random`, the clock, or anything kept between calls",
                    )


def _difference(once: Sequence[Page], again: Sequence[Page]) -> str | None:
    """Say in which way the same pages differ when they are written twice; None where they do not."""
    for row, (first, second) in enumerate(zip(once, again, strict=True)):
        for name, one, other in (("title", first.title, second.title), ("text", str(first.text), str(second.text))):
            if one != other:
                parted = _where_they_part(one, other)
                return f"the {name} of page {row} has `{parted[0]}`, then `{parted[1]}`"
        if first.text.marks != second.text.marks or first.text.links != second.text.links:
            return "the texts are the same, and state other facts"
    return None


def _where_they_part(one: str, other: str) -> tuple[str, str]:
    alike = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(alike - _BEFORE, 0)
    first, second = (text[start : start + _SHOWN].replace("\n", " ") for text in (one, other))
    return first, second
