"""Find the spans of pages and the facts that an observation showed, without hidden, altered or cut parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from worldforge.environments.views import Excerpt, ToolView


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A stretch of a page's text that an observation showed: page row number, characters [start, end)."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Alteration:
    """A fact that an observation showed wrongly: the fact's id, the value shown, the true value."""

    fact: str
    shown: str
    true: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement in an excerpt: its characters [start, end), and the text shown instead.

    `altered` are the facts that it makes wrong, `control` is the control that made it.
    """

    start: int
    end: int
    shown: str
    altered: tuple[Alteration, ...] = ()
    control: str = ""


class Shaped(NamedTuple):
    """A view after controls.

    `altered` are the facts made wrong. `edits` has, for each of the view's excerpts, its replacements in order, without
    overlaps; it is empty where the view was not changed.
    """

    view: ToolView
    altered: tuple[Alteration, ...] = ()
    edits: tuple[tuple[Edit, ...], ...] = ()


def disclosed(shaped: Shaped, text: str, n_kept: int) -> tuple[Disclosure, ...]:
    """Return the spans of cited pages that the first `n_kept` characters of a view's `text` show.

    A text that is a model's, cut off, is searched for whole lines of the page: it shows those at least. Snippets hint
    at pages and disclose nothing.
    """
    return tuple(
        Disclosure(excerpt.page, start, end)
        for number, excerpt in enumerate(shaped.view.excerpts)
        if excerpt.page >= 0 and not excerpt.plain
        for start, end in _merge_spans(
            _shown_spans(excerpt, shaped.edits[number] if number < len(shaped.edits) else (), text, n_kept)
        )
    )


def facts_shown(answer: ToolView, shaped: Shaped, text: str) -> tuple[str, ...]:
    """Return the facts named by a view whose values stand unaltered in `text`."""
    altered = {one.fact for one in shaped.altered}
    spans = [(excerpt.text, span) for excerpt in answer.excerpts for span in excerpt.facts if span.fact not in altered]
    return tuple(dict.fromkeys(span.fact for source, span in spans if stands_in(source[span.start : span.end], text)))


def stands_in(value: str, text: str) -> bool:
    """Return whether a text holds a value, and not as a part of a longer word or number."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not _continues(text[max(0, at - 2) : at][::-1], value[0]) and not _continues(text[end : end + 2], value[-1]):
            return True
        at = text.find(value, at + 1)
    return False


def _continues(beside: str, edge: str) -> bool:
    """Return whether what stands beside a value's edge, nearest first, belongs to its word or number: `,4` to `2`."""
    if not edge.isascii() or not edge.isalnum():
        return False
    if beside[:1] in (",", "."):
        return edge.isdigit() and beside[1:].isdigit()
    return beside[:1].isascii() and beside[:1].isalnum()


def _shown_spans(excerpt: Excerpt, edits: Sequence[Edit], text: str, n_kept: int) -> Iterator[tuple[int, int]]:
    """Yield the page's spans that the text still shows, without those that were replaced."""
    for first, last in _kept_spans(excerpt.text, text, n_kept):
        place, original = 0, excerpt.start  # in the excerpt as it is shown, and in the page
        for edit in edits:
            after = excerpt.start + edit.start
            yield original + max(0, first - place), min(after, original + last - place)
            place += after - original + len(edit.shown)
            original = excerpt.start + edit.end
        yield original + max(0, first - place), original + min(len(excerpt.text), last) - place


def _kept_spans(body: str, text: str, n_kept: int) -> Iterator[tuple[int, int]]:
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


def _merge_spans(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Drop empty spans, and merge those that touch."""
    joined: list[tuple[int, int]] = []
    for start, end in stretches:
        if joined and joined[-1][1] == start < end:
            joined[-1] = (joined[-1][0], end)
        elif start < end:
            joined.append((start, end))
    return joined
