"""Requests of the database environment, which are the tools of its dialect: lists, records by id, changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import ConfigDict, Field, WithJsonSchema

from worldforge.environments.requests import ToolRequest

MOST_RECORDS = 100  # that one call to a table lists, or changes
Comparison = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition on the records of a table: a column, a comparison, a JSON value."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    column: str
    comparison: Comparison
    value: str | bool | int | float | None


_FILTERS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "column": {"type": "string"},
            "comparison": {"type": "string", "enum": list(get_args(Comparison))},
            "value": {"type": ["string", "number", "boolean", "null"]},
        },
        "required": ["column", "comparison", "value"],
        "additionalProperties": False,
    },
}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": MOST_RECORDS}  # the backend's own error is for other numbers


def _array(of: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "array", "items": {"type": of}, "minItems": 1, "maxItems": MOST_RECORDS})


_Table = Annotated[str, Field(description="The table's name, as `list_tables` gives it.")]
_Ids = Annotated[tuple[str, ...], Field(min_length=1, description="The records' ids."), _array("string")]


class BatchRequest(ToolRequest):
    """A request of several items, which are the values of its field `batch`: by default ids."""

    __slots__ = ()
    batch: ClassVar[str] = "ids"
    table: str

    @property
    def items(self) -> tuple[str, ...]:
        """The items; records by number, as they have no ids yet."""
        items = getattr(self, self.batch)
        return items if self.batch == "ids" else tuple(f"{self.batch}[{number}]" for number in range(len(items)))

    def without(self, failing: tuple[int, ...]) -> Self:
        """Take items out."""
        kept = tuple(item for number, item in enumerate(getattr(self, self.batch)) if number not in failing)
        return replace(self, **{self.batch: kept})  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class TablesRequest(ToolRequest):
    """List the tables: how many records each has, its columns, what they hold and which table they refer to."""

    kind: ClassVar[str] = "tables"
    controls: ClassVar[frozenset[str]] = frozenset({"truncation", "malformed"})


@dataclass(frozen=True, slots=True)
class ListRequest(ToolRequest):
    """List records of a table that meet all filters, in a fixed order, some at a time."""

    kind: ClassVar[str] = "list"
    controls: ClassVar[frozenset[str]] = frozenset(
        {"truncation", "malformed", "partial", "pagination", "withheld", "fields", "wrong_facts"}
    )

    table: _Table
    filters: Annotated[
        tuple[Filter, ...],
        Field(
            description="Conditions that all hold. `contains` looks for a text, whatever its case; "
            "`= null` finds records that lack a value. Dates are written as 2031-06-30, references as ids."
        ),
        WithJsonSchema(_FILTERS),
    ] = ()
    order_by: Annotated[
        str, Field(description="The column to order by; else records come in the order of their ids.")
    ] = ""
    descending: Annotated[bool, Field(description="Whether the order is from high to low.")] = False
    limit: Annotated[int, Field(description="How many records to show, 20 unless given."), WithJsonSchema(_LIMIT)] = 20
    cursor: Annotated[
        str, Field(description="`next_cursor` of the list before, to go on from there; all else unchanged.")
    ] = ""


@dataclass(frozen=True, slots=True)
class GetRequest(BatchRequest):
    """Get records by id."""

    kind: ClassVar[str] = "get"
    controls: ClassVar[frozenset[str]] = frozenset({"truncation", "malformed", "batch", "fields", "wrong_facts"})

    table: _Table
    ids: _Ids


@dataclass(frozen=True, slots=True)
class CreateRequest(BatchRequest):
    """Create records. Ids are given; columns that are not named stay empty."""

    kind: ClassVar[str] = "create"
    batch: ClassVar[str] = "records"
    controls: ClassVar[frozenset[str]] = frozenset({"batch", "fields", "wrong_facts"})

    table: _Table
    records: Annotated[
        tuple[Mapping[str, Any], ...],
        Field(min_length=1, description="One object a record: columns and their values."),
        _array("object"),
    ]


@dataclass(frozen=True, slots=True)
class UpdateRequest(BatchRequest):
    """Change columns of records."""

    kind: ClassVar[str] = "update"
    controls: ClassVar[frozenset[str]] = frozenset({"batch", "fields", "wrong_facts"})

    table: _Table
    ids: _Ids
    changes: Annotated[
        Mapping[str, Any],
        Field(description="Columns and their new values, the same for all these records."),
        WithJsonSchema({"type": "object"}),
    ]


@dataclass(frozen=True, slots=True)
class DeleteRequest(BatchRequest):
    """Delete records by id. A record that others refer to is kept."""

    kind: ClassVar[str] = "delete"
    controls: ClassVar[frozenset[str]] = frozenset({"batch", "fields"})

    table: _Table
    ids: _Ids
