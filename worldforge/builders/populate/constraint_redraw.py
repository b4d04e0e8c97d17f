"""Constraints: what every row must keep. A column whose rows break one is drawn again, in those rows alone.

A constraint is tried as soon as all that it reads is there, on the column that it has drawn again: the schema puts
that column last among them, so a fresh draw there touches nothing else. As in SQL, a null result counts as kept.
What holds between rows (`cross_row_constraints`) is tried in the same way, where a column to draw again is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.column_drawers import Drawer
from worldforge.builders.populate.draft_tables import DraftTables
from worldforge.builders.populate.row_constraints import RowConstraint
from worldforge.builders.populate.violations import describe_rows
from worldforge.core.chance import Rows
from worldforge.core.errors import InputError
from worldforge.schema.column_dependencies import redrawn_columns
from worldforge.schema.cross_row_constraints import own_terms
from worldforge.schema.cross_row_constraints import written as constraint_text
from worldforge.schema.error_places import errors_at
from worldforge.schema.expressions import Expression
from worldforge.schema.spec import Constraint, WorldSpec

ATTEMPTS = 200


@dataclass(frozen=True, slots=True)
class RowRule:
    """A constraint on a row: its text, its table, the column drawn again (or none), what it says of drawn columns."""

    text: str
    table: str
    redrawn: str | None
    expression: Expression

    @property
    def paths(self) -> Sequence[tuple[str, ...]]:
        """The columns that it reads."""
        return self.expression.paths


Rule = RowRule | RowConstraint


def rules_of(spec: WorldSpec) -> list[Rule]:
    """Compile the constraints of a spec. Raises InputError."""
    redrawn = redrawn_columns(spec)
    return [_rule(spec, constraint, column) for constraint, column in zip(spec.constraints, redrawn, strict=True)]


def _rule(spec: WorldSpec, constraint: Constraint, redrawn: str | None) -> Rule:
    if constraint.sql is None:
        return RowConstraint(constraint)
    return RowRule(constraint.sql, constraint.on, redrawn, *own_terms(spec, constraint))


def settle(draft: DraftTables, table: str, column: str, drawer: Drawer, rules: Sequence[Rule], rows: Rows) -> None:
    """Draw a column again in those of `rows` (ascending) that break a rule, until none does.

    Attempt k draws from the stream `<column>/redraw/k`, at the rows' own numbers. Raises InputError that shows the
    rows which still break a rule after the last attempt.
    """
    stream = draft.stream(table, column)
    broken = _breaking(draft, table, rules, rows, rows)
    for attempt in range(1, ATTEMPTS + 1):
        if not len(broken):
            return
        drawn = drawer.draw(stream.child("redraw", attempt), broken)
        standing = draft.column(table, column)
        draft.put(table, column, replaced(standing, broken, drawn))
        broken = _breaking(draft, table, rules, broken, rows)
    if len(broken):
        hint = f"loosen it, or widen what `{column}` is drawn from"
        _refuse(draft, rules, rows, f" after `{column}` was drawn {ATTEMPTS} times again", hint)


def check_rules(draft: DraftTables, rules: Sequence[Rule]) -> None:
    """Check every constraint on the finished tables. Raises InputError that shows rows."""
    for table in dict.fromkeys(rule.table for rule in rules):
        on_table, rows = [rule for rule in rules if rule.table == table], draft.rows(table)
        if len(_breaking(draft, table, on_table, rows, rows)):
            _refuse(draft, on_table, rows, "", "loosen it, or change what the columns are drawn from")


def _breaking(draft: DraftTables, table: str, rules: Sequence[Rule], changed: Rows, rows: Rows) -> Rows:
    """Return those of `rows` that break any of the rules, where only those in `changed` may break one on a row."""
    expressions = [rule.expression for rule in rules if isinstance(rule, RowRule)]
    kept = draft.evaluate(table, {f"rule_{place}": one for place, one in enumerate(expressions)}, changed)
    holds = np.ones(len(changed), bool)
    for column in kept.values():
        holds &= pc.fill_null(column.cast("bool"), True).to_numpy(zero_copy_only=False)
    broken = changed[~holds]
    for rule in rules:
        if isinstance(rule, RowConstraint):
            broken = np.union1d(broken, rule.faults(draft, rows).rows)
    return broken


def _refuse(draft: DraftTables, rules: Sequence[Rule], rows: Rows, when: str, hint: str) -> None:
    """Raise an InputError about the first rule that any of the rows breaks."""
    for rule in rules:
        broken = _breaking(draft, rule.table, [rule], rows, rows)
        if len(broken):
            break
    notes: list[str] = []
    if isinstance(rule, RowConstraint):
        beside = rule.faults(draft, rows).beside
        ids = draft.ids(rule.table).take(pa.array(beside, mask=beside < 0)).to_pylist()
        notes = ["" if one is None else f" (beside {one})" for one in ids]
    shown = describe_rows(draft, rule.table, broken, rule.paths, notes)
    others = [f"`{other.text}`" for other in rules if other is not rule and other.redrawn == rule.redrawn is not None]
    if others:
        hint = f"it may contradict what draws the same column: {', '.join(others)}; {hint}"
    n_rows = len(draft.rows(rule.table))
    said = f"{rule.table}: {len(broken)} of {n_rows} rows break the constraint `{rule.text}`{when}"
    written = [(one.on, constraint_text(one)) for one in draft.spec.constraints]
    with errors_at(draft.spec, ("constraints", written.index((rule.table, rule.text)))):
        raise InputError(f"{said}:\n{shown}", hint)


def replaced(column: pa.Array, rows: Rows, values: pa.Array) -> pa.Array:
    """Return the column with `values` in the place of those of `rows` (ascending)."""
    mask = np.zeros(len(column), bool)
    mask[rows] = True
    return pc.replace_with_mask(column, pa.array(mask), values)
