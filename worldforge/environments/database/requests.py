"""Requests of the database environment: tables, lists of records, records by id, changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

from pydantic import ConfigDict

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


class BatchRequest(ToolRequest):
    """A request of several items, which are the values of its field `batch`: by default ids."""

    __slots__ = ()
    batch: ClassVar[str] = "ids"

    @property
    def items(self) -> tuple[str, ...]:
        """The items; records by number, as they have no ids yet."""
        items = getattr(self, self.batch)
        return items if self.batch == "ids" else tuple(f"{self.batch}.{number}" for number in range(len(items)))

    def without(self, failing: tuple[int, ...]) -> Self:
        """Take items out."""
        kept = tuple(item for number, item in enumerate(getattr(self, self.batch)) if number not in failing)
        return replace(self, **{self.batch: kept})  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class TablesRequest(ToolRequest):
    """Say which tables there are and what columns they have."""

    kind: ClassVar[str] = "tables"
    controls: ClassVar[frozenset[str]] = frozenset({"truncation", "malformed"})


@dataclass(frozen=True, slots=True)
class ListRequest(ToolRequest):
    """List the records of a table that meet all `filters`, from where `cursor` (of the list before) points."""

    kind: ClassVar[str] = "list"
    controls: ClassVar[frozenset[str]] = frozenset(
        {"truncation", "malformed", "partial", "pagination", "withheld", "fields", "wrong_facts"}
    )

    table: str
    filters: tuple[Filter, ...] = ()
    order_by: str = ""
    descending: bool = False
    limit: int = 20
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class GetRequest(BatchRequest):
    """Get records by id."""

    kind: ClassVar[str] = "get"
    controls: ClassVar[frozenset[str]] = frozenset({"truncation", "malformed", "batch", "fields", "wrong_facts"})

    table: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CreateRequest(BatchRequest):
    """Create records; each is columns and their JSON values."""

    kind: ClassVar[str] = "create"
    batch: ClassVar[str] = "records"
    controls: ClassVar[frozenset[str]] = frozenset({"batch", "fields", "wrong_facts"})

    table: str
    records: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class UpdateRequest(BatchRequest):
    """Change columns of the records with these ids."""

    kind: ClassVar[str] = "update"
    controls: ClassVar[frozenset[str]] = frozenset({"batch", "fields", "wrong_facts"})

    table: str
    ids: tuple[str, ...]
    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DeleteRequest(BatchRequest):
    """Delete records by id."""

    kind: ClassVar[str] = "delete"
    controls: ClassVar[frozenset[str]] = frozenset({"batch", "fields"})

    table: str
    ids: tuple[str, ...]
