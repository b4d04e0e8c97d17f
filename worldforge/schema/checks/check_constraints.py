"""Check constraints: that they name comparable columns, and do not contradict one another or their generators.

Only comparisons of one column with a constant are looked at (`founded > 1950`, `founded between 1900 and 1920`).
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from worldforge.core.columns import ValueKind
from worldforge.core.suggestions import did_you_mean, nearest
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import drawn_columns, names_of, references_of
from worldforge.schema.cross_row_constraints import compared_columns, drawn_expressions
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import constant_parameters, value_of
from worldforge.schema.expressions import compile_expression
from worldforge.schema.problems import Problem
from worldforge.schema.spec import Attribute, Constraint
from worldforge.schema.table_columns import Kinds
from worldforge.schema.yaml_tree import Path

_BOUNDED = ("values.integer", "values.year", "values.number", "values.date")
_TURNED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ, exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE,
}  # fmt: skip


class _Range(NamedTuple):
    """The values that a column may hold; a bound is a value, and 1 or -1 where that value is excluded.

    `path` leads to the constraint that says so; None for a generator.
    """

    column: str
    low: tuple[Any, int] | None
    high: tuple[Any, int] | None
    text: str
    path: Path | None = None


def check_contradictions(draft: PartialSpec) -> Iterator[Rejection]:
    """Check the bounds that constraints set to each column; nothing while other parts of the spec are at fault."""
    if any(draft.excluded):
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
    """Read a comparison of a column with constants as a range."""
    text = part.sql("duckdb", comments=False).replace('"', "")
    if isinstance(part, exp.Between) and isinstance(part.this, exp.Column):
        low, high = (None if (end := _constant(part.args[side])) is None else (end, 0) for side in ("low", "high"))
        yield _Range(part.this.name, low, high, text, path)
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


_ORDERED: tuple[set[ValueKind], ...] = ({"integer", "year", "number"}, {"date"})
_ACYCLIC_HINT = "write it on an attribute that `references` the type it stands in"


def check_acyclic(draft: PartialSpec, path: Path, attribute: Attribute) -> Iterator[Rejection]:
    """Check an attribute that says `acyclic`."""
    if not attribute.acyclic:
        return
    if attribute.references is None:
        message = "`acyclic` belongs to a reference: what a generator draws leads nowhere"
        yield Rejection(draft.at_key((*path, "acyclic"), message, _ACYCLIC_HINT))
    elif attribute.references != path[1]:
        message = f"it refers to `{attribute.references}`, not to `{path[1]}`: nothing could come back"
        yield Rejection(draft.at_key((*path, "acyclic"), message, _ACYCLIC_HINT))
    elif attribute.capacity is not None:
        message = "`capacity` and `acyclic` do not go together"
        yield Rejection(draft.at_key((*path, "capacity"), message, "leave one of the two out"))


def check_names(draft: PartialSpec, path: Path, constraint: Constraint) -> Iterator[Rejection]:
    """Check that a constraint between rows names columns of its table."""
    known = names_of(draft.spec, constraint.on)
    for steps, name in compared_columns(constraint).items():
        if name in known:
            continue
        if draft.may_have_column(constraint.on, name):
            yield Rejection(None, path)
            continue
        near = nearest(name, draft.declared_columns(constraint.on))
        hint = f"did you mean `{near}`?" if near else did_you_mean(name, known)
        if draft.tree.at((*path, *steps)) is None:
            hint = "say in which columns a period begins and ends: `{per: company, begin: opened, end: closed}`"
        yield Rejection(_at(draft, (*path, *steps), f"`{constraint.on}` has no column `{name}`", hint), path)
    for place, one in enumerate(constraint.unique or ()):
        if not one:
            message, hint = "the list names no column", "name several, of which any is meant: `[source, target]`"
            yield Rejection(draft.at_value((*path, "unique", place), message, hint), path)


def check_comparable(draft: PartialSpec, path: Path, constraint: Constraint, kinds: Kinds) -> Iterator[Rejection]:
    """Check that a constraint compares what can be compared, and redraws what it reads. Its columns must be there."""
    if constraint.redraw is not None:
        yield from _check_redraw(draft, path, constraint)
    references = references_of(draft.spec, constraint.on)
    for place, one in enumerate(constraint.unique or ()):
        if isinstance(one, list):
            held = {name: references.get(name) or kinds.of(constraint.on, name) for name in one}
            if len(set(held.values())) > 1:
                listed = ", ".join(f"`{name}` {what}" for name, what in held.items())
                message = f"they hold different things, which no rows can share: {listed}"
                hint = "list columns that refer to one type, or hold one kind of value"
                yield Rejection(draft.at_value((*path, "unique", place), message, hint), path)
    if constraint.exclusive is not None:
        names = (constraint.exclusive.begin, constraint.exclusive.end)
        begin, end = (kinds.of(constraint.on, name) for name in names)
        if not any({begin, end} <= ordered for ordered in _ORDERED):
            message = f"`{names[0]}` holds {begin} and `{names[1]}` {end}: no period lies between them"
            hint = "a period begins and ends with a date each, or with a year or number each"
            yield Rejection(_at(draft, (*path, "exclusive", "begin"), message, hint), path)
    if constraint.acyclic is not None and references.get(constraint.acyclic) != constraint.on:
        to = references.get(constraint.acyclic)
        said = f"refers to `{to}`, not to `{constraint.on}`" if to else "is no reference"
        message = f"`{constraint.acyclic}` {said}: nothing could come back"
        hint = "name a reference of the type to itself"
        yield Rejection(draft.at_value((*path, "acyclic"), message, hint), path)


def _check_redraw(draft: PartialSpec, path: Path, constraint: Constraint) -> Iterator[Rejection]:
    read = {own[0] for expression in drawn_expressions(draft.spec, constraint) for own in expression.paths}
    if constraint.redraw not in read:
        message = f"drawing `{constraint.redraw}` again mends nothing: the constraint does not read it"
        hint = f"name one of {', '.join(f'`{name}`' for name in compared_columns(constraint).values())}"
        yield Rejection(draft.at_value((*path, "redraw"), message, hint), path)


def _at(draft: PartialSpec, path: Path, message: str, hint: str) -> Problem:
    """Return a problem at a value; at the key around it where the value is a default that is not written."""
    if draft.tree.at(path) is None:
        return draft.at_key(path[:-1], message, hint)
    return draft.at_value(path, message, hint)
