"""Shortcuts to an answer that need no search: one page, one clue, a constant, a guess (FORT, arXiv 2606.12087).

measured      how much of the gold one page states, and what a guesser scores that has read the question and no page
reason        why the spec's `gates` do not let a task pass, or nothing
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import duckdb

from worldforge.agents.answer import answer_table
from worldforge.builders.tasks.languages import gold_in_words
from worldforge.builders.tasks.query import gold_query, run_gold_queries
from worldforge.schema.spec import WorldSpec
from worldforge.scoring.gold import gold_of
from worldforge.scoring.strict import score_strict
from worldforge.world.database import quote
from worldforge.world.evidence import Evidence
from worldforge.world.task import Task, TaskColumn
from worldforge.world.terms import Condition, Given, Terms, leaves

_ORDERED = ("integer", "number", "year")


@dataclass(frozen=True)
class Shortcuts:
    """What measures shortcuts on one world."""

    spec: WorldSpec
    connection: duckdb.DuckDBPyConnection
    evidence: Evidence
    _usual: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def measured(self, task: Task) -> Task:
        """Fill in what the columns `gold_page_share` and `guess_f1` say of a task with its gold."""
        score = score_strict(self.guess(task), gold_of(task)).item_f1
        return replace(task, gold_page_share=self._page_share(task), guess_f1=round(score, 6))

    def reason(self, task: Task) -> str:
        """Say which shortcut a measured task has that the spec does not allow; empty where it has none."""
        allowed = self.spec.gates
        if constant := _constant(task):
            return f"constant: `{constant}` is the same in every row, and a condition says what"
        if task.gold_page_share > allowed.page_share:
            return f"page_share: one page states {task.gold_page_share:.2f} of the gold"
        if task.guess_f1 > allowed.guess:
            return f"guess: without any page, a guesser reaches item F1 {task.guess_f1:.3f}"
        if not allowed.single_clue and self._one_clue_is_enough(task):
            return "single_clue: one of its conditions selects the answer alone"
        return ""

    def guess(self, task: Task) -> str:
        """Answer with what needs no page: the names that the question gives, and in each column its usual value.

        That is what a condition says it is, else the most frequent value among all entities of the type; of several
        equally frequent the middle one, as they are ordered. A question that gives no names gets no rows.
        """
        names = [name for term in task.conditions if isinstance(term, Given) for name in term.names]
        said = {one.path: one.value for one in task.conditions if isinstance(one, Condition) and one.operator == "="}
        if not names:
            return answer_table(task.labels, ())
        usual = [said.get(column.path, self.usual(task.about, column)) for column in task.columns[1:]]
        rows = gold_in_words(self.spec, task, tuple((name, *usual) for name in names))
        return answer_table(task.labels, [[cell or "" for cell in row] for row in rows])

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

    def _page_share(self, task: Task) -> float:
        facts = task.answer_facts
        stated = Counter(page for fact in facts for page in set(self.evidence.page[self.evidence.of(fact)].tolist()))
        return round(max(stated.values(), default=0) / len(facts), 6)

    def _one_clue_is_enough(self, task: Task) -> bool:
        """Ask each condition alone, or the ranking alone, where there are several; does one give the same entities?

        Where the rows are groups, the entities in them count.
        """
        alone: list[Terms] = [(term,) for term in task.conditions]
        alone += [()] if task.shape.limit else []
        if len(task.conditions) + bool(task.shape.limit) < 2:
            return False
        shape, name = replace(task.shape, group=""), (TaskColumn("name", "name", "text"),)
        asked = [gold_query(self.spec, task.about, terms, name, shape) for terms in (task.conditions, *alone)]
        found, *others = (gold.ids for gold in run_gold_queries(self.connection, [(query, 1) for query in asked]))
        return found in others


def _constant(task: Task) -> str:
    """Return the label of a column that has one value in all of several rows, which a condition says; or nothing."""
    said = {text for one in leaves(task.conditions) for text in (one.value, one.written, one.upper, one.upper_written)}
    for column, cells in list(zip(task.columns, zip(*task.gold, strict=True), strict=True))[1:]:
        if len(cells) > 1 and len(set(cells)) == 1 and cells[0] in said:
            return column.label
    return ""
