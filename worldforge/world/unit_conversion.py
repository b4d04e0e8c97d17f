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


_TABLE = """
mm, inches, 25.4, 毫米, 英寸
cm, inches, 2.54, 厘米, 英寸
m, feet, 0.3048, 米, 英尺
km, miles, 1.609344, 公里, 英里
cm², square inches, 6.4516, 平方厘米, 平方英寸
m², square feet, 0.09290304, 平方米, 平方英尺
ha, acres, 0.40468564224, 公顷, 英亩
km², square miles, 2.589988110336, 平方公里, 平方英里
m³, cubic feet, 0.028316846592, 立方米, 立方英尺
km³, cubic miles, 4.168181825440579584, 立方公里, 立方英里
ml, imperial fluid ounces, 28.4130625, 毫升, 英制液盎司
cl, imperial fluid ounces, 2.84130625
l, imperial gallons, 4.54609, 升, 英制加仑
hl, imperial gallons, 0.0454609
g, ounces, 28.349523125, 克, 盎司
kg, pounds, 0.45359237, 千克, 磅
t, long tons, 1.0160469088, 吨, 长吨
m/s, feet per second, 0.3048, 米/秒, 英尺/秒
km/h, mph, 1.609344, 公里/小时, 英里/小时
m³/s, cubic feet per second, 0.028316846592, 立方米/秒, 立方英尺/秒
"""
"""Of each measure: its sign, the imperial one, how many of the first that is worth; both in Chinese."""
_ONE = {"inches": "inch", "feet": "foot"}


def _read_table() -> tuple[dict[str, SiteUnit], dict[str, str]]:
    """Return what stands in the place of each measure, in both languages, and the Chinese names of imperial ones."""
    measures, chinese = {"°C": SiteUnit("°F", Fraction(9, 5), Fraction(32))}, {"°F": "华氏度"}
    measures["摄氏度"] = replace(measures["°C"], name="华氏度")
    for line in _TABLE.strip().splitlines():
        sign, name, worth, *names = line.split(", ")
        measures[sign] = SiteUnit(name, 1 / Fraction(worth))
        if names:
            measures[names[0]], chinese[name] = replace(measures[sign], name=names[1]), names[1]
    measures |= {"千米": measures["公里"], "公斤": measures["千克"]}
    return measures, chinese


_MEASURES, _CALLED_IN_CHINESE = _read_table()


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
