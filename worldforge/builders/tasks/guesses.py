"""Shortcuts to an answer that need no search: one page, one clue, a constant, a guess (FORT, arXiv 2606.12087).

measured      how much of the gold one page states, and what the best guess scores that needs no page
reason        why the spec's `gates` do not let a task pass, or nothing
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import duckdb

from worldforge.builders.tasks.gold_sql import gold_query, referred_type, run_gold_query
from worldforge.builders.tasks.question_languages import gold_in_words
from worldforge.environments.answer_rows import answer_table
from worldforge.schema.spec import WorldSpec
from worldforge.scoring.gold_table import gold_of
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.database import quote
from worldforge.world.evidence import Evidence
from worldforge.world.task import Task, TaskColumn
from worldforge.world.task_terms import AnyOf, Condition, GivenEntities, NoneOf, RelatedTerm, Shape, Terms, leaves

_MOST_OPTIONS = 24  # that a guesser may know: positions, weekdays, kinds
_ORDERED = ("integer", "number", "year")


@dataclass(frozen=True)
class Shortcuts:
    """Measures shortcuts of the tasks of one world."""

    spec: WorldSpec
    connection: duckdb.DuckDBPyConnection
    evidence: Evidence
    _usual: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def measured(self, task: Task) -> Task:
        """Fill in the columns `gold_page_share` and `guess_f1` of a task."""
        gold = gold_of(task)
        score = max((score_strict(guess, gold).item_f1 for guess in self.guesses(task)), default=0.0)
        return task.measured(gold_page_share=page_share(self.evidence, task.answer_facts), guess_f1=round(score, 6))

    def reason(self, task: Task) -> str:
        """Return the shortcut of a measured task that the spec does not allow; empty if there is none."""
        allowed = self.spec.gates
        if constant := _constant(task):
            return f"constant: `{constant}` is the same in every row, and a condition says what"
        if task.measures.gold_page_share > allowed.page_share:
            return f"page_share: one page states {task.measures.gold_page_share:.2f} of the gold"
        if task.measures.guess_f1 > allowed.guess:
            return f"guess: without any page, a guesser reaches item F1 {task.measures.guess_f1:.3f}"
        if not allowed.single_clue and self.one_clue_is_enough(task):
            return "single_clue: one of its conditions selects the answer alone"
        if self._has_vacuous_condition(task):
            return "vacuous: one of its conditions changes nothing"
        return ""

    def guesses(self, task: Task) -> Iterator[str]:
        """Yield answers that need no page: names alone, names and one further column, names and all columns.

        Names are those that the question gives, or where rows are groups the values of which a column has but few: one
        of a short list of options that a guesser may know. A column holds what a condition says, else the most frequent
        value among all entities of the type; of several equally frequent the middle one, as they are ordered. The best
        of these guesses counts, though a guesser would not know which it is.
        """
        names = self._names(task)
        if not names:
            return
        equalities = {
            one.path: one.value for one in task.conditions if isinstance(one, Condition) and one.operator == "="
        }
        usual = [
            equalities.get(one.path, self.usual(task.table, one)) for one in task.columns[1:] if not task.shape.group
        ]
        rows = [(name, *usual, *[None] * (len(task.columns) - 1 - len(usual))) for name in names]
        written = gold_in_words(self.spec, task, tuple(rows))
        every = range(1, len(usual) + 1)
        for columns in ((), *((one,) for one in every), tuple(every)):
            chosen = (0, *columns)
            cells = [[row[column] or "" for column in chosen] for row in written]
            yield answer_table([task.labels[column] for column in chosen], cells)

    def _names(self, task: Task) -> Sequence[str]:
        """Return the names of rows that need no page."""
        if task.shape.group:
            return self._options(task.about, task.columns[0])
        return [name for term in task.conditions if isinstance(term, GivenEntities) for name in term.names]

    def _options(self, about: str, column: TaskColumn) -> Sequence[str]:
        """Return the different values of a column, where they are few; references have none that can be guessed."""
        if referred_type(self.spec, about, column.path.split(".")) is not None:
            return ()
        label = quote(column.label)
        query = (
            f"SELECT DISTINCT {label} FROM ({gold_query(self.spec, about, (), (column,))}) WHERE {label} IS NOT NULL"
        )
        found = self.connection.execute(f"{query} ORDER BY 1 LIMIT {_MOST_OPTIONS + 1}").fetchall()
        return [cell for (cell,) in found] if len(found) <= _MOST_OPTIONS else ()

    def usual(self, about: str, column: TaskColumn) -> str | None:
        """Return the most frequent value of a column, as gold tables write it; None where it has none."""
        key = (about, column.path)
        if key not in self._usual:
            everyone = gold_query(self.spec, about, (), (column,))
            label = quote(column.label)
            found = self.connection.execute(
                f"SELECT {label} FROM ({everyone}) WHERE {label} IS NOT NULL GROUP BY {label} "
                "QUALIFY count(*) = max(count(*)) OVER ()"
            ).fetchall()
            values = sorted((cell for (cell,) in found), key=float if column.kind in _ORDERED else str)
            self._usual[key] = values[len(values) // 2] if values else None
        return self._usual[key]

    def _has_vacuous_condition(self, task: Task) -> bool:
        """Return whether the same entities are found without some condition, alternative or exception.

        Before a ranking, and before groups. What singles out an entity that is only described may say more than needed.
        """
        found = self._found(task, task.conditions, Shape())
        return any(self._found(task, terms, Shape()) == found for terms in _without_one(task))

    def one_clue_is_enough(self, task: Task) -> bool:
        """Return whether one of several conditions, or the ranking, gives the same entities alone.

        Where the rows are groups, the entities in them count.
        """
        alone: list[Terms] = [(term,) for term in task.conditions]
        alone += [()] if task.shape.limit else []
        if len(task.conditions) + bool(task.shape.limit) < 2:
            return False
        shape = replace(task.shape, group="")
        found = self._found(task, task.conditions, shape)
        return any(self._found(task, terms, shape) == found for terms in alone)

    def _found(self, task: Task, terms: Terms, shape: Shape) -> tuple[str, ...]:
        """Return the ids of the entities that a task would ask for under other terms."""
        name = (TaskColumn(shape.end or "name", "name", "text"),)
        return run_gold_query(self.connection, gold_query(self.spec, task.about, terms, name, shape)).ids


def page_share(evidence: Evidence, facts: Sequence[str]) -> float:
    """Return the share of facts that the page that states most of them states."""
    stated = Counter(page for fact in facts for page in set(evidence.page[evidence.of(fact)].tolist()))
    return round(max(stated.values(), default=0) / max(1, len(facts)), 6)


def _without_one(task: Task) -> Iterator[Terms]:
    """Yield a task's terms without one of them, or of what they are made of; names that are given stay."""
    for place, term in enumerate(task.conditions):
        before, after = task.conditions[:place], task.conditions[place + 1 :]
        match term:
            case GivenEntities():
                continue
            case AnyOf() | NoneOf():
                parts = [type(term)(term.parts[:n] + term.parts[n + 1 :]) for n in range(len(term.parts))]
                yield from ((*before, part, *after) for part in parts if part.parts)
            case RelatedTerm():
                for n in range(len(term.where)):
                    yield (*before, replace(term, where=term.where[:n] + term.where[n + 1 :]), *after)
        yield (*before, *after)


def _constant(task: Task) -> str:
    """Return the label of a column that has one value in all of several rows, which a condition says; or nothing."""
    values = {
        text for one in leaves(task.conditions) for text in (one.value, one.written, one.upper, one.upper_written)
    }
    for column, cells in list(zip(task.columns, zip(*task.gold, strict=True), strict=True))[1:]:
        if len(cells) > 1 and len(set(cells)) == 1 and cells[0] in values:
            return column.label
    return ""
