"""The oracle of the database environment: knows the gold's facts, and looks them up through the tools.

It reads which cells of which records a task's answer is, and says so; what it does not see in an observation it leaves
empty. It asks which tables there are, lists the records that the question's conditions on the table's own columns
leave, gets by id what the list did not show, then the records that these refer to, whose names stand in the answer.

It does not give up: a call that fails in passing, comes back garbled, or leaves out records is made again as it was, a
bounded number of times. A field that an observation shows under another name is known by what that observation says.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, get_args

import pyarrow as pa

from worldforge.environments.answer_rows import answer_table, rows_from
from worldforge.environments.database.requests import Comparison, Filter, GetRequest, ListRequest, TablesRequest
from worldforge.environments.database.views import RecordsView
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import OutOfCallsError, Plan, PlanStep
from worldforge.environments.requests import ToolRequest
from worldforge.environments.session import Observation
from worldforge.environments.views import ErrorView
from worldforge.world.stable_ids import entity_id, split_fact
from worldforge.world.task import Task
from worldforge.world.task_terms import Condition
from worldforge.world.value_text import as_written, canonical

LASTING = frozenset({
    "unknown_tool", "malformed_request", "unknown_table", "unknown_column", "limit_too_large",
    "bad_filter", "bad_order", "bad_cursor", "not_found",
})  # fmt: skip
"""Errors that another try does not mend; all others may pass."""
_COMPARISONS: dict[str, Comparison] = {one: one for one in get_args(Comparison)}
_TRIES = 12  # of one call
_BATCH = 20  # records of one call
_MOST_PAGES = 4  # of the first list
_Steps = Generator[PlanStep, Sequence[Observation], None]
_Cells = dict[str, set[str]]
"""What is needed: columns, by the record's id."""


class DatabaseOracle:
    """Knows which cells a task's answer is, and looks them up. One serves one episode."""

    def __init__(self, task: Task, dialect: Dialect) -> None:
        self._task, self._dialect = task, dialect
        self._references: dict[tuple[str, str], str] = {}
        self._records: dict[str, dict[str, Any]] = {}

    def play(self) -> Plan:
        """Solve the task; without calls left, answer as far as the answer is known."""
        with suppress(OutOfCallsError):
            yield from self._steps()
        return self.answer()

    def answer(self) -> str:
        """Write the answer as far as it is known."""
        rows = rows_from(self._task, {fact: self._cell(fact) for fact in self._task.answer_facts})
        return answer_table(self._task.labels, [row for row in rows if any(row)])

    def _steps(self) -> _Steps:
        tables = yield from self._ask("Let me see which tables there are.", TablesRequest())
        for table in tables.records if tables is not None else ():
            for column in table.get("columns", []):
                if column.get("references"):
                    self._references[str(table.get("table")), str(column.get("name"))] = str(column["references"])
        needed = self._needed()
        yield from self._list(needed)
        yield from self._get(needed)
        yield from self._get(self._named())

    def _needed(self) -> _Cells:
        needed: _Cells = {}
        for fact in self._task.answer_facts:
            table, number, column = split_fact(fact)
            needed.setdefault(entity_id(table, number), set()).add(column)
        return needed

    def _named(self) -> _Cells:
        """The names of the records that cells of the answer refer to."""
        referred = [self._referred(fact) for fact in self._task.answer_facts]
        return {id_: {"name"} for id_ in referred if id_ is not None}

    def _list(self, needed: _Cells) -> _Steps:
        """List records by the conditions on the table's own columns, until all needed cells were seen."""
        filters = tuple(
            _filter(term)
            for term in self._task.conditions
            if isinstance(term, Condition) and "." not in term.path and term.operator in _COMPARISONS
        )
        if not filters:
            return
        request = ListRequest(self._task.about, filters, limit=_BATCH)
        words = "I will list the records that meet the conditions."
        for _ in range(_MOST_PAGES):
            view = yield from self._ask(words, request)
            if view is None or not view.next_cursor or not self._missing(needed):
                return
            request = replace(request, cursor=view.next_cursor)
            words = "I will go on to the next records."

    def _get(self, needed: _Cells) -> _Steps:
        """Get the records whose needed cells were not seen yet, table by table."""
        by_table: dict[str, list[str]] = {}
        for id_ in self._missing(needed):
            by_table.setdefault(id_.partition("/")[0], []).append(id_)
        for table, ids in by_table.items():
            for first in range(0, len(ids), _BATCH):
                request = GetRequest(table, tuple(ids[first : first + _BATCH]))
                words = f"I will get {len(request.ids)} records of {table}."
                yield from self._ask(words, request, request.ids)

    def _missing(self, needed: _Cells) -> list[str]:
        return [id_ for id_, columns in needed.items() if not columns <= self._records.get(id_, {}).keys()]

    def _ask(
        self, words: str, request: ToolRequest, ids: Sequence[str] = ()
    ) -> Generator[PlanStep, Sequence[Observation], RecordsView | None]:
        """Repeat a call until it is answered, and shows `ids` as far as they are there; return the answer."""
        calls = self._dialect.ask(request)
        for _ in range(_TRIES):
            (observation,) = yield PlanStep(words, calls)
            view = self._dialect.parse(request, observation.text)
            if isinstance(view, RecordsView):
                lost = {failure.item for failure in view.failures if failure.error in LASTING}
                if set(ids) <= self._store(view) | lost:
                    return view
            elif isinstance(view, ErrorView) and view.error in LASTING:
                return None
            words = "Not all of that came through. I will try again."
        return None

    def _store(self, view: RecordsView) -> set[str]:
        """Keep what a view shows, fields under their columns' names; return the ids of its records."""
        shown = [{view.renamed.get(name, name): value for name, value in record.items()} for record in view.records]
        for record in shown:
            self._records.setdefault(str(record.get("id", "")), {}).update(record)
        return {str(record.get("id", "")) for record in shown}

    def _value(self, fact: str) -> Any:
        table, number, column = split_fact(fact)
        return self._records.get(entity_id(table, number), {}).get(column)

    def _referred(self, fact: str) -> str | None:
        """Return the id that a cell holds; None where it holds none."""
        table, _, column = split_fact(fact)
        value = self._value(fact)
        return str(value) if (table, column) in self._references and value is not None else None

    def _cell(self, fact: str) -> str:
        """Write a cell as answers do: canonical, a reference as the name of what it refers to."""
        referred = self._referred(fact)
        value = self._value(fact) if referred is None else self._records.get(referred, {}).get("name")
        if value is None:
            return ""
        if isinstance(value, bool):
            return str(as_written(pa.array([value]), "boolean", self._task.language)[0].as_py())
        if isinstance(value, float):
            return str(canonical(pa.array([value]), "number")[0].as_py())
        return str(value)


def _filter(condition: Condition) -> Filter:
    """Write a condition as a filter: a JSON value of the column's kind."""
    value: Any = condition.value
    match condition.kind:
        case "integer" | "year":
            value = int(condition.value)
        case "number":
            value = float(condition.value)
        case "boolean":
            value = condition.value == "yes"
    return Filter(condition.path, _COMPARISONS[condition.operator], value)
