"""What agents ask of a world's tables: which there are, lists of records, records by id, changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

from worldforge.environments.requests import ToolRequest

MOST_RECORDS = 100  # that one call to a table lists, or changes
Comparison = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition on the records of a table: a column, a comparison, a JSON value."""

    column: str
    comparison: Comparison
    value: Any


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
class GetRequest(ToolRequest):
    """Get records by id."""

    kind: ClassVar[str] = "get"
    controls: ClassVar[frozenset[str]] = frozenset({"truncation", "malformed", "batch", "fields", "wrong_facts"})

    table: str
    ids: tuple[str, ...]

    @property
    def items(self) -> tuple[str, ...]:
        """The ids."""
        return self.ids

    def without(self, failing: tuple[int, ...]) -> Self:
        """Take ids out."""
        return replace(self, ids=_without(self.ids, failing))


@dataclass(frozen=True, slots=True)
class CreateRequest(ToolRequest):
    """Create records; each is columns and their JSON values."""

    kind: ClassVar[str] = "create"
    controls: ClassVar[frozenset[str]] = frozenset({"batch", "fields", "wrong_facts"})

    table: str
    records: tuple[Mapping[str, Any], ...]

    @property
    def items(self) -> tuple[str, ...]:
        """The records by number: they have no ids yet."""
        return tuple(f"records.{number}" for number in range(len(self.records)))

    def without(self, failing: tuple[int, ...]) -> Self:
        """Take records out."""
        return replace(self, records=_without(self.records, failing))


@dataclass(frozen=True, slots=True)
class UpdateRequest(ToolRequest):
    """Change columns of the records with these ids."""

    kind: ClassVar[str] = "update"
    controls: ClassVar[frozenset[str]] = frozenset({"batch", "fields", "wrong_facts"})

    table: str
    ids: tuple[str, ...]
    changes: Mapping[str, Any]

    @property
    def items(self) -> tuple[str, ...]:
        """The ids."""
        return self.ids

    def without(self, failing: tuple[int, ...]) -> Self:
        """Take ids out."""
        return replace(self, ids=_without(self.ids, failing))


@dataclass(frozen=True, slots=True)
class DeleteRequest(ToolRequest):
    """Delete records by id."""

    kind: ClassVar[str] = "delete"
    controls: ClassVar[frozenset[str]] = frozenset({"batch", "fields"})

    table: str
    ids: tuple[str, ...]

    @property
    def items(self) -> tuple[str, ...]:
        """The ids."""
        return self.ids

    def without(self, failing: tuple[int, ...]) -> Self:
        """Take ids out."""
        return replace(self, ids=_without(self.ids, failing))


def _without(items: tuple[Any, ...], failing: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(item for number, item in enumerate(items) if number not in failing)
