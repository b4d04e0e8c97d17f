"""Consistency: which fact of the world each fact told is, and whether it is told alike in several predictions.

The year in a snippet of turn 2 and the year on the page of turn 5 are the same fact, `club/0031#founded`, where the
pages' statements say so. Tellings are of one fact where its id and its true form are the same: in other turns of a
session, in other sessions, in other samples of one transition. A value that is wrong everywhere is consistent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from worldforge.environments.controls.statements import Statements
from worldforge.environments.views import Excerpt, ToolView
from worldforge.world.world import World
from worldforge.world_model.bench.claims import ClaimReader, Item, ReadText
from worldforge.world_model.bench.transitions import Truth
from worldforge.world_model.prose import Fact

Claim = tuple[str, Fact]
"""A fact told: the name of the fact with its true form, and what is said."""
Names = dict[str, tuple[str, ...]]
"""For each item of an observation, by what it is called, and for the rest (empty), a name for each of its facts."""


class Identities:
    """Names the facts of one world's observations."""

    def __init__(self, world: World, reading: ClaimReader) -> None:
        self._statements, self._reading = Statements(world), reading

    def names(self, truth: Truth, read: ReadText) -> Names:
        """Name the facts of what a transition's view tells.

        A fact that a page states is called by its id; any other by where it stands, so that it is compared with other
        tellings of the same observation alone.
        """
        own = {item.place: _default_names(truth, item.place, len(item.facts)) for item in read.items}
        own[""] = _default_names(truth, "", len(read.rest))
        scene, view = truth.scene, truth.brought if truth.brought is not None else truth.view
        text = scene.dialect.write(scene.request, view)
        self._assign_names(own, "", read.rest, text, list(self._stated_spans(view, text)))
        after = read.by_place
        for item in view.items:
            place = Item(item.group, item.key, 0, ()).place
            if place in after and item.cells is None and item.excerpt is not None:
                stated = self._excerpt_spans(item.excerpt, item.excerpt_start)
                self._assign_names(own, place, after[place].facts, item.text, list(stated))
        if view.form == "data":
            own |= {item.place: _cells(item) for item in read.items}
        return own

    def _assign_names(
        self, own: Names, place: str, facts: Sequence[Fact], text: str, stated: list[tuple[int, int, str]]
    ) -> None:
        """Name those of `facts` that stand in `text` too, where it states something: [start, end) and the fact's id."""
        if not stated:
            return
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

    def _stated_spans(self, view: ToolView, text: str) -> Iterator[tuple[int, int, str]]:
        """Give what the excerpts of a view state, by the characters of the text that shows them."""
        at, excerpts = 0, [excerpt for excerpt in view.excerpts if not excerpt.plain]
        for excerpt in excerpts:
            at = text.rfind(excerpt.text) if len(excerpts) == 1 else text.find(excerpt.text, at)
            if at < 0:
                return
            yield from self._excerpt_spans(excerpt, at)
            at += len(excerpt.text)

    def _excerpt_spans(self, excerpt: Excerpt, at: int) -> Iterator[tuple[int, int, str]]:
        """Give what an excerpt states, which begins at `at`."""
        if excerpt.page >= 0 or excerpt.facts:
            for span in self._statements.spans(excerpt):
                yield span.start + at, span.end + at, span.fact


def _cells(item: Item) -> tuple[str, ...]:
    return tuple(f"{item.key}#{claim.partition('=')[0]}" for _, claim in item.facts)


def _default_names(truth: Truth, place: str, n: int) -> tuple[str, ...]:
    return tuple(f"{truth.digest} {place} {number}" for number in range(n))


def agreements(predictions: Sequence[Sequence[Claim]]) -> list[float | None]:
    """Return, for each prediction, the mean over its claims of the share of others' tellings that say the same.

    None where nobody else tells any of its facts. A prediction's own tellings are not held against one another.
    """
    everyone = _by_name(claim for claims in predictions for claim in claims)
    return [_agreement(_by_name(claims), everyone) for claims in predictions]


def _agreement(own: dict[str, Counter[Fact]], everyone: dict[str, Counter[Fact]]) -> float | None:
    shares: list[float] = []
    for name, tellings in own.items():
        n_others = everyone[name].total() - tellings.total()
        for claim, times in tellings.items() if n_others else ():
            shares += [(everyone[name][claim] - tellings[claim]) / n_others] * times
    return sum(shares) / len(shares) if shares else None


def _by_name(claims: Iterable[Claim]) -> dict[str, Counter[Fact]]:
    found: dict[str, Counter[Fact]] = defaultdict(Counter)
    for name, claim in claims:
        found[name][claim] += 1
    return found
