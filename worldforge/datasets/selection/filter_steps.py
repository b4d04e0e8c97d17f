"""The steps of a selection: filters in the order of the fields of `Selection`, then its order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from worldforge.agents.agent import Ending
from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.datasets.selection.row_table import RowTable
from worldforge.datasets.selection.selection_settings import Bounds, Selection
from worldforge.datasets.selection.where_condition import WhereCondition
from worldforge.environments.controls.control_plan import CONTROLS, ControlPlan
from worldforge.rollouts.trajectory import TRAJECTORIES

BOUNDED = ("item_f1", "coverage", "efficiency", "n_steps", "n_tool_calls", "n_tool_errors")
ENDINGS = (*get_args(Ending), "failed")
NO_CONTROLS = "none"
BEST = "item_f1 DESC NULLS LAST, coverage DESC NULLS LAST, n_tool_calls, id, place"
"""What is better: a better answer, then more of the truth seen, then fewer calls; the id decides between equals."""


def columns_read(selection: Selection, condition: WhereCondition | None) -> list[str]:
    """List the columns of trajectories that the steps and the report read."""
    read = {"id", "episode", "task", "trial", "ending", "success", "agent", "controls", selection.accept_by, *BOUNDED}
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
    direction = " DESC" if selection.curriculum_by == "pass_rate" else ""
    by = {"played": "", "shuffled": "shuffled, ", "curriculum": f"{selection.curriculum_by}{direction} NULLS LAST, "}
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
