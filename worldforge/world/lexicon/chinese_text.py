"""Finds what looks like a fact in Chinese text, where neither blanks nor capitals tell words and names apart.

    reading = ChineseLexicon(names=["鹭湾岛"], values=["黏土"], labels=["居民数"], vocabulary=["坐落", "落在"])
    reading.found("鹭湾岛坐落在黏土上，居民数为12.4万。")
    # [Found("name", "鹭湾岛", …), Found("value", "黏土", …), Found("number", "124000", …)]

Names and values are looked for first, wherever they stand, the longest first. What is left must be figures, or covered
by known words: those of `chinese`, and pairs of signs that the world's pages hold outside names. A sign that nothing
covers is part of a `word`, a name that nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Generic, TypeVar

from worldforge.world.lexicon.chinese_lexicon import (
    BOUNDS,
    CLASSIFIERS,
    COMMON,
    DIGITS,
    FUNCTION_SIGNS,
    MYRIADS,
    NEAR_BOUNDS_AFTER,
    NEAR_BOUNDS_BEFORE,
    NEGATIONS,
    NO_NEGATIONS,
    TENS,
    UNITS,
    UNTELLING,
)
from worldforge.world.lexicon.text_figures import FactSpan, Kind

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


HAN = re.compile(r"[\u3400-\u9fff〇]")
_RUN = re.compile(r"[\u3400-\u9fff〇]{2,}")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ][A-Za-z0-9_À-ɏ²³'’/-]*|°C|°F|[%°′″€$£¥]")
_QUOTED_YES = re.compile(r"[“\"「]\s*(是)\s*[”\"」]")
_ARTICLE = re.compile(rf"(?<=[是为乃即])一(?=[{''.join(CLASSIFIERS)}])")
_Kind = TypeVar("_Kind", bound=str)
_LONGEST = 24  # signs of a name that is looked for


class ChineseLexicon:
    """What a world's Chinese texts can speak of. Immutable."""

    def __init__(
        self,
        names: Iterable[str] = (),
        values: Iterable[str] = (),
        labels: Iterable[str] = (),
        vocabulary: Iterable[str] = (),
        units: Iterable[str] = (),
    ) -> None:
        """Know names and values; words and pairs of signs in `vocabulary`; the world's units beside `chinese`'s."""
        held = (value for value in values if value not in FUNCTION_SIGNS)
        phrases: dict[str, Kind] = dict.fromkeys(map(str.lower, held), "value")
        phrases |= dict.fromkeys(map(str.lower, names), "name")
        self._phrases = PhraseMatcher({phrase: kind for phrase, kind in phrases.items() if 0 < len(phrase) <= _LONGEST})
        self._units = PhraseMatcher(UNITS | {unit: unit for unit in units if HAN.search(unit)})
        own = [word for word in vocabulary if HAN.search(word)]
        self._pairs = frozenset(word for word in own if len(word) == 2 and NUMERAL_SIGNS.isdisjoint(word))
        own = [word for word in own if len(word) != 2]
        self._words = PhraseMatcher(dict.fromkeys([*COMMON, *own], "common") | dict.fromkeys(BOUNDS, "bound"))
        self._denials = PhraseMatcher(dict.fromkeys(NEGATIONS, "negation") | dict.fromkeys(NO_NEGATIONS | COMMON, ""))
        pairs = (pair for label in labels for run in _RUN.findall(label) for pair in pairs_of(run))
        self._labels = frozenset(pair for pair in pairs if pair not in UNTELLING)

    def columns(self, text: str) -> list[str]:
        """Return the pairs of signs in a text that columns are called by, in order, names and values left out."""
        plain = self._phrases.cut(text.lower())
        return [pair for run in _RUN.findall(plain) for pair in pairs_of(run) if pair in self._labels]

    def found(self, text: str) -> list[FactSpan]:
        """Return what looks like a fact in a text that has no addresses any more, in order."""
        low = text.lower()
        taken = [FactSpan("date", *date) for date in dates_in_chinese(low)]
        for date in tuple(taken):
            if _bounds(before := low[date.start - 1 : date.start], "日"):
                taken.append(FactSpan("bound", before, date.start - 1, date.start))
            taken += _bounded_after(low, date.end)
        low = blanked(low, taken)
        for start, end, kind in self._phrases.occurrences(low):
            taken.append(FactSpan(kind, low[start:end], start, end))
        taken += [FactSpan("value", "是", *match.span(1)) for match in _QUOTED_YES.finditer(low)]
        low = blanked(low, taken)
        for one in self._figures(low):
            taken.append(one)
        low = blanked(low, taken)
        for start, end, _ in self._denials.occurrences(low, "negation"):
            taken.append(FactSpan("negation", low[start:end], start, end))
        low = blanked(low, taken)
        taken += self._rest(low)
        return sorted(taken, key=lambda one: one.start)

    def _figures(self, text: str) -> Iterator[FactSpan]:
        """Find figures with what belongs to them: what bounds them, a unit."""
        place = low = 0
        words = self._words.occurrences(text, "common")
        common = {at for start, end, _ in words for at in range(start, end)}
        common |= {match.start() for match in _ARTICLE.finditer(text)}
        while place < len(text):
            match = PERCENT.match(text, place) or FIGURE.match(text, place) or NUMERAL.match(text, place)
            if match is None or place in common:
                place += 1
                continue
            figure = list(self._figure(text, match, low))
            yield from figure
            place = low = max(one.end for one in figure)

    def _figure(self, text: str, match: re.Match[str], low: int) -> Iterator[FactSpan]:
        """Take one figure; what stands before `low` belongs to the one before it."""
        start, end = match.span()
        share = match.re is PERCENT
        value = value_of(match[1] if share else match[0])
        before = text[start - 1 : start] if start > low else ""
        unit = self._units.at(text, end)
        if not unit and text[end : end + 1] in MYRIADS:
            value, end = value * MYRIADS[text[end]], end + 1
            unit = self._units.at(text, end)
        if before == "负" or (before in ("-", "−") and before and not text[start - 2 : start - 1].isalnum()):
            value, start = -value, start - 1
        if before == "第":
            yield FactSpan("number", f"{canonical_of(value)}.", start - 1, end)
        else:
            if _bounds(before, match[0]):
                yield FactSpan("bound", before, start - 1, start)
            counted = end + (not unit and text[end : end + 1] in CLASSIFIERS)
            if share:
                yield FactSpan("unit", "%", start, match.start(1))
            yield FactSpan("number", canonical_of(value), match.start(1) if share else start, counted)
            end = max(end, counted)
        if unit:
            yield FactSpan("unit", self._units.kinds[unit], end, end + len(unit))
            end += len(unit)
        yield from _bounded_after(text, end)

    def _rest(self, text: str) -> Iterator[FactSpan]:
        """Find bounds, words in Latin letters, and signs that no known word covers."""
        covered = [not HAN.match(sign) or sign in FUNCTION_SIGNS or sign in NUMERAL_SIGNS for sign in text]
        for start, end, kind in self._words.occurrences(text):
            covered[start:end] = [True] * (end - start)
            if kind == "bound":
                yield FactSpan("bound", text[start:end], start, end)
        for place in range(len(text) - 1):
            if text[place : place + 2] in self._pairs:
                covered[place] = covered[place + 1] = True
        for match in _LATIN.finditer(text):
            unit = UNITS.get(match[0])
            yield FactSpan("unit" if unit else "word", unit or match[0], *match.span())
        place = 0
        while place < len(text):
            end = place
            while end < len(text) and not covered[end]:
                end += 1
            if end > place:
                yield FactSpan("word", text[place:end], place, end)
            place = end + 1


class PhraseMatcher(Generic[_Kind]):
    """Texts to look for, with what each is: leftmost, and the longest at a place."""

    def __init__(self, kinds: Mapping[str, _Kind]) -> None:
        self.kinds = kinds
        self._longest: dict[str, int] = {}
        for phrase in kinds:
            self._longest[phrase[0]] = max(self._longest.get(phrase[0], 0), len(phrase))

    def at(self, text: str, place: int) -> str:
        """Return the longest phrase that stands at a place; nothing where none does."""
        for size in range(min(self._longest.get(text[place : place + 1], 0), len(text) - place), 0, -1):
            phrase = text[place : place + size]
            if phrase in self.kinds and _whole(text, place, place + size):
                return phrase
        return ""

    def occurrences(self, text: str, only: str = "") -> Iterator[tuple[int, int, _Kind]]:
        """Find phrases that do not overlap, with what they are; `only` those of one kind are told."""
        place = 0
        while place < len(text):
            if phrase := self.at(text, place):
                if not only or self.kinds[phrase] == only:
                    yield place, place + len(phrase), self.kinds[phrase]
                place += len(phrase)
            else:
                place += 1

    def cut(self, text: str) -> str:
        """Put a blank in the place of every phrase."""
        pieces, at = [], 0
        for start, end, _ in self.occurrences(text):
            pieces += [text[at:start], " "]
            at = end
        return "".join([*pieces, text[at:]])


def pairs_of(run: str) -> Iterator[str]:
    """Give the pairs of signs that stand side by side."""
    return (run[place : place + 2] for place in range(len(run) - 1))


def pairs_in(texts: Iterable[str], phrases: Iterable[str]) -> set[str]:
    """Return the pairs of Chinese signs in texts, where they are no part of one of `phrases`."""
    held = PhraseMatcher({phrase.lower(): "" for phrase in phrases if 1 < len(phrase) <= _LONGEST})
    return {pair for text in texts for run in _RUN.findall(held.cut(text.lower())) for pair in pairs_of(run)}


def blanked(text: str, found: Iterable[FactSpan]) -> str:
    """Put blanks in the place of what was found."""
    for one in found:
        text = f"{text[: one.start]}{' ' * (one.end - one.start)}{text[one.end :]}"
    return text


def _bounds(before: str, figure: str) -> bool:
    """Tell whether a sign makes the figure after it mean another: 约 any, 数 and 几 the tens (数十) alone."""
    if before in ("数", "几"):
        return figure[0] in TENS or figure[0] in MYRIADS
    return before in NEAR_BOUNDS_BEFORE and before not in ("", "第", "负")


def _bounded_after(text: str, end: int) -> Iterator[FactSpan]:
    if text[end : end + 1] in NEAR_BOUNDS_AFTER:
        yield FactSpan("bound", text[end], end, end + 1)


def _whole(text: str, start: int, end: int) -> bool:
    """Tell whether a phrase that begins or ends with Latin letters or digits stands by itself there."""
    return not (_joined(text, start) or _joined(text, end))


def _joined(text: str, place: int) -> bool:
    if not 0 < place < len(text):
        return False
    return all(sign.isascii() and sign.isalnum() for sign in text[place - 1 : place + 1])
