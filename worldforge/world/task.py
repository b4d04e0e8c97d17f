"""A task: its wording, its formal query, its gold table, and the facts that the gold cells are.

task.wording            "List all football clubs in Velmar founded after 1902. …"
task.query              SELECT … FROM club … ORDER BY …
task.gold[0]            ("Velmar Rovers", "1911", "12400")
task.goal               {"state": {"packed": 3}}, where the gold is no table but a predicate over the final state
task.facts[0]           ("club/0031#name", "club/0031#founded", "club/0031#capacity")

Where the rows are groups of entities, cells are computed of several facts (`world.computed_cells`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

import pyarrow as pa

from worldforge.core.columns import ValueKind
from worldforge.world.computed_cells import facts_of
from worldforge.world.table_files import TASKS
from worldforge.world.task_terms import Shape, Terms, from_plain, leaves, logic_of, to_plain

CellKind = Literal[ValueKind, "address"]
"""What a column of an answer holds: as a table's column, or addresses of web pages."""


@dataclass(frozen=True, slots=True)
class TaskColumn:
    """One column of the answer: where it comes from, its name in the question, what it holds, whether it is a key."""

    path: str
    label: str
    kind: CellKind
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class TaskMeasures:
    """How hard a task is.

    `n_hops` counts the references followed, `n_conflicts` the facts needed on which pages disagree, `oracle_pages` and
    `oracle_calls` what the oracle needed. `searcher_…` is what the searcher, which knows only what it has seen, took:
    calls, pages opened, tokens of its calls and what they brought (an estimate), the item F1 it reached, and the share
    of gold's cells that it was shown after 25 calls, 50, 100 and so on; None where it did not play. `best_page_share`
    is the share of all facts needed that the best single page states, `gold_page_share` that of the gold's facts,
    `guess_f1` what a guess reaches without any page,
    `distractor_ratio` the entities that miss exactly one of the conditions, for each row of gold.
    """

    n_hops: int = 0
    n_conflicts: int = 0
    oracle_pages: int = 0
    oracle_calls: int = 0
    searcher_calls: int | None = None
    searcher_pages: int | None = None
    searcher_tokens: int | None = None
    searcher_f1: float | None = None
    searcher_coverage: tuple[float, ...] = ()
    best_page_share: float = 0.0
    gold_page_share: float = 0.0
    guess_f1: float = 0.0
    distractor_ratio: float = 0.0


@dataclass(frozen=True, slots=True)
class Task:
    """A question with an exact answer. `gold` and `facts` are rows of cells, in the order of `columns`.

    `conditions` are terms that all hold, `shape` what is made of the entities that meet them. `evidence` lists the
    facts that show the gold's entities to meet the conditions.
    `side` is `train` or `evaluation` where the world's entities are split so, else empty.
    """

    id: str
    family: str
    about: str
    language: str
    wording: str
    query: str
    conditions: Terms
    columns: tuple[TaskColumn, ...]
    evaluation: dict[str, Any]
    gold: tuple[tuple[str, ...], ...]
    facts: tuple[tuple[str, ...], ...]
    evidence: tuple[str, ...]
    shape: Shape = field(default_factory=Shape)
    side: str = ""
    measures: TaskMeasures = TaskMeasures()

    def measured(self, **figures: Any) -> Task:
        """Return the task with some of its measures set."""
        return replace(self, measures=replace(self.measures, **figures))

    @property
    def table(self) -> str:
        """The table that the paths of the columns begin at: the type asked about, or a relation."""
        return self.shape.rows or self.about

    @property
    def logic(self) -> str:
        """What the question takes beside looking up: `and or not`."""
        return logic_of(self.conditions, self.shape)

    @property
    def n_rows(self) -> int:
        """How many rows the gold has."""
        return len(self.gold)

    @property
    def n_columns(self) -> int:
        """How many columns the gold has."""
        return len(self.columns)

    @property
    def n_cells(self) -> int:
        """How many cells the gold has."""
        return self.n_rows * self.n_columns

    @property
    def n_conditions(self) -> int:
        """How many conditions there are, however deep they lie."""
        return sum(1 for _ in leaves(self.conditions))

    @property
    def answer_facts(self) -> list[str]:
        """The facts that the gold's cells are, or are computed from, each once."""
        return list(dict.fromkeys(fact for row in self.facts for cell in row for fact in facts_of(cell)))

    @property
    def needed_facts(self) -> list[str]:
        """All facts that an answer rests on: those of its cells, and the evidence; each once."""
        return list(dict.fromkeys([*self.answer_facts, *self.evidence]))

    @property
    def goal(self) -> dict[str, Any]:
        """What the final state of the environment is to be, as `evaluation` says; empty where the gold is a table."""
        goal: dict[str, Any] = self.evaluation.get("goal", {})
        return goal

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the answer's columns that identify a row."""
        return tuple(column.label for column in self.columns if column.is_key)

    @property
    def labels(self) -> list[str]:
        """The answer's column names, as the question gives them."""
        return [column.label for column in self.columns]


def tasks_to_table(tasks: Sequence[Task]) -> pa.Table:
    """Write tasks as rows of `TASKS`."""
    return pa.Table.from_pylist([task_to_row(task) for task in tasks], schema=TASKS)


def tasks_from_table(table: pa.Table) -> list[Task]:
    """Read tasks back from rows of `TASKS`."""
    return [_from_row(row) for row in table.to_pylist()]


def task_to_row(task: Task) -> dict[str, Any]:
    """Write a task as a row of `TASKS`."""
    own = {
        "conditions": json.dumps(to_plain(task.conditions), ensure_ascii=False),
        "shape": json.dumps(_shape(task.shape)),
        "columns": [{"path": one.path, "label": one.label, "kind": one.kind} for one in task.columns],
        "evaluation": json.dumps(task.evaluation, ensure_ascii=False),
        **asdict(task.measures),
    }
    return {name: own[name] if name in own else getattr(task, name) for name in TASKS.names}


def _shape(shape: Shape) -> dict[str, Any]:
    """Write what says something: a ranking, groups, or rows of a relation."""
    ranking = {"order": shape.order, "highest": shape.highest, "limit": shape.limit} if shape.limit else {}
    rows: dict[str, Any] = {"rows": shape.rows, "end": shape.end} if shape.rows else {}
    rows |= {"where": to_plain(shape.where)} if shape.where else {}
    groups = {name: path for name, path in (("group", shape.group), ("within", shape.within)) if path}
    return ranking | groups | rows


def _shape_from(plain: dict[str, Any]) -> Shape:
    return Shape(**{**plain, "where": from_plain(plain.get("where", ()))})


def _from_row(row: dict[str, Any]) -> Task:
    own = {
        "conditions": from_plain(json.loads(row["conditions"])),
        "shape": _shape_from(json.loads(row["shape"])),
        "columns": tuple(TaskColumn(**column, is_key=column["label"] in row["keys"]) for column in row["columns"]),
        "evaluation": json.loads(row["evaluation"]),
        "gold": tuple(map(tuple, row["gold"])),
        "facts": tuple(map(tuple, row["facts"])),
        "evidence": tuple(row["evidence"]),
        "measures": TaskMeasures(**{one.name: _measure(row[one.name]) for one in fields(TaskMeasures)}),
    }
    return Task(**{one.name: own[one.name] if one.name in own else row[one.name] for one in fields(Task)})


def _measure(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
