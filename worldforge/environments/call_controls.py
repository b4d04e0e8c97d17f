"""The interface of controls to one tool call, and the records of what they changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from worldforge.environments.backend import SessionBackend
from worldforge.environments.requests import ToolRequest
from worldforge.environments.session import Alteration
from worldforge.environments.views import ErrorView, ToolView


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement in a page's text: characters [start, end) of the page, and the text shown instead."""

    start: int
    end: int
    shown: str


class Shaped(NamedTuple):
    """A view after controls.

    `altered` are the facts made wrong. `edits` has, for each of the view's excerpts, its replacements in order, without
    overlaps; it is empty where the view was not changed.
    """

    view: ToolView
    altered: tuple[Alteration, ...] = ()
    edits: tuple[tuple[Edit, ...], ...] = ()


class Finished(NamedTuple):
    """A text after controls: cut, garbled or unchanged. Its first `n_kept` characters are intact."""

    text: str
    n_kept: int
    error: str = ""


class CallControls:
    """The controls of one call, applied as `admit`, `shape`, `finish`. This base class changes nothing.

    `key` identifies how the call was treated so far: equal calls under equal keys give equal views. `names` are the
    controls that changed it so far, `latency_s` is its simulated latency, `pause_s` what the session really waits.
    """

    key: str = ""
    names: tuple[str, ...] = ()
    latency_s: float = 0.0
    pause_s: float = 0.0

    def admit(self, request: ToolRequest) -> ToolRequest | ErrorView:
        """Return the request, possibly changed (a smaller page of results), or an error."""
        return request

    def shape(self, view: ToolView, backend: SessionBackend) -> Shaped:
        """Change the world's answer to the admitted request."""
        return Shaped(view)

    def finish(self, text: str) -> Finished:
        """Change the text that the agent reads."""
        return Finished(text, len(text))
