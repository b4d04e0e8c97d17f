"""Change a call between an agent and the world: the seam at which controls come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from worldforge.environments.backend import SessionBackend
from worldforge.environments.requests import ToolRequest
from worldforge.environments.session import Alteration
from worldforge.environments.views import ErrorView, ToolView


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of a page's text that is shown otherwise: characters [start, end) of the page, and what is shown."""

    start: int
    end: int
    shown: str


class Shaped(NamedTuple):
    """A view as controls left it.

    `altered` are the facts they made wrong. `edits` are, for each of the view's excerpts, what differs in it from the
    page's text: in order, none overlapping another. None at all, and the view is as it was.
    """

    view: ToolView
    altered: tuple[Alteration, ...] = ()
    edits: tuple[tuple[Edit, ...], ...] = ()


class Finished(NamedTuple):
    """A text as controls left it: cut, garbled, or as it was. Its first `n_kept` characters still say what they did."""

    text: str
    n_kept: int
    error: str = ""


class CallControls:
    """The controls of one call: asked to admit, to shape and to finish it, in this order. These let everything pass."""

    @property
    def key(self) -> str:
        """What identifies how controls treated the call until now: one call under one key is treated alike."""
        return ""

    @property
    def names(self) -> tuple[str, ...]:
        """The controls that have touched the call until now."""
        return ()

    @property
    def latency_s(self) -> float:
        """The seconds that a real tool would have taken."""
        return 0.0

    @property
    def pause_s(self) -> float:
        """The seconds that the session is to wait: `latency_s`, or none."""
        return 0.0

    def admit(self, request: ToolRequest) -> ToolRequest | ErrorView:
        """Let the request through, changed (a smaller page of results) or not; or fail the call."""
        return request

    def shape(self, view: ToolView, backend: SessionBackend) -> Shaped:
        """Change what the world answered to the admitted request."""
        return Shaped(view)

    def finish(self, text: str) -> Finished:
        """Change the text that the agent is to read."""
        return Finished(text, len(text))
