"""Convert cells between JSON values and table values."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr, TypeAdapter, ValidationError

from worldforge.environments.arguments import echo
from worldforge.environments.database.catalog import CatalogColumn, RefusedError

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
    """Convert a JSON value to the column's type; null is None. Raises RefusedError with the name `error`."""
    if value is None:
        return None
    try:
        return _READERS[column.kind].validate_python(value)
    except ValidationError:
        message = f"`{column.name}` takes {_SAID[column.kind]}, not {echo(_shown(value))}."
        raise RefusedError(error, message) from None


def write_cell(value: Any) -> Any:
    """Convert a table value to a JSON value."""
    return value.isoformat() if isinstance(value, datetime.date) else value


def write_record(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a row to a record: JSON values by column."""
    return {name: write_cell(cell) for name, cell in cells.items()}


def _shown(value: Any) -> str:
    """Write a value for a message, however large or deep it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return str(value) if not isinstance(value, int) or value.bit_length() < 1000 else "a very large number"


def _day(value: Any) -> datetime.date:
    if not isinstance(value, str) or (day := datetime.date.fromisoformat(value)).isoformat() != value:
        raise ValueError("it is no date")
    return day


_Text = Annotated[StrictStr, Field(max_length=MOST_CHARACTERS)]
_READERS: Mapping[str, TypeAdapter[Any]] = {
    "integer": TypeAdapter(Annotated[StrictInt, Field(ge=-(2**63), lt=2**63)]),
    "year": TypeAdapter(Annotated[StrictInt, Field(ge=-(2**31), lt=2**31)]),
    "number": TypeAdapter(Annotated[StrictFloat, Field(allow_inf_nan=False)]),
    "text": TypeAdapter(_Text),
    "date": TypeAdapter(Annotated[datetime.date, BeforeValidator(_day)]),
    "boolean": TypeAdapter(StrictBool),
    "texts": TypeAdapter(Annotated[list[_Text], Field(max_length=_MOST_TEXTS, strict=True)]),
}
