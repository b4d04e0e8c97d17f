"""Redraw a column in the rows that break a constraint, until none does.

A constraint is tried as soon as all that it reads is there, on the column that it has drawn again: the schema puts
that column last among them, so a fresh draw there touches nothing else. As in SQL, a null result counts as kept.

Of rows that do not go together (`unique`, `exclusive`) the first one stands and the others are at fault. A row at fault
is shown beside the one it does not go with.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.column_drawers import Draw
from worldforge.builders.populate.draft_tables import DraftTables, Flags, describe_rows, flags_of
from worldforge.core.arrays import Integers
from worldforge.core.chance import Rows
from worldforge.core.errors import InputError
from worldforge.schema.column_dependencies import (
    column_expression,
    compared_columns,
    constraint_text,
    drawn_expressions,
    redrawn_columns,
)
from worldforge.schema.column_paths import errors_at
from worldforge.schema.expression_sql import query_columns
from worldforge.schema.expressions import Expression, inline_derived
from worldforge.schema.spec import Constraint, WorldSpec
from worldforge.world.stable_ids import rows_of

ATTEMPTS = 200


@dataclass(frozen=True, slots=True)
class RowFaults:
    """Rows at fault (ascending), and beside each the row that it does not go with, -1 where there is none."""

    rows: Integers
    beside: Integers


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint, its place in the spec, the column drawn again where it fails, and what its `sql` says."""

    constraint: Constraint
    number: int
    redrawn: str | None
    expression: Expression | None

    @property
    def table(self) -> str:
        """The table it is about."""
        return self.constraint.on

    @property
    def paths(self) -> Sequence[tuple[str, ...]]:
        """The columns that it reads."""
        if self.expression is not None:
            return self.expression.paths
        return [(name,) for name in compared_columns(self.constraint).values()]

    def faults(self, draft: DraftTables, rows: Rows) -> RowFaults:
        """Find which of `rows` (ascending) do not go with others; rows that are not among them stand as they are."""
        movable = np.zeros(len(draft.rows(self.table)), bool)
        movable[rows] = True
        if self.constraint.unique is not None:
            listed = [[one] if isinstance(one, str) else one for one in self.constraint.unique]
            return find_shared([[self._values(draft, name) for name in names] for names in listed], movable)
        if self.constraint.exclusive is not None:
            period = self.constraint.exclusive
            owners, begins, ends = (self._values(draft, name) for name in (period.per, period.begin, period.end))
            return find_overlaps(owners, begins, ends, movable, earlier=self.redrawn == period.end)
        circling = find_cycles(rows_of(self._values(draft, str(self.constraint.acyclic))))
        return RowFaults(circling, np.full(len(circling), -1))

    def _values(self, draft: DraftTables, name: str) -> pa.Array:
        """Return a column; a derived one that is not there yet is computed from what is."""
        if draft.has(self.table, name):
            return draft.column(self.table, name)
        expression = inline_derived(column_expression(name, self.table, draft.spec), draft.spec)
        return draft.evaluate(self.table, {name: expression})[name]


def rules_of(spec: WorldSpec) -> list[Rule]:
    """Compile the constraints of a spec. Raises InputError."""
    return [
        Rule(one, number, column, None if one.sql is None else drawn_expressions(spec, one)[0])
        for number, (one, column) in enumerate(zip(spec.constraints, redrawn_columns(spec), strict=True))
    ]


def redraw_until_kept(
    draft: DraftTables, table: str, column: str, draw: Draw, rules: Sequence[Rule], rows: Rows
) -> None:
    """Draw a column again in those of `rows` (ascending) that break a rule, until none does.

    Attempt k draws from the stream `<column>/redraw/k`, at the rows' own numbers. Raises InputError that shows the
    rows which still break a rule after the last attempt.
    """
    stream = draft.stream(table, column)
    broken = _violations(draft, table, rules, rows, rows)
    for attempt in range(1, ATTEMPTS + 1):
        if not len(broken):
            return
        drawn = draw(stream.child("redraw", attempt), broken)
        draft.put(table, column, replace_rows(draft.column(table, column), broken, drawn))
        broken = _violations(draft, table, rules, broken, rows)
    if len(broken):
        hint = f"loosen it, or widen what `{column}` is drawn from"
        _raise_violation(draft, rules, rows, f" after `{column}` was drawn {ATTEMPTS} times again", hint)


def check_rules(draft: DraftTables, rules: Sequence[Rule]) -> None:
    """Check every constraint on the finished tables. Raises InputError that shows rows."""
    for table in dict.fromkeys(rule.table for rule in rules):
        on_table, rows = [rule for rule in rules if rule.table == table], draft.rows(table)
        if len(_violations(draft, table, on_table, rows, rows)):
            _raise_violation(draft, on_table, rows, "", "loosen it, or change what the columns are drawn from")


def _violations(draft: DraftTables, table: str, rules: Sequence[Rule], changed: Rows, rows: Rows) -> Rows:
    """Return those of `rows` that break any of the rules, where only those in `changed` may break one on a row."""
    outputs = {f"rule_{rule.number}": rule.expression for rule in rules if rule.expression is not None}
    holds = np.ones(len(changed), bool)
    for column in draft.evaluate(table, outputs, changed).values():
        holds &= flags_of(column, null=True)
    broken = changed[~holds]
    for rule in rules:
        if rule.expression is None:
            broken = np.union1d(broken, rule.faults(draft, rows).rows)
    return broken


def _raise_violation(draft: DraftTables, rules: Sequence[Rule], rows: Rows, when: str, hint: str) -> None:
    """Raise an InputError about the first rule that any of the rows breaks."""
    for rule in rules:
        broken = _violations(draft, rule.table, [rule], rows, rows)
        if len(broken):
            break
    notes: list[str] = []
    if rule.expression is None:
        beside = rule.faults(draft, rows).beside
        ids = draft.ids(rule.table).take(pa.array(beside, mask=beside < 0)).to_pylist()
        notes = ["" if one is None else f" (beside {one})" for one in ids]
    shown = describe_rows(draft, rule.table, broken, rule.paths, notes)
    others = [one.constraint for one in rules if one is not rule and one.redrawn == rule.redrawn is not None]
    if others:
        listed = ", ".join(f"`{constraint_text(one)}`" for one in others)
        hint = f"it may contradict what draws the same column: {listed}; {hint}"
    n_rows = len(draft.rows(rule.table))
    message = (
        f"{rule.table}: {len(broken)} of {n_rows} rows break the constraint `{constraint_text(rule.constraint)}`{when}"
    )
    with errors_at(draft.spec, ("constraints", rule.number)):
        raise InputError(f"{message}:\n{shown}", hint)


def replace_rows(column: pa.Array, rows: Rows, values: pa.Array) -> pa.Array:
    """Return the column with `values` in the place of those of `rows` (ascending)."""
    mask = np.zeros(len(column), bool)
    mask[rows] = True
    return pc.replace_with_mask(column, pa.array(mask), values)


def find_shared(choices: Sequence[Sequence[pa.Array]], movable: Flags) -> RowFaults:
    """Find rows that share with another what `choices` hold: of each list, the values of any one of its columns.

    Rows where one of them is null share nothing. The first row stands: a row that is not `movable` before one that is.
    """
    columns = {f"_{place}_{n}": one for place, listed in enumerate(choices) for n, one in enumerate(listed)}
    keys = ", ".join(f"_{place}" for place in range(len(choices)))
    held = " UNION ALL ".join(
        f"SELECT row, movable, {', '.join(f'_{place}_{n} AS _{place}' for place, n in enumerate(taken))} FROM rows_read"
        for taken in itertools.product(*(range(len(listed)) for listed in choices))
    )
    filled = " AND ".join(f"_{place} IS NOT NULL" for place in range(len(choices)))
    query = f"""
        WITH firsts AS (
            SELECT row, movable, first_value(row) OVER (PARTITION BY {keys} ORDER BY movable, row) AS first
            FROM ({held}) WHERE {filled}
        )
        SELECT row, min(first) AS beside FROM firsts WHERE row <> first AND movable GROUP BY row ORDER BY row
    """
    found = query_columns(query, {**columns, "row": np.arange(len(movable)), "movable": movable})
    return RowFaults(found["row"].to_numpy(), found["beside"].to_numpy())


def find_overlaps(owners: pa.Array, begins: pa.Array, ends: pa.Array, movable: Flags, *, earlier: bool) -> RowFaults:
    """Find rows whose period overlaps another's of their owner, or ends before it begins; null never ends.

    Of two that overlap the one that begins later is at fault, or with `earlier` the other; where that one is not
    `movable`, its partner is.
    """
    query = """
        SELECT row, movable, stop < start AS backwards,
            coalesce(start < max(stop) OVER earlier, false) AS follows, arg_max(row, stop) OVER earlier AS before,
            coalesce(stop > lead(start) OVER periods, false) AS followed, lead(row) OVER periods AS after
        FROM rows_read WHERE owner IS NOT NULL AND start IS NOT NULL
        WINDOW periods AS (PARTITION BY owner ORDER BY start, stop, row),
            earlier AS (periods ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
        ORDER BY row
    """
    start, stop = (_numbers(column) for column in (begins, ends))
    columns = {"owner": owners, "start": start, "stop": pc.fill_null(stop, np.inf)}
    found = query_columns(query, {**columns, "row": np.arange(len(movable)), "movable": movable})
    follows, followed, backwards, may_move = (
        found[name].to_numpy() for name in ("follows", "followed", "backwards", "movable")
    )
    sides = [(followed, found["after"]), (follows, found["before"])]
    if not earlier:
        sides.reverse()
    overlaps, beside = sides[0]
    faulty = (overlaps | backwards) & may_move
    if not faulty.any():
        overlaps, beside = sides[1]
        faulty = overlaps & may_move
    partners = np.where(overlaps, pc.fill_null(beside, -1).to_numpy(), -1)
    return RowFaults(found["row"].to_numpy()[faulty], partners[faulty])


def find_cycles(references: Integers) -> Integers:
    """Find the rows that come back to themselves when each is followed to the row it refers to, -1 for none."""
    n_rows = len(references)
    reached = np.r_[references, n_rows]
    reached[reached < 0] = n_rows
    for _ in range(n_rows.bit_length()):
        reached = reached[reached]
    return np.unique(reached[reached < n_rows])


def _numbers(values: pa.Array) -> pa.Array:
    """Write years, numbers and days as numbers."""
    return (values.cast(pa.int32()) if pa.types.is_date(values.type) else values).cast(pa.float64())
