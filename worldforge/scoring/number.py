"""A number in a cell: read exactly, with what people write around it, and only where it is the cell's one number.

read_number("12,400 km²")          ->  Number(Decimal("12400"))
read_number("$1.2 million")        ->  Number(Decimal("1200000.0"))
read_number("12.5 %")              ->  Number(Decimal("12.5"), percent=True)
read_number("164 cm (5 ft 5 in)")  ->  Number(Decimal("164"))
read_number("12 or 14")            ->  None
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

_LONGEST = 128  # characters; a cell that goes on for longer is prose
_PLAIN = re.compile(r"-?(?:[0-9]{1,18}|[0-9]{1,3}(?:,[0-9]{3}){1,6})(?:\.[0-9]{1,18})?")
_ASIDE = re.compile(r"\([^()]*\)")
_NUMBER = re.compile(
    r"(?<![^\W_])[-+]?"  # not inside a word: the 2 of `km2` is no number
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?:[ '\u00a0\u2009\u202f][0-9]{3})+|[0-9]+)(?![0-9])"
    r"(?:\.[0-9]+)?(?:e[-+]?[0-9]{1,2}(?![0-9]))?"
)
_SCALES = {
    "thousand": Decimal(10**3),
    "million": Decimal(10**6),
    "mn": Decimal(10**6),
    "billion": Decimal(10**9),
    "bn": Decimal(10**9),
    "trillion": Decimal(10**12),
    "万": Decimal(10**4),
    "亿": Decimal(10**8),
}
_PERCENT = re.compile(r"\s?(?:%|per ?cent(?![a-z]))")
_SCALE = re.compile(rf"\s?({'|'.join(_SCALES)})(?![a-z])")


class Number(NamedTuple):
    """A number as written; `percent` where a percent sign follows it."""

    value: Decimal
    percent: bool = False

    def readings(self, other: Number) -> tuple[Decimal, ...]:
        """Give what this can mean beside `other`: where it alone has a percent sign, the figure or its hundredth."""
        if self.percent and not other.percent:
            return self.value, self.value / 100
        return (self.value,)


def read_number(text: str) -> Number | None:
    """Read the one number of a cell, or None where there is none, or more than one outside parentheses."""
    if _PLAIN.fullmatch(text):
        return Number(Decimal(text.replace(",", "")))
    if len(text) > _LONGEST:
        return None
    plain = text.lower().replace("−", "-")
    return _read_one(_ASIDE.sub("", plain)) or _read_one(plain)


def near(answer: Number, gold: Number, tolerance: Decimal) -> bool:
    """Tell whether `answer` lies within `tolerance` (a share of gold, 0 for equality) of `gold`."""
    return any(
        abs(said - right) <= abs(right) * tolerance for said in answer.readings(gold) for right in gold.readings(answer)
    )


def _read_one(text: str) -> Number | None:
    found = list(_NUMBER.finditer(text))
    if len(found) != 1:
        return None
    written, after = found[0].group(), text[found[0].end() :]
    try:
        value = Decimal(re.sub(r"[^0-9.e+-]", "", written))
    except InvalidOperation:  # an exponent or a length that no number has
        return None
    if scale := _SCALE.match(after):
        value *= _SCALES[scale[1]]
    return Number(value, percent=_PERCENT.match(after) is not None)
