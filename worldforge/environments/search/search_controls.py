"""Content controls of the search environment: pages of results and their labels. Snippets and pages are excerpts.

Mixed-in results never replace real ones: fewer real results are requested, and the next page begins where this ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from worldforge.core.chance import Stream
from worldforge.environments.controls.content_controls import ContentControls, ControlledCall
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.disclosure import Shaped
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.requests import SearchRequest
from worldforge.environments.search.views import Result, SearchBlock, SearchView
from worldforge.environments.search.web_backend import SearchBackend
from worldforge.environments.views import ToolView

_HIGH = 3  # a distractor stands among so many
_SPARE = 1  # background results asked for beyond those needed: some may be there already
_ALIKE = 10  # results looked through for one that is called alike
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
        names: tuple[str, ...] = ()
        if isinstance(view, SearchView) and isinstance(call.request, SearchRequest):
            assert isinstance(call.backend, SearchBackend), "searches are answered by a search environment"
            view, names = _mixed(view, mix_of(call.request, call.plan), call.plan, call.backend)
        shaped, more = super().shape(view, call)
        return shaped, names + more

    def relabel(self, text: str, request: ToolRequest, plan: ControlPlan) -> str:
        """Write results with other labels, or their lines in another order."""
        if not isinstance(request, SearchRequest):
            return text
        labels = {label: other for label, other in _LABELS.items() if _draw(plan, label) < plan.fields.rate}
        reverse = _draw(plan, "order") < plan.fields.reordered
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


def _draw(plan: ControlPlan, label: str) -> float:
    return float(Stream(plan.seed).child("search fields", label).first_uniform(1)[0])


@dataclass(frozen=True, slots=True)
class Mix:
    """The composition of a page of results: its size, and the number of mixed-in results of each sort."""

    size: int
    n_background: int = 0
    n_distractors: int = 0

    @property
    def n_real(self) -> int:
        """The results that answer the query: one at least."""
        return self.size - self.n_background - self.n_distractors


def mix_of(request: SearchRequest, plan: ControlPlan) -> Mix:
    """Draw the composition of a search's pages, the same for each page."""
    stream = Stream(plan.seed).child("results", repr(request.queries))
    paged, share, lured, number = stream.first_uniform(4).tolist()
    size = min(request.size, plan.pagination.size) if paged < plan.pagination.rate else request.size
    n_lures = 1 + int(number * plan.distractors.most) if lured < plan.distractors.rate else 0
    n_distractors = min(n_lures, size - 1)
    n_background = min(int(plan.distractors.unrelated * size + share), size - 1 - n_distractors)
    return Mix(size, n_background, n_distractors)


def _mixed(view: SearchView, mix: Mix, plan: ControlPlan, backend: SearchBackend) -> tuple[SearchView, tuple[str, ...]]:
    """Mix other results in; also return the name of the control if it did."""
    blocks = tuple(_mix_block(block, mix, plan, backend) for block in view.blocks)
    mixed = SearchView(blocks)
    n_before, n_after = (sum(len(block.results) for block in one.blocks) for one in (view, mixed))
    return mixed, ("distractors",) if n_after > n_before else ()


def _mix_block(block: SearchBlock, mix: Mix, plan: ControlPlan, backend: SearchBackend) -> SearchBlock:
    if not block.results:
        return block
    stream = Stream(plan.seed).child("results", block.query, block.page)
    shown = list(block.results)
    lures = list(_similar(block.results, mix.n_distractors, backend))
    wanted = round(mix.n_background * len(shown) / mix.n_real)
    background = list(_unrelated([*shown, *lures], wanted, stream, backend))
    places = stream.child("places").first_uniform(len(background) + len(lures)).tolist()
    for result in background:
        shown.insert(int(places.pop() * (len(shown) + 1)), result)
    for result in lures:
        shown.insert(int(places.pop() * min(_HIGH, len(shown) + 1)), result)
    first = (block.page - 1) * mix.size + 1
    ranked = tuple(
        result if result.rank == rank else result._replace(rank=rank) for rank, result in enumerate(shown, first)
    )
    return block._replace(results=ranked)


def _unrelated(shown: Sequence[Result], wanted: int, stream: Stream, backend: SearchBackend) -> Iterator[Result]:
    if wanted == 0:
        return
    keys = [int(key) for key in stream.first_bits(wanted + _SPARE)]
    urls = {result.url for result in shown}
    others = (result for result in backend.background(len(keys), keys) if result.url not in urls)
    yield from islice(others, wanted)


def _similar(results: Sequence[Result], wanted: int, backend: SearchBackend) -> Iterator[Result]:
    """Yield results for the best result's title that the query did not return."""
    if wanted == 0:
        return
    best, urls = results[0], {result.url for result in results}
    found = backend.answer(SearchRequest((best.title,), size=len(results) + _ALIKE))
    hits = found.blocks[0].results if isinstance(found, SearchView) else ()
    others = (hit for hit in hits if hit.url not in urls and hit.title != best.title)
    yield from islice(others, wanted)
