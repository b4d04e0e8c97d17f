"""Write values as sites do, and read them back: formats of dates and numbers, units, currencies, other languages.

    form = ValueFormat("number", Style(numbers="point", units="imperial"), in_style("km", …), decimals=1)
    write_in(pa.array([2011.7]), form)      ["1.250,02"]
    form.read("1.250,02")                   2011.7

Numbers in other units are written with the fewest decimals that bring the value back: converted, and rounded as its
column is. Amounts that have cents are written with both decimals, 27.50 florins. Writing works in decimals of 100
digits and reading in fractions: each tests the other.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.columns import ARROW_TYPES, ValueKind
from worldforge.core.english import ORDINALS, ordinal_in_words
from worldforge.schema.column_paths import derived_columns, drawn_columns, references_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.translations import names_a_number, options_in
from worldforge.schema.web_section import Style
from worldforge.world.unit_conversion import SiteUnit, in_style, is_measure
from worldforge.world.value_text import MONTHS, as_written, canonical, group_digits, kind_of, read_value
from worldforge.world.world import World

PLAIN = Style()
_SEPARATORS = {"comma": (",", "."), "point": (".", ","), "space": (" ", "."), "plain": ("", "."), "myriads": (",", ".")}
_MYRIADS = {"亿": 8, "万": 4}
"""Signs that stand for so many zeros; two decimals may stand before them."""
_SCALED = re.compile("[十百千万亿]|(?:ten|hundred|thousand|million|billion)\\b")
"""How a unit begins that counts by the ten or more: `thousand crowns` are not counted by the 万."""
_MOST_DECIMALS = 6  # of a column
SMALL_NUMBERS = {
    str(number): word
    for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"), start=1)
}
"""How running text in English writes counts below ten."""
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBERS_BELOW_100 = (
    SMALL_NUMBERS
    | {str(number): word for number, word in enumerate(_TEENS.split(), start=10)}
    | {f"{ten}0": word for ten, word in enumerate(_TENS.split(), start=2)}
    | {
        f"{ten}{one}": f"{word}-{small}"
        for ten, word in enumerate(_TENS.split(), start=2)
        for one, small in SMALL_NUMBERS.items()
    }
)
"""Number words, by figures. English sentences that begin with a count below 100 use them."""
_ORDINALS = {str(number): word for number, word in enumerate(ORDINALS, start=1)}
_ORDINAL_IN_FIGURES = re.compile(r"(\d+)(?:st|nd|rd|th)")
TIMES = {"1": "once", "2": "twice"}
_TIMES = " times"
_SPELLED = {word: int(number) for words in (NUMBERS_BELOW_100, TIMES, _ORDINALS) for number, word in words.items()}
_CENTS = 2  # decimals of an amount of money
_MOST_WRITTEN = 40  # decimals: more than any factor of the table of units asks for
_EXACT = Context(prec=100)
_LARGEST = 1 << 63  # no longer fits 64 bits
_LONGEST = 100  # characters of a number
_DATES = {
    "iso": r"(?P<year>\d{4,})-(?P<month>\d\d)-(?P<day>\d\d)",
    "day.month.year": r"(?P<day>\d\d)\.(?P<month>\d\d)\.(?P<year>\d{4,})",
    "month day, year": r"(?P<month>[A-Z][a-z]+) (?P<day>\d+), (?P<year>\d{4,})",
    "day month year": r"(?P<day>\d+) (?P<month>[A-Z][a-z]+) (?P<year>\d{4,})",
}


@dataclass(frozen=True, slots=True)
class ValueFormat:
    """How a site writes one column: what it holds, to how many decimals (0 but for numbers), and in which unit.

    Where its pages are in another `language` than the tables, which are in `first`, they write as pages of that
    language do; `options` are the column's options there.
    """

    kind: ValueKind
    style: Style
    unit: SiteUnit
    decimals: int = 0
    language: str = ""
    first: str = "en"
    options: Mapping[str, str] = field(default_factory=dict)
    has_cents: bool = False
    """Whether all its numbers are written with two decimals."""
    may_be_spelled: bool = False
    """Whether running text may write its small numbers as words: see `SMALL_NUMBERS`."""
    wordings: Mapping[str, str] = field(default_factory=dict)
    """What phrases of running text stand for: `{comes with the room: yes}`, the value as records have it."""

    @property
    def alters(self) -> bool:
        """Whether any value may be written otherwise than `value_text.as_written` does in the first language."""
        if self.wordings:
            return True
        if self.language:
            return self.kind in ("date", "boolean") or (self.kind == "text" and bool(self.options))
        match self.kind:
            case "date":
                return self.style.dates != PLAIN.dates
            case "integer" | "number":
                return self.style.numbers != PLAIN.numbers or self.unit.converts or self.has_cents
        return False

    def read(self, text: str) -> int | float | str | datetime.date | None:
        """Read one value back from what such a site wrote; None where it wrote no such thing."""
        if text in self.wordings:
            return read_value(self.wordings[text], self.kind)
        if self.may_be_spelled:
            text = text.removesuffix(_TIMES)
            if text.lower() in _SPELLED:
                return _SPELLED[text.lower()]
            text = _ORDINAL_IN_FIGURES.sub(r"\1", text)
        if self.language:
            if self.kind == "text":
                return next((option for option, word in self.options.items() if word == text), text)
            return read_value(text, self.kind)
        if self.kind == "date":
            return _read_date(text, self.style)
        if self.kind in ("text", "boolean", "year"):
            return read_value(text, self.kind)
        written = _read_number(text, self.style)
        if written is not None and self.unit.converts:
            written = round((written - self.unit.offset) / self.unit.scale, self.decimals)
        return None if written is None else _held(written, self.kind)

    def plainly(self, text: str) -> str:
        """Write what such a site wrote as `value_text.as_written` does; as it stands where it cannot be read."""
        (plain,) = self.all_plainly([text])
        return text if plain is None else plain

    def all_plainly(self, texts: Sequence[str]) -> list[str | None]:
        """Write what such a site wrote as `value_text.as_written` does; None for each text that cannot be read."""
        values = pa.array([self.read(text) for text in texts], ARROW_TYPES[self.kind])
        written: list[str | None] = as_written(values, self.kind, self.first).to_pylist()
        return written

    def written(self, value: float | str) -> str:
        """Write one value as such a site does; a date is given as records hold it, in ISO 8601."""
        held = datetime.date.fromisoformat(str(value)) if self.kind == "date" else value
        return str(write_in(pa.array([held], ARROW_TYPES[self.kind]), self)[0].as_py())

    def written_like(self, value: float | str, text: str) -> str:
        """Write one value as such a site does where it has written `text`: as a word for a word, if there is one."""
        written, word = self.written(value), text.lower()
        if self.may_be_spelled and (word in _ORDINALS.values() or _ORDINAL_IN_FIGURES.fullmatch(word)):
            return ordinal_in_words(int(written)) if written.isdigit() and written != "0" else written
        if not self.may_be_spelled or word not in _SPELLED:
            return written
        if word in TIMES.values():
            spelled = TIMES.get(written) or f"{SMALL_NUMBERS.get(written, written)}{_TIMES}"
        else:
            spelled = NUMBERS_BELOW_100.get(written, written)
        return spelled.capitalize() if text[:1].isupper() else spelled


class ValueFormats:
    """The forms of a world's columns on its kinds of pages; `table_of` reads a table, if one is asked for."""

    def __init__(self, spec: WorldSpec, table_of: Callable[[str], pa.Table]) -> None:
        self._spec, self._table_of = spec, table_of
        self._find = lru_cache(maxsize=None)(self._form)

    @classmethod
    def of_world(cls, world: World) -> ValueFormats:
        """Return the forms of a finished world."""
        return cls(world.spec, lambda name: world.entities(name) if name in world.spec.types else world.relation(name))

    def of(self, page_kind: str, table: str, column: str) -> ValueFormat | None:
        """Return how pages of a kind write a column; None where it is as `value_text.as_written` writes it.

        Pages of no kind of the spec's write all columns so.
        """
        if page_kind not in self._spec.pages:
            return None
        style, language = style_of(self._spec, page_kind), self._language(page_kind)
        wordings = self._spec.value_wordings.get(language or self._spec.languages[0], {}).get(f"{table}.{column}", {})
        form = self._find(style, language, table, column)
        return form if form is None or not wordings else replace(form, wordings=wordings)

    def _language(self, page_kind: str) -> Language | None:
        """Return the language of a kind of page, where it is not that of the tables."""
        language = self._spec.pages[page_kind].language
        return None if language == self._spec.languages[0] else language

    def _form(self, style: Style, language: Language | None, table: str, column: str) -> ValueFormat | None:
        spec = self._spec
        if not (table in spec.types or table in spec.relations) or column in references_of(spec, table):
            return None
        columns = self._table_of(table)
        if column not in columns.column_names or pa.types.is_nested(columns.schema.field(column).type):
            return None
        kind = kind_of(columns.schema.field(column).type)
        if language is not None and column != "name" and not settles(style, kind):
            options = options_in(spec, language)
            form = ValueFormat(kind, PLAIN, SiteUnit(""), 0, language, spec.languages[0], options)
            if form.alters or f"{table}.{column}" in spec.value_wordings.get(language, {}):
                return form
        unit, written_in = unit_of(spec, table, column), language or spec.languages[0]
        form = form_of(spec, style, kind, unit, columns[column].combine_chunks(), label_of_column(spec, table, column))
        if kind == "integer" and not unit and written_in == "en" and spec.phrases:
            return replace(form, may_be_spelled=True)
        return form if form.alters or f"{table}.{column}" in spec.value_wordings.get(written_in, {}) else None


def style_of(spec: WorldSpec, page_kind: str) -> Style:
    """Return the style in which pages of a kind write: that of their site; of what they copy, if they do."""
    kind = spec.pages[page_kind]
    while (original := kind.copies or kind.archives) is not None and original in spec.pages:
        kind = spec.pages[original]
    return spec.sites[kind.site].style if kind.site in spec.sites else PLAIN


def settles(style: Style, kind: ValueKind) -> bool:
    """Say whether values of a kind are written as the style has them, in whichever language the page is."""
    return kind == "date" and style.dates != PLAIN.dates


def unit_of(spec: WorldSpec, table: str, column: str) -> str:
    """Return the unit of a column; empty where it has none."""
    phrasing = drawn_columns(spec, table).get(column) or derived_columns(spec, table).get(column)
    return "" if phrasing is None else phrasing.unit


def label_of_column(spec: WorldSpec, table: str, column: str) -> str:
    """Return the label of a column; empty where it has none."""
    phrasing = drawn_columns(spec, table).get(column) or derived_columns(spec, table).get(column)
    return "" if phrasing is None else phrasing.label


def form_of(spec: WorldSpec, style: Style, kind: ValueKind, unit: str, held: pa.Array, label: str = "") -> ValueFormat:
    """Return how a site of a style writes a column that holds `held`: fleet numbers, by their label, as they are."""
    if kind == "integer" and names_a_number(label):
        return ValueFormat(kind, style.model_copy(update={"numbers": "plain"}), SiteUnit(unit))
    site_unit = in_style(unit, style, spec.web.currencies) if kind in ("integer", "number") else SiteUnit(unit)
    counts_many = _SCALED.match(unit) is not None
    if style.numbers == "myriads" and counts_many:
        style = style.model_copy(update={"numbers": PLAIN.numbers})
    if kind != "number":
        return ValueFormat(kind, style, site_unit)
    if site_unit.converts:
        return ValueFormat(kind, style, site_unit, decimals_of(held))
    may_have_cents = unit and not counts_many and unit != "%" and style.numbers != "myriads" and not is_measure(unit)
    return ValueFormat(kind, style, site_unit, has_cents=bool(may_have_cents) and decimals_of(held) == _CENTS)


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
    if form.language and form.kind == "text":
        return pa.array([form.options.get(text, text) for text in column.to_pylist()], pa.string())
    if form.language or form.kind not in ("integer", "number", "date"):
        return as_written(column, form.kind, form.language or "en")
    encoded = column.dictionary_encode()
    held = encoded.dictionary
    if form.kind == "date":
        return _write_dates(held, form.style).take(encoded.indices)
    plain = canonical(held, form.kind)
    if form.unit.converts:
        with localcontext(_EXACT):
            plain = pa.array(
                [_converted(round(Decimal(text), form.decimals), form) for text in plain.to_pylist()], pa.string()
            )
    if form.has_cents:
        plain = pc.replace_substring_regex(pc.replace_substring_regex(plain, r"^(-?\d+)$", r"\1.0"), r"(\.\d)$", r"\10")
    return _separated(plain, form.style).take(encoded.indices)


def number_in(value: Fraction, style: Style) -> str:
    """Write a number, which has an end in decimals, as sites of a style do."""
    with localcontext(_EXACT):
        return str(_separated(pa.array([_plain_decimals(_decimal(value))]), style)[0].as_py())


def _converted(value: Decimal, form: ValueFormat) -> str:
    """Write a value in the site's unit in plain decimals, with as few as bring it back."""
    offset = _decimal(form.unit.offset)
    times, by = form.unit.scale.as_integer_ratio()  # their quotient may have no end in decimals
    there, margin = value * times / by + offset, Decimal(1).scaleb(-form.decimals) / 2
    for decimals in range(_MOST_WRITTEN):
        written = round(there, decimals)
        if abs((written - offset) * by / times - value) < margin:
            return _plain_decimals(written)
    raise ValueError(f"{value} {form.unit.name} cannot be written in {_MOST_WRITTEN} decimals")


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / value.denominator


def _plain_decimals(value: Decimal) -> str:
    """Write a number without an exponent, and without zeros at its end or a sign of zero."""
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _separated(plain: pa.Array, style: Style) -> pa.Array:
    """Part the thousands of plain decimals as a style does, and put its sign before the decimals."""
    thousands, point = _SEPARATORS[style.numbers]
    text = _in_myriads(plain) if style.numbers == "myriads" else plain
    if point != ".":
        text = pc.replace_substring(text, ".", point)
    return group_digits(text, thousands, point) if thousands else text


def _in_myriads(plain: pa.Array) -> pa.Array:
    """Write whole numbers by 亿 or 万, with two decimals at most: `124000` is `12.4万`; others stay as they are."""
    text = plain
    for sign, zeros in _MYRIADS.items():
        text = pc.replace_substring_regex(text, rf"^(-?\d+)(\d{{2}})0{{{zeros - 2}}}$", rf"\1.\2{sign}")
        text = pc.replace_substring_regex(text, rf"\.?0+{sign}$", sign)
    return text


def _write_dates(days: pa.Array, style: Style) -> pa.Array:
    match style.dates:
        case "iso":
            return pc.strftime(days, format="%Y-%m-%d")
        case "day.month.year":
            return pc.strftime(days, format="%d.%m.%Y")
        case "month day, year":
            months = pa.array(MONTHS).take(pc.subtract(pc.month(days), 1))
            day, year = pc.day(days).cast(pa.string()), pc.year(days).cast(pa.string())
            return pc.binary_join_element_wise(months, " ", day, ", ", year, "")
        case _:
            return as_written(days, "date")


def _held(value: Fraction, kind: ValueKind) -> int | float | None:
    """Return what a column of a kind holds of a number; None where it cannot hold it."""
    if kind == "number":
        return float(value)
    return int(value) if value.denominator == 1 and -_LARGEST <= value < _LARGEST else None


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
    found = re.fullmatch(_DATES[style.dates], text)
    if found is None:
        return None
    month = found["month"]
    try:
        number = int(month) if month.isdecimal() else MONTHS.index(month) + 1
        return datetime.date(int(found["year"]), number, int(found["day"]))
    except ValueError:
        return None
