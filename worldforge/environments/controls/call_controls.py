"""One call under a plan: admitted or failed, shaped, finished."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from worldforge.core.chance import Stream
from worldforge.environments.backend import SessionBackend
from worldforge.environments.control import Finished, Shaped
from worldforge.environments.controls.breakage import broken_json, cut_off, error_view, failures_of
from worldforge.environments.controls.content import ContentControls, ControlledCall
from worldforge.environments.controls.effective_plan import EffectivePlan
from worldforge.environments.controls.faults import Attempts, Faults
from worldforge.environments.controls.substitutions import Substitutions
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, Failure, ToolView


class PlannedCallControls:
    """The controls of one call; a `CallControls`."""

    def __init__(
        self,
        effective: Callable[[type[ToolRequest]], EffectivePlan],
        content: ContentControls,
        substitutions: Substitutions,
        attempts: Attempts,
        stream: Stream,
    ) -> None:
        self._effective_for, self._content, self._substitutions = effective, content, substitutions
        self._attempts, self._stream = attempts, stream
        self._faults = Faults()
        self._failures: tuple[Failure, ...] = ()
        self._names: dict[str, None] = {}
        self._effective: EffectivePlan | None = None
        self._request: ToolRequest | None = None  # before it was resized
        self._done_to_view = ""
        self._is_whole = True  # what was brought is nothing to cut or garble

    @property
    def key(self) -> str:
        """What identifies how the call was treated: its controls of content, and the faults in its view."""
        return (self._effective.key if self._effective is not None else "") + self._done_to_view

    @property
    def names(self) -> tuple[str, ...]:
        """The controls that have touched the call."""
        return tuple(self._names)

    @property
    def latency_s(self) -> float:
        """The seconds that a real tool would have taken."""
        return self._faults.latency_s or 0.0

    @property
    def pause_s(self) -> float:
        """The seconds to wait, where latency is to be real."""
        return self.latency_s if self._effective is not None and self._effective.plan.latency.real else 0.0

    def admit(self, request: ToolRequest) -> ToolRequest | ErrorView:
        """Fail the call, or let it through: smaller, without the items of a batch that fail."""
        self._effective = self._effective_for(type(request))
        plan = self._effective.plan
        if self._effective.fails:
            self._faults = self._attempts.draw(plan, self._stream, repr(request), max(1, len(request.items)))
            self._touch(["latency"] if self._faults.latency_s is not None and self._faults.error != "timeout" else [])
        if self._faults.error is not None:
            self._touch(["errors"])
            return error_view(self._faults.error)
        request = self._content.translate(request, plan, self._substitutions)
        self._failures = failures_of(request, self._faults.failing)
        self._request = request = request.without(self._faults.failing)
        if not self._effective.shapes:
            return request
        resized, names = self._content.resize(request, plan)
        self._touch(names)
        return resized

    def shape(self, view: ToolView, backend: SessionBackend) -> Shaped:
        """Change what the world answered."""
        shaped = Shaped(view)
        if self._effective is None or self._request is None or not view.is_worded:
            return shaped
        self._is_whole = False
        if self._effective.shapes or self._faults.stale_days is not None:
            call = ControlledCall(
                self._effective.plan, self._substitutions, self._request, backend, self._faults.stale_days
            )
            shaped, names = self._content.shape(view, call)
            self._touch(names)
            self._done_to_view += f"+stale {self._faults.stale_days}" if "stale" in names else ""
        return shaped._replace(view=self._with_faults(shaped.view))

    def finish(self, text: str) -> Finished:
        """Break the text off, garble it, or give its fields other labels."""
        if self._effective is None or self._request is None or self._is_whole:
            return Finished(text, len(text))
        if self._effective.plan.fields.acts:
            other = self._content.relabel(text, self._request, self._effective.plan)
            self._touch(["fields"] if other != text else [])
            text = other
        if self._faults.malformed is not None:
            self._touch(["malformed"])
            return broken_json(text, self._faults.malformed)
        if self._faults.truncated is not None:
            self._touch(["truncation"])
            return cut_off(text, self._faults.truncated)
        error = "partial_results" if "partial" in self._names else ""
        return Finished(text, len(text), error)

    def _with_faults(self, view: ToolView) -> ToolView:
        if self._faults.partial is not None and (fewer := view.first_items(self._faults.partial)) != view:
            view = fewer
            self._touch(["partial"])
            self._done_to_view += f"+first {self._faults.partial:.6f}"
        if not self._faults.failing:
            return view
        self._touch(["batch"])
        self._done_to_view += f"+without {self._faults.failing}"
        return view.with_failures(self._faults.failing, self._failures)

    def _touch(self, names: Iterable[str]) -> None:
        self._names |= dict.fromkeys(names)
