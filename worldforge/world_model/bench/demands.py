"""What controls demand of an observation, found by comparing what the world brought with what they left of it.

| demand | obeyed where |
|---|---|
| a fact that controls hid, or put another in the place of | the draft does not tell it in that item |
| a fact that they put there | the draft does not leave it out |
| a result that they mixed in | the draft has it |
| a snippet that they shortened | the draft's is no longer than allowed |
| a page of results or records that they made shorter | the draft has no more items |
| a notice above a page, the words of a query that failed | the draft has them, word for word |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from worldforge.environments.views import ToolView
from worldforge.world_model.bench.alignment import align
from worldforge.world_model.bench.claims import Item, ReadText
from worldforge.world_model.bench.transitions import Truth
from worldforge.world_model.prose import Fact

REST = ""
"""What all that is no item is called in a comparison."""
_SHORTER = frozenset({"pagination", "partial"})


@dataclass(frozen=True, slots=True)
class ControlDemands:
    """What controls demand, by what items are called (`REST`: all that is no item).

    `hidden` and `planted` are facts; `mixed_in` items; `most_characters` of snippets; `most_items` by block;
    `phrases` words that must be there.
    """

    hidden: Mapping[str, Counter[Fact]]
    planted: Mapping[str, Counter[Fact]]
    mixed_in: frozenset[str]
    most_characters: Mapping[str, int]
    most_items: Mapping[int, int]
    phrases: tuple[str, ...]

    def n_facts(self, place: str) -> int:
        """How many demands are about the facts of one item: a fact in another's place is one."""
        hidden, planted = self.hidden.get(place), self.planted.get(place)
        return max(hidden.total() if hidden else 0, planted.total() if planted else 0)

    @property
    def n(self) -> int:
        """How many demands there are."""
        facts = sum(self.n_facts(place) for place in self.hidden.keys() | self.planted.keys())
        return facts + len(self.mixed_in) + len(self.most_characters) + len(self.most_items) + len(self.phrases)


NONE = ControlDemands({}, {}, frozenset(), {}, {}, ())


def demands_of(truth: Truth, brought: ReadText, read: ReadText) -> ControlDemands:
    """Return what controls demand: `brought` is what the world's own answer tells, `read` what they left of it."""
    if not truth.controls.names:
        return NONE
    before, after = brought.by_place, read.by_place
    pairs = [(place, before[place].facts, item.facts) for place, item in after.items() if place in before]
    pairs.append((REST, brought.rest, read.rest))
    hidden, planted = dict[str, Counter[Fact]](), dict[str, Counter[Fact]]()
    for place, was, now in pairs:
        if was != now:
            change = align(was, now)
            unlike = Counter(fact for fact, shown in zip(was, change.matched, strict=True) if fact != shown)
            hidden[place] = unlike | Counter(align(now, was).wrong)  # as the world's own answer is aligned when scored
            planted[place] = Counter(change.wrong)
    return ControlDemands(
        hidden=hidden,
        planted=planted,
        mixed_in=frozenset(after.keys() - before.keys()) if truth.view.form == "results" else frozenset(),
        most_characters=_most_characters(truth, before, after),
        most_items=Counter(item.block for item in read.items) if _SHORTER & set(truth.controls.names) else {},
        phrases=_phrases(truth.view, truth.brought),
    )


def _most_characters(truth: Truth, before: Mapping[str, Item], after: Mapping[str, Item]) -> dict[str, int]:
    most = truth.controls.characters
    if most is None or "snippets" not in truth.controls.names:
        return {}
    shortened = (place for place, item in after.items() if place in before and item.snippet != before[place].snippet)
    return {place: most for place in shortened if len(after[place].snippet) <= most < len(before[place].snippet)}


def _phrases(view: ToolView, brought: ToolView | None) -> tuple[str, ...]:
    if brought is None:
        return ()
    pairs = zip(view.phrases, brought.phrases, strict=False)
    return tuple(phrase for phrase, was in pairs if phrase and phrase != was)
