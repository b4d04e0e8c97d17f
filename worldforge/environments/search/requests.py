"""Requests of the search environment: searches, pages, notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from worldforge.environments.requests import ToolRequest

RESULTS_PER_QUERY = 10
NoteAction = Literal["add", "update", "retrieve", "retrieve_all", "remove", "remove_all"]


@dataclass(frozen=True, slots=True)
class SearchRequest(ToolRequest):
    """Search for each of `queries`; show the `page`-th (from 1) `size` results of each."""

    kind: ClassVar[str] = "search"
    controls: ClassVar[frozenset[str]] = frozenset({
        "truncation", "malformed", "partial", "batch", "pagination", "withheld", "snippets", "distractors",
        "fields", "wrong_facts",
    })  # fmt: skip

    queries: tuple[str, ...]
    page: int = 1
    size: int = RESULTS_PER_QUERY

    @property
    def items(self) -> tuple[str, ...]:
        """The queries."""
        return self.queries


@dataclass(frozen=True, slots=True)
class OpenRequest(ToolRequest):
    """Open the page at `url`, at its `part` (from 1)."""

    kind: ClassVar[str] = "open"
    controls: ClassVar[frozenset[str]] = frozenset({"truncation", "malformed", "stale", "withheld", "wrong_facts"})

    url: str
    part: int = 1


@dataclass(frozen=True, slots=True)
class NoteRequest(ToolRequest):
    """Read or change the session's notes."""

    kind: ClassVar[str] = "note"
    controls: ClassVar[frozenset[str]] = frozenset()

    action: NoteAction
    key: str = ""
    value: str = ""
