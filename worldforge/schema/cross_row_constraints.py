"""Constraints between rows (`unique`, `exclusive`, `acyclic`): which columns they name, and how they are written.

constraint_text(constraint)                "unique: [[source, target], day]"
compared_columns(constraint)         {("unique", 0, 0): "source", ("unique", 0, 1): "target", ("unique", 1): "day"}
"""

from __future__ import annotations

from worldforge.schema.expressions import Expression, compile_expression, inline_derived
from worldforge.schema.spec import Constraint, WorldSpec

Steps = tuple[str | int, ...]


def constraint_text(constraint: Constraint) -> str:
    """Write a constraint as its author did, on one line; one of `sql` is that expression."""
    if constraint.unique is not None:
        listed = [one if isinstance(one, str) else f"[{', '.join(one)}]" for one in constraint.unique]
        return f"unique: [{', '.join(listed)}]"
    if constraint.exclusive is not None:
        period = constraint.exclusive
        return f"exclusive: {{per: {period.per}, begin: {period.begin}, end: {period.end}}}"
    return f"acyclic: {constraint.acyclic}" if constraint.acyclic is not None else str(constraint.sql)


def compared_columns(constraint: Constraint) -> dict[Steps, str]:
    """Return the columns that a constraint between rows names, each by where in the constraint it stands."""
    found: dict[Steps, str] = {}
    for place, one in enumerate(constraint.unique or ()):
        if isinstance(one, str):
            found["unique", place] = one
        else:
            found |= {("unique", place, choice): name for choice, name in enumerate(one)}
    if constraint.exclusive is not None:
        period = constraint.exclusive
        found |= {("exclusive", key): getattr(period, key) for key in ("per", "begin", "end")}
    if constraint.acyclic is not None:
        found["acyclic",] = constraint.acyclic
    return found


def column_expression(name: str, table: str, spec: WorldSpec) -> Expression:
    """Compile a column by its name alone. Raises ExpressionError where the table has none of that name."""
    return compile_expression(f'"{name}"', table, spec)


def drawn_expressions(spec: WorldSpec, constraint: Constraint) -> list[Expression]:
    """Compile what a constraint reads, in terms of what is drawn, aggregated and ranked. Raises ExpressionError."""
    if constraint.sql is not None:
        return [inline_derived(compile_expression(constraint.sql, constraint.on, spec), spec)]
    names = dict.fromkeys(compared_columns(constraint).values())
    return [inline_derived(column_expression(name, constraint.on, spec), spec) for name in names]
