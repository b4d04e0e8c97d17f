"""Figures, dates and addresses in running text, and the words beside them that change what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from worldforge.world.lexicon.english_lexicon import (
    BOUNDS,
    COMPARISONS,
    MONTH_NUMBERS,
    ONE_IS_NO_NUMBER_AFTER,
    ONE_IS_NO_NUMBER_BEFORE,
    UNITS,
)

Kind = Literal["number", "unit", "bound", "date", "address", "name", "value", "negation", "word", "capital"]

POINTED = r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d+,\d{1,2}"
"""Figures whose thousands a point parts and whose decimals follow a comma: `12.400,5`, `1.250.000`, `0,75`."""
_TOKEN = re.compile(
    rf"(?:{POINTED})(?![.,]?\d)" r"|\d+(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+[²³]?|[%$€£¥₽₹°‰²³¹¼½¾]"
)


class FactSpan(NamedTuple):
    """Something that looks like a fact: `text[start:end]`, and the one form in which it is compared."""

    kind: Kind
    canonical: str
    start: int
    end: int


class Token(NamedTuple):
    """A run of letters, a figure, or a sign; `low` is it in lower case."""

    low: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """Cut a text into runs of letters, figures and signs that stand beside figures."""
    return [Token(match.group().lower(), match.start(), match.end()) for match in _TOKEN.finditer(text)]


Span = tuple[str, int, int]
"""A canonical form, and where it stands: [start, end)."""

_ADDRESS = re.compile(r"\w+://[^\s<>()\[\]\"'“”|]+|(?<![\w@])(?:[\w-]+\.)+[^\W\d_]{2,}(?:/[^\s<>()\[\]\"'“”|]*)?")
_MAYBE_ADDRESS = re.compile(r"\w[./]+\w*[^\W\d_]")
_POINTED, _GROUP = re.compile(POINTED), 3
_AFTER_ADDRESS = ".,;:!?*_`"

_ORDINAL = frozenset({"st", "nd", "rd", "th"})
_OR = frozenset({"more", "less", "fewer", "so", "later", "earlier", "above", "over", "under", "thereabouts", "not"})
_ONWARDS = frozenset({"onwards", "onward", "upwards", "ish", "odd", "ago"})

_LONG = "(?i:january|february|april|june|july|august|september|october|november|december)|March|May"
_SHORT = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_MONTH = rf"(?:{_LONG}|(?:{_SHORT})\b\.?)"
_DAY = r"(?P<{0}>[0-3]?[0-9])(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"\b(?:{_DAY.format('d1')}\s+(?:of\s+)?(?P<m1>{_MONTH})(?:,?\s+(?P<y1>[0-9]{{4}}))?"
    rf"|(?P<m2>{_MONTH})\s+{_DAY.format('d2')}(?:,?\s+(?P<y2>[0-9]{{4}}))?"
    rf"|(?P<m3>{_MONTH}),?\s+(?:of\s+)?(?P<y3>[0-9]{{4}})"
    rf"|(?P<m4>{_LONG})"
    r"|(?P<y5>[0-9]{4})-(?P<m5>0[1-9]|1[0-2])-(?P<d5>[0-9]{2})"
    r"|(?P<d6>[0-3][0-9])\.(?P<m6>0[1-9]|1[0-2])\.(?P<y6>[0-9]{4}))(?!\w)"
)


def addresses(text: str) -> Iterator[Span]:
    """Find URLs and host names; canonical is what is written, scheme and host in lower case."""
    if _MAYBE_ADDRESS.search(text) is None:
        return
    for match in _ADDRESS.finditer(text):
        written = match.group().rstrip(_AFTER_ADDRESS)
        scheme, mark, rest = written.rpartition("://")
        host, slash, path = rest.partition("/")
        yield f"{scheme}{mark}{host}".lower() + slash + path, match.start(), match.start() + len(written)


def dates(text: str) -> Iterator[Span]:
    """Find dates that name their month, ISO 8601 and `18.06.2024`; figures with slashes stay figures."""
    for match in _DATE.finditer(text):
        kind = next(kind for kind in "123456" if match.group(f"m{kind}"))
        groups = match.groupdict()
        year, month, day = (groups.get(f"{part}{kind}") for part in "ymd")
        number = MONTH_NUMBERS.get((month or "").rstrip(".").lower()) or int(month or 0)
        written = f"{year or '-'}-{number:02d}" + (f"-{int(day):02d}" if day else "")
        yield written, match.start(), match.end()


def bounds_before(tokens: Sequence[Token], place: int) -> list[Span]:
    """Find what stands before a figure and makes it mean another: `before 1903`, `more than 12`, `at least 3`."""
    if place == 0:
        return []
    before = tokens[place - 1]
    earlier = tokens[place - 2].low if place > 1 else ""
    if before.low == "the":
        return bounds_before(tokens, place - 1)
    two = (
        (before.low == "than" and earlier in COMPARISONS)
        or (before.low in ("least", "most") and earlier == "at")
        or (before.low, earlier) == ("to", "up")
    )
    if two:
        return [(f"{earlier} {before.low}", tokens[place - 2].start, before.end)]
    return [tuple(before)] if before.low in BOUNDS else []  # type: ignore[list-item]


def bound_after(text: str, tokens: Sequence[Token], place: int) -> Span | None:
    """Find what stands after a figure and makes it mean another: `5+`, `5 or more`, `1911 onwards`."""
    end = tokens[place - 1].end
    if text[end : end + 1] == "+":
        return "+", end, end + 1
    following = tokens[place : place + 3]
    words = [token.low for token in following]
    if words[:1] == ["or"] and words[1:2] and words[1] in _OR:
        return " ".join(words[:2]), following[0].start, following[1].end
    if words == ["at", "the", "latest"] or words == ["at", "the", "earliest"]:
        return " ".join(words), following[0].start, following[2].end
    return (words[0], following[0].start, following[0].end) if words and words[0] in _ONWARDS else None


def one_counts(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether the `one` at `place` counts something, as in `one title`, unlike `one of them` and `no one`."""
    before = tokens[place - 1].low if place else ""
    after = tokens[place + 1].low if place + 1 < len(tokens) else "of"
    return before not in ONE_IS_NO_NUMBER_AFTER and after not in ONE_IS_NO_NUMBER_BEFORE


def unit_at(text: str, tokens: Sequence[Token], place: int) -> tuple[str, int] | None:
    """Return the unit that the token at `place` is, right after a figure, and how many tokens it takes."""
    if place >= len(tokens) or text[tokens[place - 1].end : tokens[place].start].strip(" \u00a0\u202f-"):
        return None
    low = tokens[place].low
    if not low[0].isalnum():
        return low, 1
    following = tokens[place + 1].low if place + 1 < len(tokens) else ""
    if low in ("square", "sq", "cubic") and following in UNITS:
        return UNITS[following] + ("³" if low == "cubic" else "²"), 2
    if low in ("long", "imperial", "fluid") and (of := unit_at(text, tokens, place + 1)):
        return f"{low} {of[0]}", 1 + of[1]
    if (low, following) == ("per", "cent"):
        return "%", 2
    unit = UNITS.get(low) or (UNITS.get(low[:-1], low[:-1]) + low[-1] if low[-1] in "²³" else None)
    return (unit, 1) if unit else None


def take_number(text: str, tokens: list[Token], place: int, found: list[FactSpan]) -> int:
    """Take a figure with what belongs to it: bounds before, a sign, an ending (`7th`, `1900s`), a unit after."""
    low, start, end = tokens[place]
    if not low[0].isdecimal():
        found.append(FactSpan("unit", low, start, end))
        return place + 1
    found += [FactSpan("bound", *bound) for bound in bounds_before(tokens, place)]
    canonical, place = _canonical(low), place + 1
    if start and text[start - 1] in "-−–+" and not (start > 1 and text[start - 2].isalnum()):
        canonical, start = ("" if text[start - 1] == "+" else "-") + canonical, start - 1
    unit = unit_at(text, tokens, place)
    if unit is None and place < len(tokens) and tokens[place].start == end and tokens[place].low[0].isalpha():
        ending, end = tokens[place].low, tokens[place].end
        canonical, place = canonical + ("." if ending in _ORDINAL else ending), place + 1
        unit = unit_at(text, tokens, place)
    found.append(FactSpan("number", canonical, start, end))
    if unit:
        written, n_tokens = unit
        found.append(FactSpan("unit", written, tokens[place].start, tokens[place + n_tokens - 1].end))
        place += n_tokens
    return take_bound(text, tokens, place, found)


def take_bound(text: str, tokens: list[Token], place: int, found: list[FactSpan]) -> int:
    """Take what stands after a figure and bounds it; return the place after it."""
    if bound := bound_after(text, tokens, place):
        found.append(FactSpan("bound", *bound))
        while place < len(tokens) and tokens[place].start < bound[2]:
            place += 1
    return place


def _canonical(figure: str) -> str:
    """Write a figure without separators, leading zeros or trailing zeros after the point."""
    if _POINTED.fullmatch(figure):
        figure = figure.replace(".", "").replace(",", ".")
    whole, _, decimals = figure.replace(",", "").partition(".")
    rest = decimals if len(decimals) == _GROUP else decimals.rstrip("0")  # 12.400 may be twelve thousand
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")
