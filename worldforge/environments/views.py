"""What a call brings, before it is put into words: decided by code from the world, changed by controls, then rendered.

A view holds all that an observation may disclose, and nothing more.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Result(NamedTuple):
    """One search result as it is shown. `rank` counts from 1; the texts are one line each.

    `row` is the page's row number in the world, for the record: it is not shown.
    """

    rank: int
    url: str
    title: str
    snippet: str
    date: datetime.date | None
    row: int = -1


class SearchBlock(NamedTuple):
    """The results of one query. `more` says that the next page of results is not empty.

    `error` names why this query of a batch failed, `message` says it to the agent; both are empty where it did not.
    """

    query: str
    results: tuple[Result, ...]
    page: int = 1
    more: bool = False
    error: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class SearchView:
    """What a search brings, a block a query."""

    blocks: tuple[SearchBlock, ...]


@dataclass(frozen=True, slots=True)
class PageView:
    """One part of a page as it is shown. `part` counts from 1; `body` is a stretch of the page's text, verbatim.

    `notice` is a line above the page (`Cached copy of …`, `This page has moved …`). `row` and `start` say which stretch
    of which page `body` is: they are for the record, and not shown.
    """

    url: str
    title: str
    date: datetime.date | None
    part: int
    n_parts: int
    body: str
    notice: str = ""
    row: int = field(default=-1, compare=False)
    start: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class NoteView:
    """What the session's notes answer. `error` names what went wrong, or is empty."""

    text: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """An item of a batch that could not be done: which, the error's name, and what is said."""

    item: str
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class RecordsView:
    """Records of a database: columns and JSON values, references as ids.

    `verb` is what was done (`tables`, `list`, `get`, `create`, `update`, `delete`); `next_cursor` is empty at the end.
    `renamed` tells, of fields that are shown under other names than their columns have, whose they are: shown name to
    column.
    """

    verb: str
    table: str
    records: tuple[Mapping[str, Any], ...]
    failures: tuple[Failure, ...] = ()
    next_cursor: str = ""
    n_total: int | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ErrorView:
    """A call that failed as a whole. `error` names why (`page_not_found`, `rate_limited`), `message` says it."""

    error: str
    message: str


View = SearchView | PageView | NoteView | RecordsView | ErrorView
