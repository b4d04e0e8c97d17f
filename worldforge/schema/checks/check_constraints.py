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
from worldforge.schema.checks.checker import Checker
from worldforge.schema.column_dependencies import compared_columns, drawn_expressions
from worldforge.schema.column_paths import drawn_columns, names_of, references_of
from worldforge.schema.document import KeyPath
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import constant_parameters, value_of
from worldforge.schema.expressions import compile_expression
from worldforge.schema.reference_conditions import OPERATORS, conjuncts
from worldforge.schema.spec import Attribute, Constraint
from worldforge.schema.table_columns import Kinds

_BOUNDED = ("values.integer", "values.year", "values.number", "values.date")


class _Bound(NamedTuple):
    """The least or the greatest value that a column may hold, or that value excluded.

    `path` leads to the constraint that says so; None for a generator.
    """

    column: str
    is_low: bool
    value: Any
    is_excluded: bool
    text: str
    path: KeyPath | None = None

    def excludes(self, other: _Bound) -> bool:
        """Say whether no value of the column keeps both bounds."""
        if self.column != other.column or self.is_low == other.is_low:
            return False
        low, high = (self, other) if self.is_low else (other, self)
        try:
            return bool(low.value > high.value) or (low.value == high.value and (low.is_excluded or high.is_excluded))
        except TypeError:
            return False


def check_contradictions(checker: Checker) -> None:
    """Check the bounds that constraints set to each column; nothing while other parts of the spec are at fault."""
    if checker.broken:
        return
    bounds: dict[str, list[_Bound]] = {}
    for path, constraint in checker.constraints():
        if constraint.sql is not None:
            table, tree = constraint.on, compile_expression(constraint.sql, constraint.on, checker.spec).tree
            _check_options(checker, table, tree, (*path, "sql"))
            earlier = bounds.setdefault(table, list(_drawn_bounds(checker, table)))
            for bound in _bounds_of(tree, (*path, "sql")):
                earlier.append(bound)
                other = next((one for one in earlier if one.excludes(bound)), None)
                if other is not None:
                    checker.reject((*path, "sql"), *_described(checker, other, bound))


def _check_options(checker: Checker, table: str, tree: exp.Expr, path: KeyPath) -> None:
    """Check that a constraint which asks for a text asks for one that its column may hold."""
    for part in tree.find_all(exp.EQ, exp.NEQ):
        for column, value in ((part.this, part.expression), (part.expression, part.this)):
            source = drawn_columns(checker.spec, table).get(column.name) if isinstance(column, exp.Column) else None
            if source is None or source.generator != "values.choice" or not value.is_string:
                continue
            options = source.params.get("options")
            if isinstance(options, list) and value.this not in options:
                message = f"`{column.name}` is never `{value.this}`: it is no option"
                checker.reject(path, message, did_you_mean(value.this, map(str, options)))


def _described(checker: Checker, earlier: _Bound, later: _Bound) -> tuple[str, str]:
    """Return the message and the hint on two bounds that exclude one another."""
    if earlier.path is None:
        message = f"no row can keep `{later.text}`: {earlier.text}"
        return message, "loosen the constraint, or widen what the column is drawn from"
    if earlier.path == later.path:
        return f"no row can keep it: it asks for `{earlier.text}` and for `{later.text}`", ""
    line = checker.document.place(earlier.path).line
    return f"no row can keep both `{later.text}` and, in line {line}, `{earlier.text}`", "loosen one of the two"


def _drawn_bounds(checker: Checker, table: str) -> Iterator[_Bound]:
    for column, source in drawn_columns(checker.spec, table).items():
        if source.generator in _BOUNDED:
            try:
                constants = constant_parameters(checker.spec, table, source.params)
                for side, words in (("low", "from"), ("high", "up to")):
                    value = constants.get(side)
                    if source.generator == "values.date" and isinstance(value, str):
                        value = datetime.date.fromisoformat(value)
                    if value is not None:
                        text = f"`{column}` is drawn {words} {value}"
                        yield _Bound(column, side == "low", _comparable(value), False, text)
            except (ExpressionError, ValueError):
                continue  # reported by other checks


def _bounds_of(tree: exp.Expr, path: KeyPath) -> Iterator[_Bound]:
    """Read the comparisons of a column with a constant, joined by `and`, as bounds."""
    for part in conjuncts(tree):
        sides = ((part.this, part.expression), (part.expression, part.this))
        text = part.sql("duckdb", comments=False).replace('"', "")
        for operator, (column, other) in zip(OPERATORS.get(type(part), ()), sides, strict=False):
            try:
                is_constant = isinstance(column, exp.Column) and other.find(exp.Column) is None
                value = _comparable(value_of(other)) if is_constant else None
            except ExpressionError:
                continue
            for sign, is_low in ((">", True), ("<", False)):
                if value is not None and operator in ("=", sign, f"{sign}="):
                    yield _Bound(column.name, is_low, value, operator == sign, text, path)


def _comparable(value: Any) -> Any:
    """Return a number or a day; None for what is neither."""
    if isinstance(value, datetime.datetime):
        return value.date()
    return None if isinstance(value, bool | str) else value


_ORDERED: tuple[set[ValueKind], ...] = ({"integer", "year", "number"}, {"date"})


def check_acyclic(checker: Checker, path: KeyPath, attribute: Attribute) -> None:
    """Check an attribute that says `acyclic`."""
    if not attribute.acyclic:
        return
    hint = "write it on an attribute that `references` the type it stands in"
    if attribute.references is None:
        message = "`acyclic` belongs to a reference: what a generator draws leads nowhere"
        checker.reject((*path, "acyclic"), message, hint, key=True)
    elif attribute.references != path[1]:
        message = f"it refers to `{attribute.references}`, not to `{path[1]}`: nothing could come back"
        checker.reject((*path, "acyclic"), message, hint, key=True)
    elif attribute.capacity is not None:
        message = "`capacity` and `acyclic` do not go together"
        checker.reject((*path, "capacity"), message, "leave one of the two out", key=True)


def check_names(checker: Checker, path: KeyPath, constraint: Constraint) -> None:
    """Check that a constraint between rows names columns of its table."""
    known = names_of(checker.spec, constraint.on)
    for steps, name in compared_columns(constraint).items():
        if name in known:
            continue
        if checker.hides(constraint.on, name):
            checker.broken.add(path)
        elif checker.document.get((*path, *steps)) is None:
            hint = "say in which columns a period begins and ends: `{per: company, begin: opened, end: closed}`"
            where = (*path, *steps[:-1])
            checker.reject(where, f"`{constraint.on}` has no column `{name}`", hint, path, key=True)
        else:
            near = nearest(name, checker.declared_columns(constraint.on))
            hint = f"did you mean `{near}`?" if near else did_you_mean(name, known)
            checker.reject((*path, *steps), f"`{constraint.on}` has no column `{name}`", hint, path)
    for place, one in enumerate(constraint.unique or ()):
        if not one:
            message, hint = "the list names no column", "name several, of which any is meant: `[source, target]`"
            checker.reject((*path, "unique", place), message, hint, path)


def check_comparable(checker: Checker, path: KeyPath, constraint: Constraint, kinds: Kinds) -> None:
    """Check that a constraint compares what can be compared, and redraws what it reads. Its columns must be there."""
    table, references = constraint.on, references_of(checker.spec, constraint.on)
    read = {own[0] for expression in drawn_expressions(checker.spec, constraint) for own in expression.paths}
    if constraint.redraw is not None and constraint.redraw not in read:
        message = f"drawing `{constraint.redraw}` again mends nothing: the constraint does not read it"
        hint = f"name one of {', '.join(f'`{name}`' for name in compared_columns(constraint).values())}"
        checker.reject((*path, "redraw"), message, hint, path)
    for place, one in enumerate(constraint.unique or ()):
        held = {name: references.get(name) or kinds.of(table, name) for name in ([] if isinstance(one, str) else one)}
        if len(set(held.values())) > 1:
            listed = ", ".join(f"`{name}` {what}" for name, what in held.items())
            message = f"they hold different things, which no rows can share: {listed}"
            hint = "list columns that refer to one type, or hold one kind of value"
            checker.reject((*path, "unique", place), message, hint, path)
    if constraint.exclusive is not None:
        names = (constraint.exclusive.begin, constraint.exclusive.end)
        begin, end = (kinds.of(table, name) for name in names)
        if not any({begin, end} <= ordered for ordered in _ORDERED):
            message = f"`{names[0]}` holds {begin} and `{names[1]}` {end}: no period lies between them"
            hint = "a period begins and ends with a date each, or with a year or number each"
            where = (*path, "exclusive", "begin")
            is_default = checker.document.get(where) is None
            checker.reject(where[:-1] if is_default else where, message, hint, path, key=is_default)
    if constraint.acyclic is not None and references.get(constraint.acyclic) != table:
        to = references.get(constraint.acyclic)
        found = f"refers to `{to}`, not to `{table}`" if to else "is no reference"
        message = f"`{constraint.acyclic}` {found}: nothing could come back"
        checker.reject((*path, "acyclic"), message, "name a reference of the type to itself", path)
