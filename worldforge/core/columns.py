"""What a generator's return annotation says its column holds: `def year(...) -> Years`."""

from __future__ import annotations

from typing import Annotated, Literal

import pyarrow as pa

ValueKind = Literal["integer", "year", "number", "text", "date", "boolean"]
"""What a column holds. A year is written without separators."""
ARROW_TYPES: dict[ValueKind, pa.DataType] = {
    "integer": pa.int64(),
    "year": pa.int32(),
    "number": pa.float64(),
    "text": pa.string(),
    "date": pa.date32(),
    "boolean": pa.bool_(),
}
"""How Arrow holds each kind of column."""

Integers = Annotated[pa.Array, "integer"]
Years = Annotated[pa.Array, "year"]
Numbers = Annotated[pa.Array, "number"]
Texts = Annotated[pa.Array, "text"]
Dates = Annotated[pa.Array, "date"]
Booleans = Annotated[pa.Array, "boolean"]
ADDRESS = "address"
Addresses = Annotated[pa.Array, "text", ADDRESS]
"""Texts that are addresses of web pages, `https://…`: they are cells of answers, and no conditions are on them."""

StatedColumn = Annotated[str, "a column that its pages state"]
"""A parameter of a page generator: the key of a column, which `states` of its kind of pages does not leave out."""
