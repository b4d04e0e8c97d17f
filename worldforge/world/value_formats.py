"""Write values as sites do, and read them back: formats of dates and numbers, units, currencies.

    form = Form("number", Style(numbers="point", units="imperial"), in_style("km", …), decimals=1)
    write_in(pa.array([2011.7]), form)      ["1.250,02"]
    form.read("1.250,02")                   2011.7

What is written has the fewest decimals that bring the value back: converted, and rounded as its column is. Writing is
done by whole columns in floating point, with room to spare, and reading one by one in fractions: each tests the other.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.columns import ARROW_TYPES, ValueKind
from worldforge.schema.column_paths import derived_columns, drawn_columns, references_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.translations import options_in
from worldforge.schema.web_section import Style
from worldforge.world.unit_conversion import SiteUnit, in_style
from worldforge.world.value_text import MONTHS, as_written, canonical, kind_of, read_value
from worldforge.world.world import World

PLAIN = Style()
_SEPARATORS = {"comma": (",", "."), "point": (".", ","), "space": (" ", "."), "plain": ("", "."), "myriads": (",", ".")}
_MYRIADS = {"亿": 8, "万": 4}
"""What stands for so many zeros; two decimals may stand before it."""
_SCALED = re.compile("[十百千万亿]|(?:ten|hundred|thousand|million|billion)\\b")
"""How a unit begins that counts by the ten or more: `thousand crowns` are not counted by the 万."""
_MOST_DECIMALS = 6  # of a column
_MOST_WRITTEN = 40  # decimals: more than any factor of the table of units asks for
_MARGIN = 0.01  # of the last decimal of a column: nearer to half of one, fractions say whether a value comes back
_EXACT = 2.0**45  # scaled values below it are whole in a float, with room to spare
_LARGEST = 1 << 63  # no longer fits 64 bits
_LONGEST = 100  # characters of a number
_ISO, _POINTED = re.compile(r"(\d{4,})-(\d\d)-(\d\d)"), re.compile(r"(\d\d)\.(\d\d)\.(\d{4,})")
_AMERICAN, _BRITISH = re.compile(r"([A-Z][a-z]+) (\d+), (\d{4,})"), re.compile(r"(\d+) ([A-Z][a-z]+) (\d{4,})")


@dataclass(frozen=True, slots=True)
class ValueFormat:
    """How a site writes one column: what it holds, to how many decimals (0 but for numbers), and in which unit."""

    kind: ValueKind
    style: Style
    unit: SiteUnit
    decimals: int = 0

    @property
    def alters(self) -> bool:
        """Whether any value may be written otherwise than `value_text.as_written` does."""
        match self.kind:
            case "date":
                return self.style.dates != PLAIN.dates
            case "integer" | "number":
                return self.style.numbers != PLAIN.numbers or self.unit.converts
        return False

    def read(self, text: str) -> int | float | str | datetime.date | None:
        """Read one value back from what such a site wrote; None where it wrote no such thing."""
        if self.kind == "date":
            return _read_date(text, self.style)
        written = _read_number(text, self.style)
        if written is None or not self.unit.converts:
            return None if written is None else _held(written, self.kind)
        return _held(round((written - self.unit.offset) / self.unit.scale, self.decimals), self.kind)

    def plainly(self, text: str) -> str:
        """Write what such a site wrote as `value_text.as_written` does; as it stands where it cannot be read."""
        (plain,) = self.all_plainly([text])
        return text if plain is None else plain

    def all_plainly(self, texts: Sequence[str]) -> list[str | None]:
        """Write what such a site wrote as `value_text.as_written` does; None for each text that cannot be read."""
        values = pa.array([self.read(text) for text in texts], ARROW_TYPES[self.kind])
        written: list[str | None] = as_written(values, self.kind).to_pylist()
        return written

    def written(self, value: float | str) -> str:
        """Write one value as such a site does; a date is given as records hold it, in ISO 8601."""
        held = datetime.date.fromisoformat(value) if isinstance(value, str) else value
        return str(write_in(_column(held, self.kind), self)[0].as_py())


@dataclass(frozen=True, slots=True)
class LocalizedColumn(ValueFormat):
    """How pages of a `language` write one column of tables in `first`; `words` are its options there."""

    language: str = "zh"
    first: str = "en"
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def alters(self) -> bool:
        """Whether any value may be written otherwise than pages of the first language do."""
        return self.kind in ("date", "boolean") or (self.kind == "text" and bool(self.words))

    def read(self, text: str) -> int | float | str | datetime.date | None:
        """Read one value back from what such a page wrote; None where it wrote no such thing."""
        if self.kind == "text":
            return next((option for option, word in self.words.items() if word == text), text)
        return read_value(text, self.kind)

    def all_plainly(self, texts: Sequence[str]) -> list[str | None]:
        """Write what such a page wrote as pages of the first language do; None for each text that cannot be read."""
        values = pa.array([self.read(text) for text in texts], ARROW_TYPES[self.kind])
        written: list[str | None] = as_written(values, self.kind, self.first).to_pylist()
        return written

    def written(self, value: float | str) -> str:
        """Write one value as such a page does; a date is given as records hold it, in ISO 8601."""
        dated = self.kind == "date" and isinstance(value, str)
        return self._written(datetime.date.fromisoformat(str(value)) if dated else value, self.language)

    def _written(self, value: float | str | datetime.date, language: str) -> str:
        if self.kind == "text":
            return self.words.get(str(value), str(value)) if language == self.language else str(value)
        return str(as_written(pa.array([value], ARROW_TYPES[self.kind]), self.kind, language)[0].as_py())


class ValueFormats:
    """The forms of a world's columns on its kinds of pages; `table_of` reads a table, if one is asked for."""

    def __init__(self, spec: WorldSpec, table_of: Callable[[str], pa.Table]) -> None:
        self._spec, self._table_of = spec, table_of
        self._of = lru_cache(maxsize=None)(self._find)
        self._of_language = lru_cache(maxsize=None)(self._word)

    @classmethod
    def of_world(cls, world: World) -> ValueFormats:
        """Return the forms of a finished world."""
        return cls(world.spec, lambda name: world.entities(name) if name in world.spec.types else world.relation(name))

    @property
    def plain(self) -> bool:
        """Whether every site writes as the tables do."""
        styled = any(site.style != PLAIN for site in self._spec.sites.values())
        return not styled and all(self._language(kind) is None for kind in self._spec.pages)

    def of(self, page_kind: str, table: str, column: str) -> ValueFormat | None:
        """Return how pages of a kind write a column; None where it is as `value_text.as_written` writes it."""
        style = style_of(self._spec, page_kind)
        if (language := self._language(page_kind)) is not None:
            worded = self._of_language(language, table, column)
            if worded is not None and not settles(style, worded.kind):
                return worded
        return None if style == PLAIN else self._of(style, table, column)

    def _language(self, page_kind: str) -> Language | None:
        """Return the language of a kind of page, where it is not that of the tables."""
        language = self._spec.pages[page_kind].language
        return None if language == self._spec.languages[0] else language

    def _word(self, language: Language, table: str, column: str) -> ValueFormat | None:
        if not (table in self._spec.types or table in self._spec.relations) or column == "name":
            return None
        columns = self._table_of(table)
        if column in references_of(self._spec, table) or column not in columns.column_names:
            return None
        kind = kind_of(columns.schema.field(column).type)
        form = LocalizedColumn(
            kind, PLAIN, SiteUnit(""), 0, language, self._spec.languages[0], options_in(self._spec, language)
        )
        return form if form.alters else None

    def _find(self, style: Style, table: str, column: str) -> ValueFormat | None:
        spec = self._spec
        if not (table in spec.types or table in spec.relations) or column in references_of(spec, table):
            return None
        columns = self._table_of(table)
        if column not in columns.column_names or pa.types.is_nested(columns.schema.field(column).type):
            return None
        held = columns[column].combine_chunks()
        form = form_of(self._spec, style, kind_of(held.type), unit_of(self._spec, table, column), held)
        return form if form.alters else None


def style_of(spec: WorldSpec, page_kind: str) -> Style:
    """Return the style in which pages of a kind write: that of their site; of what they copy, if they do."""
    kind = spec.pages[page_kind]
    while kind.copies is not None and kind.copies in spec.pages:
        kind = spec.pages[kind.copies]
    return spec.sites[kind.site].style if kind.site in spec.sites else PLAIN


def settles(style: Style, kind: ValueKind) -> bool:
    """Say whether values of a kind are written as the style has them, in whichever language the page is."""
    return kind == "date" and style.dates != PLAIN.dates


def unit_of(spec: WorldSpec, table: str, column: str) -> str:
    """Return the unit of a column; empty where it has none."""
    phrasing = drawn_columns(spec, table).get(column) or derived_columns(spec, table).get(column)
    return "" if phrasing is None else phrasing.unit


def form_of(spec: WorldSpec, style: Style, kind: ValueKind, unit: str, held: pa.Array) -> ValueFormat:
    """Return how a site of a style writes a column that holds `held`."""
    site_unit = in_style(unit, style, spec.web.currencies) if kind in ("integer", "number") else SiteUnit(unit)
    if style.numbers == "myriads" and _SCALED.match(unit):
        style = style.model_copy(update={"numbers": PLAIN.numbers})
    return ValueFormat(kind, style, site_unit, decimals_of(held) if kind == "number" and site_unit.converts else 0)


def decimals_of(column: pa.Array) -> int:
    """Return how many decimals a column of numbers holds, at most 6."""
    values = column.drop_null().to_numpy(zero_copy_only=False)
    for decimals in range(_MOST_DECIMALS):
        scaled = values * 10.0**decimals
        if np.all(np.abs(np.rint(scaled) / 10.0**decimals - values) <= np.abs(values) * 1e-15):
            return decimals
    return _MOST_DECIMALS


def write_in(column: pa.Array, form: ValueFormat) -> pa.Array:
    """Write a column as a site does: one string a row, null where the value is missing. Does each value once."""
    encoded = column.dictionary_encode()
    if form.kind == "date":
        return _dates(encoded.dictionary, form.style).take(encoded.indices)
    if form.kind not in ("integer", "number"):
        return as_written(column, form.kind)
    held = encoded.dictionary
    plain = _converted(held, form) if form.unit.converts else canonical(held, form.kind)
    return _separated(plain, form.style).take(encoded.indices)


def number_in(value: Fraction, style: Style) -> str:
    """Write a number, which has an end in decimals, as sites of a style do."""
    return str(_separated(pa.array([_decimals(value, _MOST_WRITTEN)]), style)[0].as_py())


def _converted(held: pa.Array, form: ValueFormat) -> pa.Array:
    """Write values in the site's unit in plain decimals, with as few as bring each back."""
    values = held.to_numpy(zero_copy_only=False).astype(np.float64)
    scale, offset = float(form.unit.scale), float(form.unit.offset)
    there = values * scale + offset
    unit = 10.0**-form.decimals
    texts = np.full(len(held), None, object)
    left = np.flatnonzero(np.abs(values) < _EXACT * unit)
    for decimals in range(_MOST_WRITTEN):
        scaled = np.rint(there[left] * 10.0**decimals)
        fits = np.abs(scaled) < _EXACT
        back = (scaled / 10.0**decimals - offset) / scale
        off = np.abs(back - values[left]) / unit
        done = fits & (off < 0.5 - _MARGIN)
        texts[left[done]] = _fixed(scaled[done].astype(np.int64), decimals)
        left = left[fits & (off > 0.5 + _MARGIN)]
        if not len(left):
            break
    for row in [row for row, text in enumerate(texts) if text is None]:
        texts[row] = _one_by_one(held[row].as_py(), form)
    return pa.array(texts, pa.string())


def _fixed(scaled: npt.NDArray[np.int64], decimals: int) -> npt.NDArray[np.object_]:
    """Write whole numbers with the point moved: 12345 with 2 decimals is `123.45`."""
    sign = pc.if_else(pa.array(scaled < 0), "-", "")
    whole, rest = np.divmod(np.abs(scaled), 10**decimals)
    text = pc.binary_join_element_wise(sign, pa.array(whole).cast(pa.string()), "")
    if decimals:
        text = pc.binary_join_element_wise(text, pc.utf8_lpad(pa.array(rest).cast(pa.string()), decimals, "0"), ".")
    written: npt.NDArray[np.object_] = text.to_numpy(zero_copy_only=False)
    return written


def _one_by_one(value: float, form: ValueFormat) -> str:
    """Write a value that is too large, or comes back by too little, for floating point to be trusted with."""
    held = round(Fraction(value), form.decimals)
    there = held * form.unit.scale + form.unit.offset
    margin = Fraction(1, 2) / 10**form.decimals
    for decimals in range(_MOST_WRITTEN):
        written = round(there, decimals)
        if abs((written - form.unit.offset) / form.unit.scale - held) < margin:
            return _decimals(written, decimals)
    raise ValueError(f"{value} {form.unit.name} cannot be written in {_MOST_WRITTEN} decimals")


def _decimals(value: Fraction, most: int) -> str:
    """Write a fraction in plain decimals, without zeros at the end."""
    scaled = round(abs(value) * 10**most)
    whole, rest = divmod(scaled, 10**most)
    ending = f"{rest:0{most}d}".rstrip("0") if most else ""
    return f"{'-' if value < 0 and scaled else ''}{whole}{'.' if ending else ''}{ending}"


def _separated(plain: pa.Array, style: Style) -> pa.Array:
    """Part the thousands of plain decimals as a style does, and put its sign before the decimals."""
    thousands, point = _SEPARATORS[style.numbers]
    text = _in_myriads(plain) if style.numbers == "myriads" else plain
    if point != ".":
        text = pc.replace_substring(text, ".", point)
    while thousands:
        grouped = pc.replace_substring_regex(
            text, rf"^(-?\d+)(\d{{3}})([{thousands}{point}万亿].*|)$", rf"\1{thousands}\2\3"
        )
        if grouped.equals(text):
            break
        text = grouped
    return text


def _in_myriads(plain: pa.Array) -> pa.Array:
    """Write whole numbers by 亿 or 万, with two decimals at most: `124000` is `12.4万`; others stay as they are."""
    text = plain
    for sign, zeros in _MYRIADS.items():
        text = pc.replace_substring_regex(text, rf"^(-?\d+)(\d{{2}})0{{{zeros - 2}}}$", rf"\1.\2{sign}")
        text = pc.replace_substring_regex(text, rf"\.?0+{sign}$", sign)
    return text


def _dates(days: pa.Array, style: Style) -> pa.Array:
    match style.dates:
        case "iso":
            return pc.strftime(days, format="%Y-%m-%d")
        case "day.month.year":
            return pc.strftime(days, format="%d.%m.%Y")
        case "month day, year":
            months = pa.array(MONTHS).take(pc.subtract(pc.month(days), 1))
            day = pc.binary_join_element_wise(months, pc.day(days).cast(pa.string()), " ")
            return pc.binary_join_element_wise(day, pc.year(days).cast(pa.string()), ", ")
        case _:
            return as_written(days, "date")


def _held(value: Fraction, kind: ValueKind) -> int | float | None:
    """Return what a column of a kind holds of a number; None where it cannot hold it."""
    if kind == "number":
        return float(value)
    return int(value) if value.denominator == 1 and -_LARGEST <= value < _LARGEST else None


def _column(value: float | str | datetime.date, kind: ValueKind) -> pa.Array:
    return pa.array([value], ARROW_TYPES[kind])


def _read_number(text: str, style: Style) -> Fraction | None:
    thousands, point = _SEPARATORS[style.numbers]
    if len(text) > _LONGEST:
        return None
    if style.numbers == "myriads" and text[-1:] in _MYRIADS:
        counted = _read_number(text[:-1], PLAIN)
        return None if counted is None else counted * 10 ** _MYRIADS[text[-1]]
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, mark, rest = digits.partition(point)
    groups = whole.split(thousands) if thousands else [whole]
    sizes = [len(group) for group in groups]
    grouped = len(groups) == 1 or (1 <= sizes[0] <= 3 and set(sizes[1:]) == {3})
    figures = "".join(groups)
    if not grouped or not figures.isdecimal() or not f"{figures}{rest}".isascii() or bool(mark) != rest.isdecimal():
        return None
    return Fraction(f"{sign}{figures}{mark and '.'}{rest}")


def _read_date(text: str, style: Style) -> datetime.date | None:
    try:
        match style.dates:
            case "iso":
                year, month, day = (int(part) for part in _parts(_ISO, text))
            case "day.month.year":
                day, month, year = (int(part) for part in _parts(_POINTED, text))
            case "month day, year":
                named, number, of_year = _parts(_AMERICAN, text)
                day, month, year = int(number), MONTHS.index(named) + 1, int(of_year)
            case _:
                number, named, of_year = _parts(_BRITISH, text)
                day, month, year = int(number), MONTHS.index(named) + 1, int(of_year)
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _parts(pattern: re.Pattern[str], text: str) -> tuple[str, str, str]:
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError(text)
    first, second, third = match.groups()
    return first, second, third
