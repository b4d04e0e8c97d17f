"""What a searcher still wants to know, and how much: candidates, their conditions, and the cells of the answer.

A goal is a set of rows to find: entities of a type that meet terms, with columns to read. The question is one; what its
terms describe elsewhere (the players who come from a town, where clubs are asked for) are further ones.
Each candidate gives weights to the entities on which something is to be read. A candidate that meets what is known of
it weighs more than one of which nothing is known; one that fails a condition weighs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from worldforge.environments.search.searcher.beliefs import Beliefs
from worldforge.environments.search.searcher.term_truth import ROWS, TermTruth
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.computed_cells import measure_of
from worldforge.world.site_figures import is_of_site, parted
from worldforge.world.task import Task
from worldforge.world.task_terms import (
    Condition,
    DescribedTerm,
    GivenEntities,
    RelatedTerm,
    Term,
    Terms,
    leaves,
    parts_of,
    split_terms,
)

CELL = 3.0
"""The weight of a missing cell of a candidate that meets all conditions."""
LIKELY = 1.0
"""The weight of an open condition of a candidate that meets another."""
UNTESTED = 0.2
"""The weight of an open condition of a candidate of which no condition is known, where one of few meets it."""
EVEN = 0.7
"""The same where conditions are bounds, which as many may meet as not."""

CHECK = 0.4
"""The weight of a value on which pages disagree, where another page may settle it."""

FURTHER_ROWS = 0.4
"""The weight of a relation's rows of a candidate of which a page was read that gave none."""

ON_THE_WAY = 0.5
"""How much what leads to candidates counts beside the candidates."""


@dataclass(frozen=True)
class SearchGoal:
    """Entities of type `about` that meet `terms`, and the paths of the columns to read of them."""

    about: str
    terms: Terms
    columns: tuple[str, ...] = ()
    share: float = 1.0
    """How much its weights count."""
    rows: str = ""
    end: str = ""
    where: Terms = ()
    """Where the columns are those of a relation's rows: it, at which end the entities stand, and which rows."""

    @property
    def table(self) -> str:
        """The table that the columns' paths begin at."""
        return self.rows or self.about

    @cached_property
    def given(self) -> Mapping[str, str]:
        """The names of the entities by id, where the question names them."""
        terms = (term for term in self.terms if isinstance(term, GivenEntities))
        return {entity: name for term in terms for entity, name in zip(term.ids, term.names, strict=True)}

    def may_want(self, entity: str) -> bool:
        """Return whether an entity may be a candidate: of its type, and of those named where they are named."""
        return entity.partition("/")[0] == self.about and (not self.given or entity in self.given)


@dataclass
class SearchCandidate:
    """An entity that a goal may want. `holds` says whether it meets the terms, None where that is open.

    `wanted` are the open facts, by weight, of which `n_cells` are cells of the answer; `doubtful` those known on which
    its verdict or a cell rests, and on which pages disagree.
    """

    entity: str
    holds: bool | None = None
    wanted: dict[str, float] = field(default_factory=dict)
    doubtful: dict[str, float] = field(default_factory=dict)
    n_cells: int = 0
    untested: bool = False
    """Whether nothing is known yet that speaks for it or against it."""


def goals_of(spec: WorldSpec, task: Task) -> list[SearchGoal]:
    """Return the goals of a question, its own first."""
    columns = [measure.column if (measure := measure_of(one.path)) else one.path for one in task.columns]
    shape = task.shape
    paths = dict.fromkeys(
        path for path in (*columns, shape.order, shape.group, shape.within) if path and path != "name"
    )
    own = SearchGoal(task.about, task.conditions, tuple(paths), rows=shape.rows, end=shape.end, where=shape.where)
    if not shape.owners:
        return [own, *_goals_within(spec, task.about, task.conditions)]
    owners, rest = split_terms(task.conditions, shape.owners)
    there = references_of(spec, task.about)[shape.owners]
    within = (*_goals_within(spec, there, owners), *_goals_within(spec, task.about, rest))
    return [own, SearchGoal(there, owners, share=ON_THE_WAY), *within]


def _goals_within(spec: WorldSpec, about: str, terms: Iterable[Term]) -> Iterator[SearchGoal]:
    for term in terms:
        if isinstance(term, Condition) and "." in term.path and term.operator == "=":
            step, _, rest = term.path.partition(".")
            onwards = references_of(spec, about)[step]
            if onwards in spec.types:
                way = (replace(term, path=rest),)
                yield SearchGoal(onwards, way, share=ON_THE_WAY)
                yield from _goals_within(spec, onwards, way)
        if isinstance(term, RelatedTerm) and term.table in spec.types:
            yield SearchGoal(term.table, term.where, (term.column,), share=ON_THE_WAY)
        if isinstance(term, DescribedTerm):
            yield SearchGoal(term.about, term.where, share=ON_THE_WAY)
        inner = (
            term.table if isinstance(term, RelatedTerm) else term.about if isinstance(term, DescribedTerm) else about
        )
        for part in parts_of(term):
            yield from _goals_within(spec, inner, part)


def _table_within(term: Term, about: str) -> str:
    """Return the table that a term's own terms are on."""
    match term:
        case RelatedTerm():
            return term.table
        case DescribedTerm():
            return term.about
        case _:
            return about


class OpenQuestions:
    """The candidates of all goals of one episode, kept up to date as beliefs change."""

    def __init__(self, spec: WorldSpec, beliefs: Beliefs, truth: TermTruth, goals: Sequence[SearchGoal]) -> None:
        self._spec, self._beliefs, self._truth, self.goals = spec, beliefs, truth, goals
        self.candidates: list[dict[str, SearchCandidate]] = [{} for _ in goals]
        self._bounds = [_are_bounds(goal.terms) for goal in goals]
        self.weights: dict[str, float] = {}
        self.columns: dict[str, dict[str, int]] = {}
        """The columns to read of each entity, with how many candidates ask for them."""
        self.turned: list[tuple[int, str]] = []
        """Goals and candidates of which it has turned out that they meet the goal or fail, since somebody looked."""
        self._watching: dict[str, set[tuple[int, str]]] = {}
        self._n_found = self._n_missed = 0  # of the question's own candidates of which nothing had been known

    @cached_property
    def asked_of_sites(self) -> Mapping[str, list[str]]:
        """The sites whose figures the question asks for, by table and column: `club#capacity`."""
        found: dict[str, list[str]] = {}
        for path in filter(is_of_site, self.goals[0].columns):
            column, site = parted(path)
            found.setdefault(f"{self.goals[0].table}#{column}", []).append(site)
        return found

    @property
    def own(self) -> dict[str, SearchCandidate]:
        """The candidates of the question itself."""
        return self.candidates[0]

    def meet(self, entities: Iterable[str]) -> list[str]:
        """Take entities as candidates of the goals of their type; return those of the question's own."""
        met = []
        for entity in entities:
            for number, goal in enumerate(self.goals):
                if entity not in self.candidates[number] and goal.may_want(entity):
                    self.candidates[number][entity] = SearchCandidate(entity)
                    self._test(number, entity)
                    met += [entity] if number == 0 else []
        return met

    def update(self, rows: Iterable[str]) -> None:
        """Test again what rests on rows of which something was read, or nothing more will be."""
        again = {key for row in rows for key in self._watching.get(row, ())}
        for number, entity in sorted(again):
            self._test(number, entity)

    def test_all(self) -> None:
        """Test every candidate again."""
        for number, own in enumerate(self.candidates):
            for entity in own:
                self._test(number, entity)

    def qualified(self, number: int = 0) -> list[str]:
        """Return the candidates that are known to meet a goal, by default the question's own, as they were met."""
        return [one.entity for one in self.candidates[number].values() if one.holds]

    def _test(self, number: int, entity: str) -> None:
        goal, candidate = self.goals[number], self.candidates[number][entity]
        self._weigh(candidate, -1)
        self._truth.touched = set()
        found = self._truth.all_hold(goal.about, entity, goal.terms)
        if found.holds is not None and found.holds is not candidate.holds:
            self.turned.append((number, entity))
        if number == 0 and candidate.untested and found.holds is not None:
            self._n_found += found.holds
            self._n_missed += not found.holds
        candidate.holds, candidate.wanted, candidate.doubtful, candidate.n_cells = found.holds, {}, {}, 0
        candidate.untested = False
        if found.holds is None:
            weight = LIKELY if self._meets_some(goal, entity) else EVEN if self._bounds[number] else UNTESTED
            candidate.untested = weight == UNTESTED
            candidate.wanted = dict.fromkeys(found.open, weight * goal.share)
        if found.holds:
            self._want_cells(goal, candidate)
        if found.holds is not None and self._beliefs.contested:
            doubtful = filter(self._beliefs.is_doubtful, self._rests_on(goal, candidate))
            candidate.doubtful = {fact: CHECK * goal.share for fact in doubtful if self._may_be_read(fact)}
        self._weigh(candidate, 1)
        for row in self._truth.touched:
            self._watching.setdefault(row, set()).add((number, entity))

    def _meets_some(self, goal: SearchGoal, entity: str) -> bool:
        tested = (term for term in goal.terms if not isinstance(term, GivenEntities))
        return any(self._truth.holds(goal.about, entity, term).holds for term in tested)

    def watchers(self, row: str) -> list[str]:
        """Return the question's own candidates that rest on a row."""
        return [entity for number, entity in sorted(self._watching.get(row, ())) if number == 0]

    def expected(self, entity: str) -> float:
        """Return the weight of what is open on an entity; of a candidate of which nothing is known by experience.

        The more of those that were looked at one by one did not meet the question, the less another is likely to.
        """
        weight, candidate = self.weights.get(entity, 0.0), self.own.get(entity)
        if candidate is None or not candidate.untested:
            return weight
        rate = (1 + self._n_found) / (1 / UNTESTED + self._n_found + self._n_missed)
        return weight * rate / UNTESTED

    def rows(self, entity: str) -> list[str]:
        """Return what gives rows of the answer for an entity: itself, or the rows of the relation that were read.

        Where others reported more of them, theirs; without those that are known not to be asked for.
        """
        goal = self.goals[0]
        if not goal.rows:
            return [entity]
        read = list(self._beliefs.rows.get((goal.rows, goal.end, entity), ()))
        found = max(read, self._truth.reported.rows.get(entity, []), key=len)
        return [row for row in found if self._truth.all_hold(goal.rows, row, goal.where).holds is not False]

    def _want_cells(self, goal: SearchGoal, candidate: SearchCandidate) -> None:
        entity = candidate.entity
        if goal.rows and entity not in self._truth.given_up and not self._has_read_rows(goal, entity):
            weight = FURTHER_ROWS if entity in self._truth.explored else CELL
            candidate.wanted[f"{entity}#{ROWS}{goal.rows}"] = weight * goal.share
        for row in self.rows(entity) if goal is self.goals[0] else (entity,):
            for path in goal.columns:
                known, missing = self._truth.value(goal.table, row, path)
                if known is None:
                    candidate.n_cells += 1
                    candidate.wanted |= dict.fromkeys(missing, CELL * goal.share)

    def _has_read_rows(self, goal: SearchGoal, entity: str) -> bool:
        """Return whether a page on an entity was read to its end, and some page gave rows of it."""
        if (goal.rows, goal.end, entity) not in self._beliefs.rows and entity not in self._truth.reported.rows:
            return False
        return entity in self._truth.explored

    def _rests_on(self, goal: SearchGoal, candidate: SearchCandidate) -> Iterator[str]:
        """Yield the facts by which a candidate belongs in the answer or not, and those that are its cells there."""
        entity, holds = candidate.entity, bool(candidate.holds)
        yield from (one.fact for one in self._truth.reasons(goal.about, entity, goal.terms, hold=holds))
        for row in self.rows(entity) if holds and goal is self.goals[0] else ():
            for path in goal.columns:
                if (known := self._truth.fact_at(goal.table, row, path)) is not None:
                    yield known[0]

    def _may_be_read(self, fact: str) -> bool:
        """Return whether a fact is one of an entity of which more may be found."""
        entity = fact.partition("#")[0]
        return entity.partition("/")[0] in self._spec.types and entity not in self._truth.given_up

    def _weigh(self, candidate: SearchCandidate, sign: int) -> None:
        for fact, weight in (*candidate.wanted.items(), *candidate.doubtful.items()):
            entity, _, column = fact.partition("#")
            for one in self._beliefs.ends(entity) if entity.partition("/")[0] in self._spec.relations else (entity,):
                self.weights[one] = self.weights.get(one, 0.0) + sign * weight
                columns = self.columns.setdefault(one, {})
                columns[column] = columns.get(column, 0) + sign
                if columns[column] == 0:
                    del columns[column]
                if abs(self.weights[one]) < 1e-9:
                    del self.weights[one]


def _are_bounds(terms: Terms) -> bool:
    """Return whether terms are none but bounds of values, negations, or orders."""
    return not any(condition.operator == "=" for condition in leaves(terms)) and not any(
        isinstance(term, RelatedTerm | DescribedTerm) for term in terms
    )
