"""Check the rows of tables: that constraints on them can be met, and that there are enough to refer to.

Of constraints that contradict one another only comparisons of one column with a constant are looked at
(`founded > 1950`, `founded between 1900 and 1920`).
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from worldforge.core.columns import ValueKind
from worldforge.core.suggestions import did_you_mean, nearest
from worldforge.schema.checks.checker import Checker
from worldforge.schema.column_dependencies import compared_columns, drawn_expressions, shared_attributes
from worldforge.schema.column_paths import all_drawn, drawn_columns, follow, names_of, references_of
from worldforge.schema.document import KeyPath
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import constant_parameters, value_of
from worldforge.schema.expressions import compile_expression
from worldforge.schema.reference_conditions import OPERATORS, conjuncts
from worldforge.schema.spec import Attribute, Constraint, Relation
from worldforge.schema.spec_section import Range
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
                    checker.reject((*path, "sql"), *_contradiction(checker, other, bound))


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


def _contradiction(checker: Checker, earlier: _Bound, later: _Bound) -> tuple[str, str]:
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


_MOST_ROWS = 2**31 - 1


def check_references(checker: Checker) -> None:
    """Check references' capacities and relations' ranges against the counts of the types."""
    for path, attribute in all_drawn(checker.spec):
        if attribute.references is not None and attribute.capacity is not None:
            rows, targets = least_rows(checker, str(path[1])), least_rows(checker, attribute.references)
            needed = math.ceil((rows or 0) * (1 - attribute.missing))
            if rows is not None and targets is not None and (room := attribute.capacity * targets) < needed:
                message = (
                    f"{needed} rows cannot refer to {targets} of `{attribute.references}` with {attribute.capacity} "
                    f"each: there is room for {room}"
                )
                checker.reject((*path, "capacity"), message, f"let it be {math.ceil(needed / targets)} at least")
    for name, relation in checker.spec.relations.items():
        path = ("relations", name)
        if relation.per_source is None:
            rows = least_rows(checker, name)
            if rows is not None and rows > _MOST_ROWS:
                message = f"{rows:,} rows are more than a table can have: all meet one another"
                checker.reject((*path, "pairs"), message, "split them into groups with `within`", key=True)
        elif not checker.is_broken((*path, "per_source")):
            _check_relation(checker, path, relation, relation.per_source)


def least_rows(checker: Checker, table: str) -> int | None:
    """Return how many rows a type or relation has at least; None where a count that it depends on is broken."""
    if table in checker.spec.types:
        return None if checker.is_broken(("types", table, "count")) else checker.spec.n_entities(table)
    relation = checker.spec.relations[table]
    sources = least_rows(checker, relation.source)
    if sources is None:
        return None
    if relation.pairs is None:
        return sources * relation.per_source.low if relation.per_source is not None else None
    n_groups = 1 if relation.pairs.within is None else _most_groups(checker, relation.source, relation.pairs.within)
    if n_groups is None:
        return 0
    size, larger = divmod(sources, n_groups)  # groups of equal size have the fewest pairs
    pairs = n_groups * (size * (size - 1) // 2) + larger * size
    return relation.pairs.legs * pairs


def _most_groups(checker: Checker, type_name: str, within: str) -> int | None:
    """Return into how many groups a path of references splits a type at most; None where some are in no group."""
    route = follow(checker.spec, type_name, within.split("."))
    counts = []
    for table, column in route.columns:
        attribute = drawn_columns(checker.spec, table).get(column)
        if attribute is None or attribute.references is None or attribute.missing or attribute.optional:
            return None
        counts.append(least_rows(checker, attribute.references))
    return None if None in counts else min(count for count in counts if count is not None)


def _check_relation(checker: Checker, path: KeyPath, relation: Relation, per_source: Range) -> None:
    """Check how many rows the ranges ask for and leave room for. No entity is linked to itself."""
    sources, targets = least_rows(checker, relation.source), least_rows(checker, relation.target)
    if sources is None or targets is None:
        return
    others = targets - (relation.source == relation.target)
    most_each = min(per_source.high, others) if relation.distinct else per_source.high
    if per_source.low > most_each:
        message = f"a source needs {per_source.low} different targets; there are {others}"
        checker.reject((*path, "per_source", "low"), message, "lower it, or set `distinct: false`")
        return
    if relation.per_target is None:
        return
    least, room = per_source.low * sources, relation.per_target.high * targets
    if room < least:
        message = f"{sources} sources need {least} rows at least; {targets} targets take {room} at most"
        checker.reject((*path, "per_target", "high"), message, f"let it be {math.ceil(least / targets)} at least")
    needed, most = relation.per_target.low * targets, most_each * sources
    if needed > most:
        message = f"{targets} targets need {needed} rows at least; {sources} sources have {most} at most"
        checker.reject((*path, "per_target", "low"), message, f"let it be {most // targets} at most")


_DEVIATIONS = 5  # of the number of rows that `missing` leaves filled


def check_unique_values(checker: Checker) -> None:
    """Check every `unique` constraint whose columns have a known number of values."""
    for path, constraint in checker.constraints():
        if constraint.unique is None:
            continue
        sizes, rows = [_n_values(checker, constraint.on, one) for one in constraint.unique], None
        if None not in sizes:
            rows = _filled_rows(checker, constraint)
        most = math.prod(size for size in sizes if size is not None)
        if rows is not None and rows > most:
            columns = "its columns hold" if len(sizes) > 1 or isinstance(constraint.unique[0], list) else "it holds"
            message = f"{rows:,} rows of `{constraint.on}` cannot differ: {columns} {most:,} different values at most"
            hint = f"lower the count to {most:,}, name a further column, or draw from more values"
            checker.reject((*path, "unique"), message, hint, path)


def _filled_rows(checker: Checker, constraint: Constraint) -> int | None:
    """Return the fewest rows that hold a value in every column of a constraint; None where that is not known."""
    table, share = constraint.on, 1.0
    rows, drawn = least_rows(checker, table), drawn_columns(checker.spec, table)
    if rows is None:
        return None
    for one in constraint.unique or ():
        for name in [one] if isinstance(one, str) else one:
            if name in drawn and not drawn[name].optional:
                share *= 1 - drawn[name].missing
            elif name in drawn or name not in (*references_of(checker.spec, table), "name"):
                return None  # a derived or built-in column may be empty in any row
    return max(0, math.floor(rows * share - _DEVIATIONS * math.sqrt(rows * share * (1 - share))))


def _n_values(checker: Checker, table: str, columns: str | list[str]) -> int | None:
    """Return how many different values a column, or any of several, can hold at most; None where that is not known."""
    sizes = []
    for name in [columns] if isinstance(columns, str) else columns:
        target, source = references_of(checker.spec, table).get(name), drawn_columns(checker.spec, table).get(name)
        if target is not None:
            sizes.append(least_rows(checker, target) if target in checker.spec.types else None)
        else:
            sizes.append(None if source is None else _drawn_size(checker, table, source))
    return None if None in sizes else max(size for size in sizes if size is not None)


def _drawn_size(checker: Checker, table: str, source: Attribute) -> int | None:
    """Return how many different values a shipped generator can draw; None where that is not known."""
    try:
        params = constant_parameters(checker.spec, table, source.params)
    except ExpressionError:
        return None  # reported by other checks
    low, high, step = params.get("low"), params.get("high"), params.get("step", 1)
    match source.generator:
        case "values.boolean":
            return 2
        case "values.choice" if isinstance(params.get("options"), list):
            options = [str(option) for option in params["options"]]
            weights = params.get("weights") or [1] * len(options)
            return len({option for option, weight in zip(options, weights, strict=False) if weight})
        case "values.integer" | "values.year" if (
            isinstance(low, int) and isinstance(high, int) and isinstance(step, int)
        ):
            return max(0, (high - low) // step + 1) if step else None
        case "values.date":
            try:
                first, last = (datetime.date.fromisoformat(str(value)[:10]).toordinal() for value in (low, high))
            except ValueError:
                return None
            return max(0, last - first + 1)
    return None


_FEWEST = 2  # one that differs, and one that does not


def check_near_duplicates(checker: Checker) -> None:
    """Check every type that asks for `distractors`; nothing while other parts of the spec are at fault."""
    if checker.broken:
        return
    for name, kind in checker.spec.types.items():
        if kind.distractors and len(shared_attributes(checker.spec, name)) < _FEWEST:
            message = f"entities of `{name}` have too little that near twins could share"
            hint = "give the type references, or attributes that `values.…` draws, that no constraint keeps apart"
            checker.reject(("types", name, "distractors"), message, hint, key=True)
