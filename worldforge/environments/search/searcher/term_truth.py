"""Evaluate a question's terms on beliefs: true, false, or not known yet, and then what would have to be read.

A term on an entity is evaluated with what was read. What is missing comes as open facts: ids of facts, or
`club/0031#*match` for the rows of a relation that an entity has, of which nobody says that all were seen.
What is `given_up` counts as not there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from worldforge.environments.search.searcher.beliefs import Beliefs, Known
from worldforge.schema.spec import WorldSpec
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, GivenEntities, NoneOf, RelatedTerm, Term
from worldforge.world.value_text import READ_CANONICAL

_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ROWS = "*"
"""Stands before a relation's name in the place of a column: the rows of it that an entity has."""


class Evaluation(NamedTuple):
    """Whether terms hold, None where that is not known, and the open facts that would tell."""

    holds: bool | None
    open: tuple[str, ...] = ()


TRUE, FALSE = Evaluation(True), Evaluation(False)


class Deciding(NamedTuple):
    """A fact by which a term holds or fails, and the condition on it, if one is."""

    fact: str
    known: Known
    condition: Condition | None = None


@dataclass
class ReportedFindings:
    """What others have reported: verdicts by row and term, values by row and path, rows of a relation by their entity.

    The ids of such rows are of no table: a report does not give them.
    """

    verdicts: dict[tuple[str, Term], bool] = field(default_factory=dict)
    values: dict[tuple[str, str], Known] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)


class TermTruth:
    """Evaluates terms on the beliefs of one episode, and on what others have `reported`.

    `given_up` are entities of which nothing more can be read; `closed` says that the search is over, so that whatever
    is not known does not hold. `touched` collects the entities and rows that evaluations have looked at.
    """

    def __init__(self, spec: WorldSpec, beliefs: Beliefs) -> None:
        self._spec, self._beliefs = spec, beliefs
        self.given_up: set[str] = set()
        self.explored: set[str] = set()
        self.closed = False
        self.reported = ReportedFindings()
        self.touched: set[str] = set()

    def all_hold(self, table: str, row: str, terms: Iterable[Term]) -> Evaluation:
        """Return whether all terms hold of a row of a table."""
        return _all(self.holds(table, row, term) for term in terms)

    def holds(self, table: str, row: str, term: Term) -> Evaluation:
        """Return whether a term holds of a row of a table."""
        self.touched.add(row)
        verdict = self.reported.verdicts.get((row, term))
        if verdict is not None:
            return Evaluation(verdict)
        match term:
            case Condition():
                return self._condition(table, row, term)
            case AnyOf():
                return _any(self.all_hold(table, row, part) for part in term.parts)
            case NoneOf():
                found = _any(self.all_hold(table, row, part) for part in term.parts)
                return Evaluation(None if found.holds is None else not found.holds, found.open)
            case RelatedTerm():
                return self._related(row, term)
            case DescribedTerm():
                known, missing = self.value(table, row, term.path)
                if known is None:
                    return self._unknown(missing)
                return self.all_hold(term.about, str(known.value), term.where)
            case GivenEntities():
                return TRUE if row in term.ids else FALSE

    def value(self, table: str, row: str, path: str) -> tuple[Known | None, tuple[str, ...]]:
        """Return what is believed of the end of a path from a row, or the open facts that lead there."""
        known = self.reported.values.get((row, path))
        if known is not None:
            self.touched.add(row)
            return known, ()
        return self._walk(table, row, path.split("."))

    def _walk(self, table: str, row: str, steps: Sequence[str]) -> tuple[Known | None, tuple[str, ...]]:
        """Go on from a row step by step; where that leads nowhere, by what a list's title says of several at once."""
        self.touched.add(row)
        step, further = steps[0], steps[1:]
        known = self.reported.values.get((row, step)) or self._beliefs.value_of(table, row, step)
        if known is None:
            missing = self._open(table, row, step)
        elif not further:
            return known, ()
        else:
            known, missing = self._walk(self._beliefs.references[table][step], str(known.value), further)
        for n_steps in range(len(steps), 1, -1) if known is None else ():
            listed = self._beliefs.known(f"{row}#{'.'.join(steps[:n_steps])}")
            if listed is not None and n_steps == len(steps):
                return listed, ()
            if listed is not None:
                end = str(listed.value)
                return self._walk(end.partition("/")[0], end, steps[n_steps:])
        return known, missing

    def reasons(self, table: str, row: str, terms: Iterable[Term], *, hold: bool) -> Iterator[Deciding]:
        """Yield known facts by which terms hold, or by which the first term that fails does; not all terms have one."""
        for term in terms:
            if self.holds(table, row, term).holds is hold:
                if (row, term) in self.reported.verdicts:
                    continue
                yield from self._reasons_of(table, row, term, hold=hold)
                if not hold:
                    return

    def _reasons_of(self, table: str, row: str, term: Term, *, hold: bool) -> Iterator[Deciding]:
        match term:
            case Condition():
                if (end := self.fact_at(table, row, term.path)) is not None:
                    yield Deciding(*end, term)
            case DescribedTerm():
                if (end := self.fact_at(table, row, term.path)) is not None:
                    yield Deciding(*end)
            case AnyOf() if hold:
                met = (part for part in term.parts if self.all_hold(table, row, part).holds)
                yield from self.reasons(table, row, next(met, ()), hold=True)
            case AnyOf():
                conditions = [
                    condition for part in term.parts for condition in part if isinstance(condition, Condition)
                ]
                paths = {condition.path for condition in conditions}
                is_of_one_path = len(paths) == 1 and len(conditions) == len(term.parts)
                if is_of_one_path and (end := self.fact_at(table, row, paths.pop())) is not None:
                    yield Deciding(*end)
            case NoneOf() if not hold:
                met = (part for part in term.parts if self.all_hold(table, row, part).holds)
                yield from (one._replace(condition=None) for one in self.reasons(table, row, next(met, ()), hold=True))

    def fact_at(self, table: str, row: str, path: str) -> tuple[str, Known] | None:
        """Return the fact at the end of a path from a row, and its value; None where it is not known."""
        way, _, column = path.rpartition(".")
        at, known = row, None
        if way:
            led, _ = self.value(table, row, way)
            at = "" if led is None else str(led.value)
        if at:
            known = self._beliefs.value_of(at.partition("/")[0], at, column)
        if known is None:
            at, column, known = row, path, self._beliefs.known(f"{row}#{path}")
        return None if known is None else (f"{at}#{column}", known)

    def _open(self, table: str, row: str, column: str) -> tuple[str, ...]:
        """Return the facts to look for where a column is unknown: itself, or what it is stated relative to."""
        if self.closed:
            return ()
        fact = f"{row}#{column}"
        others = [one for one in self._beliefs.missing_for(fact) if one.partition("#")[0] not in self.given_up]
        for one in others:
            self.touched.add(one.partition("#")[0])
        if row in self.given_up:
            return tuple(others[:1])
        if table in self._spec.relations and not others:
            ends = [end for end in self._beliefs.ends(row) if end not in self.explored]
            return tuple(f"{end}#{ROWS}{table}" for end in ends)
        return tuple(others[:1]) or (fact,)

    def _unknown(self, missing: tuple[str, ...]) -> Evaluation:
        return Evaluation(None, missing) if missing else FALSE

    def _condition(self, table: str, row: str, condition: Condition) -> Evaluation:
        known, missing = self.value(table, row, condition.path)
        if condition.operator == "missing":
            if known is not None:
                return FALSE
            return TRUE if table in self._spec.relations or not missing else Evaluation(None, missing)
        if known is None:
            return self._unknown(missing)
        if condition.operator in ("highest", "lowest"):
            return Evaluation(known.value == self._best(table, condition))
        read = READ_CANONICAL[condition.kind]
        try:
            if condition.operator == "between":
                return Evaluation(bool(read(condition.value) <= known.value <= read(condition.upper)))
            return Evaluation(_COMPARE[condition.operator](known.value, read(condition.value)))
        except TypeError:  # a page that errs may give what is no value of the column
            return FALSE

    def _best(self, table: str, condition: Condition) -> Any:
        path = condition.path
        found = (
            self.reported.values.get((row, path)) or self._beliefs.known(f"{row}#{path}")
            for row in self._beliefs.of_type[table]
        )
        values = [known.value for known in found if known is not None]
        return (max if condition.operator == "highest" else min)(values)

    def _related(self, row: str, term: RelatedTerm) -> Evaluation:
        is_relation = term.table in self._spec.relations
        held = self._beliefs.rows if is_relation else self._beliefs.referring
        others = list(held.get((term.table, term.column, row), ()))
        if is_relation and term.column not in ("source", "target"):
            others = list(self._beliefs.referring.get((term.table, term.column, row), ()))
        found = _any(self._related_one(term, row, other) for other in others)
        if found.holds or self.closed or row in self.explored or row in self.given_up:
            return found if found.holds else FALSE
        return Evaluation(None, (*found.open, f"{row}#{ROWS}{term.table}"))

    def _related_one(self, term: RelatedTerm, row: str, other: str) -> Evaluation:
        self.touched.add(other)
        known = self._beliefs.value_of(term.table, other, term.column)
        if known is not None and known.value != row:
            return FALSE
        return self.all_hold(term.table, other, term.where)


def _all(found: Iterable[Evaluation]) -> Evaluation:
    missing: list[str] = []
    unknown = False
    for one in found:
        if one.holds is False:
            return FALSE
        unknown |= one.holds is None
        missing += one.open
    return Evaluation(None, tuple(dict.fromkeys(missing))) if unknown else TRUE


def _any(found: Iterable[Evaluation]) -> Evaluation:
    missing: list[str] = []
    unknown = False
    for one in found:
        if one.holds:
            return TRUE
        unknown |= one.holds is None
        missing += one.open
    return Evaluation(None, tuple(dict.fromkeys(missing))) if unknown else FALSE


def named_values(terms: Sequence[Term]) -> list[str]:
    """List the values that a question's conditions name: those of equality, and the names of given entities."""
    values: list[str] = []
    for term in terms:
        match term:
            case Condition(operator="=") if term.kind == "text":
                values.append(term.written)
            case AnyOf() | NoneOf():
                values += [value for part in term.parts for value in named_values(part)]
            case RelatedTerm() | DescribedTerm():
                values += named_values(term.where)
            case GivenEntities():
                values += term.names
    return list(dict.fromkeys(values))
