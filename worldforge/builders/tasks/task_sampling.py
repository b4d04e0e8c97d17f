"""Draws task candidates: a type, terms that leave the wanted number of rows, columns to ask for.

Candidate `i` of a family is a function of seed, family and `i` alone. Only facts that pages state are asked for, and
only where a page states them for every row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from worldforge.builders.tasks.condition_sampling import Dice, distinct, pick_columns
from worldforge.builders.tasks.group_columns import labelled
from worldforge.builders.tasks.table_view import Subset, TableView
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, order_terms
from worldforge.builders.tasks.term_evaluator import TermEvaluator
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


@dataclass(frozen=True)
class TaskSampler:
    """Draws any number of candidates of a family. `labels` name the types, in the language of the tables."""

    views: Mapping[str, TableView]
    evaluator: TermEvaluator
    words: Vocabulary
    labels: Mapping[str, str]
    family: TaskFamily
    draw: Family
    stream: Stream
    language: Language

    @cached_property
    def _askable(self) -> list[TableView]:
        chosen = self.labels if self.family.about == "all" else self.family.about
        return [self.views[name] for name in chosen if self.views[name].n_rows >= self.family.least_rows]

    @cached_property
    def _shares(self) -> npt.NDArray[np.float64]:
        # the square root: large types have more to ask about, and small ones must not be forgotten
        weights = np.cumsum([view.n_rows**0.5 for view in self._askable])
        return weights / max(weights[-1:], default=1)

    def candidate(self, number: int) -> Candidate | None:
        """Draw candidate `number`; None where its draws lead to no task of the wanted size."""
        family, stream = self.family, self.stream.child(number)
        # more draws than one candidate can take
        dice = Dice(stream, 24 + 4 * family.conditions.high + family.columns.high)
        if not self._askable:
            return None
        view = self._askable[int(np.searchsorted(self._shares, dice.share(), side="right"))]
        columns, rows = self._size(dice)
        links = self.words[view.name].links
        drawn = self._drawn(
            FamilyInput(view, links, self.views, self.evaluator, family, dice, stream, rows, columns, self.language)
        )
        if drawn is None or not (drawn.shape.group or rows.low <= len(drawn.rows) <= rows.high):
            return None
        return self._completed(number, view, drawn, columns, dice)

    def _drawn(self, given: FamilyInput) -> DrawnTask | None:
        """Call the family's draw function. Raises InputError for an exception in a spec's own code."""
        try:
            found = self.draw(given)
            if found is not None and not isinstance(found, DrawnTask):
                raise TypeError(f"it gave a {type(found).__name__} where a DrawnTask or None is expected")
        except InputError:
            raise
        except Exception as error:
            if not is_own(self.family.family):
                raise
            message = f"task family `{self.family.family}` failed: {type(error).__name__}: {error}"
            raise InputError(message, "see docs/how-to/own-task-family.md") from error
        return found

    def _size(self, dice: Dice) -> tuple[Range, Range]:
        """Return how many columns and rows are wanted."""
        family = self.family
        if family.cells is None:
            return family.columns, family.rows
        n = dice.within(family.columns)
        low, high = -(-family.cells.low // n), max(family.cells.high // n, 1)
        return Range(low=n, high=n), Range(low=min(low, high), high=high)

    def _completed(self, number: int, view: TableView, drawn: DrawnTask, wanted: Range, dice: Dice) -> Candidate | None:
        """Add the columns, and the facts that show the rows to be the answer; None where pages do not state them."""
        rows, terms = drawn.rows, order_terms(drawn.terms)
        constant = {term.path for term in terms if isinstance(term, Condition) and term.operator == "="}
        if drawn.columns:
            columns = labelled(self.language, self.words[view.name], drawn.columns)
        else:
            label = self.labels[view.name]
            columns = pick_columns(view, dice, rows, label, wanted, constant, drawn.shape.order)
        labels = [column.label for column in columns]
        if not all(labels) or not columns or not distinct(labels) or not bool(view.named[rows].all()):
            return None
        facts, stated = self.evaluator.prove(view.name, terms, rows)
        if not stated.all():
            return None
        evidence = tuple(dict.fromkeys([*facts, *drawn.facts]))
        return Candidate(number, view.name, terms, columns, rows, evidence, drawn.shape)
