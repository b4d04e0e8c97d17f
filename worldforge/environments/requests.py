"""Requests: the meaning of a tool call, independent of the dialect; and the backends that answer them.

@dataclass(frozen=True, slots=True)
class TakeRequest(ToolRequest):
    '''Take an item.'''                           what agents read

    kind: ClassVar[str] = "take"
    item: Annotated[str, Field(description="Its name.")]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from pydantic import ConfigDict

from worldforge.environments.shipped import SHIPPED, shipped_class
from worldforge.environments.views import ToolView

_TYPES: dict[str, type[ToolRequest]] = {}


class ToolRequest:
    """The base of all requests, which are frozen dataclasses.

    `kind` is what a control plan calls it. `controls` names the controls that may touch it, beside errors and latency,
    which may touch every request.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)
    kind: ClassVar[str] = ""
    controls: ClassVar[frozenset[str]] = frozenset({"truncation", "malformed", "wrong_facts"})

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.kind:
            _TYPES[cls.kind] = cls

    @property
    def items(self) -> tuple[str, ...]:
        """The names of the items that it is a batch of; empty where it is no batch."""
        return ()

    def without(self, failing: tuple[int, ...]) -> Self:
        """Take the failing items out of a batch before anything is done; a request that reads may keep them."""
        return self


def request_types() -> dict[str, type[ToolRequest]]:
    """Return the types of requests by kind: of the shipped environments, and of those known in this process."""
    for name in SHIPPED:
        shipped_class(name)
    return dict(_TYPES)


class SessionBackend(ABC):
    """One session's view of the world, with the session's own changes. It decides content, not wording."""

    async def ready(self, request: ToolRequest) -> None:
        """Fetch what `answer` will need, such as embeddings; nothing by default."""
        return

    @abstractmethod
    def answer(self, request: ToolRequest) -> ToolView:
        """Answer a request. Never raises for an agent's input."""

    @property
    def state(self) -> Any:
        """The session's changes as a JSON value, a copy; equal changes give equal values."""
        return {}
