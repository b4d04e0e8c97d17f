"""Content controls of the search environment: pages of results, snippets, labels. Pages are handled as excerpts.

Mixed-in results never replace real ones: fewer real results are requested, and the next page begins where this ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from worldforge.core.chance import Stream
from worldforge.environments.call_controls import Shaped
from worldforge.environments.controls.content_controls import ContentControls, ControlledCall
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.controls.statements import ELISION
from worldforge.environments.controls.substitutions import Substitution, Substitutions
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.requests import SearchRequest
from worldforge.environments.search.views import Result, SearchBlock, SearchView
from worldforge.environments.search.web_backend import SearchBackend
from worldforge.environments.session import Alteration
from worldforge.environments.views import ToolView

_HIGH = 3  # a distractor stands among so many
_SPARE = 1  # background results asked for beyond those needed: some may be there already
_ALIKE = 10  # results looked through for one that is called alike
_NAMES = frozenset({"name", "source", "target"})  # who is meant: no fact in a budget
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
    n_background = min(int(plan.relevance.rate * size + share), size - 1 - n_distractors)
    return Mix(size, n_background, n_distractors)


def mix_results(
    view: SearchView, mix: Mix, plan: ControlPlan, backend: SearchBackend
) -> tuple[SearchView, tuple[str, ...]]:
    """Mix other results in; also return the names of the controls that did."""
    mixed = [_mix_block(block, mix, plan, backend) for block in view.blocks]
    names = dict.fromkeys(name for _, touched in mixed for name in touched)
    return SearchView(tuple(block for block, _ in mixed)), tuple(names)


def _mix_block(
    block: SearchBlock, mix: Mix, plan: ControlPlan, backend: SearchBackend
) -> tuple[SearchBlock, list[str]]:
    if not block.results:
        return block, []
    stream = Stream(plan.seed).child("results", block.query, block.page)
    shown = list(block.results)
    lures = list(_alike(block.results, mix.n_distractors, backend))
    wanted = round(mix.n_background * len(shown) / mix.n_real)
    background = list(_background([*shown, *lures], wanted, stream, backend))
    places = stream.child("places").first_uniform(len(background) + len(lures)).tolist()
    for result in background:
        shown.insert(int(places.pop() * (len(shown) + 1)), result)
    for result in lures:
        shown.insert(int(places.pop() * min(_HIGH, len(shown) + 1)), result)
    first = (block.page - 1) * mix.size + 1
    ranked = tuple(
        result if result.rank == rank else result._replace(rank=rank) for rank, result in enumerate(shown, first)
    )
    names = ["distractors"] * bool(lures) + ["relevance"] * bool(background)
    return block._replace(results=ranked), names


def _background(shown: Sequence[Result], wanted: int, stream: Stream, backend: SearchBackend) -> Iterator[Result]:
    if wanted == 0:
        return
    keys = [int(key) for key in stream.first_bits(wanted + _SPARE)]
    urls = {result.url for result in shown}
    others = (result for result in backend.background(len(keys), keys) if result.url not in urls)
    yield from islice(others, wanted)


def _alike(results: Sequence[Result], wanted: int, backend: SearchBackend) -> Iterator[Result]:
    """Yield results for the best result's title that the query did not return."""
    if wanted == 0:
        return
    best, urls = results[0], {result.url for result in results}
    found = backend.answer(SearchRequest((best.title,), size=len(results) + _ALIKE))
    hits = found.blocks[0].results if isinstance(found, SearchView) else ()
    others = (hit for hit in hits if hit.url not in urls and hit.title != best.title)
    yield from islice(others, wanted)


@dataclass(frozen=True, slots=True)
class ShapedSnippet:
    """A snippet after controls, the facts made wrong in it, and the controls that acted."""

    text: str
    altered: tuple[Alteration, ...]
    names: tuple[str, ...]


def shape_result(result: Result, plan: ControlPlan, substitutions: Substitutions) -> tuple[Result, ShapedSnippet]:
    """Apply controls to the snippet of one result."""
    budget = plan.snippets
    limited = budget.rate > 0 and result.row >= 0 and substitutions.snippet_draw(result.row) < budget.rate
    n_facts, most = (budget.facts, budget.characters) if limited else (None, None)
    looked_into = n_facts is not None or plan.withheld.rate > 0 or plan.wrong_facts.rate > 0
    chosen = list(_chosen(result, plan, substitutions, n_facts)) if looked_into and result.row >= 0 else []
    if not chosen and most is None:
        return result, ShapedSnippet(result.snippet, (), ())
    snippet = _written(result.snippet, chosen, most)
    return result._replace(snippet=snippet.text), snippet


def shape_snippets(view: SearchView, plan: ControlPlan, substitutions: Substitutions) -> tuple[Shaped, tuple[str, ...]]:
    """Apply controls to every snippet of a search; also return the names of those that acted."""
    if not (plan.snippets.rate or plan.withheld.rate or plan.wrong_facts.rate):
        return Shaped(view), ()
    blocks: list[SearchBlock] = []
    altered: dict[Alteration, None] = {}
    names: dict[str, None] = {}
    for block in view.blocks:
        shaped = [shape_result(result, plan, substitutions) for result in block.results]
        blocks.append(block._replace(results=tuple(result for result, _ in shaped)))
        altered |= dict.fromkeys(one for _, snippet in shaped for one in snippet.altered)
        names |= dict.fromkeys(name for _, snippet in shaped for name in snippet.names)
    return Shaped(SearchView(tuple(blocks)), tuple(altered)), tuple(names)


def _chosen(
    result: Result, plan: ControlPlan, substitutions: Substitutions, n_facts: int | None
) -> Iterator[tuple[int, int, Substitution, str]]:
    """Yield the replacements in a snippet: [start, end), the substitution, and the control."""
    decide = substitutions.on_page(result.row, plan.withheld.rate, plan.wrong_facts.rate)
    told: set[str] = set()
    for start, end, stated in substitutions.statements.in_snippet(result.snippet, result.row):
        substitution = decide(stated)
        if substitution is not None and substitution.alteration is None:
            yield start, end, substitution, "withheld"
            continue
        if stated.column not in _NAMES and n_facts is not None:
            if len(told | {stated.fact}) > n_facts:
                yield start, end, Substitution(ELISION), "snippets"
                continue
            told.add(stated.fact)
        if substitution is not None:
            whole = end - start == len(stated.value)
            yield start, end, substitution if whole else Substitution(ELISION), "wrong_facts"


def _written(text: str, chosen: list[tuple[int, int, Substitution, str]], most: int | None) -> ShapedSnippet:
    """Apply replacements, and cut the snippet to `most` characters."""
    pieces, at, length = [], 0, 0
    placed: list[tuple[int, tuple[Alteration, ...], str]] = []
    for start, end, substitution, name in chosen:
        pieces += [text[at:start], substitution.shown]
        length += start - at + len(substitution.shown)
        placed.append((length, substitution.alterations, name))
        at = end
    whole = "".join([*pieces, text[at:]])
    shown = _cut(whole, most) if most is not None else whole
    kept = len(whole) if shown == whole else len(shown) - 1
    names = {name for place, _, name in placed if place <= kept} | ({"snippets"} if shown != whole else set())
    altered = (one for place, alterations, _ in placed if place <= kept for one in alterations)
    return ShapedSnippet(shown, tuple(dict.fromkeys(altered)), tuple(sorted(names)))


def _cut(text: str, most: int) -> str:
    """Cut at a word's end, with an ellipsis; `most` characters with it, at most."""
    if len(text) <= most:
        return text
    end = text.rfind(" ", 0, most)
    return text[: end if end > 0 else most - 1].rstrip() + ELISION
