"""A session: one agent in one environment. A tool call goes in, an observation comes out; errors are observations too.

session.tools                                     what may be called, as OpenAI function schemas
await session.call(ToolCall("1", "web_search", '{"query": "…"}'))   ->  Observation("[1] https://…")
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What an agent asks for. `arguments` is the JSON text as the agent wrote it: it need not parse."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A stretch of a page's text that an observation showed: page row number, characters [start, end)."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Observation:
    """What comes back. The agent sees `text` alone; the rest is for the record.

    `error` names what went wrong (`malformed_request`, `page_not_found`, …), or is empty. `source` says who wrote the
    text: `engine`.
    """

    text: str
    error: str = ""
    source: str = "engine"
    disclosed: tuple[Disclosure, ...] = ()


class Session(Protocol):
    """One agent's stay in an environment. State it keeps (a memory) is its own and ends with it."""

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools that may be called, as OpenAI function schemas."""

    async def call(self, call: ToolCall) -> Observation:
        """Answer one tool call. Never raises for what an agent sends."""
