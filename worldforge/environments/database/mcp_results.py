"""Write records views as the structured content of MCP tool results, and parse them.

JSON is written without blanks, keys in a fixed order. What is read back may be a model's draft: it must have exactly
this form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from worldforge.environments.database.views import RecordsView
from worldforge.environments.views import ErrorView, Failure


class _Content(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Tables(_Content):
    tables: list[dict[str, Any]]


class _Failure(_Content):
    item: str
    code: str
    message: str


class _Records(_Content):
    is_error: Annotated[Literal[True] | None, Field(alias="isError")] = None
    table: str
    records: list[dict[str, Any]]
    renamed: dict[str, str] = Field(default_factory=dict)
    failures: list[_Failure] = Field(default_factory=list)
    n_total: int | None = None
    next_cursor: str | None = None


class _Error(_Content):
    is_error: Annotated[Literal[True], Field(alias="isError")]
    code: str
    message: str


_CONTENT: TypeAdapter[_Tables | _Records | _Error] = TypeAdapter(_Tables | _Records | _Error)


def write_records(view: RecordsView) -> str:
    """Write a records view; a batch in which every item failed is an error."""
    if view.verb == "tables":
        return _json({"tables": [dict(record) for record in view.records]})
    content: dict[str, Any] = {"isError": True} if view.failures and not view.records else {}
    content |= {"table": view.table, "records": [dict(record) for record in view.records]}
    if view.renamed:
        content["renamed"] = dict(view.renamed)
    if view.failures:
        content["failures"] = [{"item": one.item, "code": one.error, "message": one.message} for one in view.failures]
    if view.n_total is not None:
        content["n_total"] = view.n_total
    if view.verb == "list":
        content["next_cursor"] = view.next_cursor or None
    return _json(content)


def write_error(error: str, message: str) -> str:
    """Write a call that failed as a whole."""
    return _json({"isError": True, "code": error, "message": message})


def parse_result(verb: str, text: str) -> RecordsView | ErrorView | None:
    """Parse the result of a call that does `verb`; None for a text in another form."""
    try:
        content = _CONTENT.validate_json(text.encode("utf-8", "replace"))
    except ValidationError:
        return None
    match content:
        case _Error():
            return ErrorView(content.code, content.message)
        case _Tables() if verb == "tables":
            return RecordsView(verb, "", tuple(content.tables))
        case _Records() if verb in ("list", "get", "create", "update", "delete"):
            return _records(verb, content)
    return None


def _records(verb: str, content: _Records) -> RecordsView:
    return RecordsView(
        verb=verb,
        table=content.table,
        records=tuple(content.records),
        failures=tuple(Failure(one.item, one.code, one.message) for one in content.failures),
        next_cursor=content.next_cursor or "",
        n_total=content.n_total,
        renamed=content.renamed,
    )


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
