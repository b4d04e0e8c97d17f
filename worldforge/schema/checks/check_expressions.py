"""Check expressions: syntax, column names, cycles and types."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import networkx as nx
from sqlglot import exp

from worldforge.core.columns import ValueKind
from worldforge.core.errors import InputError
from worldforge.core.imports import load
from worldforge.core.suggestions import nearest
from worldforge.schema.checks.check_generators import accepts, accepts_columns, generated, parameters_of
from worldforge.schema.checks.check_rows import check_acyclic, check_comparable, check_names
from worldforge.schema.checks.checker import Checker
from worldforge.schema.column_dependencies import (
    ColumnKey,
    column_order,
    compile_parameters,
    cycles,
    dependency_graph,
    parameter_expression,
)
from worldforge.schema.column_paths import UnknownColumnError, all_drawn, declared_at, follow, references_of
from worldforge.schema.document import KeyPath
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import is_constant, value_of
from worldforge.schema.expressions import (
    Aggregate,
    Compiled,
    Expression,
    Ranking,
    compile_derived,
    compile_expression,
    compile_terms,
)
from worldforge.schema.reference_conditions import conditions_of
from worldforge.schema.table_columns import Kinds

_NUMERIC = {"integer", "year", "number"}
_Result = TypeVar("_Result")


def check_expressions(checker: Checker) -> None:
    """Check that every expression parses and names what exists: parameters, derived columns, constraints."""
    spec = checker.spec
    for table, path, _, params in generated(checker):
        for name, value in params.items():
            text = parameter_expression(value)
            if text is not None:
                where = (*path, "params", name)
                _compiled(checker, where, path, compile_expression, text, table, spec, offset=1)
    for name, kind in spec.types.items():
        for column in kind.derived:
            path = ("types", name, "derived", column)
            _compiled(checker, path, path, compile_derived, spec, name, column)
    for path, attribute in all_drawn(spec):
        check_acyclic(checker, path, attribute)
    for table, column, condition in conditions_of(spec):
        _check_where(checker, declared_at(spec, table, column), condition, table, column)
    for name, relation in spec.relations.items():
        path, order = ("relations", name, "order"), relation.order
        if order is not None:
            ranked = _compiled(checker, path, path[:2], compile_terms, order, name, spec)
            for term in ranked[0] if ranked is not None else ():
                _check_ends(checker, path, term)
    for path, constraint in checker.constraints():
        text, on = constraint.sql, constraint.on
        if on not in spec.types and on not in spec.relations:
            checker.broken.add(path)
        elif text is None:
            check_names(checker, path, constraint)
        else:
            _compiled(checker, (*path, "sql"), path, compile_expression, text, on, spec)


def check_cycles(checker: Checker) -> None:
    """Check that no column needs itself, by way of others or of a constraint."""
    graph = dependency_graph(checker.spec)
    for cycle in cycles(graph):
        spelled = " -> ".join(f"{table}.{column}" for table, column in [*cycle, cycle[0]])
        constraint = _constraint_of(graph, cycle)
        if constraint is not None:
            number, column = constraint
            message = f"it draws `{column}` again, on which hangs what it reads: {spelled}"
            place: KeyPath = ("constraints", number)
            key = "redraw" if checker.spec.constraints[number].sql is None else "sql"
            checker.reject((*place, key), message, "name another column to `redraw`", place)
            continue
        message = f"columns need one another in a circle: {spelled}"
        places = [declared_at(checker.spec, *node) for node in cycle]
        checker.reject(places[0], message, "let one of them do without the next", key=True)
        checker.broken.update(places)


def check_kinds(checker: Checker) -> None:
    """Check that what each expression gives fits its use. Expects expressions that compile, and no circles."""
    spec, n_broken = checker.spec, len(checker.broken)
    kinds = Kinds(spec, checker.code_from)
    for table, column in column_order(spec):
        if table in spec.types and column in spec.types[table].derived:
            path: KeyPath = ("types", table, "derived", column)
            _check_derived_kind(checker, kinds, path, compile_derived(spec, table, column))
            if len(checker.broken) > n_broken:
                return  # what reads it is checked without it
    _check_parameter_kinds(checker, kinds)
    for table, column, condition in conditions_of(spec):
        path = declared_at(spec, table, column)
        _check_boolean(checker, kinds, (*path, "where"), compile_expression(condition, table, spec), path)
    for path, constraint in checker.constraints():
        if constraint.sql is None:
            check_comparable(checker, path, constraint, kinds)
            continue
        where, expression = (*path, "sql"), compile_expression(constraint.sql, constraint.on, spec)
        _check_boolean(checker, kinds, where, expression, path)
        try:
            if is_constant(expression) and value_of(expression.tree) is False:
                message = "it reads no column, and is false in every row"
                checker.reject(where, message, "compare columns: `founded > 1900`", path)
        except ExpressionError as error:
            checker.reject_error(where, error, path)


def _check_where(checker: Checker, path: KeyPath, where: str, table: str, column: str) -> None:
    """Check the `where` of a reference or a relation: it must say something of the entity referred to."""
    place, spec = (*path, "where"), checker.spec
    expression = _compiled(checker, place, path, compile_expression, where, table, spec)
    if expression is None:
        return
    if len(path) == 2:
        _check_ends(checker, place, expression)
    if not any(read[0] == column for read in expression.paths):
        message = f"it says nothing of `{column}`, the entity that is chosen"
        checker.reject(place, message, f"name what must hold of it: `{column}.…`", path)
    for part in expression.tree.find_all(exp.EQ):
        if isinstance(part.this, exp.Column) and isinstance(part.expression, exp.Column):
            names = (part.this.name, part.expression.name)
            types = [_target(checker, table, name) for name in names]
            if types[0] != types[1]:
                problems = [
                    f"`{name}` refers to `{one}`" if one else f"`{name}` is no reference"
                    for name, one in zip(names, types, strict=True)
                ]
                message = f"it never holds: {', '.join(problems)}"
                checker.reject(place, message, "compare references to one type", path)


def _target(checker: Checker, table: str, column_path: str) -> str | None:
    """Return the type whose ids a column holds; None where it holds other values."""
    route = follow(checker.spec, table, column_path.split("."))
    return references_of(checker.spec, route.table).get(route.column)


def _check_ends(checker: Checker, path: KeyPath, expression: Expression) -> None:
    """Check that an expression which decides over the rows of a relation reads what lies at the ends alone."""
    for read in expression.paths:
        if read[0] not in ("source", "target"):
            message = f"`{'.'.join(read)}` is not there yet: a relation's rows come first, its columns after them"
            checker.reject(path, message, "read what lies at an end: `source.…`, `target.…`", path[:2])


def _compiled(
    checker: Checker, path: KeyPath, breaks: KeyPath, compiler: Callable[..., _Result], *given: object, offset: int = 0
) -> _Result | None:
    """Call `compiler` on the text at `path`, which begins `offset` characters later; None where that fails."""
    try:
        return compiler(*given)
    except ExpressionError as error:
        hint, cause = error.hint, error.__cause__
        if isinstance(cause, UnknownColumnError):
            if checker.hides(cause.table, cause.column):
                checker.broken.add(breaks)
                return None
            near = (
                nearest(cause.column, checker.declared_columns(cause.table))
                if error.key not in ("over", "tree")
                else None
            )
            hint = f"did you mean `{near}`?" if near else hint
        where = (*path, error.key) if error.key else path
        checker.reject(where, error.message, hint, breaks, offset=offset + error.position)
        return None


def _constraint_of(graph: nx.DiGraph[ColumnKey], cycle: list[ColumnKey]) -> tuple[int, str] | None:
    """Return the constraint that closes a cycle, and the column it draws again; None where columns alone do."""
    for node, needed in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        number = graph.edges[needed, node].get("constraint")
        if number is not None:
            return number, node[1]
    return None


def _check_derived_kind(checker: Checker, kinds: Kinds, path: KeyPath, compiled: Compiled) -> None:
    if isinstance(compiled, Ranking):
        for term in compiled.terms:
            _kind_of(checker, kinds, (*path, "rank"), term, path)
        return
    expression = compiled.expression if isinstance(compiled, Aggregate) else compiled
    declared = checker.spec.types[str(path[1])].derived[str(path[3])].kind
    kind = _kind_of(checker, kinds, (*path, "sql"), expression, path)
    if kind is None:
        return
    tree = expression.tree
    value = tree.this if isinstance(tree, exp.ArgMax | exp.ArgMin | exp.Min | exp.Max) else tree
    referred = _target(checker, expression.table, value.name) if isinstance(value, exp.Column) else None
    if referred is not None:
        hint = f"take a name: `{expression.paths[0][-1]}.name`"
        if expression.is_path:
            hint = f"make it an attribute: `{{references: {referred}, where: {path[-1]} = {expression.text}}}`"
        checker.reject((*path, "sql"), f"its values are ids of `{referred}`, which no page can state", hint, path)
        return
    if declared is not None and declared != kind and not {declared, kind} <= _NUMERIC:
        message = f"`kind` is {declared}, but the values of `sql` are of the kind {kind}"
        checker.reject((*path, "kind"), message, "", path)
    if isinstance(compiled, Aggregate) and compiled.where is not None:
        _check_boolean(checker, kinds, (*path, "where"), compiled.where, path)


def _kind_of(
    checker: Checker, kinds: Kinds, path: KeyPath, expression: Expression, breaks: KeyPath | None
) -> ValueKind | None:
    """Return what kind of values an expression gives; None where its parts do not fit together."""
    try:
        return kinds.of_expression(expression)
    except InputError as error:
        checker.reject_error(path, error, breaks)
        return None


def _check_boolean(checker: Checker, kinds: Kinds, path: KeyPath, expression: Expression, breaks: KeyPath) -> None:
    kind = _kind_of(checker, kinds, path, expression, breaks)
    if kind not in (None, "boolean"):
        message = f"it must be true or false for each row; its values are of the kind {kind}"
        checker.reject(path, message, "compare it with something: `founded > 1900`", breaks)


def _check_parameter_kinds(checker: Checker, kinds: Kinds) -> None:
    for table, path, generator, params in generated(checker):
        known = parameters_of(load(generator, checker.code_from))
        for name, expression in compile_parameters(checker.spec, table, params).items():
            if name in known and accepts_columns(known[name].annotation):
                kind = _kind_of(checker, kinds, (*path, "params", name), expression, None)
                if kind is not None and not accepts(known[name].annotation, kind):
                    checker.reject((*path, "params", name), f"`{name}` takes no values of the kind {kind}")
