"""What content controls do to searches: pages of results, snippets, labels of results. Pages are as any excerpt."""

from __future__ import annotations

from dataclasses import replace

from worldforge.environments.control import Shaped
from worldforge.environments.controls.content import ContentControls, ControlledCall
from worldforge.environments.controls.plan import ControlPlan
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.backend import SearchBackend
from worldforge.environments.search.requests import SearchRequest
from worldforge.environments.search.result_labels import relabelled
from worldforge.environments.search.result_mixing import mix_of, mix_results
from worldforge.environments.search.snippet_controls import shape_snippets
from worldforge.environments.search.views import SearchView
from worldforge.environments.views import ToolView


class SearchControls(ContentControls):
    """Controls of a search environment's calls."""

    def resize(self, request: ToolRequest, plan: ControlPlan) -> tuple[ToolRequest, tuple[str, ...]]:
        """Ask for fewer results: a smaller page, with room for those that are mixed in."""
        if not isinstance(request, SearchRequest):
            return request, ()
        mix = mix_of(request, plan)
        return replace(request, size=mix.n_real), ("pagination",) if mix.size < request.size else ()

    def shape(self, view: ToolView, call: ControlledCall) -> tuple[Shaped, tuple[str, ...]]:
        """Mix results, and shape their snippets."""
        if not (isinstance(view, SearchView) and isinstance(call.request, SearchRequest)):
            return super().shape(view, call)
        assert isinstance(call.backend, SearchBackend), "searches are answered by a search environment"
        mixed, names = mix_results(view, mix_of(call.request, call.plan), call.plan, call.backend)
        shaped, more = shape_snippets(mixed, call.plan, call.substitutions)
        return shaped, names + more

    def relabel(self, text: str, request: ToolRequest, plan: ControlPlan) -> str:
        """Write results with other labels, or their lines in another order."""
        return relabelled(text, plan) if isinstance(request, SearchRequest) else text
