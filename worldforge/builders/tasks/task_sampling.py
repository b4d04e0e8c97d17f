"""Draws task candidates: a type, terms that leave the wanted number of rows, columns to ask for.

Candidate `i` of a family is a function of seed, family and `i` alone. Only facts that pages state are asked for, and
only where a page states them for every row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from worldforge.builders.tasks.condition_masks import ConditionMasks
from worldforge.builders.tasks.condition_sampling import Dice, distinct, pick_columns
from worldforge.builders.tasks.group_columns import labelled
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, order_terms
from worldforge.builders.tasks.type_views import Subset, TypeView
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.imports import is_own
from worldforge.schema.spec_section import Language, Range
from worldforge.schema.task_section import TaskFamily
from worldforge.world.question_labels import Vocabulary
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import Condition, Shape, Terms


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
    """Draws any number of candidates of a family."""

    def __init__(
        self,
        views: Mapping[str, TypeView],
        masks: ConditionMasks,
        words: Vocabulary,
        labels: Mapping[str, str],
        family: TaskFamily,
        draw: Family,
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
        self._draw = draw
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
        drawn = self._drawn(drawing)
        if drawn is None or not (drawn.shape.group or rows.low <= len(drawn.rows) <= rows.high):
            return None
        return self._completed(number, view, drawn, columns, dice)

    def _drawn(self, given: FamilyInput) -> DrawnTask | None:
        """Call the family's draw function. Raises InputError for an exception in a spec's own code."""
        try:
            found = self._draw(given)
            if found is not None and not isinstance(found, DrawnTask):
                raise TypeError(f"it gave a {type(found).__name__} where a DrawnTask or None is expected")
        except InputError:
            raise
        except Exception as error:
            if not is_own(self._family.family):
                raise
            message = f"task family `{self._family.family}` failed: {type(error).__name__}: {error}"
            raise InputError(message, "see docs/how-to/own-task-family.md") from error
        return found

    def _size(self, dice: Dice) -> tuple[Range, Range]:
        """Return how many columns and rows are wanted."""
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
