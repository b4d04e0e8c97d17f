"""Filter rows in steps, in the order of the fields of `Selection`, and report each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from worldforge.agents.agent import Ending
from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.datasets.selection.row_database import RowDatabase
from worldforge.datasets.selection.selection_report import SelectionStep
from worldforge.datasets.selection.selection_settings import Bounds, Selection
from worldforge.datasets.selection.where_condition import WhereCondition
from worldforge.environments.controls.plan import CONTROLS, ControlPlan

BOUNDED = ("item_f1", "coverage", "efficiency", "n_steps", "n_tool_calls", "n_tool_errors")
ENDINGS = (*get_args(Ending), "failed")
NO_CONTROLS = "none"
BEST = "item_f1 DESC NULLS LAST, coverage DESC NULLS LAST, n_tool_calls, id, place"
"""What is better: a better answer, then more of the truth seen, then fewer calls; the id decides between equals."""


class StepLog:
    """The steps so far."""

    def __init__(self, rows: RowDatabase) -> None:
        self._rows = rows
        self._n_left = rows.n_rows
        self.taken: list[SelectionStep] = []

    def add(self, name: str, asked: object, n_removed: int) -> None:
        """Record that a step removed so many rows."""
        self._n_left -= n_removed
        self.taken.append(SelectionStep(name, str(asked), n_removed, self._n_left))


def columns_read(
    selection: Selection, condition: WhereCondition | None, known: Sequence[str], *, several_runs: bool
) -> list[str]:
    """List the columns that the steps read of each trajectory, of those `known`, in their order."""
    read = {"task", "trial", "ending", "success"} | ({"episode"} if several_runs else set())
    read |= {name for name in BOUNDED if not getattr(selection, name).is_open}
    read |= {"agent"} if selection.agents else set()
    read |= {"controls"} if selection.controls else set()
    read |= set(condition.columns) if condition else set()
    read |= {selection.accept_by} if selection.accept is not None else set()
    if selection.best_of is not None or selection.dedupe is not None:
        read |= {"id", "item_f1", "coverage", "n_tool_calls"}
    if selection.order == "curriculum" and selection.curriculum_by == "n_tool_calls":
        read.add("n_tool_calls")
    return [name for name in known if name in read]


def drop_repeated_episodes(rows: RowDatabase, steps: StepLog) -> None:
    """Keep the first row of each episode: a copied run repeats the episodes of its original. Report it if any go."""
    n_removed = rows.keep_first(1, "episode", "place")
    if n_removed:
        steps.add("duplicates", "episodes of an earlier run", n_removed)


def filter_rows(rows: RowDatabase, selection: Selection, condition: WhereCondition | None, steps: StepLog) -> None:
    """Take the steps that look at one row alone."""
    for name, column, wanted in _lists(rows, selection):
        steps.add(name, ", ".join(getattr(selection, name)), rows.keep(f'list_contains(?, "{column}")', wanted))
    if selection.success is not None:
        steps.add("success", str(selection.success).lower(), rows.keep("success = ?", selection.success))
    for name in BOUNDED:
        _within(rows, name, getattr(selection, name), steps)
    if condition is not None:
        steps.add("where", selection.where, rows.keep(condition.sql))
    _within(rows, "pass_rate", selection.pass_rate, steps)
    if selection.accept is not None:
        asked = f"{selection.accept_by} >= {selection.accept:g}"
        steps.add("accept", asked, rows.keep(f'"{selection.accept_by}" >= ?', selection.accept))


def keep_some_of_each(rows: RowDatabase, selection: Selection, steps: StepLog) -> None:
    """Keep the best of each task, or so many of each by chance."""
    if selection.best_of is not None:
        steps.add("best_of", selection.best_of, rows.keep_first(selection.best_of, "task", BEST))
    if selection.per_task is not None:
        steps.add("per_task", selection.per_task, rows.keep_first(selection.per_task, "task", "draw, place"))


def order_by(selection: Selection) -> str:
    """Write the order of a selection in SQL: total, for no two rows share a place."""
    match selection.order:
        case "played":
            return "place"
        case "shuffled":
            return "shuffled, place"
        case "curriculum":
            easy_first = "pass_rate DESC NULLS LAST" if selection.curriculum_by == "pass_rate" else None
            return f"{easy_first or selection.curriculum_by + ' NULLS LAST'}, place"


def _within(rows: RowDatabase, name: str, bounds: Bounds, steps: StepLog) -> None:
    if bounds.is_open:
        return
    asked, removed = [], 0
    if bounds.min is not None:
        asked.append(f"at least {bounds.min:g}")
        removed += rows.keep(f'"{name}" >= ?', bounds.min)
    if bounds.max is not None:
        asked.append(f"at most {bounds.max:g}")
        removed += rows.keep(f'"{name}" <= ?', bounds.max)
    steps.add(name, ", ".join(asked), removed)


def _lists(rows: RowDatabase, selection: Selection) -> Iterator[tuple[str, str, list[str]]]:
    """Give, for each list of names in a selection, its own name, its column, and the values that are wanted there."""
    if selection.runs:
        yield "runs", "run", _known("run", selection.runs, rows.values("run"))
    if selection.agents:
        yield "agents", "agent", _known("agent", selection.agents, rows.values("agent"))
    if selection.endings:
        yield "endings", "ending", _known("ending", selection.endings, ENDINGS)
    if selection.controls:
        wanted = set(_known("control", selection.controls, (NO_CONTROLS, *CONTROLS)))
        plans = rows.values("controls")
        yield "controls", "controls", [plan for plan in plans if wanted & controls_of(plan)]


def controls_of(plan: str) -> set[str]:
    """Return the controls that a plan, as JSON text, has at its begin or its end; `none` where it has none."""
    if not plan:
        return {NO_CONTROLS}
    read = ControlPlan.model_validate_json(plan)
    return {name for place in (0.0, 1.0) for name in read.at(place).controls()} or {NO_CONTROLS}


def _known(what: str, names: Sequence[str], known: Sequence[str]) -> list[str]:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"no trajectory has the {what} `{unknown[0]}`", did_you_mean(unknown[0], known))
    return list(names)
