"""What a tool call asks for, whichever words a dialect has for it. Every environment has requests of its own.

@dataclass(frozen=True, slots=True)
class TakeRequest(ToolRequest):
    kind = "take"
    item: str
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from worldforge.environments.backend import SessionBackend
    from worldforge.environments.views import ToolView

_TYPES: dict[str, type[ToolRequest]] = {}


class ToolRequest:
    """The base of all requests, which are frozen dataclasses.

    `kind` is what a control plan calls it. `controls` names the controls that may touch it, beside errors and latency,
    which may touch every request.
    """

    __slots__ = ()
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


class ExtraToolRequest(ToolRequest):
    """A request of a tool that is added to a dialect: it answers itself, and has a text form of its own."""

    __slots__ = ()

    @abstractmethod
    def call(self) -> tuple[str, dict[str, Any]]:
        """Return the tool's name and the arguments with which it is asked for."""

    @abstractmethod
    def answer(self, backend: SessionBackend) -> ToolView:
        """Decide what the call brings. Never raises for what an agent sends."""

    @abstractmethod
    def write(self, view: ToolView) -> str:
        """Write the view that `answer` gave, as controls left it."""

    @abstractmethod
    def parse(self, text: str) -> ToolView | None:
        """Read back what `write` wrote; None for a text in another form."""


def request_types() -> dict[str, type[ToolRequest]]:
    """Return the types of requests that are known in this process, by kind."""
    return dict(_TYPES)
