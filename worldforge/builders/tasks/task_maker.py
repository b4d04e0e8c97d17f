"""Draws task candidates, and words them: a type, terms that leave the wanted number of rows, columns to ask for.

Candidate `i` of a family is a function of seed, family and `i` alone. Only facts that pages state are asked for, and
only where a page states them for every row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.builders.tasks.cell_ladder import MOST_TRIES, LadderStep, ladder, lowered, table_size
from worldforge.builders.tasks.condition_sampling import Dice, distinct, pick_columns
from worldforge.builders.tasks.gold_sql import gold_query
from worldforge.builders.tasks.group_columns import group_facts, labelled
from worldforge.builders.tasks.question_languages import QuestionLanguage, aliases_by_language, language_of
from worldforge.builders.tasks.splits import SplitSides
from worldforge.builders.tasks.table_view import ENDS, Subset, TableView
from worldforge.builders.tasks.task_family import (
    DrawnTask,
    Family,
    FamilyInput,
    fixed_paths,
    load_family,
    order_terms,
    relations_for_tasks,
)
from worldforge.builders.tasks.term_evaluator import TermEvaluator
from worldforge.builders.tasks.value_synonyms import synonyms_of
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.builders.tasks.widesearch_files import evaluation_of
from worldforge.core.chance import Stream
from worldforge.core.imports import load, own_code_errors
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language, Range
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.world.computed_cells import measure_of
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import Table
from worldforge.world.question_labels import Question
from worldforge.world.site_figures import table_column
from worldforge.world.task import Task, TaskColumn, TaskMeasures
from worldforge.world.task_terms import Shape, Term, Terms, n_hops

DRAWS_A_TASK = 600
"""Candidates drawn for a wanted task before the stage gives up; few fit where pages state little or sides are split."""
DRAWS_IN_VAIN = 6000
"""Candidates drawn since the last that was kept before the stage gives up: ten times what a hard task takes."""
DRAWS_A_STEP = 60
"""Candidates drawn at one height of a step of a ladder."""
_TELLING = ("text", "year", "date")  # kinds of columns that tell namesakes apart
_ASKED = 0.7  # of the rows of a table are asked for at most: conditions leave some out
_ASK = "questions.ask"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task before it is worded: what it asks, the rows that should answer, the facts that show they should.

    Where the answer's rows are groups, `rows` are the members of all groups; where they are those of a relation, `rows`
    are these. The first `n_keys` columns tell rows apart.
    """

    number: int
    about: str
    terms: Terms
    columns: tuple[TaskColumn, ...]
    rows: Subset
    evidence: tuple[str, ...]
    shape: Shape = field(default_factory=Shape)
    n_keys: int = 1

    @property
    def table(self) -> str:
        """The table that the paths of the columns begin at."""
        return self.shape.rows or self.about


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

    def steps(self, name: str, n: int) -> list[LadderStep]:
        """Return the steps of a family's ladder for `n` tasks, lower where the world has no such tables."""
        cells = self.spec.tasks[name].cells
        assert cells is not None
        most = round(_ASKED * max((self._most_cells(name, view) for view in self._about(name)[0]), default=0))
        return [LadderStep(place, lowered(step, cells, most)) for place, step in enumerate(ladder(cells, n))]

    def _most_cells(self, name: str, view: TableView) -> int:
        """Count the cells of the largest table that a family may ask for about a type."""
        family, of_sources = self.spec.tasks[name], self._families[name].rows_of_sources
        relations = [key for key, one in self.spec.relations.items() if one.source == view.name]
        tables = [self.views[key] for key in relations] if of_sources else [view]
        sizes = [0]
        for table in tables:
            n_columns = len(table.values) + len(table.references) + (not of_sources)
            n_columns += len(table.further) if family.paths else 0
            sizes.append(table.n_rows * min(n_columns, family.columns.high))
        return max(sizes)

    def task_at(self, name: str, side: str, step: LadderStep) -> Task | None:
        """Draw and word a task of about so many cells as a step of a family's ladder has; None where there is none."""
        family, first = self.spec.tasks[name], (step.place * MOST_TRIES + step.n_tries) * DRAWS_A_STEP
        for number in range(first, first + DRAWS_A_STEP):
            candidate = self._drawn(name, number, lambda dice: table_size(family, step, dice.share()))
            if candidate is not None and self._fits(name, candidate, side):
                return self._worded(name, candidate, side)
        return None

    def candidates(self, name: str, side: str = "") -> Iterator[Candidate]:
        """Draw candidates of a family, no two with the same conditions; with a `side`, those on it alone."""
        family = self.spec.tasks[name]
        seen: set[tuple[str, frozenset[Term], Shape]] = set()
        last = 0
        for number in range(family.count * DRAWS_A_TASK if self._about(name)[0] else 0):
            if number - last > DRAWS_IN_VAIN:
                return
            candidate = self._drawn(name, number, lambda _: (family.columns, family.rows))
            if candidate is None or not self._fits(name, candidate, side):
                continue
            key = candidate.about, frozenset(candidate.terms), candidate.shape  # in whichever order
            if key not in seen:
                seen.add(key)
                last = number
                yield candidate

    def _about(self, name: str) -> tuple[list[TableView], npt.NDArray[np.float64]]:
        """Return the types that a family may ask about, and up to where in [0, 1) each is drawn."""
        family = self.spec.tasks[name]
        types = self.spec.types if family.about == "all" else family.about
        if self._families[name].rows_of_sources:
            sources = {relation.source for relation in self.spec.relations.values()}
            types = [one for one in types if one in sources]
        views = [self.views[one] for one in types if self.views[one].n_rows >= family.least_rows]
        # the square root: large types have more to ask about, and small ones must not be forgotten
        weights = np.cumsum([view.n_rows**0.5 for view in views])
        return views, weights / max(weights[-1:], default=1)

    def _drawn(self, name: str, number: int, size: Callable[[Dice], tuple[Range, Range]]) -> Candidate | None:
        """Draw candidate `number` of columns and rows as `size` draws them; None where there is none such."""
        family, language = self.spec.tasks[name], self.spec.languages[0]
        stream = Stream(self.spec.seed).child("tasks", name, number)
        n_draws = 24 + 40 * family.conditions.high + 2 * family.columns.high  # more than it takes
        dice = Dice(stream, n_draws)
        views, shares = self._about(name)
        if not views:
            return None
        view = views[int(np.searchsorted(shares, dice.share(), side="right"))]
        columns, rows = size(dice)
        links, views_of = self.words[language][view.name].links, self.views
        given = FamilyInput(view, links, views_of, self.evaluator, family, dice, stream, rows, columns, language)
        drawn = _call_family(self._families[name], given)
        if drawn is None or not (drawn.shape.group or rows.low <= len(drawn.rows) <= rows.high):
            return None
        return self._completed(number, view, drawn, given)

    def _completed(self, number: int, view: TableView, drawn: DrawnTask, given: FamilyInput) -> Candidate | None:
        """Add the columns, and the facts that show the rows to be the answer; None where pages do not state them."""
        rows, terms, shape = drawn.rows, order_terms(drawn.terms), drawn.shape
        answer = self.views[shape.rows or view.name]
        entities = self._entities(shape, rows)
        if not bool(view.named[entities].all()):
            return None
        columns, keys = tuple(drawn.columns), drawn.keys
        if not columns:
            fixed = {f"{shape.end}.{path}" if shape.rows else path for path in fixed_paths(terms)}
            keys = _telling_keys(answer, given.dice, rows, drawn.keys)
            included = [one for one in given.family.include if one in self.columns[answer.name] and one not in fixed]
            included += [ENDS[shape.end]] if shape.rows and not shape.where else []  # the club, of former clubs
            if not all(answer.column(one).is_stated(rows) for one in included):
                return None
            first = list(dict.fromkeys([*keys, *([shape.order] if shape.order else []), *included]))
            columns = pick_columns(answer, given.dice, rows, given.columns, fixed, first, given.family.paths)
        facts, stated = self.evaluator.prove(view.name, terms, entities)
        if not columns or not stated.all():
            return None
        ways = self._ways(answer, columns, shape, rows)
        evidence = tuple(dict.fromkeys([*facts, *drawn.facts, *ways]))
        return Candidate(number, view.name, terms, columns, rows, evidence, shape, len(keys))

    def _entities(self, shape: Shape, rows: Subset) -> Subset:
        """Return the entities that rows of an answer are about: those rows, or at an end of a relation's rows."""
        return np.unique(self.views[shape.rows].column(shape.end).codes[rows]) if shape.rows else rows

    def _ways(self, answer: TableView, columns: Sequence[TaskColumn], shape: Shape, rows: Subset) -> Iterator[str]:
        """Yield the facts that lead from rows of an answer to what its columns are, but for those at the end."""
        if shape.rows:
            yield from self.evaluator.chain(answer.name, ENDS[shape.end], rows)[0]
        for path in (column.path for column in columns if "." in column.path):
            table, there = answer.name, rows
            step, _, rest = path.partition(".")
            if shape.rows and step == shape.end:  # the row itself stands on the entity's pages
                table, there = str(answer.column(step).column.references), self._entities(shape, rows)
                path = rest
            if "." in path:
                yield from self.evaluator.chain(table, path.rpartition(".")[0], there)[0]

    def _fits(self, name: str, candidate: Candidate, side: str) -> bool:
        """Return whether a candidate is on a side, and its columns can be named in its language, no two alike."""
        if side and self._side(candidate) != side:
            return False
        labels = [column.label for column in self._columns(name, candidate)]
        return all(labels) and distinct(labels)

    def _side(self, candidate: Candidate) -> str:
        assert self._sides is not None
        entities = self._entities(candidate.shape, candidate.rows)
        side = self._sides.side(candidate.about, entities, candidate.terms)
        group = candidate.shape.group or candidate.shape.within
        referred = self.columns[candidate.about][group].references if group else None
        if referred is None:
            return side
        rows = np.unique(self.views[candidate.about].column(group).codes[candidate.rows])
        return side if self._sides.side(referred, rows, ()) == side else ""

    def _language(self, name: str, candidate: Candidate) -> QuestionLanguage:
        return self.languages[language_of(self.spec, self.spec.tasks[name], candidate.number)]

    def _columns(self, name: str, candidate: Candidate) -> tuple[TaskColumn, ...]:
        """Label the columns of an answer in the question's language."""
        language = self._language(name, candidate)
        if candidate.shape.group:
            return labelled(language.language, self.words[language.language][candidate.about], candidate.columns)
        return language.label_columns(candidate.table, candidate.columns)

    def _worded(self, name: str, candidate: Candidate, side: str = "") -> Task:
        """Word a candidate; its gold is still to be derived."""
        about, shape, language = candidate.about, candidate.shape, self._language(name, candidate)
        stream = Stream(self.spec.seed).child("tasks", name, candidate.number)
        terms = language.localize(candidate.terms, stream.child("called"))
        shape = replace(shape, where=language.localize(shape.where, stream.child("rows")))
        columns = self._columns(name, candidate)
        labels = tuple(column.label for column in columns)
        frames = self._families[name].frames_in(language.language)
        places = self._places(candidate.table, columns)
        n, kinds = candidate.n_keys, tuple(column.kind for column in columns)
        question = Question(language.language, frames, about, terms, shape, labels, places, kinds)
        wording = load(_ASK)(stream.child("wording"), self.words[language.language], question)
        return Task(
            id=f"task/{name}-{candidate.number:04d}",
            family=self.spec.tasks[name].family,
            about=about,
            language=language.language,
            wording=wording + language.about_sites(columns, stream.child("sites")) + language.rule,
            query=gold_query(self.spec, about, terms, columns, shape),
            conditions=terms,
            columns=(*(replace(column, is_key=True) for column in columns[:n]), *columns[n:]),
            evaluation=evaluation_of(
                columns,
                labels[:n],
                ordered=shape.is_ordered,
                synonyms=self._synonyms(candidate.table, columns, language.language),
            ),
            gold=(),
            facts=self._facts(candidate),
            evidence=candidate.evidence,
            shape=shape,
            side=side,
            measures=TaskMeasures(n_hops=n_hops(candidate.terms) + (1 if shape.rows else 0)),
        )

    def _places(self, table: str, columns: Sequence[TaskColumn]) -> tuple[int, ...]:
        """Return to how many decimals each column of an answer is rounded, 0 for not at all."""
        measures = (measure_of(column.path) for column in columns)
        own = (self._column_at(table, column.path) for column in columns)
        return tuple((m.places if m else 0) or (c.places if c else 0) for m, c in zip(measures, own, strict=True))

    def _synonyms(self, table: str, columns: Sequence[TaskColumn], language: Language) -> dict[str, dict[str, str]]:
        """Return for each column of an answer the values that other words stand for, where a phrasebook has such."""
        ends = {one.label: self._end_of(table, one.path) for one in columns if one.kind in ("text", "boolean")}
        found = {label: synonyms_of(self.spec, language, *end) for label, end in ends.items()}
        return {label: own for label, own in found.items() if own}

    def _end_of(self, table: str, path: str) -> tuple[str, str]:
        """Return the table and the column that a path of an answer ends at; what is computed is no table's column."""
        *steps, last = path.split(".") if "(" not in path else (path,)
        for step in steps:
            table = str(self.columns[table][step].references)
        return table, table_column(last)

    def _column_at(self, table: str, path: str) -> ColumnInfo | None:
        """Return what a path of an answer leads to; None for what is computed."""
        table, last = self._end_of(table, path)
        return self.columns[table].get(last)

    def _facts(self, candidate: Candidate) -> tuple[tuple[str, ...], ...]:
        about, rows, shape = candidate.about, candidate.rows, candidate.shape
        if shape.group:
            return group_facts(self.views[about], shape.group, candidate.columns, rows)
        view = self.views[candidate.table]
        facts = (view.facts(column.path, rows, shape.end) for column in candidate.columns)
        return tuple(zip(*facts, strict=True))


def _telling_keys(view: TableView, dice: Dice, rows: Subset, keys: Sequence[str]) -> Sequence[str]:
    """Return the columns that tell rows apart: where some have the same name, a second one that differs for these."""
    names = view.column("name").codes[rows] if keys == ("name",) else rows
    if len(np.unique(names)) == len(rows):
        return keys
    telling = [
        one.path
        for one in (*view.values, *view.references)
        if "." not in one.path and one.column.kind in _TELLING and one.is_stated(rows)
        if len(np.unique(np.stack([names, one.codes[rows]]), axis=1).T) == len(rows)
    ]
    return (*keys, telling[dice.below(len(telling))]) if telling else keys


def _call_family(draw: Family, given: FamilyInput) -> DrawnTask | None:
    """Call a family's draw function. Raises InputError for an exception in a spec's own code."""
    name = given.family.family
    with own_code_errors(name, "task family", "see docs/how-to/own-task-family.md"):
        found = draw(given)
        if found is not None and not isinstance(found, DrawnTask):
            raise TypeError(f"it gave a {type(found).__name__} where a DrawnTask or None is expected")
    return found
