"""Find the spans of pages and the facts that an observation showed, without hidden, altered or cut parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from worldforge.environments.call_controls import Edit, Shaped
from worldforge.environments.session import Disclosure
from worldforge.environments.views import Excerpt, ToolView


def disclosed(shaped: Shaped, text: str, n_kept: int) -> tuple[Disclosure, ...]:
    """Return the spans of cited pages that the first `n_kept` characters of a view's `text` show.

    A text that is a model's, cut off, is searched for whole lines of the page: it shows those at least.
    """
    return tuple(
        Disclosure(excerpt.page, start, end)
        for number, excerpt in enumerate(shaped.view.excerpts)
        if excerpt.page >= 0
        for start, end in _joined(
            _shown(excerpt, shaped.edits[number] if number < len(shaped.edits) else (), text, n_kept)
        )
    )


def facts_shown(answer: ToolView, shaped: Shaped, text: str) -> tuple[str, ...]:
    """Return the facts named by a view whose values stand unaltered in `text`."""
    altered = {one.fact for one in shaped.altered}
    spans = [(excerpt.text, span) for excerpt in answer.excerpts for span in excerpt.facts if span.fact not in altered]
    return tuple(dict.fromkeys(span.fact for said, span in spans if stands_in(said[span.start : span.end], text)))


def stands_in(value: str, text: str) -> bool:
    """Return whether a text holds a value, and not as a part of a longer word or number."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not _goes_on(text[max(0, at - 2) : at][::-1], value[0]) and not _goes_on(text[end : end + 2], value[-1]):
            return True
        at = text.find(value, at + 1)
    return False


def _goes_on(beside: str, edge: str) -> bool:
    """Say whether what stands beside a value's edge, nearest first, belongs to its word or number: `1`, `,4` to `2`."""
    if not edge.isascii() or not edge.isalnum():
        return False
    if beside[:1] in (",", "."):
        return edge.isdigit() and beside[1:].isdigit()
    return beside[:1].isascii() and beside[:1].isalnum()


def _shown(excerpt: Excerpt, edits: Sequence[Edit], text: str, n_kept: int) -> Iterator[tuple[int, int]]:
    for first, last in _kept(excerpt.text, text, n_kept):
        yield from _originals(excerpt.start, edits, len(excerpt.text), first, last)


def _kept(body: str, text: str, n_kept: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a view's body that the text still shows."""
    if n_kept >= len(text):
        yield 0, len(body)
        return
    at = text.find(body)
    if at >= 0:
        yield 0, min(len(body), max(0, n_kept - at))
        return
    kept, start = text[:n_kept], 0
    for line in body.splitlines(keepends=True):
        if line.strip() and line.rstrip("\n") in kept:
            yield start, start + len(line.rstrip("\n"))
        start += len(line)


def _originals(start: int, edits: Sequence[Edit], size: int, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the page's spans for the characters [first, last) of a body of `size` characters.

    `start` is where in the page the body begins.
    """
    place = 0  # in the body
    for edit in edits:
        gap = edit.start - start
        yield start + max(0, first - place), start + min(gap, last - place)
        place += gap + len(edit.shown)
        start = edit.end
    yield start + max(0, first - place), start + min(size - place, last - place)


def _joined(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Drop empty spans, and merge those that touch."""
    joined: list[tuple[int, int]] = []
    for start, end in stretches:
        if joined and joined[-1][1] == start < end:
            joined[-1] = (joined[-1][0], end)
        elif start < end:
            joined.append((start, end))
    return joined
