"""Values as columns hold them, as pages write them, as gold tables give them, and back from what a page wrote.

| kind    | Arrow   | as written      | in Chinese      | canonical    |
|---------|---------|-----------------|-----------------|--------------|
| integer | int64   | `12,400`        | `12,400`        | `12400`      |
| year    | int32   | `1903`          | `1903`          | `1903`       |
| number  | float64 | `1,312.5`       | `1,312.5`       | `1312.5`     |
| date    | date32  | `18 June 2024`  | `2024年6月18日` | `2024-06-18` |
| boolean | bool    | `yes`           | `是`            | `yes`        |
| text    | string  | itself          | itself          | itself       |
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.columns import ARROW_TYPES, ValueKind

_YES, _NO = "是", "否"
_CHINESE_DATE = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日")
DECIMALS = 6  # what is written out: a table holds no more
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def kind_of(arrow_type: pa.DataType) -> ValueKind:
    """Return the kind of value that a column of this Arrow type holds. Raises KeyError for a type no column has."""
    return {held: kind for kind, held in ARROW_TYPES.items()}[arrow_type]


def as_held(computed: pa.Array, arrow_type: pa.DataType, decimals: int = DECIMALS) -> pa.Array:
    """Make computed values what a column of `arrow_type` holds.

    Numbers keep `decimals`, six at most; what is no number (a division by 0) is missing. Raises pa.ArrowException where
    the column cannot hold a value.
    """
    values = computed.cast(arrow_type, safe=not pa.types.is_date(arrow_type))
    if not pa.types.is_floating(arrow_type):
        return values
    scaled = pc.round(pc.multiply(values, 10.0**decimals))  # pc.round's own digits keep 0.1 + 0.2 as it is
    exact = pc.less(pc.abs(scaled), 2.0**53)
    rounded = pc.add(pc.if_else(exact, pc.divide(scaled, 10.0**decimals), values), 0.0)  # adding 0: -0.0 becomes 0.0
    return pc.if_else(pc.is_finite(rounded), rounded, pa.scalar(None, pa.float64()))


def as_written(column: pa.Array, kind: ValueKind, language: str = "en") -> pa.Array:
    """Write a column as a page of a language does: one string a row, null where the value is missing."""
    if language == "zh" and kind == "boolean":
        return pc.if_else(column, _YES, _NO)
    if language == "zh" and kind == "date":
        year, month, day = (part(column).cast(pa.string()) for part in (pc.year, pc.month, pc.day))
        return pc.binary_join_element_wise(year, "年", month, "月", day, "日", "")
    return _written(column, kind, separators=True)


def canonical(column: pa.Array, kind: ValueKind) -> pa.Array:
    """Write a column as a gold table does: one string a row, null where the value is missing."""
    return _written(column, kind, separators=False)


def read_value(text: str, kind: ValueKind) -> int | float | str | bool | datetime.date | None:
    """Read one value back from what a page of any language wrote; None where it cannot be read as that kind."""
    try:
        match kind:
            case "integer" | "year":
                return int(text.replace(",", ""))
            case "number":
                return float(text.replace(",", ""))
            case "boolean":
                return {"yes": True, "no": False, _YES: True, _NO: False}[text]
            case "date":
                if chinese := _CHINESE_DATE.fullmatch(text):
                    return datetime.date(*map(int, chinese.groups()))
                day, month, year = text.split(" ")
                return datetime.date(int(year), MONTHS.index(month) + 1, int(day))
            case _:
                return text
    except (ValueError, KeyError):
        return None


READ_CANONICAL: Mapping[ValueKind, Callable[[str], Any]] = {
    "integer": int,
    "year": int,
    "number": float,
    "text": str,
    "date": datetime.date.fromisoformat,
    "boolean": lambda text: text == "yes",
}
"""Read a value that `canonical` wrote, by kind."""


def added(value: object, difference: float) -> object:
    """Return what differs from a value by so much, of a date by so many days; None where nothing can."""
    if isinstance(value, datetime.date):
        return value + datetime.timedelta(days=difference)
    if isinstance(value, int):
        return value + int(difference)
    return round(value + difference, DECIMALS) if isinstance(value, float) else None


def _written(column: pa.Array, kind: ValueKind, *, separators: bool) -> pa.Array:
    match kind:
        case "integer":
            return group_digits(column.cast(pa.string())) if separators else column.cast(pa.string())
        case "number":
            plain = _number_text(column)
            return group_digits(plain) if separators else plain
        case "boolean":
            return pc.if_else(column, "yes", "no")
        case "date":
            return _date_text(column) if separators else pc.strftime(column, format="%Y-%m-%d")
        case _:
            return column.cast(pa.string())


def _number_text(column: pa.Array) -> pa.Array:
    """Write float64 in plain decimals, without an exponent and without a trailing `.0`."""
    encoded = column.dictionary_encode()
    texts = [f"{value:.6f}".rstrip("0").rstrip(".") for value in encoded.dictionary.to_pylist()]
    return pa.array(texts, pa.string()).take(encoded.indices)


def group_digits(plain: pa.Array, thousands: str = ",", point: str = ".") -> pa.Array:
    """Put a separator between groups of three digits of the whole part: `1234567.5` becomes `1,234,567.5`."""
    text = plain
    while True:
        pattern = rf"^(-?\d+)(\d{{3}})([{thousands}{point}万亿].*|)$"
        grouped = pc.replace_substring_regex(text, pattern, rf"\1{thousands}\2\3")
        if grouped.equals(text):
            return text
        text = grouped


def _date_text(column: pa.Array) -> pa.Array:
    months = pa.array(MONTHS).take(pc.subtract(pc.month(column), 1))
    day, year = pc.day(column).cast(pa.string()), pc.year(column).cast(pa.string())
    return pc.binary_join_element_wise(day, months, year, " ")
