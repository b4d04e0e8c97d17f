"""Draws tasks by keyed chance: a type, terms that leave the wanted number of rows, columns to ask for.

Candidate `i` of a family is a function of seed, family and `i` alone. Only facts that pages state are asked for, and
only where a page states them for every row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from worldforge.builders.tasks.condition_masks import ConditionMasks
from worldforge.builders.tasks.condition_sampling import Dice, distinct, pick_columns
from worldforge.builders.tasks.families.aggregate import draw_aggregate
from worldforge.builders.tasks.families.described import draw_described
from worldforge.builders.tasks.families.drawing import DrawnTask, FamilyInput, order_terms
from worldforge.builders.tasks.families.listing import draw_list
from worldforge.builders.tasks.families.lists import draw_completion, draw_intersection, draw_union
from worldforge.builders.tasks.families.logic import draw_filter
from worldforge.builders.tasks.families.ranking import draw_ranking
from worldforge.builders.tasks.families.related import draw_join
from worldforge.builders.tasks.group_columns import labelled
from worldforge.builders.tasks.type_views import Subset, TypeView
from worldforge.core.chance import Stream
from worldforge.schema.section import Language, Range
from worldforge.schema.tasks import TaskFamily
from worldforge.world.question_labels import Vocabulary
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import Condition, Shape, Terms

_DRAWS: dict[str, Callable[[FamilyInput], DrawnTask | None]] = {
    "list": draw_list,
    "filter": draw_filter,
    "ranking": draw_ranking,
    "join": draw_join,
    "described": draw_described,
    "union": draw_union,
    "intersection": draw_intersection,
    "completion": draw_completion,
    "aggregate": draw_aggregate,
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task before it is worded: what it asks, the rows that should answer, the facts that show they should.

    Where the answer's rows are groups, `rows` are the members of all groups.
    """

    number: int
    about: str
    terms: Terms
    columns: tuple[TaskColumn, ...]
    rows: Subset
    evidence: tuple[str, ...]
    shape: Shape = field(default_factory=Shape)


class TaskSampler:
    """Draws candidates of a family, for ever: take as many as are needed."""

    def __init__(
        self,
        views: Mapping[str, TypeView],
        masks: ConditionMasks,
        words: Vocabulary,
        labels: Mapping[str, str],
        family: TaskFamily,
        stream: Stream,
        language: Language,
    ) -> None:
        chosen = labels if family.about == "all" else family.about
        self._views = [views[name] for name in chosen if views[name].n_rows >= family.least_rows]
        # the square root: large types have more to ask about, and small ones must not be forgotten
        weights = np.cumsum([view.n_rows**0.5 for view in self._views])
        self._shares = weights / max(weights[-1:], default=1)
        self._by_type, self._masks, self._words = views, masks, words
        self._labels, self._family, self._stream, self._language = labels, family, stream, language
        self._n_draws = 24 + 4 * family.conditions.high + family.columns.high  # more than one candidate can take

    def candidate(self, number: int) -> Candidate | None:
        """Draw candidate `number`; None where its draws lead to no task of the wanted size."""
        stream = self._stream.child(number)
        dice = Dice(stream, self._n_draws)
        if not self._views:
            return None
        view = self._views[int(np.searchsorted(self._shares, dice.share(), side="right"))]
        columns, rows = self._size(dice)
        links = self._words[view.name].links
        drawing = FamilyInput(
            view, links, self._by_type, self._masks, self._family, dice, stream, rows, columns, self._language
        )
        drawn = _DRAWS[self._family.family](drawing)
        if drawn is None or not (drawn.shape.group or rows.low <= len(drawn.rows) <= rows.high):
            return None
        return self._completed(number, view, drawn, columns, dice)

    def _size(self, dice: Dice) -> tuple[Range, Range]:
        """Say how many columns and how many rows are wanted; where cells are, columns are drawn first."""
        family = self._family
        if family.cells is None:
            return family.columns, family.rows
        n = dice.within(family.columns)
        low, high = -(-family.cells.low // n), max(family.cells.high // n, 1)
        return Range(low=n, high=n), Range(low=min(low, high), high=high)

    def _completed(self, number: int, view: TypeView, drawn: DrawnTask, wanted: Range, dice: Dice) -> Candidate | None:
        """Add the columns, and the facts that show the rows to be the answer; None where pages do not state them."""
        rows, terms = drawn.rows, order_terms(drawn.terms)
        constant = {term.path for term in terms if isinstance(term, Condition) and term.operator == "="}
        label = self._labels[view.name]
        if drawn.columns:
            columns = labelled(self._language, self._words[view.name], drawn.columns)
        else:
            columns = pick_columns(view, dice, rows, label, wanted, constant, drawn.shape.order)
        labels = [column.label for column in columns]
        if not all(labels) or not columns or not distinct(labels) or not bool(view.named[rows].all()):
            return None
        facts, stated = self._masks.prove(view.name, terms, rows)
        if not stated.all():
            return None
        evidence = tuple(dict.fromkeys([*facts, *drawn.facts]))
        return Candidate(number, view.name, terms, columns, rows, evidence, drawn.shape)
