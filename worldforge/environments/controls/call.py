"""One call under a plan: admitted or failed, shaped, finished."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from worldforge.core.chance import Stream
from worldforge.environments.backend import Backend
from worldforge.environments.control import Finished, Shaped
from worldforge.environments.controls.breakage import (
    broken_json,
    cut_off,
    error_view,
    first_items,
    n_items,
    without_blocks,
    without_items,
)
from worldforge.environments.controls.faults import Attempts, Faults
from worldforge.environments.controls.labels import relabelled
from worldforge.environments.controls.pages import shape_page
from worldforge.environments.controls.records import named_by_columns, shape_records
from worldforge.environments.controls.results import Mix, mix_of, mix_results, records_a_page
from worldforge.environments.controls.snippets import shape_snippets
from worldforge.environments.controls.stand_ins import StandIns
from worldforge.environments.controls.treatment import Treatment
from worldforge.environments.requests import Kind, ListRequest, Request, SearchRequest, kind_of
from worldforge.environments.views import ErrorView, Failure, NoteView, PageView, RecordsView, SearchView, View


class CallOfPlan:
    """The controls of one call; a `CallControls`."""

    def __init__(
        self, treated: Callable[[Kind], Treatment], stand_ins: StandIns, attempts: Attempts, stream: Stream
    ) -> None:
        self._treated, self._stand_ins, self._attempts, self._stream = treated, stand_ins, attempts, stream
        self._faults = Faults()
        self._failures: tuple[Failure, ...] = ()
        self._mix: Mix | None = None
        self._names: dict[str, None] = {}
        self._treatment: Treatment | None = None
        self._done_to_view = ""
        self._is_whole = True  # what was brought is nothing to cut or garble

    @property
    def key(self) -> str:
        """What identifies how the call was treated: its controls of content, and the faults in its view."""
        return (self._treatment.key if self._treatment is not None else "") + self._done_to_view

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
        return self.latency_s if self._treatment is not None and self._treatment.plan.latency.real else 0.0

    def admit(self, request: Request) -> Request | ErrorView:
        """Fail the call, or let it through: smaller, without the items of a batch that fail."""
        self._treatment = self._treated(kind_of(request))
        plan = self._treatment.plan
        if self._treatment.fails:
            self._faults = self._attempts.draw(plan, self._stream, repr(request), n_items(request))
            self._touch(["latency"] if self._faults.latency_s is not None and self._faults.error != "timeout" else [])
        if self._faults.error is not None:
            self._touch(["errors"])
            return error_view(self._faults.error)
        request = named_by_columns(request, plan, self._stand_ins)
        request, self._failures = without_items(request, self._faults.failing)
        return self._resized(request) if self._treatment.shapes else request

    def shape(self, view: View, backend: Backend) -> Shaped:
        """Change what the world answered."""
        shaped = Shaped(view)
        if self._treatment is None or isinstance(view, ErrorView | NoteView):
            return shaped
        self._is_whole = False
        if self._treatment.shapes or self._faults.stale_days is not None:
            shaped = self._shaped(view, backend)
        return shaped._replace(view=self._with_faults(shaped.view))

    def finish(self, text: str) -> Finished:
        """Break the text off, garble it, or give its fields other labels."""
        if self._treatment is None or self._is_whole:
            return Finished(text, len(text))
        if self._treatment.plan.fields.acts and self._mix is not None:
            other = relabelled(text, self._treatment.plan)
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

    def _resized(self, request: Request) -> Request:
        assert self._treatment is not None
        plan = self._treatment.plan
        match request:
            case SearchRequest():
                self._mix = mix_of(request, plan)
                self._touch(["pagination"] if self._mix.size < request.size else [])
                return replace(request, size=self._mix.n_real)
            case ListRequest():
                limit = records_a_page(request, plan)
                self._touch(["pagination"] if limit < request.limit else [])
                return replace(request, limit=limit)
        return request

    def _shaped(self, view: View, backend: Backend) -> Shaped:
        assert self._treatment is not None
        plan, stand_ins = self._treatment.plan, self._stand_ins
        match view:
            case PageView() if view.row >= 0:
                shaped, names = shape_page(view, plan, stand_ins, self._faults.stale_days)
            case SearchView() if self._mix is not None:
                mixed, names = mix_results(view, self._mix, plan, backend)
                shaped, more = shape_snippets(mixed, plan, stand_ins)
                names += more
            case RecordsView() if view.verb != "tables":
                records, altered, names = shape_records(view, plan, stand_ins)
                shaped = Shaped(records, altered)
            case _:
                return Shaped(view)
        self._touch(names)
        self._done_to_view += f"+stale {self._faults.stale_days}" if "stale" in names else ""
        return shaped

    def _with_faults(self, view: View) -> View:
        if self._faults.partial is not None and (fewer := first_items(view, self._faults.partial)) != view:
            view = fewer
            self._touch(["partial"])
            self._done_to_view += f"+first {self._faults.partial:.6f}"
        if self._faults.failing:
            self._touch(["batch"])
            self._done_to_view += f"+without {self._faults.failing}"
        match view:
            case SearchView() if self._faults.failing:
                return without_blocks(view, self._faults.failing)
            case RecordsView() if self._failures:
                return replace(view, failures=view.failures + self._failures)
        return view

    def _touch(self, names: Iterable[str]) -> None:
        self._names |= dict.fromkeys(names)
