"""Checks that tasks are what their columns say: sizes, conditions, shares of pages, near misses, guesses; counted anew.

Sizes and shares are counted by SQL over tasks.parquet and mentions.parquet; near misses by SQL over the tables, where
the build has masks over columns; guesses and clues by the walk over the graph, where it has SQL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import duckdb
import pyarrow as pa

from worldforge.builders.audit.finding import CheckCounter, Finding
from worldforge.builders.tasks.gold_sql import gold_query, referred_type
from worldforge.builders.tasks.gold_walk import GoldWalker
from worldforge.builders.tasks.question_languages import gold_in_words
from worldforge.builders.tasks.task_wording import asked_relations
from worldforge.environments.answer_rows import answer_table
from worldforge.schema.spec import WorldSpec
from worldforge.scoring.gold_table import gold_of
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.database import connect
from worldforge.world.graph_arrays import ArrayGraph
from worldforge.world.parquet_reader import Table, rows_matching
from worldforge.world.table_files import TRUE_STANCES
from worldforge.world.task import Task, TaskColumn
from worldforge.world.task_terms import Condition, GivenEntities, Terms

_EXACT = 2e-6  # what is on file has six digits
_FEW_VALUES = 24
_ORDERED = ("integer", "number", "year")
_COUNTED = """
    WITH needed AS (
        SELECT DISTINCT id, unnest(string_split(cell, ' ')) AS fact  -- a computed cell is of several facts
        FROM (SELECT id, unnest(list_concat(flatten(facts), evidence)) AS cell FROM tasks)
    ),
    stated AS (
        SELECT id, page, count(DISTINCT fact) AS n FROM needed JOIN mentions USING (fact)
        WHERE stance IN ({true}) GROUP BY id, page
    ),
    best AS (SELECT id, max(n) AS n FROM stated GROUP BY id),
    wanted AS (SELECT id, count(*) AS n FROM needed GROUP BY id)
    SELECT tasks.id, {{
        'n_rows': len(gold), 'n_columns': len(columns), 'n_cells': len(flatten(gold)),
        'n_conditions': len(regexp_extract_all(conditions, '"operator": "')),
        'best_page_share': coalesce(best.n, 0) / greatest(coalesce(wanted.n, 0), 1)
    }} AS counted
    FROM tasks LEFT JOIN best USING (id) LEFT JOIN wanted USING (id) ORDER BY tasks.id
"""


def check_claims(
    spec: WorldSpec,
    tables: Mapping[str, pa.Table],
    connection: duckdb.DuckDBPyConnection,
    mentions: Table,
    written: pa.Table,
    tasks: Sequence[Task],
) -> Finding:
    """Every figure that a task gives of itself is what is counted anew; what is counted as checked are figures.

    `written` is tasks.parquet, `tasks` what it reads as. What the oracle needed (`n_pages`, `n_tool_calls`) is not
    played again.
    """
    tally = CheckCounter("claims")
    said = {row["id"]: row for row in written.to_pylist()}
    facts = pa.array({fact for task in tasks for fact in task.needed_facts}, pa.string())
    for id_, found in _counted(written, rows_matching(mentions, ["page", "fact", "stance"], "fact", facts)).items():
        for name, value in found.items():
            _compare(tally, id_, name, said[id_][name], value)
    again = _Recount(spec, connection, _walker(spec, tables))
    for task in tasks:
        _compare(tally, task.id, "distractor_ratio", task.distractor_ratio, again.distractor_ratio(task))
        _compare(tally, task.id, "guess_f1", task.guess_f1, again.guess_f1(task))
        if not spec.gates.single_clue:
            tally.checked(1)
            tally.failed([f"{task.id}: one of its conditions selects the answer alone"] * again.one_is_enough(task))
    return tally.finding()


def _compare(tally: CheckCounter, task: str, name: str, said: float, found: float) -> None:
    tally.checked(1)
    if abs(said - found) > _EXACT:
        tally.failed([f"{task}: `{name}` is {found:.6g}, and it says {said:.6g}"])


def _counted(written: pa.Table, mentions: Table) -> dict[str, dict[str, float]]:
    """Count what can be told of tasks and mentions as they lie on file, a task at a time."""
    connection = connect({"tasks": written, "mentions": mentions.select(["page", "fact", "stance"])})
    stances = ", ".join(f"'{stance}'" for stance in TRUE_STANCES)
    return dict(connection.execute(_COUNTED.format(true=stances)).fetchall())


def _walker(spec: WorldSpec, tables: Mapping[str, pa.Table]) -> GoldWalker:
    relations = {name: tables[name] for name in asked_relations(spec)}
    return GoldWalker(ArrayGraph(spec, {name: tables[name] for name in spec.types}, relations))


@dataclass(frozen=True)
class _Recount:
    """What takes the tables to count."""

    spec: WorldSpec
    connection: duckdb.DuckDBPyConnection
    walker: GoldWalker
    _usual: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def distractor_ratio(self, task: Task) -> float:
        """Entities that meet all terms but exactly one, for each that meets all: each term is left out in turn."""
        n_met = self._n_meeting(task, task.conditions)
        without = (task.conditions[:place] + task.conditions[place + 1 :] for place in range(len(task.conditions)))
        near = sum(self._n_meeting(task, terms) - n_met for terms in without)
        return near / max(1, n_met)

    def _n_meeting(self, task: Task, terms: Terms) -> int:
        query = gold_query(self.spec, task.about, terms, (TaskColumn("name", "name", "text"),))
        (n,) = self.connection.execute(f"SELECT count(*) FROM ({query})").fetchone() or (0,)
        return int(n)

    def guess_f1(self, task: Task) -> float:
        """Item F1 of the best answer by names known without a page: alone, or with one or all usual columns beside."""
        names = self._known_names(task)
        if not names:
            return 0.0
        gold, width = gold_of(task), len(task.columns)
        said = {one.path: one.value for one in task.conditions if isinstance(one, Condition) and one.operator == "="}
        usual: list[str | None] = [None] * (width - 1)
        if not task.shape.group:
            usual = [said.get(column.path, self._usually(task.about, column)) for column in task.columns[1:]]
        rows = gold_in_words(self.spec, task, tuple((name, *usual) for name in names))
        kept = [{0}, *({0, column} for column in range(1, width)), set(range(width))]
        answers = (_columns_of(task, rows, sorted(columns)) for columns in kept[: 1 if task.shape.group else None])
        return max(score_strict(answer, gold).item_f1 for answer in answers)

    def _known_names(self, task: Task) -> list[str]:
        """Return the names that the question gives; of groups by a column of few values, those values."""
        if not task.shape.group:
            return [name for term in task.conditions if isinstance(term, GivenEntities) for name in term.names]
        if referred_type(self.spec, task.about, [task.shape.group]):
            return []
        cells = {row[0] for row in self.walker.gold(task.about, (), task.columns[:1]).rows if row[0] is not None}
        return sorted(cells) if len(cells) <= _FEW_VALUES else []

    def _usually(self, about: str, column: TaskColumn) -> str | None:
        """Return the value that most entities of a type have; of several such the middle one in their order."""
        key = (about, column.path)
        if key not in self._usual:
            cells = [row[0] for row in self.walker.gold(about, (), (column,)).rows if row[0] is not None]
            counts = Counter(cells)
            most = [cell for cell, n in counts.items() if n == max(counts.values())]
            most.sort(key=float if column.kind in _ORDERED else str)
            self._usual[key] = most[len(most) // 2] if most else None
        return self._usual[key]

    def one_is_enough(self, task: Task) -> bool:
        """Say whether one of several terms, or the ranking alone, gives the task's entities in their order."""
        alone: list[Terms] = [(term,) for term in task.conditions] + ([()] if task.shape.limit else [])
        if len(alone) < 2:
            return False
        ids = self._asked(task, task.conditions)
        return any(self._asked(task, terms) == ids for terms in alone)

    def _asked(self, task: Task, terms: Terms) -> tuple[str, ...]:
        """Return the ids of the entities that a task, its groups aside, would ask for under other terms."""
        named = (TaskColumn("name", "name", "text"),)
        return tuple(self.walker.gold(task.about, terms, named, replace(task.shape, group="")).ids)


def _columns_of(task: Task, rows: Sequence[Sequence[str | None]], columns: Sequence[int]) -> str:
    """Write an answer of some of a task's columns."""
    cells = [[row[column] or "" for column in columns] for row in rows]
    return answer_table([task.labels[column] for column in columns], cells)
