"""On which day each page was published: settled where pages disagree, otherwise drawn within its kind's `max_age`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from worldforge.builders.pages.conflicts.known_at import today
from worldforge.builders.pages.event_rows import publication_days
from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.outline import Outline
from worldforge.core.arrays import Integers

_COPIED_WITHIN = 30  # days after the original


def with_publication_days(outline: Outline) -> Outline:
    """Add the day of publication of every page."""
    return replace(outline, days={pages.key: _days(outline, pages) for pages in outline.kinds})


def _days(outline: Outline, pages: KindOutline) -> Integers:
    """Return the day of each page of a kind (days from 1970-01-01).

    Drawn days are not before what the page tells of; later days are the likelier. Reports come soon after their event.
    A copy appears 1 to 30 days after its original, parts of a page on the day of the first, maps of sites today.
    """
    now = today(outline.spec)
    if pages.site_map is not None:
        return np.full(len(pages), now)
    if pages.copied is not None:
        original = next(kind for kind in outline.kinds if kind.key == pages.copied.of)
        later = pages.stream.child("published").integers(np.arange(len(pages)), 1, _COPIED_WITHIN)
        return np.minimum(_days(outline, original)[pages.copied.pages] + later, now)
    if (settled := outline.overrides.published.get(pages.key)) is not None:
        return _of_one_day(pages, settled)
    earliest = outline.overrides.earliest.get(pages.key)
    room = pages.layout.max_age if earliest is None else np.minimum(pages.layout.max_age, now - earliest)
    drawn = pages.stream.child("published").uniform(pages.numbers)
    days: Integers = now - np.floor(drawn**2 * room).astype(np.int64)
    days = publication_days(outline, pages, days)
    return _of_one_day(pages, days if pages.parts is None else days[pages.parts.head])


def _of_one_day(pages: KindOutline, days: Integers) -> Integers:
    """Give all pages of a list by a column the day of its latest: its order is that of one day."""
    if pages.lists is None or not pages.layout.lists_by or not len(pages):
        return days
    starts = np.flatnonzero(pages.lists.number == 1)
    return np.maximum.reduceat(days, starts)[np.cumsum(pages.lists.number == 1) - 1]
