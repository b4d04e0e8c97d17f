"""Values on pages of another language than the tables': dates, yes and no, options; and back to the table's value."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from worldforge.core.columns import ARROW_TYPES
from worldforge.world.value_formats import ValueFormat
from worldforge.world.value_text import as_written, read_value


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
