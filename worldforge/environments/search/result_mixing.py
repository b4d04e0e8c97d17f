"""Content controls of pages of results: make them smaller, and mix in irrelevant or similarly named results.

Mixed-in results never replace real ones: fewer real results are requested, and the next page begins where this ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from worldforge.core.chance import Stream
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.search.requests import SearchRequest
from worldforge.environments.search.views import Result, SearchBlock, SearchView
from worldforge.environments.search.web_backend import SearchBackend

_HIGH = 3  # a distractor stands among so many
_SPARE = 1  # background results asked for beyond those needed: some may be there already
_ALIKE = 10  # results looked through for one that is called alike


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
