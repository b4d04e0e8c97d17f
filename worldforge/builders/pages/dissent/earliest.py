"""The earliest day on which a page can have been written: that of the latest thing it tells of, by today.

What lies after today is a plan, which any page may tell of.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from worldforge.builders.pages.dissent.telling import Listed, columns_shown, facts_stated, rows_stated, shown
from worldforge.builders.pages.dissent.times import ALWAYS, Times, today
from worldforge.builders.pages.outline import KindOutline, Outline
from worldforge.builders.pages.written import WrittenColumn
from worldforge.world.passages import Positions


def earliest_days(
    outline: Outline, times: Times, pages: KindOutline, tables: Mapping[str, pa.Table]
) -> Positions | None:
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
            if (own := _days_told(times, listed, column, tables)) is not None:
                days.append(np.where(facts_stated(pages, listed, column), own, ALWAYS))
        for told in days:
            known = stated & (told != ALWAYS) & (told <= now)
            np.maximum.at(latest, listed.page[known], told[known])
    if (latest == ALWAYS).all():
        return None
    if pages.parts is not None:
        whole = np.full(pages.n_heads, ALWAYS, np.int64)
        np.maximum.at(whole, pages.parts.head, latest)
        latest = whole[pages.parts.head]
    return latest


def _days_told(times: Times, listed: Listed, column: WrittenColumn, tables: Mapping[str, pa.Table]) -> Positions | None:
    """Return the day that each cell of a column tells of, or since when what it refers to is there."""
    if column.code in times.at:
        present = tables[listed.table][column.column.name].is_valid().to_numpy()
        return np.where(present, times.at[column.code], ALWAYS)
    since = times.since.get(column.column.references or "")
    if column.targets is None or since is None:
        return None
    return np.where(column.targets >= 0, since[column.targets], ALWAYS)
