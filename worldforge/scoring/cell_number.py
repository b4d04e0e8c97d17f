"""Reads the one number of a cell exactly, with the units and signs that people write around it.

read_number("12,400 km²")          ->  Number(Decimal("12400"))
read_number("$1.2 million")        ->  Number(Decimal("1200000.0"))
read_number("12.5 %")              ->  Number(Decimal("12.5"), percent=True)
read_number("164 cm (5 ft 5 in)")  ->  Number(Decimal("164"))
read_number("12.4k")               ->  Number(Decimal("12400.0"))
read_number("12 or 14")            ->  None
read_number("over 12")             ->  None             a bound, and no number
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from worldforge.scoring.cell_text import FULL_WIDTH, LONGEST, with_raised_figures, without_marks

_LONGEST = 128  # characters; a cell that goes on for longer is prose
_PLAIN = re.compile(r"-?(?:[0-9]{1,18}|[0-9]{1,3}(?:,[0-9]{3}){1,6})(?:\.[0-9]{1,18})?")
_ASIDE = re.compile(r"\([^()]*\)")
_SIGNS = str.maketrans({"−": "-", "–": "-", "’": "'", "⁄": "/"} | dict.fromkeys("½⅓⅔¼¾⅛", "/"))
_CJK = "\u3040-\u30ff\u3400-\u9fff"
_NUMBER = re.compile(
    rf"(?<![^\W_{_CJK}])[-+]?"  # not inside a word: the 2 of `km2` is no number
    r"(?:\.[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?:[ '_\u00a0\u2009\u202f][0-9]{3})+|[0-9]+)(?![0-9])"
    r"(?:\.[0-9]+)?(?:e[-+]?[0-9]{1,2}(?![0-9]))?",
    re.IGNORECASE,
)
_POWER = re.compile(
    r"(\s?[×x*·]\s?|(?<![\d.,]))10(?:\^\(?(-?[0-9]{1,2})\)?|([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))(?![0-9])", re.IGNORECASE
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_CURRENCY_SIGN = re.compile(r"-\s?([$€£¥₤₽₹])\s?(?=[0-9])")
_BOUND = re.compile(
    r"(?:[<>≤≥≠]=?|\b(?:not|over|under|above|below|almost|nearly|(?:more|less|fewer|greater|higher|lower) than"
    r"|at (?:least|most)|up to|no (?:more|less|fewer) than)|超过|不到|不足|至少|至多|最多"
    r"|最少|大于|小于|多于|少于|高于|低于|近|非|公元前|√)"
    r"\s?[$€£¥]?\s?$",
    re.IGNORECASE,
)
_DOUBT = re.compile(r"\(\s*(?:or|possibly|perhaps|maybe)\b|[(（]或|[?？]", re.IGNORECASE)
_OPEN_END = re.compile(
    r"\s?(?:\+|b\.?c\.?(?:e\.?)?(?![a-z])|or (?:more|less|fewer)|and (?:more|above)|plus\b|‰"
    r"|/\s?[0-9]|/$)|[^0-9]{0,2}(?:余|多|以上|以下)",
    re.I,
)
_SCALES = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 10**3,
    "lakh": 10**5,
    "million": 10**6,
    "mln": 10**6,
    "mio": 10**6,
    "mn": 10**6,
    "crore": 10**7,
    "billion": 10**9,
    "bn": 10**9,
    "trillion": 10**12,
    "万亿": 10**12,
    "百亿": 10**10,
    "千万": 10**7,
    "百万": 10**6,
    "十万": 10**5,
    "亿": 10**8,
    "万": 10**4,
}
_LETTERS = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}
_SCALE = re.compile(rf"(?i:[\s-]?({'|'.join(_SCALES)})s?(?![a-z]))|\s?([kKMB])(?![a-zA-Z0-9°/²³])")
_THOUSAND = re.compile(r"\s?千(?!克(?!朗)|米|瓦|卡|帕|赫|字节)")
_IN_LABEL = re.compile(
    rf"[(（](?:({'|'.join(_SCALES)})s?(?![a-z])|千(?!克(?!朗)|米|瓦|卡|帕|赫|字节))[^()（）]*[)）]", re.IGNORECASE
)
_PERCENT = re.compile(r"\s?(?:%|per ?cent(?![a-z])|pct\b)", re.IGNORECASE)


class Number(NamedTuple):
    """A number as written; `percent` where a percent sign follows it."""

    value: Decimal
    percent: bool = False

    def readings(self, other: Number, *, percents: bool) -> tuple[Decimal, ...]:
        """Give what this can mean beside `other`: where it alone has a percent sign, its hundredth.

        Where the column is of `percents`, as its label says, the figure as well.
        """
        if not self.percent or other.percent:
            return (self.value,)
        return (self.value, self.value / 100) if percents else (self.value / 100,)


def read_number(text: str, unit: int = 1) -> Number | None:
    """Read the one number of a cell, or None where there is none, or more than one outside parentheses.

    `unit` is what the column counts in, `1,000,000` under `Wage (million crowns)`: a cell that says so as well,
    `2.5 million`, means 2.5 of it.
    """
    if _PLAIN.fullmatch(text):
        return Number(Decimal(text.replace(",", "")))
    if len(text) > LONGEST:
        return None
    text = with_raised_figures(text.translate(FULL_WIDTH))
    text = without_marks(_POWER.sub(_as_exponent, text))
    if len(text) > _LONGEST or _DOUBT.search(text):
        return None
    text = _CURRENCY_SIGN.sub(r"\1-", text.translate(_SIGNS))
    return _read_one(_ASIDE.sub("", text), unit) or _read_one(text, unit)


def unit_of(label: str) -> int:
    """Return what a column counts in, by its label: 1,000,000 for `Wage (million crowns)` and `工资（百万克朗）`."""
    found = _IN_LABEL.search(label)
    if found is None:
        return 1
    return _SCALES[found[1].lower()] if found[1] else 1000


def near(answer: Number, gold: Number, tolerance: Decimal, *, percents: bool = False) -> bool:
    """Tell whether `answer` lies within `tolerance` (a share of gold, 0 for equality) of `gold`."""
    return any(
        abs(reading - right) <= abs(right) * tolerance
        for reading in answer.readings(gold, percents=percents)
        for right in gold.readings(answer, percents=percents)
    )


def _read_one(text: str, unit: int) -> Number | None:
    found = list(_NUMBER.finditer(text))
    if len(found) != 1:
        return None
    written, before, after = found[0].group(), text[: found[0].start()], text[found[0].end() :]
    if _BOUND.search(before) or _OPEN_END.match(after):
        return None
    try:
        value = Decimal(re.sub(r"[^0-9.e+-]", "", written.lower()))
    except InvalidOperation:  # an exponent or a length that no number has
        return None
    scale = _scale(after)
    percent = _PERCENT.match(after) is not None or before.rstrip().endswith("百分之")
    return Number(value * scale / unit if scale else value, percent)


def _as_exponent(power: re.Match[str]) -> str:
    """Write `×10⁶` as `e6`, and `10⁶` alone as `1e6`."""
    return f"{'' if power[1] else '1'}e{power[2] or power[3].translate(_RAISED)}"


def _scale(after: str) -> int | None:
    """Return what a number is counted in by what follows it, None where nothing says so."""
    if found := _SCALE.match(after):
        return _SCALES[found[1].lower()] if found[1] else _LETTERS[found[2]]
    return 1000 if _THOUSAND.match(after) else None
