"""Content controls of the search environment: pages of results, snippets, labels. Pages are handled as excerpts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from worldforge.core.chance import Stream
from worldforge.environments.call_controls import Shaped
from worldforge.environments.controls.content_controls import ContentControls, ControlledCall
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.requests import SearchRequest
from worldforge.environments.search.result_mixing import mix_of, mix_results
from worldforge.environments.search.snippet_controls import shape_snippets
from worldforge.environments.search.views import SearchView
from worldforge.environments.search.web_backend import SearchBackend
from worldforge.environments.views import ToolView

_LABELS = {
    "Title: ": "Headline: ",
    "Snippet: ": "Excerpt: ",
    "Date: ": "Published: ",
    "[title] ": "[headline] ",
    "[snippt] ": "[excerpt] ",
    "[datePublished] ": "[published] ",
}
"""The labels of results in all dialects, and their replacements."""


class SearchControls(ContentControls):
    """Controls of a search environment's calls."""

    def resize(self, request: ToolRequest, plan: ControlPlan) -> tuple[ToolRequest, tuple[str, ...]]:
        """Request fewer results: a smaller page, with room for mixed-in results."""
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


def relabelled(text: str, plan: ControlPlan) -> str:
    """Relabel or reorder the lines of search results in a text."""
    labels = {label: other for label, other in _LABELS.items() if _hit(plan, label) < plan.fields.rate}
    reverse = _hit(plan, "order") < plan.fields.reordered
    return "\n\n".join(_paragraph(paragraph, labels, reverse=reverse) for paragraph in text.split("\n\n"))


def _paragraph(paragraph: str, labels: Mapping[str, str], *, reverse: bool) -> str:
    head, *lines = paragraph.split("\n")
    found = [next((label for label in _LABELS if line.startswith(label)), None) for line in lines]
    if sum(label is not None for label in found) < 3:
        return paragraph
    named = [
        labels.get(label, label) + line.removeprefix(label) if label is not None else line
        for label, line in zip(found, lines, strict=True)
    ]
    return "\n".join([head, *(reversed(named) if reverse else named)])


def _hit(plan: ControlPlan, label: str) -> float:
    return float(Stream(plan.seed).child("search fields", label).uniform(np.zeros(1, np.int64))[0])
