"""Convert units to those of a site: lengths, areas, weights, volumes, speeds, temperatures, money.

    in_style("thousand km", Style(units="imperial"), {})             thousand miles, 15625/25146 of the value
    in_style("marks per m²", Style(units="imperial", currency="crowns"), {"crowns": 1, "marks": 2.5})

Factors are exact: the international yard and pound of 1959 (0.9144 m, 0.45359237 kg), and the imperial gallon of 1985
(4.54609 l).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from worldforge.schema.web_section import Style

_WORDS = re.compile(r"(\s+|/)")
_PER = frozenset({"per", "a", "an", "/"})  # before what a unit is reckoned by


@dataclass(frozen=True, slots=True)
class SiteUnit:
    """A unit as a site has it: its name, and a value in it: the table's times `scale`, plus `offset`."""

    name: str
    scale: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)

    @property
    def converts(self) -> bool:
        """Whether values are others than the table's."""
        return self.scale != 1 or self.offset != 0


def _of(name: str, worth: str) -> SiteUnit:
    """A unit that is worth so many of the table's."""
    return SiteUnit(name, 1 / Fraction(worth))


_IMPERIAL = {
    "mm": _of("inches", "25.4"),
    "cm": _of("inches", "2.54"),
    "m": _of("feet", "0.3048"),
    "km": _of("miles", "1.609344"),
    "cm²": _of("square inches", "6.4516"),
    "m²": _of("square feet", "0.09290304"),
    "ha": _of("acres", "0.40468564224"),
    "km²": _of("square miles", "2.589988110336"),
    "m³": _of("cubic feet", "0.028316846592"),
    "km³": _of("cubic miles", "4.168181825440579584"),
    "ml": _of("imperial fluid ounces", "28.4130625"),
    "cl": _of("imperial fluid ounces", "2.84130625"),
    "l": _of("imperial gallons", "4.54609"),
    "hl": _of("imperial gallons", "0.0454609"),
    "g": _of("ounces", "28.349523125"),
    "kg": _of("pounds", "0.45359237"),
    "t": _of("long tons", "1.0160469088"),
    "m/s": _of("feet per second", "0.3048"),
    "km/h": _of("mph", "1.609344"),
    "m³/s": _of("cubic feet per second", "0.028316846592"),
    "°C": SiteUnit("°F", Fraction(9, 5), Fraction(32)),
}
_ONE = {"inches": "inch", "feet": "foot"}
_IN_CHINESE = {
    "mm": "毫米 英寸", "cm": "厘米 英寸", "m": "米 英尺", "km": "公里 英里", "cm²": "平方厘米 平方英寸",
    "m²": "平方米 平方英尺", "ha": "公顷 英亩", "km²": "平方公里 平方英里", "m³": "立方米 立方英尺",
    "km³": "立方公里 立方英里", "ml": "毫升 英制液盎司", "l": "升 英制加仑", "g": "克 盎司", "kg": "千克 磅",
    "t": "吨 长吨", "m/s": "米/秒 英尺/秒", "km/h": "公里/小时 英里/小时", "m³/s": "立方米/秒 立方英尺/秒",
    "°C": "摄氏度 华氏度",
}  # fmt: skip
"""Of a measure's sign, what it is called in Chinese, and what stands in its place there."""
_CHINESE = {
    metric: replace(_IMPERIAL[sign], name=imperial)
    for sign, (metric, imperial) in ((sign, names.split()) for sign, names in _IN_CHINESE.items())
} | {"千米": replace(_IMPERIAL["km"], name="英里"), "公斤": replace(_IMPERIAL["kg"], name="磅")}
_CALLED_IN_CHINESE = {_IMPERIAL[sign].name: names.split()[1] for sign, names in _IN_CHINESE.items()}


_MEASURES = _IMPERIAL | _CHINESE


def in_style(unit: str, style: Style, currencies: Mapping[str, float]) -> SiteUnit:
    """Return what a site of this style writes in the place of a column's unit.

    `currencies` are the world's: how many of the first of them one is worth. What is no known measure or money stays.
    """
    measures = _MEASURES if style.units == "imperial" else {}
    if unit in measures:
        return measures[unit]
    words, scale, below = _WORDS.split(unit), Fraction(1), False
    for place, word in enumerate(words):
        if word in _PER:
            below = True
        elif word in measures and not measures[word].offset:
            words[place] = _singular(measures[word].name) if below else measures[word].name
            scale *= 1 / measures[word].scale if below else measures[word].scale
        elif style.currency and word in currencies and word != style.currency:
            words[place] = style.currency
            worth = exact(currencies[word]) / exact(currencies[style.currency])
            scale *= 1 / worth if below else worth
    return SiteUnit("".join(words), scale)


def called_in(name: str, language: str) -> str:
    """Return what pages of a language call a unit that a style has brought in: 英里 for `miles` in Chinese."""
    return _CALLED_IN_CHINESE.get(name, name) if language == "zh" else name


def is_measure(unit: str) -> bool:
    """Say whether a unit measures something: metres, tons, degrees, but not money, nor a plain number of things."""
    return in_style(unit, Style(units="imperial"), {}).name != unit


def money_in(unit: str, currencies: Mapping[str, float]) -> str | None:
    """Return the currency that a unit names, if it does: `crowns` of `million crowns`."""
    return next((word for word in _WORDS.split(unit) if word in currencies), None)


def exact(rate: float) -> Fraction:
    """Return a rate as the spec writes it: 2.1 is 21/10, and not the float nearest to it."""
    return Fraction(Decimal(repr(rate)))


def _singular(name: str) -> str:
    """Write what is reckoned by: `per square mile`."""
    *before, last = name.split(" ")
    return " ".join([*before, _ONE.get(last, last.removesuffix("s"))])
