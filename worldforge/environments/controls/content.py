"""What content controls do to the requests and views of an environment.

By default they do what any view allows: facts in its excerpts are withheld or shown wrongly, an old copy stands in its
place. An environment adds to this what only its own views know: pages of results, names of fields.
"""

from __future__ import annotations

from dataclasses import dataclass

from worldforge.environments.backend import SessionBackend
from worldforge.environments.control import Shaped
from worldforge.environments.controls.excerpt_controls import shape_excerpts
from worldforge.environments.controls.plan import ControlPlan
from worldforge.environments.controls.substitutions import Substitutions
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ToolView


@dataclass(frozen=True, slots=True)
class ControlledCall:
    """What content controls know of one call.

    `request` is the call's before it was resized, `stale_days` the age of the copy that is shown, None for none.
    """

    plan: ControlPlan
    substitutions: Substitutions
    request: ToolRequest
    backend: SessionBackend
    stale_days: int | None = None


class ContentControls:
    """What is done to any environment's calls."""

    def translate(self, request: ToolRequest, plan: ControlPlan, substitutions: Substitutions) -> ToolRequest:
        """Turn names that controls show back into those that the environment knows."""
        return request

    def resize(self, request: ToolRequest, plan: ControlPlan) -> tuple[ToolRequest, tuple[str, ...]]:
        """Ask for less, as the plan says; also return the names of the controls that did."""
        return request, ()

    def shape(self, view: ToolView, call: ControlledCall) -> tuple[Shaped, tuple[str, ...]]:
        """Change what the call brought; also return the names of the controls that did."""
        return shape_excerpts(view, call.plan, call.substitutions, call.stale_days)

    def relabel(self, text: str, request: ToolRequest, plan: ControlPlan) -> str:
        """Change the names of fields in the text that the agent is to read."""
        return text
