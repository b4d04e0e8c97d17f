"""Draws task candidates, and words them: a type, terms that leave the wanted number of rows, columns to ask for.

Candidate `i` of a family is a function of seed, family and `i` alone. Only facts that pages state are asked for, and
only where a page states them for every row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from worldforge.builders.tasks.condition_sampling import Dice, distinct, pick_columns
from worldforge.builders.tasks.gold_sql import gold_query
from worldforge.builders.tasks.group_columns import group_facts, labelled
from worldforge.builders.tasks.question_languages import QuestionLanguage, aliases_by_language, language_of
from worldforge.builders.tasks.splits import SplitSides
from worldforge.builders.tasks.table_view import Subset, TableView
from worldforge.builders.tasks.task_family import (
    DrawnTask,
    Family,
    FamilyInput,
    load_family,
    order_terms,
    relations_for_tasks,
)
from worldforge.builders.tasks.term_evaluator import TermEvaluator
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.builders.tasks.widesearch_files import evaluation_of
from worldforge.core.chance import Stream
from worldforge.core.imports import load, own_code_errors
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Range
from worldforge.schema.table_columns import columns_of
from worldforge.schema.task_section import TaskFamily
from worldforge.world.computed_cells import measure_of
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import Table
from worldforge.world.question_labels import Question
from worldforge.world.stable_ids import entity_id
from worldforge.world.task import Task, TaskColumn, TaskMeasures
from worldforge.world.task_terms import Condition, Shape, Term, Terms, n_hops

DRAWS_A_TASK = 600
"""Candidates drawn for a wanted task before the stage gives up; few fit where pages state little or sides are split."""
DRAWS_IN_VAIN = 6000
"""Candidates drawn since the last that was kept before the stage gives up: ten times what a hard task takes."""
_ASK = "questions.ask"


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


class TaskMaker:
    """Draws and words tasks over the tables of one world, which `connection` holds as well."""

    def __init__(
        self,
        spec: WorldSpec,
        tables: Mapping[str, pa.Table],
        connection: duckdb.DuckDBPyConnection,
        evidence: Evidence,
        mentions: Table,
        code_from: Path | None = None,
    ) -> None:
        self.spec = spec
        self._families = {name: load_family(family.family, code_from) for name, family in spec.tasks.items()}
        tabled = (*spec.types, *relations_for_tasks(spec))
        self.columns = {name: columns_of(spec, name, code_from) for name in tabled}
        self.evaluator = TermEvaluator(spec, tables, connection, evidence)
        self.words = vocabularies(spec, tables, tabled, code_from)
        self.views = {name: TableView(name, tables, self.columns, evidence) for name in tabled}
        self._sides = SplitSides(spec, spec.split, tables) if spec.split is not None else None
        aliases = aliases_by_language(spec, tables, mentions)
        self.languages = {one: QuestionLanguage(spec, one, aliases[one], code_from) for one in spec.languages}

    def tasks(self, name: str, side: str = "") -> Iterator[Task]:
        """Draw and word the tasks of a family, no two with the same conditions; their gold is still to be derived.

        `side` is what the split's entities of these tasks are for, where the spec splits them.
        """
        return (self._worded(name, candidate, side) for candidate in self.candidates(name, side))

    def candidates(self, name: str, side: str = "") -> Iterator[Candidate]:
        """Draw candidates of a family, no two with the same conditions; with a `side`, those on it alone."""
        family = self.spec.tasks[name]
        stream = Stream(self.spec.seed).child("tasks", name)
        chosen = self.spec.types if family.about == "all" else family.about
        views = [self.views[about] for about in chosen if self.views[about].n_rows >= family.least_rows]
        # the square root: large types have more to ask about, and small ones must not be forgotten
        weights = np.cumsum([view.n_rows**0.5 for view in views])
        shares = weights / max(weights[-1:], default=1)
        seen: set[tuple[str, frozenset[Term], Shape]] = set()
        last = 0
        for number in range(family.count * DRAWS_A_TASK if views else 0):
            if number - last > DRAWS_IN_VAIN:
                return
            dice = Dice(
                stream.child(number), 24 + 4 * family.conditions.high + family.columns.high
            )  # more than it takes
            view = views[int(np.searchsorted(shares, dice.share(), side="right"))]
            candidate = self._candidate(name, number, view, dice, stream.child(number))
            if candidate is None or not self._fits(name, candidate, side):
                continue
            key = candidate.about, frozenset(candidate.terms), candidate.shape  # in whichever order
            if key not in seen:
                seen.add(key)
                last = number
                yield candidate

    def _candidate(self, name: str, number: int, view: TableView, dice: Dice, stream: Stream) -> Candidate | None:
        """Draw candidate `number`; None where its draws lead to no task of the wanted size."""
        family, language = self.spec.tasks[name], self.spec.languages[0]
        columns, rows = _size(family, dice)
        links, views = self.words[language][view.name].links, self.views
        given = FamilyInput(view, links, views, self.evaluator, family, dice, stream, rows, columns, language)
        drawn = _call_family(self._families[name], given)
        if drawn is None or not (drawn.shape.group or rows.low <= len(drawn.rows) <= rows.high):
            return None
        return self._completed(number, view, drawn, columns, dice)

    def _completed(self, number: int, view: TableView, drawn: DrawnTask, wanted: Range, dice: Dice) -> Candidate | None:
        """Add the columns, and the facts that show the rows to be the answer; None where pages do not state them."""
        rows, terms, first = drawn.rows, order_terms(drawn.terms), self.spec.languages[0]
        if drawn.columns:
            columns = labelled(first, self.words[first][view.name], drawn.columns)
        else:
            constant = {term.path for term in terms if isinstance(term, Condition) and term.operator == "="}
            label = self.languages[first].labels[view.name]
            label = label[:1].upper() + label[1:]
            columns = pick_columns(view, dice, rows, label, wanted, constant, drawn.shape.order)
        labels = [column.label for column in columns]
        if not all(labels) or not columns or not distinct(labels) or not bool(view.named[rows].all()):
            return None
        facts, stated = self.evaluator.prove(view.name, terms, rows)
        if not stated.all():
            return None
        evidence = tuple(dict.fromkeys([*facts, *drawn.facts]))
        return Candidate(number, view.name, terms, columns, rows, evidence, drawn.shape)

    def _fits(self, name: str, candidate: Candidate, side: str) -> bool:
        """Return whether a candidate is on a side, and the columns of its groups can be named in its language."""
        if side and self._side(candidate) != side:
            return False
        if not candidate.shape.group:
            return True
        labels = [column.label for column in self._columns(name, candidate)]
        return all(labels) and distinct(labels)

    def _side(self, candidate: Candidate) -> str:
        assert self._sides is not None
        side = self._sides.side(candidate.about, candidate.rows, candidate.terms)
        group = candidate.shape.group
        referred = self.columns[candidate.about][group].references if group else None
        if referred is None:
            return side
        rows = np.unique(self.views[candidate.about].column(group).codes[candidate.rows])
        return side if self._sides.side(referred, rows, ()) == side else ""

    def _language(self, name: str, candidate: Candidate) -> QuestionLanguage:
        return self.languages[language_of(self.spec, self.spec.tasks[name], candidate.number)]

    def _columns(self, name: str, candidate: Candidate) -> tuple[TaskColumn, ...]:
        """Label the columns of an answer in the question's language."""
        language, about = self._language(name, candidate), candidate.about
        if candidate.shape.group:
            return labelled(language.language, self.words[language.language][about], candidate.columns)
        return language.label_columns(about, candidate.columns)

    def _worded(self, name: str, candidate: Candidate, side: str = "") -> Task:
        """Word a candidate; its gold is still to be derived."""
        about, shape, language = candidate.about, candidate.shape, self._language(name, candidate)
        stream = Stream(self.spec.seed).child("tasks", name, candidate.number)
        terms = language.localize(candidate.terms, stream.child("called"))
        columns = self._columns(name, candidate)
        labels = tuple(column.label for column in columns)
        frames = self._families[name].frames_in(language.language)
        places = self._places(about, columns)
        question = Question(language.language, frames, about, terms, shape, labels, places)
        wording = load(_ASK)(stream.child("wording"), self.words[language.language], question)
        return Task(
            id=f"task/{name}-{candidate.number:04d}",
            family=self.spec.tasks[name].family,
            about=about,
            language=language.language,
            wording=wording + language.rule,
            query=gold_query(self.spec, about, terms, columns, shape),
            conditions=terms,
            columns=(replace(columns[0], is_key=True), *columns[1:]),
            evaluation=evaluation_of(columns, labels[:1], ordered=shape.limit > 0),
            gold=(),
            facts=self._facts(candidate),
            evidence=candidate.evidence,
            shape=shape,
            side=side,
            measures=TaskMeasures(n_hops=n_hops(candidate.terms)),
        )

    def _places(self, about: str, columns: Sequence[TaskColumn]) -> tuple[int, ...]:
        """Return to how many decimals each column of an answer is rounded, 0 for not at all."""
        measures = (measure_of(column.path) for column in columns)
        own = (self.columns[about].get(column.path) for column in columns)
        return tuple((m.places if m else 0) or (c.places if c else 0) for m, c in zip(measures, own, strict=True))

    def _facts(self, candidate: Candidate) -> tuple[tuple[str, ...], ...]:
        about, rows, group = candidate.about, candidate.rows, candidate.shape.group
        if group:
            return group_facts(self.views[about], group, candidate.columns, rows)
        paths = [column.path for column in candidate.columns]
        return tuple(tuple(f"{entity_id(about, row)}#{path}" for path in paths) for row in rows.tolist())


def _size(family: TaskFamily, dice: Dice) -> tuple[Range, Range]:
    """Return how many columns and rows are wanted."""
    if family.cells is None:
        return family.columns, family.rows
    n = dice.within(family.columns)
    low, high = -(-family.cells.low // n), max(family.cells.high // n, 1)
    return Range(low=n, high=n), Range(low=min(low, high), high=high)


def _call_family(draw: Family, given: FamilyInput) -> DrawnTask | None:
    """Call a family's draw function. Raises InputError for an exception in a spec's own code."""
    name = given.family.family
    with own_code_errors(name, "task family", "see docs/how-to/own-task-family.md"):
        found = draw(given)
        if found is not None and not isinstance(found, DrawnTask):
            raise TypeError(f"it gave a {type(found).__name__} where a DrawnTask or None is expected")
    return found
