"""Constraints that leave a column no value: between one another, or with the bounds that its generator draws between.

Only comparisons of one column with a constant are looked at (`founded > 1950`, `founded between 1900 and 1920`).
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import drawn_columns
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import constant_parameters, value_of
from worldforge.schema.expressions import compile_expression
from worldforge.schema.yaml_tree import Path

_BOUNDED = ("values.integer", "values.year", "values.number", "values.date")
_TURNED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ, exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE,
}  # fmt: skip


class _Range(NamedTuple):
    """What a column may hold: from `low` to `high`, each a value and 1 or -1 where the value itself is left out.

    `path` leads to the constraint that says so; None for a generator.
    """

    column: str
    low: tuple[Any, int] | None
    high: tuple[Any, int] | None
    text: str
    path: Path | None = None


def check_contradictions(draft: PartialSpec) -> Iterator[Rejection]:
    """Check the bounds that constraints set to each column; nothing while other parts of the spec are at fault."""
    if any(draft.broken):
        return
    for number, constraint in enumerate(draft.spec.constraints):
        if constraint.sql is not None:
            tree = compile_expression(constraint.sql, constraint.on, draft.spec).tree
            yield from _check_options(draft, constraint.on, tree, ("constraints", number, "sql"))
    for table in dict.fromkeys(one.on for one in draft.spec.constraints if one.sql is not None):
        ranges = [*_drawn_ranges(draft, table), *_constraint_ranges(draft, table)]
        for place, later in enumerate(ranges):
            earlier = next((one for one in ranges[: place + 1] if _exclude(one, later)), None)
            if earlier is not None and later.path is not None:
                yield Rejection(draft.at_value(later.path, *_described(draft, earlier, later)))


def _check_options(draft: PartialSpec, table: str, tree: exp.Expr, path: Path) -> Iterator[Rejection]:
    """Check that a constraint which asks for a text asks for one that its column may hold."""
    for part in tree.find_all(exp.EQ, exp.NEQ):
        for column, value in ((part.this, part.expression), (part.expression, part.this)):
            source = drawn_columns(draft.spec, table).get(column.name) if isinstance(column, exp.Column) else None
            if source is None or source.generator != "values.choice" or not value.is_string:
                continue
            options = source.params.get("options")
            if isinstance(options, list) and value.this not in options:
                message = f"`{column.name}` is never `{value.this}`: it is no option"
                yield Rejection(draft.at_value(path, message, did_you_mean(value.this, map(str, options))))


def _exclude(one: _Range, other: _Range) -> bool:
    """Say whether no value lies in both ranges of a column."""
    if one.column != other.column:
        return False
    try:
        return any(a.low and b.high and a.low > b.high for a, b in ((one, other), (other, one)))
    except TypeError:
        return False


def _described(draft: PartialSpec, earlier: _Range, later: _Range) -> tuple[str, str]:
    """Return the message and the hint on two ranges that exclude one another."""
    if earlier.path is None:
        message = f"no row can keep `{later.text}`: {earlier.text}"
        return message, "loosen the constraint, or widen what the column is drawn from"
    if earlier.path == later.path:
        return f"no row can keep it: it asks for `{earlier.text}` and for `{later.text}`", ""
    line = draft.tree.value_place(earlier.path).line
    return f"no row can keep both `{later.text}` and, in line {line}, `{earlier.text}`", "loosen one of the two"


def _drawn_ranges(draft: PartialSpec, table: str) -> Iterator[_Range]:
    for column, source in drawn_columns(draft.spec, table).items():
        if source.generator in _BOUNDED:
            try:
                constants = constant_parameters(draft.spec, table, source.params)
            except ExpressionError:
                continue  # reported by other checks
            is_date = source.generator == "values.date"
            low, high = (_comparable(constants.get(side), is_date=is_date) for side in ("low", "high"))
            if low is not None:
                yield _Range(column, (low, 0), None, f"`{column}` is drawn from {low}")
            if high is not None:
                yield _Range(column, None, (high, 0), f"`{column}` is drawn up to {high}")


def _constraint_ranges(draft: PartialSpec, table: str) -> Iterator[_Range]:
    for number, constraint in enumerate(draft.spec.constraints):
        if constraint.on == table and constraint.sql is not None:
            tree = compile_expression(constraint.sql, table, draft.spec).tree
            for part in tree.flatten() if isinstance(tree, exp.And) else [tree]:
                yield from _range_of(part.unnest(), ("constraints", number, "sql"))


def _range_of(part: exp.Expr, path: Path) -> Iterator[_Range]:
    """Read what a comparison of a column with constants leaves the column."""
    text = part.sql("duckdb", comments=False).replace('"', "")
    if isinstance(part, exp.Between) and isinstance(part.this, exp.Column):
        bounds = [_constant(part.args[side]) for side in ("low", "high")]
        yield _Range(part.this.name, *((bound, 0) if bound is not None else None for bound in bounds), text, path)
    elif type(part) in _TURNED:
        for kind, column, other in (
            (type(part), part.this, part.expression),
            (_TURNED[type(part)], part.expression, part.this),
        ):
            value = _constant(other) if isinstance(column, exp.Column) else None
            if value is not None:
                low = None if kind in (exp.LT, exp.LTE) else (value, int(kind is exp.GT))
                high = None if kind in (exp.GT, exp.GTE) else (value, -int(kind is exp.LT))
                yield _Range(column.name, low, high, text, path)


def _constant(tree: exp.Expr) -> Any:
    """Return the number or day that a tree is; None where it reads a column, or is neither."""
    try:
        return None if tree.find(exp.Column) is not None else _comparable(value_of(tree))
    except ExpressionError:
        return None


def _comparable(value: Any, *, is_date: bool = False) -> Any:
    """Return a number or a day; None for what is neither."""
    if is_date and isinstance(value, str):
        try:
            return datetime.date.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, datetime.datetime):
        return value.date()
    return None if isinstance(value, bool | str) else value
