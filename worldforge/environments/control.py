"""What may happen to a call between an agent and the world: the seam at which controls come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from worldforge.environments.requests import Request
from worldforge.environments.session import Alteration
from worldforge.environments.views import ErrorView, View
from worldforge.models.chat import ToolCall


@dataclass(frozen=True, slots=True)
class Shaped:
    """A view as controls left it.

    `controls` names those that touched it, `altered` the facts they made wrong; `hidden` are the stretches [start, end)
    of a page's text, counted within the whole page, that are shown no more.
    """

    view: View
    controls: tuple[str, ...] = ()
    altered: tuple[Alteration, ...] = ()
    hidden: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Finished:
    """A text as controls left it: cut, garbled, or as it was. `n_kept` are the characters that are still the text's."""

    text: str
    n_kept: int
    error: str = ""
    controls: tuple[str, ...] = ()


class CallControls(Protocol):
    """The controls of one call, asked in this order."""

    latency_s: float

    def admit(self, request: Request) -> Request | ErrorView:
        """Let the request through, changed (a smaller page of results) or not; or fail the call."""

    def shape(self, request: Request, view: View) -> Shaped:
        """Change what the world answered."""

    def finish(self, text: str) -> Finished:
        """Change the text that the agent is to read."""


class SessionControls(Protocol):
    """The controls of one session."""

    @property
    def instruction(self) -> str:
        """What a model that renders is told of the controls."""

    @property
    def key(self) -> str:
        """What identifies the controls and their seed; two sessions with one key treat one call alike."""

    def on(self, call: ToolCall, turn: int) -> CallControls:
        """Return the controls of the session's `turn`-th call, from 0."""


class NoControls:
    """Lets everything pass: controls of a session, and of each call in it."""

    instruction = ""
    key = ""
    latency_s = 0.0

    def on(self, call: ToolCall, turn: int) -> NoControls:
        """Return itself."""
        return self

    def admit(self, request: Request) -> Request | ErrorView:
        """Let the request through."""
        return request

    def shape(self, request: Request, view: View) -> Shaped:
        """Leave the view as it is."""
        return Shaped(view)

    def finish(self, text: str) -> Finished:
        """Leave the text as it is."""
        return Finished(text, len(text))
