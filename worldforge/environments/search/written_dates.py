"""Dates as search results and pages write them: `Jun 18, 2024`, or `N/A`."""

from __future__ import annotations

import datetime

from worldforge.world.value_text import MONTHS

NO_DATE = "N/A"
_MONTHS = [name[:3] for name in MONTHS]


def write_date(date: datetime.date | None) -> str:
    """Write a date as Qwen-AgentWorld does: `Jun 18, 2024`, or `N/A`."""
    return f"{_MONTHS[date.month - 1]} {date.day}, {date.year}" if date else NO_DATE


def read_date(text: str) -> datetime.date | None:
    """Read a date that `write_date` wrote; None where there is none."""
    try:
        month, day, year = text.replace(",", "").split(" ")
        return datetime.date(int(year), _MONTHS.index(month) + 1, int(day))
    except ValueError:  # N/A, or a date in another form
        return None
