"""Constraints: what every row must keep. A column whose rows break one is drawn again, in those rows alone.

A constraint is tried as soon as all that it reads is there, on the column that it has drawn again: the schema puts
that column last among them, so a fresh draw there touches nothing else. As in SQL, a null result counts as kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.draft import Draft
from worldforge.builders.populate.draw import Drawer
from worldforge.builders.populate.offenders import describe_rows
from worldforge.core.chance import Rows
from worldforge.core.errors import InputError
from worldforge.schema.dependencies import redrawn_column
from worldforge.schema.expressions import Expression, compile_expression, inline_derived
from worldforge.schema.spec import WorldSpec

ATTEMPTS = 200


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint, compiled: its text, its table, the column drawn again (or none), what it says of drawn columns."""

    text: str
    table: str
    redrawn: str | None
    expression: Expression


def rules_of(spec: WorldSpec) -> list[Rule]:
    """Compile the constraints of a spec. Raises InputError."""
    return [
        Rule(
            constraint.sql,
            constraint.on,
            redrawn_column(spec, constraint),
            inline_derived(compile_expression(constraint.sql, constraint.on, spec), spec),
        )
        for constraint in spec.constraints
    ]


def settle(draft: Draft, table: str, column: str, drawer: Drawer, rules: Sequence[Rule], rows: Rows) -> None:
    """Draw a column again in those of `rows` (ascending) that break a rule, until none does.

    Attempt k draws from the stream `<column>/redraw/k`, at the rows' own numbers. Raises InputError that shows the
    rows which still break a rule after the last attempt.
    """
    stream = draft.stream(table, column)
    broken = _breaking(draft, table, rules, rows)
    for attempt in range(1, ATTEMPTS + 1):
        if not len(broken):
            return
        drawn = drawer.draw(stream.child("redraw", attempt), broken)
        standing = draft.column(table, column)
        draft.put(table, column, replaced(standing, broken, drawn))
        broken = _breaking(draft, table, rules, broken)
    if len(broken):
        hint = f"loosen it, or widen what `{column}` is drawn from"
        raise _broken(draft, rules, broken, f" after `{column}` was drawn {ATTEMPTS} times again", hint)


def check_rules(draft: Draft, rules: Sequence[Rule]) -> None:
    """Check every constraint on the finished tables. Raises InputError that shows rows."""
    for table in dict.fromkeys(rule.table for rule in rules):
        on_table = [rule for rule in rules if rule.table == table]
        broken = _breaking(draft, table, on_table, draft.rows(table))
        if len(broken):
            raise _broken(draft, on_table, broken, "", "loosen it, or change what the columns are drawn from")


def _breaking(draft: Draft, table: str, rules: Sequence[Rule], rows: Rows) -> Rows:
    """Return those of `rows` that break any of the rules."""
    kept = draft.evaluate(table, {f"rule_{place}": rule.expression for place, rule in enumerate(rules)}, rows)
    holds = np.ones(len(rows), bool)
    for column in kept.values():
        holds &= pc.fill_null(column.cast("bool"), True).to_numpy(zero_copy_only=False)
    return rows[~holds]


def _broken(draft: Draft, rules: Sequence[Rule], rows: Rows, when: str, hint: str) -> InputError:
    """Say which rule the rows break: the first that any of them does."""
    for rule in rules:
        broken = _breaking(draft, rule.table, [rule], rows)
        if len(broken):
            break
    shown = describe_rows(draft, rule.table, broken, rule.expression.paths)
    n_rows = len(draft.rows(rule.table))
    said = f"{rule.table}: {len(broken)} of {n_rows} rows break the constraint `{rule.text}`{when}"
    return InputError(f"{said}:\n{shown}", hint)


def replaced(column: pa.Array, rows: Rows, values: pa.Array) -> pa.Array:
    """Return the column with `values` in the place of those of `rows` (ascending)."""
    mask = np.zeros(len(column), bool)
    mask[rows] = True
    return pc.replace_with_mask(column, pa.array(mask), values)
