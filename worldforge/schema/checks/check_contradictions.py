"""Constraints that leave a column no value: between one another, or with the bounds that its generator draws between.

Only comparisons of one column with a constant are looked at (`founded > 1950`, `founded between 1900 and 1920`).
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sqlglot import exp

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import drawn_columns
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import constant_parameters, value_of
from worldforge.schema.expressions import compile_expression
from worldforge.schema.yaml_tree import Path

_Side = Literal["low", "high"]
_SIDES: dict[type[exp.Expr], tuple[_Side, bool]] = {
    exp.GT: ("low", True), exp.GTE: ("low", False), exp.LT: ("high", True), exp.LTE: ("high", False),
}  # fmt: skip
_TURNED: dict[_Side, _Side] = {"low": "high", "high": "low"}
_BOUNDED = ("values.integer", "values.year", "values.number", "values.date")


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound of a column: on which side, whether the value itself is left out, who sets it (no path: a generator)."""

    column: str
    side: _Side
    value: Any
    strict: bool
    text: str
    path: Path | None = None


def check_contradictions(draft: PartialSpec) -> Iterator[Rejection]:
    """Check the bounds that constraints set to each column; nothing while other parts of the spec are at fault."""
    if any(draft.broken):
        return
    yield from _check_options(draft)
    for table in dict.fromkeys(one.on for one in draft.spec.constraints if one.sql is not None):
        bounds = [*_drawn_bounds(draft, table), *_constraint_bounds(draft, table)]
        for place, later in enumerate(bounds):
            earlier = next((one for one in bounds[:place] if later.path is not None and _exclude(one, later)), None)
            if earlier is not None and later.path is not None:
                yield Rejection(_told(draft, earlier, later, later.path))


def _check_options(draft: PartialSpec) -> Iterator[Rejection]:
    """Check that constraints which ask for a text ask for one that its column may hold."""
    for number, constraint in enumerate(draft.spec.constraints):
        if constraint.sql is None:
            continue
        path: Path = ("constraints", number, "sql")
        drawn = drawn_columns(draft.spec, constraint.on)
        tree = compile_expression(constraint.sql, constraint.on, draft.spec).tree
        for part in tree.find_all(exp.EQ, exp.NEQ):
            for column, value in ((part.this, part.expression), (part.expression, part.this)):
                source = drawn.get(column.name) if isinstance(column, exp.Column) else None
                if source is None or source.generator != "values.choice" or not value.is_string:
                    continue
                options = source.params.get("options")
                if isinstance(options, list) and value.this not in options:
                    message = f"`{column.name}` is never `{value.this}`: it is no option"
                    yield Rejection(draft.at_value(path, message, did_you_mean(value.this, map(str, options))))


def _told(draft: PartialSpec, earlier: _Bound, later: _Bound, path: Path) -> Any:
    if earlier.path is None:
        message = f"no row can keep `{later.text}`: {earlier.text}"
        return draft.at_value(path, message, "loosen the constraint, or widen what the column is drawn from")
    if earlier.path == path:
        return draft.at_value(path, f"no row can keep it: it asks for `{earlier.text}` and for `{later.text}`")
    line = draft.tree.value_place(earlier.path).line
    message = f"no row can keep both `{later.text}` and, in line {line}, `{earlier.text}`"
    return draft.at_value(path, message, "loosen one of the two")


def _exclude(one: _Bound, other: _Bound) -> bool:
    """Say whether no value lies within two bounds."""
    if one.column != other.column or one.side == other.side:
        return False
    low, high = (one, other) if one.side == "low" else (other, one)
    try:
        return bool(low.value > high.value or (low.value == high.value and (low.strict or high.strict)))
    except TypeError:
        return False


def _drawn_bounds(draft: PartialSpec, table: str) -> Iterator[_Bound]:
    for column, source in drawn_columns(draft.spec, table).items():
        if source.generator in _BOUNDED:
            try:
                constants = constant_parameters(draft.spec, table, source.params)
            except ExpressionError:
                continue  # that is told elsewhere
            for side in ("low", "high"):
                value = _comparable(constants.get(side), is_date=source.generator == "values.date")
                if value is not None:
                    text = f"`{column}` is drawn {'from' if side == 'low' else 'up to'} {value}"
                    yield _Bound(column, side, value, False, text)


def _constraint_bounds(draft: PartialSpec, table: str) -> Iterator[_Bound]:
    for number, constraint in enumerate(draft.spec.constraints):
        if constraint.on == table and constraint.sql is not None:
            tree = compile_expression(constraint.sql, table, draft.spec).tree
            for part in tree.flatten() if isinstance(tree, exp.And) else [tree]:
                yield from _bounds_of(part.unnest(), ("constraints", number, "sql"))


def _bounds_of(part: exp.Expr, path: Path) -> Iterator[_Bound]:
    """Read what a comparison of a column with constants says of it."""
    text = part.sql("duckdb", comments=False).replace('"', "")
    if isinstance(part, exp.Between) and isinstance(part.this, exp.Column):
        yield from _bound(part.this, "low", part.args["low"], False, text, path)
        yield from _bound(part.this, "high", part.args["high"], False, text, path)
    elif isinstance(part, exp.EQ):
        for column, value in ((part.this, part.expression), (part.expression, part.this)):
            yield from _bound(column, "low", value, False, text, path)
            yield from _bound(column, "high", value, False, text, path)
    elif type(part) in _SIDES:
        side, strict = _SIDES[type(part)]
        yield from _bound(part.this, side, part.expression, strict, text, path)
        yield from _bound(part.expression, _TURNED[side], part.this, strict, text, path)


def _bound(column: exp.Expr, side: _Side, value: exp.Expr, strict: bool, text: str, path: Path) -> Iterator[_Bound]:
    if isinstance(column, exp.Column) and value.find(exp.Column) is None:
        try:
            held = _comparable(value_of(value))
        except ExpressionError:
            return
        if held is not None:
            yield _Bound(column.name, side, held, strict, text, path)


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
