"""Which fact of the world each fact of an observation is, so that one said in two places can be compared.

The year in a snippet of turn 2 and the year on the page of turn 5 are the same fact, `club/0031#founded`, where the
pages' statements say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from worldforge.environments.controls.stand_ins import ELISION
from worldforge.environments.controls.statements import Statements
from worldforge.environments.views import PageView, RecordsView, Result, SearchView
from worldforge.world.world import World
from worldforge.world_model.bench.scenes import Truth
from worldforge.world_model.bench.told import Item, Reading, Told, items_by_place, result_text
from worldforge.world_model.prose import Fact

Names = dict[str, tuple[str, ...]]
"""For each item of an observation, by what it is called, and for the rest (empty), a name for each of its facts."""


class Identities:
    """Names the facts of one world's observations."""

    def __init__(self, world: World, reading: Reading) -> None:
        self._statements, self._reading = Statements(world), reading

    def names(self, truth: Truth, told: Told) -> Names:
        """Name the facts of what a transition's view tells.

        A fact that a page states is called by its id; any other by where it stands, so that it is compared with other
        tellings of the same observation alone.
        """
        own = {item.place: _called(truth, item.place, len(item.facts)) for item in told.items}
        own[""] = _called(truth, "", len(told.rest))
        scene, view = truth.scene, truth.brought if truth.brought is not None else truth.view
        match view:
            case SearchView():
                after = items_by_place(told.items)
                for place, result in _results(view):
                    if place in after:
                        self._give(own, place, after[place].facts, result_text(result), list(self._in_snippet(result)))
            case PageView():
                text = scene.dialect.write(scene.request, view)
                self._give(own, "", told.rest, text, list(self._in_page(view, text)))
            case RecordsView():
                own |= {item.place: _cells(item) for item in told.items}
        return own

    def _give(
        self, own: Names, place: str, facts: Sequence[Fact], text: str, stated: list[tuple[int, int, str]]
    ) -> None:
        """Name those of `facts` that stand in `text` too, where it states something: [start, end) and the fact's id."""
        found = self._reading.placed(text)
        ids = [
            next((fact for first, last, fact in stated if first < end and start < last), "") for _, start, end in found
        ]
        names = list(own[place])
        matcher = SequenceMatcher(None, [fact for fact, _, _ in found], list(facts), autojunk=False)
        for first, begin, size in matcher.get_matching_blocks():
            for step in range(size):
                names[begin + step] = ids[first + step] or names[begin + step]
        own[place] = tuple(names)

    def _in_page(self, view: PageView, text: str) -> Iterator[tuple[int, int, str]]:
        if view.row < 0:
            return
        shift = len(text) - len(view.body) - view.start
        for one in self._statements.on_page(view.row):
            if view.start <= one.start and one.end <= view.start + len(view.body):
                yield one.start + shift, one.end + shift, one.fact

    def _in_snippet(self, result: Result) -> Iterator[tuple[int, int, str]]:
        if result.row < 0:
            return
        cut = result.snippet.removeprefix(ELISION).removesuffix(ELISION)
        plain, stated = self._statements.in_plain_text(result.row)
        first = plain.find(cut)
        if first < 0 or not cut:
            return
        before = (
            len(result.url) + len(result.title) + 2 + len(result.snippet) - len(result.snippet.removeprefix(ELISION))
        )
        for one in stated:
            if first <= one.start and one.end <= first + len(cut):
                yield one.start - first + before, one.end - first + before, one.fact


def _results(view: SearchView) -> Iterator[tuple[str, Result]]:
    for number, block in enumerate(view.blocks):
        for result in block.results:
            yield Item(number, result.url, 0, ()).place, result


def _cells(item: Item) -> tuple[str, ...]:
    return tuple(f"{item.key}#{said.partition('=')[0]}" for _, said in item.facts)


def _called(truth: Truth, place: str, n: int) -> tuple[str, ...]:
    return tuple(f"{truth.digest} {place} {number}" for number in range(n))
