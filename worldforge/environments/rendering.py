"""Puts a view into words of its own, as a language model does (`worldforge.world_model`). Without a renderer a view is
worded as the dialect writes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from worldforge.environments.dialect import Dialect
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ToolView
from worldforge.models.chat import ToolCall


@dataclass(frozen=True, slots=True)
class Scene:
    """What a renderer is told of one call.

    `view` is all that may be disclosed, `text` the view as the dialect writes it: the truth to be worded anew.
    `instruction` says which controls shaped it, `controls` identifies them with their seed; `history` is the session
    until now, calls and observed texts; `brought` is what the world answered before controls changed it. No renderer is
    told the task, its question or its gold.
    """

    call: ToolCall
    request: ToolRequest
    view: ToolView
    text: str
    dialect: Dialect
    tools: Sequence[Mapping[str, Any]]
    instruction: str = ""
    controls: str = ""
    history: Sequence[tuple[ToolCall, str]] = ()
    brought: ToolView | None = None


class Rendering(NamedTuple):
    """A view in words, who wrote them, and what they cost; fields as in `Observation`."""

    text: str
    source: str = "engine"
    verdict: str = ""
    refused: tuple[str, ...] = ()
    stored: bool = False
    n_drafts: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    failure: str = ""


class Renderer(Protocol):
    """Puts views into words. One serves all sessions of a process."""

    async def render(self, scene: Scene) -> Rendering:
        """Word one view. Never raises for what a model writes; ModelUnavailableError for one that is gone."""
