"""The catalog: tables, columns and references of a world, from its spec and Arrow tables."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

import pyarrow as pa
from pydantic import BeforeValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr, TypeAdapter, ValidationError

from worldforge.core.columns import ValueKind
from worldforge.environments.arguments import echo
from worldforge.environments.views import ErrorView, Failure
from worldforge.schema.column_paths import derived_columns, drawn_columns, references_of
from worldforge.schema.spec import Phrasing, WorldSpec
from worldforge.world.database import quote
from worldforge.world.stable_ids import entity_id
from worldforge.world.value_text import kind_of

_MOST_DIGITS = 15  # of a row number in an id


class RefusedError(Exception):
    """A request, or one item of it, is refused: the error's name and a message. Caught by the backend."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(error, message)
        self.error = error
        self.message = message

    @property
    def view(self) -> ErrorView:
        """The refusal of a whole call."""
        return ErrorView(self.error, self.message)

    def of(self, item: str) -> Failure:
        """Return the refusal of one item of a batch."""
        return Failure(item, self.error, self.message)


@dataclass(frozen=True, slots=True)
class CatalogColumn:
    """One column. `references` names the table whose ids it holds; a `computed` one follows other columns."""

    name: str
    kind: ValueKind | Literal["texts"]
    references: str | None = None
    label: str = ""
    unit: str = ""
    computed: bool = False
    required: bool = False

    @property
    def read_only(self) -> bool:
        """Whether calls may not set it: ids are assigned, computed columns follow others."""
        return self.computed or self.name == "id"

    def description(self) -> dict[str, Any]:
        """Describe the column as JSON values; empty ones are left out."""
        parts = {
            "name": self.name,
            "type": self.kind,
            "label": self.label,
            "unit": self.unit,
            "references": self.references,
            "required": self.required,
            "read_only": self.read_only,
        }
        return {key: value for key, value in parts.items() if value}


@dataclass(frozen=True)
class Table:
    """One table: `cells` are the world's; no two records agree in all columns of `unique`."""

    name: str
    columns: Mapping[str, CatalogColumn]
    cells: pa.Table
    unique: tuple[str, ...]

    @cached_property
    def selected(self) -> str:
        """Its columns as SQL lists them."""
        return ", ".join(quote(name) for name in self.columns)

    def column(self, name: str) -> CatalogColumn:
        """Return a column. Raises RefusedError where there is none of that name."""
        if name not in self.columns:
            known = ", ".join(self.columns)
            raise RefusedError("unknown_column", f"{self.name} has no column {echo(name)}. Its columns are {known}.")
        return self.columns[name]

    def row(self, id_: str) -> int | None:
        """Return the row number in an id of this table, whether the row exists or not; None for other texts."""
        digits = id_.removeprefix(f"{self.name}/")
        if not (digits.isascii() and digits.isdigit()) or len(digits) > _MOST_DIGITS:
            return None
        return int(digits) if entity_id(self.name, int(digits)) == id_ else None


@dataclass(frozen=True)
class Catalog:
    """Every table of a world, types before relations."""

    tables: Mapping[str, Table]

    def table(self, name: str) -> Table:
        """Return a table. Raises RefusedError where there is none of that name."""
        if name not in self.tables:
            known = ", ".join(self.tables)
            raise RefusedError("unknown_table", f"There is no table {echo(name)}. The tables are {known}.")
        return self.tables[name]

    @cached_property
    def referrers(self) -> Mapping[str, list[tuple[str, str]]]:
        """The columns (table, column) that refer to each table."""
        found: dict[str, list[tuple[str, str]]] = {name: [] for name in self.tables}
        for table in self.tables.values():
            for column in table.columns.values():
                if column.references is not None:
                    found[column.references].append((table.name, column.name))
        return found


def read_catalog(spec: WorldSpec, tables: Mapping[str, pa.Table]) -> Catalog:
    """Describe a world's tables."""
    return Catalog({name: _table(spec, name, table) for name, table in tables.items()})


def _table(spec: WorldSpec, name: str, table: pa.Table) -> Table:
    columns = {field.name: _column(spec, name, field) for field in table.schema}
    if name in spec.types:
        unique: tuple[str, ...] = ("name",)
    else:
        relation = spec.relations[name]
        again = relation.pairs is not None and relation.pairs.legs > 2  # from the third leg on, sides come again
        unique = ("source", "target") if relation.distinct and not again else ()
    return Table(name, columns, table, unique)


def _column(spec: WorldSpec, table: str, field: pa.Field) -> CatalogColumn:
    computed = derived_columns(spec, table)
    phrasings: Mapping[str, Phrasing] = {**drawn_columns(spec, table), **computed}
    phrasing = phrasings.get(field.name, Phrasing())
    return CatalogColumn(
        name=field.name,
        kind="texts" if pa.types.is_list(field.type) else kind_of(field.type),
        references=references_of(spec, table).get(field.name),
        label=phrasing.label,
        unit=phrasing.unit,
        computed=field.name in computed,
        required=field.name in (("name",) if table in spec.types else ("source", "target")),
    )


MOST_CHARACTERS = 10_000  # of one text
_MOST_TEXTS = 100  # of one cell
_EXPECTED = {
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
        message = f"`{column.name}` takes {_EXPECTED[column.kind]}, not {echo(_shown(value))}."
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
