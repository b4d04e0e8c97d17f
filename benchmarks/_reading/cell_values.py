"""Values as pages and questions write them, read as texts, figures or dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from benchmarks._reading.page_lines import plain

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join(rf"{name[:3]}(?:{name[3:]})?\.?" if len(name) > 3 else name for name in _MONTHS)
DATES = (
    re.compile(rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<month>{_MONTH}),? (?P<y>\d{{4}})", re.IGNORECASE),
    re.compile(rf"(?P<month>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}})", re.IGNORECASE),
    re.compile(r"(?P<y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]"),
    re.compile(r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})"),
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"),
)
FIGURE = re.compile(
    r"(?<![A-Za-z0-9.])(?P<sign>[-−–])?(?P<figure>\d{1,3}(?:[,   ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"\s*(?P<size>trillion|billion|million|thousand|百万|千万|亿|万|千|bn\b|m\b(?= (?!\w))|k\b)?\s?"
    r"(?P<unit>%|[A-Za-zµ°]+[²³]?|[㐀-鿿]{1,3})?"
)
SIZES = {
    "trillion": 1e12, "billion": 1e9, "bn": 1e9, "million": 1e6, "thousand": 1e3, "k": 1e3, "m": 1e6,
    "百万": 1e6, "千万": 1e7, "亿": 1e8, "万": 1e4, "千": 1e3,
}  # fmt: skip
_BRACKETS = re.compile(r"[(（]([^)）]*)[)）]")


@dataclass(frozen=True, slots=True)
class Value:
    """A value: its text, the figure that it is, in units and not in millions, its unit, the date that it is."""

    text: str
    figure: float | None = None
    unit: str = ""
    date: tuple[int, int, int] | None = None

    @property
    def folded(self) -> str:
        """What two equal values share."""
        return str(self.date or self.figure) if self.date or self.figure is not None else fold(self.text)


@lru_cache(maxsize=1 << 17)
def fold(text: str) -> str:
    """Return a text without marks, case and superfluous blanks."""
    return re.sub(r"\s+", " ", plain(text)).strip(" .,;:。，；：").casefold()


def size_of(label: str) -> float:
    """Return what the unit in brackets multiplies by: a million for `Budget (million crowns)`."""
    found = re.search("|".join(size for size in SIZES if len(size) > 1 or not size.isascii()), units_of(label))
    return SIZES[found[0]] if found else 1.0


def units_of(label: str) -> str:
    """Return what a label says in brackets."""
    return " ".join(_BRACKETS.findall(label)).lower()


@lru_cache(maxsize=1 << 17)
def read_value(text: str, size: float = 1.0) -> Value:
    """Read a cell; `size` is what the head of its column multiplies by."""
    shown = re.sub(r"\s+", " ", plain(text)).strip(" .;。；")
    if found := read_date(shown):
        return Value(shown, date=found)
    matched = FIGURE.match(shown)
    if matched and not re.search(r"\d", _BRACKETS.sub("", shown[matched.end() :])) and len(shown) <= 40:
        figure = figure_of(matched)
        return Value(shown, figure if matched["size"] else figure * size, (matched["unit"] or "").lower())
    return Value(shown)


def read_date(text: str) -> tuple[int, int, int] | None:
    """Read a text that is a date and nothing else."""
    for pattern in DATES:
        if found := pattern.fullmatch(text):
            return date_of(found)
    return None


def date_of(found: re.Match[str]) -> tuple[int, int, int]:
    """Return year, month and day of what one of `DATES` found."""
    parts = found.groupdict()
    names = [name[:3] for name in _MONTHS]
    month = names.index(parts["month"][:3].lower()) + 1 if "month" in parts else int(parts["m"])
    return int(parts["y"]), month, int(parts["d"])


def figure_of(found: re.Match[str]) -> float:
    """Return the figure that `FIGURE` found."""
    number = float(re.sub(r"[^\d.]", "", found["figure"])) * SIZES.get(found["size"] or "", 1.0)
    return -number if found["sign"] else number


def written(value: Value, label: str) -> str:
    """Write a value as a column of that name asks for it."""
    if value.date:
        return "{:04d}-{:02d}-{:02d}".format(*value.date)
    if value.figure is None:
        return value.text
    return f"{value.figure / size_of(label):.6f}".rstrip("0").rstrip(".")
