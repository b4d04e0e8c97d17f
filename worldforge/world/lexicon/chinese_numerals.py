"""Figures and dates in Chinese text: `12.4万`, `三十二`, `一九〇三年`, `2024年6月18日`, `百分之三十`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from worldforge.world.lexicon.chinese_lexicon import DIGITS, MYRIADS, TENS

NUMERAL_SIGNS = frozenset([*DIGITS, *TENS, *MYRIADS])
_SIGNS = "".join(sorted(NUMERAL_SIGNS))
_ONE = "".join(DIGITS)
FIGURE = re.compile(r"\d+(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?")
NUMERAL = re.compile(f"[{_SIGNS}]+(?:点[{_ONE}]+)?")
PERCENT = re.compile(rf"百分之({NUMERAL.pattern}|{FIGURE.pattern})")
_YEAR, _SHORT = rf"(?:\d{{2,4}}|[{_ONE}]{{2,4}})", rf"(?:\d{{1,2}}|[{_ONE}十]{{1,3}})"
_DATE = re.compile(
    rf"(?<![\d{_SIGNS}])(?:({_YEAR})年)?({_SHORT})月(?:({_SHORT})[日号])?(?!\d)|(?<!\d)(\d{{4}})-(\d\d)-(\d\d)(?!\d)"
)


def dates_in_chinese(text: str) -> Iterator[tuple[str, int, int]]:
    """Find dates that name their month; a month alone counts none: `3个月` has its classifier, `3月` is March."""
    for match in _DATE.finditer(text):
        year, month, day = (part for part in (match.groups()[:3] if match[2] else match.groups()[3:]))
        numbers = [None if part is None else value_of(part) for part in (year, month, day)]
        written = f"{'-' if numbers[0] is None else numbers[0]}-{int(numbers[1] or 0):02d}"
        yield written + ("" if numbers[2] is None else f"-{int(numbers[2]):02d}"), match.start(), match.end()


def value_of(written: str) -> Fraction:
    """Return what a figure or a numeral says: digits, or signs one by one (一九〇三), or counted (一千九百零三)."""
    if written[0].isdecimal():
        return Fraction(written.replace(",", ""))
    whole, _, rest = written.partition("点")
    decimals = Fraction(int("".join(str(DIGITS[sign]) for sign in rest)), 10 ** len(rest)) if rest else Fraction(0)
    if len(whole) > 1 and all(sign in DIGITS for sign in whole):
        return int("".join(str(DIGITS[sign]) for sign in whole)) + decimals
    return _counted(whole) + decimals


def _counted(numeral: str) -> int:
    """Add up what a counted numeral says: 三亿四千万 is 3 * 10^8 and 4000 * 10^4, 三千五 is 3500."""
    total = section = digit = 0
    unit = 1
    for sign in numeral:
        if sign in DIGITS:
            digit = DIGITS[sign]
            unit = unit if digit else 1  # after 零 what follows counts ones
        elif sign in TENS:
            section += (digit or 1) * TENS[sign]
            digit, unit = 0, TENS[sign] // 10
        else:
            counted = section + digit or (0 if total else 1)
            total = (total + counted) * MYRIADS[sign] if sign == "亿" else total + (counted or 1) * MYRIADS[sign]
            section, digit, unit = 0, 0, MYRIADS[sign] // 10
    return total + section + digit * unit


def canonical_of(value: Fraction) -> str:
    """Write a value as the readings of all languages compare it: `124000`, `-0.38`."""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.12f}".rstrip("0")
