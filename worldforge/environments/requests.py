"""What a tool call asks for, whichever words a dialect has for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

RESULTS_PER_QUERY = 10
MOST_RECORDS = 100  # that one call to a table lists, or changes
NoteAction = Literal["add", "update", "retrieve", "retrieve_all", "remove", "remove_all"]
Kind = Literal["search", "open", "note", "tables", "list", "get", "create", "update", "delete"]
"""What sort of thing a request asks for, in every dialect."""

Comparison = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Search for each of `queries`; show the `page`-th (from 1) `size` results of each."""

    queries: tuple[str, ...]
    page: int = 1
    size: int = RESULTS_PER_QUERY


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """Open the page at `url`, at its `part` (from 1)."""

    url: str
    part: int = 1


@dataclass(frozen=True, slots=True)
class NoteRequest:
    """Do something with the session's notes."""

    action: NoteAction
    key: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition on the records of a table: a column, a comparison, a JSON value."""

    column: str
    comparison: Comparison
    value: Any


@dataclass(frozen=True, slots=True)
class TablesRequest:
    """Say which tables there are and what columns they have."""


@dataclass(frozen=True, slots=True)
class ListRequest:
    """List the records of a table that meet all `filters`, from where `cursor` (of the list before) points."""

    table: str
    filters: tuple[Filter, ...] = ()
    order_by: str = ""
    descending: bool = False
    limit: int = 20
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class GetRequest:
    """Get records by id."""

    table: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CreateRequest:
    """Create records; each is columns and their JSON values."""

    table: str
    records: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class UpdateRequest:
    """Change columns of the records with these ids."""

    table: str
    ids: tuple[str, ...]
    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DeleteRequest:
    """Delete records by id."""

    table: str
    ids: tuple[str, ...]


Request = (
    SearchRequest
    | OpenRequest
    | NoteRequest
    | TablesRequest
    | ListRequest
    | GetRequest
    | CreateRequest
    | UpdateRequest
    | DeleteRequest
)

_KINDS: dict[type, Kind] = {
    SearchRequest: "search",
    OpenRequest: "open",
    NoteRequest: "note",
    TablesRequest: "tables",
    ListRequest: "list",
    GetRequest: "get",
    CreateRequest: "create",
    UpdateRequest: "update",
    DeleteRequest: "delete",
}


def kind_of(request: Request) -> Kind:
    """Return the kind of a request."""
    return _KINDS[type(request)]
