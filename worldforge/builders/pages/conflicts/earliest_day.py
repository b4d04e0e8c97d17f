"""The earliest day on which a page can have been written: that of the latest thing it tells of, by today.

What lies after today is a plan, which any page may tell of.
"""

from __future__ import annotations

import numpy as np

from worldforge.builders.known_days import KnownDays
from worldforge.builders.pages.conflicts.kind_statements import columns_shown, facts_stated, rows_stated, shown
from worldforge.builders.pages.conflicts.known_at import ALWAYS, KnownSince, today
from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.outline import Outline
from worldforge.core.arrays import Integers


def earliest_days(outline: Outline, times: KnownSince, pages: KindOutline, known: KnownDays) -> Integers | None:
    """Return the earliest day of each page of a kind (days from 1970-01-01); None where nothing it tells has one.

    Pages that are parts of one are all of one day. Copies follow their originals.
    """
    if pages.copied is not None or not len(pages):
        return None
    latest, now = np.full(len(pages), ALWAYS, np.int64), today(outline.spec)
    for listed in shown(outline, pages):
        stated = rows_stated(pages, listed)
        days = [times.begun(listed)]
        for column in columns_shown(outline, pages, listed):
            own = known.of(listed.table, column.column.name)
            days.append(np.where(facts_stated(outline, pages, listed, column), own, ALWAYS))
        for told in days:
            past = stated & (told > ALWAYS) & (told <= now)
            np.maximum.at(latest, listed.page[past], told[past])
    if pages.lists is not None and pages.lists.group_type:  # the heading names what the list is by
        told = known.begun(pages.lists.group_type)[pages.lists.groups]
        latest = np.where((told <= now) & (told > latest), told, latest)
    if (latest == ALWAYS).all():
        return None
    if pages.parts is not None:
        whole = np.full(pages.n_heads, ALWAYS, np.int64)
        np.maximum.at(whole, pages.parts.head, latest)
        latest = whole[pages.parts.head]
    return latest
