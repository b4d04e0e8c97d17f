"""Which stretches of a page's text an observation showed: its part, but for what is hidden, altered or cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldforge.environments.control import Edit, Shaped
from worldforge.environments.session import Disclosure
from worldforge.environments.views import PageView


def disclosed(shaped: Shaped, text: str, n_kept: int) -> tuple[Disclosure, ...]:
    """Say what the first `n_kept` characters of `text`, which words a page's view, show of the page.

    A text that is a model's, cut off, is searched for whole lines of the page: it shows those at least.
    """
    view = shaped.view
    if not isinstance(view, PageView) or view.row < 0:
        return ()
    stretches = [
        stretch
        for first, last in _kept(view.body, text, n_kept)
        for stretch in _originals(view.start, shaped.edits, len(view.body), first, last)
    ]
    return tuple(Disclosure(view.row, start, end) for start, end in _joined(stretches))


def _kept(body: str, text: str, n_kept: int) -> Iterator[tuple[int, int]]:
    """Give the stretches of a view's body that the text still shows."""
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
    """Give the stretches of the page's own text behind the characters [first, last) of a body of `size` characters.

    `start` is where in the page the body begins.
    """
    place = 0  # in the body
    for edit in edits:
        gap = edit.start - start
        yield start + max(0, first - place), start + min(gap, last - place)
        place += gap + len(edit.shown)
        start = edit.end
    yield start + max(0, first - place), start + min(size - place, last - place)


def _joined(stretches: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Leave out the empty; put together those that touch."""
    begun: tuple[int, int] | None = None
    for start, end in stretches:
        if start >= end:
            continue
        if begun is not None and begun[1] == start:
            begun = (begun[0], end)
            continue
        if begun is not None:
            yield begun
        begun = (start, end)
    if begun is not None:
        yield begun
