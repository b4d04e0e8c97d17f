"""What a generator's return annotation says its column holds: `def year(...) -> Years`."""

from __future__ import annotations

from typing import Annotated, Literal

import pyarrow as pa

ValueKind = Literal["integer", "year", "number", "text", "date", "boolean"]
"""What a column holds. Arrow: int64, int32, float64, string, date32, bool. A year is written without separators."""

Integers = Annotated[pa.Array, "integer"]
Years = Annotated[pa.Array, "year"]
Numbers = Annotated[pa.Array, "number"]
Texts = Annotated[pa.Array, "text"]
Dates = Annotated[pa.Array, "date"]
Booleans = Annotated[pa.Array, "boolean"]

StatedColumn = Annotated[str, "a column that its pages state"]
"""A parameter of a page generator: the key of a column, which `states` of its kind of pages does not leave out."""
