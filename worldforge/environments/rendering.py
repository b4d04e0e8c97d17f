"""The renderer protocol: write a view as text, as a language model does. Without one the dialect writes views."""

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
    """The input of a renderer for one call.

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
    """The text of a view, its author and its cost; fields as in `Observation`."""

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
    """Writes views as text. One serves all sessions of a process."""

    async def render(self, scene: Scene) -> Rendering:
        """Write one view. Never raises for a model's text; ModelUnavailableError where a model is gone."""
