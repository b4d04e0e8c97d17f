"""Round bounds: the number with the fewest digits (the date with the roundest day) in the gap between two values."""

from __future__ import annotations

import datetime
import math

from worldforge.core.columns import ValueKind
from worldforge.world.value_text import MONTHS

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_DECIMALS = 6  # as many as a written number has


def bound_below(low: float, high: float, kind: ValueKind, *, keep_above: bool) -> float | None:
    """Find a round bound between neighbouring values `low` < `high`; None where none is round enough to be written.

    With `keep_above` the bound b satisfies low <= b < high, for the test `> b`; else low < b <= high, for `< b`.
    """
    if kind == "date":
        return _round_date(low, high, keep_above=keep_above)
    largest = math.ceil(math.log10(max(abs(low), abs(high), 1)))
    smallest = -_DECIMALS if kind == "number" else 0
    for power in range(largest, smallest - 1, -1):
        step = 10.0**power
        bound = math.ceil(low / step) * step if keep_above else math.floor(high / step) * step
        bound = round(bound, _DECIMALS)
        if (low <= bound < high) if keep_above else (low < bound <= high):
            return bound
    return None


def bound_text(bound: float, kind: ValueKind) -> tuple[str, str]:
    """Return a bound as canonical text and as a question writes it: one value as `world.values` writes columns."""
    match kind:
        case "date":
            day = datetime.date.fromordinal(int(bound) + _EPOCH)
            return day.isoformat(), f"{day.day} {MONTHS[day.month - 1]} {day.year}"
        case "number":
            plain, grouped = (f"{bound:{style}}".rstrip("0").rstrip(".") for style in (".6f", ",.6f"))
            return plain, grouped
        case "year":
            return str(int(bound)), str(int(bound))
        case _:
            return str(int(bound)), f"{int(bound):,}"


def _round_date(low: float, high: float, *, keep_above: bool) -> float:
    """Prefer the first of a year, then the first of a month, then the nearest day."""
    first, last = (int(low), int(high) - 1) if keep_above else (int(low) + 1, int(high))
    days = [datetime.date.fromordinal(first + _EPOCH), datetime.date.fromordinal(last + _EPOCH)]
    year = datetime.date(days[1].year, 1, 1)
    month = datetime.date(days[1].year, days[1].month, 1)
    for rounded in (year, month):
        if days[0] <= rounded <= days[1]:
            return float(rounded.toordinal() - _EPOCH)
    return float(first if keep_above else last)
