"""Cells between JSON and the tables: checked on the way in, plain on the way out."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping
from typing import Any

from worldforge.environments.arguments import echo
from worldforge.environments.database.catalog import CatalogColumn
from worldforge.environments.database.refused import RefusedError

MOST_CHARACTERS = 10_000  # of one text
_MOST_TEXTS = 100  # of one cell
_SAID = {
    "integer": "a whole number of at most 64 bits",
    "year": "a year, as a whole number of at most 32 bits",
    "number": "a finite number",
    "text": f"a text of at most {MOST_CHARACTERS:,} characters",
    "date": "a date as `2031-06-30`",
    "boolean": "true or false",
    "texts": f"a list of at most {_MOST_TEXTS} texts",
}


def read_cell(column: CatalogColumn, value: Any, error: str = "bad_value") -> Any:
    """Read a JSON value as what the column holds; null is None. Raises RefusedError, as `error`, where it is none."""
    if value is None:
        return None
    read = _READERS[column.kind](value)
    if read is None:
        raise RefusedError(error, f"`{column.name}` takes {_SAID[column.kind]}, not {echo(_shown(value))}.")
    return read


def write_cell(value: Any) -> Any:
    """Write what a column holds as a JSON value."""
    return value.isoformat() if isinstance(value, datetime.date) else value


def _shown(value: Any) -> str:
    """Write a value for a message, however large or deep it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return str(value) if not isinstance(value, int) or value.bit_length() < 1000 else "a very large number"


def _integer(value: Any, n_bits: int = 64) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and -(2 ** (n_bits - 1)) <= value < 2 ** (n_bits - 1) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _text(value: Any) -> str | None:
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return None
    return value


def _date(value: Any) -> datetime.date | None:
    try:
        read = datetime.date.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return read if read.isoformat() == value else None


def _boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _texts(value: Any) -> list[str] | None:
    if not isinstance(value, list) or len(value) > _MOST_TEXTS or any(_text(one) is None for one in value):
        return None
    return value


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "integer": _integer,
    "year": lambda value: _integer(value, 32),
    "number": _number,
    "text": _text,
    "date": _date,
    "boolean": _boolean,
    "texts": _texts,
}
