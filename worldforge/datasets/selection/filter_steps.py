"""The steps of a selection, in the order of the fields of `Selection`, then its order; and the table that they filter.

    rows = RowTable(folder)
    rows.create("rows", table)
    rows.keep("success", "true", "success = ?", True)
    rows.steps                                                 # what each step removed and left

A row of the table has a few values of a trajectory; conversations stay in their shards. Memory is bounded: what does
not fit moves to `folder`. The database is closed to files, network and settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import duckdb
import pyarrow as pa

from worldforge.agents.agent import Ending
from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.locked_database import open_locked
from worldforge.core.suggestions import did_you_mean
from worldforge.datasets.selection.selection_report import SelectionStep
from worldforge.datasets.selection.selection_settings import Bounds, Selection, WhereCondition
from worldforge.environments.controls.control_plan import CONTROLS, ControlPlan
from worldforge.rollouts.trajectory import TRAJECTORIES

BOUNDED = ("item_f1", "coverage", "efficiency", "n_steps", "n_tool_calls", "n_tool_errors")
ENDINGS = (*get_args(Ending), "failed")
NO_CONTROLS = "none"
BEST = "item_f1 DESC NULLS LAST, coverage DESC NULLS LAST, n_tool_calls, id, place"
"""What is better: a better answer, then more of the truth seen, then fewer calls; the id decides between equals."""


def columns_read(selection: Selection, condition: WhereCondition | None) -> list[str]:
    """List the columns of trajectories that the steps and the report read."""
    read = {"id", "episode", "task", "trial", "ending", "success", "agent", "controls", "clairvoyant"}
    read |= {selection.accept_by, *BOUNDED}
    read |= set(condition.columns if condition else ())
    return [name for name in TRAJECTORIES.names if name in read]


def filter_rows(rows: RowTable, selection: Selection, condition: WhereCondition | None) -> None:
    """Take the steps that look at one row alone."""
    if selection.agents:
        _keep_named(rows, "agents", "agent", selection.agents, rows.texts("agent"))
    if selection.endings:
        _keep_named(rows, "endings", "ending", selection.endings, ENDINGS)
    if selection.controls:
        _check_known("control", selection.controls, (NO_CONTROLS, *CONTROLS))
        plans = [plan for plan in rows.texts("controls") if controls_of(plan) & set(selection.controls)]
        rows.keep("controls", ", ".join(selection.controls), "list_contains(?, controls)", plans)
    if selection.success is not None:
        rows.keep("success", str(selection.success).lower(), "success = ?", selection.success)
    if selection.clairvoyant is not None:
        rows.keep("clairvoyant", str(selection.clairvoyant).lower(), "clairvoyant = ?", selection.clairvoyant)
    for name in BOUNDED:
        _keep_within(rows, name, getattr(selection, name))
    if condition is not None:
        rows.keep("where", selection.where, condition.sql)
    _keep_within(rows, "pass_rate", selection.pass_rate)
    if selection.accept is not None:
        setting = f"{selection.accept_by} >= {selection.accept:g}"
        rows.keep("accept", setting, f"{selection.accept_by} >= ?", selection.accept)


def keep_some_of_each(rows: RowTable, selection: Selection) -> None:
    """Keep the best of each task, or so many of each by chance, and so many in all."""
    if selection.best_of is not None:
        rows.keep_first("best_of", selection.best_of, BEST, "task")
    if selection.per_task is not None:
        rows.keep_first("per_task", selection.per_task, "draw, place", "task")
    if selection.limit is not None:
        rows.keep_first("limit", selection.limit, order_by(selection))


def order_by(selection: Selection) -> str:
    """Write the order of a selection in SQL: total, for no two rows share a place."""
    easy_first = "pass_rate DESC NULLS LAST, "
    if selection.curriculum_by != "pass_rate":
        easy_first = f"{selection.curriculum_by} NULLS LAST, {easy_first}"
    by = {"played": "", "shuffled": "shuffled, ", "curriculum": easy_first}
    return f"{by[selection.order]}place"


def controls_of(plan: str) -> set[str]:
    """Return the controls that a plan, as JSON text, has at its begin or its end; `none` where it has none."""
    if not plan:
        return {NO_CONTROLS}
    read = ControlPlan.model_validate_json(plan)
    return {name for place in (0.0, 1.0) for name in read.at(place).controls()} or {NO_CONTROLS}


def _keep_within(rows: RowTable, name: str, bounds: Bounds) -> None:
    parts = {"at least": (">=", bounds.min), "at most": ("<=", bounds.max)}
    given = {word: (sign, value) for word, (sign, value) in parts.items() if value is not None}
    if given:
        setting = ", ".join(f"{word} {value:g}" for word, (_, value) in given.items())
        condition = " AND ".join(f"{name} {sign} ?" for sign, _ in given.values())
        rows.keep(name, setting, condition, *(value for _, value in given.values()))


def _keep_named(rows: RowTable, name: str, column: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    _check_known(column, wanted, known)
    rows.keep(name, ", ".join(wanted), f"list_contains(?, {column})", list(wanted))


def _check_known(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"no trajectory has the {what} `{name}`", did_you_mean(name, known))


MEMORY = "256MB"


class RowTable:
    """The table `rows` of a database, with a column `place` that identifies a row, and the steps taken so far."""

    def __init__(self, folder: Path) -> None:
        self.connection = open_locked(memory_limit=MEMORY, temp_directory=str(folder / "database"))
        self.steps: list[SelectionStep] = []

    def run(self, sql: str, *values: Any) -> duckdb.DuckDBPyConnection:
        """Run a statement. Raises InputError where a value cannot be computed, WorldForgeError where the disk fails."""
        try:
            return self.connection.execute(sql, values)
        except (duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.InvalidInputException) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"a condition cannot be evaluated for some row: {reason}", "see `where`") from error
        except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
            reason = str(error).splitlines()[0]
            raise WorldForgeError(f"the selection's database failed: {reason}", "see that the disk has room") from error

    def create(self, name: str, content: pa.Table | pa.RecordBatchReader) -> None:
        """Create a table from Arrow data."""
        self.connection.register("content", content)
        self.run(f"CREATE TABLE {name} AS SELECT * FROM content")
        self.connection.unregister("content")

    def keep(self, name: str, setting: object, condition: str, *values: Any) -> None:
        """Remove the rows that do not make `condition` true, and record that as a step."""
        [(n_removed,)] = self.run(f"DELETE FROM rows WHERE ({condition}) IS NOT TRUE", *values).fetchall()
        self.steps.append(SelectionStep(name, str(setting), n_removed, self.n_rows))

    def keep_first(self, name: str, n_rows: int, order: str, of_each: str = "'all'", setting: object = None) -> None:
        """Remove all but the first `n_rows` in `order` of each value of `of_each`, and record that as a step."""
        nth = f"row_number() OVER (PARTITION BY {of_each} ORDER BY {order})"
        first = f"place IN (SELECT place FROM rows QUALIFY {nth} <= ?)"
        self.keep(name, n_rows if setting is None else setting, first, n_rows)

    def texts(self, column: str) -> list[str]:
        """List the texts of a column, each once, sorted."""
        return [text for (text,) in self.run(f'SELECT DISTINCT "{column}" FROM rows ORDER BY 1').fetchall()]

    @property
    def n_rows(self) -> int:
        """How many rows are left."""
        [(n_rows,)] = self.run("SELECT count(*) FROM rows").fetchall()
        return int(n_rows)
