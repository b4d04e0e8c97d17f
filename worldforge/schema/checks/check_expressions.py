"""Check expressions: syntax, column names, cycles and types."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import networkx as nx
from sqlglot import exp

from worldforge.core.columns import ValueKind
from worldforge.core.errors import InputError
from worldforge.core.imports import load
from worldforge.core.suggestions import nearest
from worldforge.schema.checks.check_constraints import check_acyclic, check_comparable, check_names
from worldforge.schema.checks.check_generators import accepts, accepts_columns, generated, parameters_of
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_dependencies import (
    ColumnKey,
    column_order,
    cycles,
    dependency_graph,
    parameter_expression,
)
from worldforge.schema.column_paths import UnknownColumnError, all_drawn, declared_at, follow, references_of
from worldforge.schema.cross_row_constraints import compared_columns
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import is_constant, value_of
from worldforge.schema.expressions import (
    Aggregate,
    Compiled,
    Expression,
    Ranking,
    columns_read,
    compile_derived,
    compile_expression,
    compile_terms,
    compile_within,
    rows_over,
)
from worldforge.schema.reference_conditions import conditions_of
from worldforge.schema.spec import Derived
from worldforge.schema.table_columns import Kinds
from worldforge.schema.yaml_tree import Path

_NUMERIC = {"integer", "year", "number"}


def check_expressions(draft: PartialSpec) -> Iterator[Rejection]:
    """Check that every expression parses and names what exists: parameters, derived columns, constraints."""
    for table, path, _, params in generated(draft):
        for name, value in params.items():
            text = parameter_expression(value)
            if text is not None:
                where = (*path, "params", name)
                yield from _check_compiles(draft, where, path, compile_expression, text, table, draft.spec, offset=1)
    for name, entity_type in draft.spec.types.items():
        for column in entity_type.derived:
            yield from _check_derived(draft, name, column)
    for path, attribute in all_drawn(draft.spec):
        yield from check_acyclic(draft, path, attribute)
        if attribute.where is not None:
            yield from _check_where(draft, path, attribute.where, str(path[1]), str(path[3]))
    for name, relation in draft.spec.relations.items():
        if relation.where is not None:
            yield from _check_where(draft, ("relations", name), relation.where, name, "target")
        if relation.order is not None:
            yield from _check_order(draft, name, relation.order)
    for number, constraint in enumerate(draft.spec.constraints):
        place: Path = ("constraints", number)
        if constraint.on not in draft.spec.types and constraint.on not in draft.spec.relations:
            yield Rejection(None, place)
        elif not draft.is_excluded(place) and constraint.sql is None:
            yield from check_names(draft, place, constraint)
        elif not draft.is_excluded(place):
            text, on = constraint.sql or "", constraint.on
            yield from _check_compiles(draft, (*place, "sql"), place, compile_expression, text, on, draft.spec)


def check_cycles(draft: PartialSpec) -> Iterator[Rejection]:
    """Check that no column needs itself, by way of others or of a constraint."""
    graph = dependency_graph(draft.spec)
    for cycle in cycles(graph):
        spelled = " -> ".join(f"{table}.{column}" for table, column in [*cycle, cycle[0]])
        constraint = _constraint_of(graph, cycle)
        if constraint is not None:
            message = f"it draws `{constraint[1]}` again, on which hangs what it reads: {spelled}"
            place: Path = ("constraints", constraint[0])
            key = "redraw" if draft.spec.constraints[constraint[0]].sql is None else "sql"
            yield Rejection(draft.at_value((*place, key), message, "name another column to `redraw`"), place)
            continue
        message = f"columns need one another in a circle: {spelled}"
        yield Rejection(
            draft.at_key(declared_at(draft.spec, *cycle[0]), message, "let one of them do without the next")
        )
        yield from (Rejection(None, declared_at(draft.spec, *node)) for node in cycle)


def check_kinds(draft: PartialSpec) -> Iterator[Rejection]:
    """Check that what each expression gives fits its use. Expects expressions that compile, and no circles."""
    kinds = Kinds(draft.spec, draft.code_from)
    unknown: set[ColumnKey] = set()
    for table, column in column_order(draft.spec):
        if table not in draft.spec.types or column not in draft.spec.types[table].derived:
            continue
        compiled = compile_derived(draft.spec, table, column)
        path: Path = ("types", table, "derived", column)
        if unknown.intersection(columns_read(compiled, draft.spec)):
            findings = [Rejection(None, path)]
        else:
            findings = list(_check_derived_kind(draft, kinds, path, compiled))
        unknown |= {(table, column)} if findings else set()
        yield from findings
    yield from _check_parameter_kinds(draft, kinds, unknown)
    for table, column, where in conditions_of(draft.spec):
        part = declared_at(draft.spec, table, column)
        expression = compile_expression(where, table, draft.spec)
        yield from _check_boolean(draft, kinds, (*part, "where"), expression, unknown, exclude=part)
    for number, constraint in enumerate(draft.spec.constraints):
        place: Path = ("constraints", number)
        if draft.is_excluded(place):
            continue
        if constraint.sql is not None:
            expression = compile_expression(constraint.sql, constraint.on, draft.spec)
            yield from _check_boolean(draft, kinds, (*place, "sql"), expression, unknown, exclude=place)
            yield from _check_ever_true(draft, (*place, "sql"), expression)
        elif not unknown.intersection((constraint.on, name) for name in compared_columns(constraint).values()):
            yield from check_comparable(draft, place, constraint, kinds)


def _check_where(draft: PartialSpec, path: Path, where: str, table: str, column: str) -> Iterator[Rejection]:
    """Check the `where` of a reference or a relation: it must say something of the entity referred to."""
    place = (*path, "where")
    found = list(_check_compiles(draft, place, path, compile_expression, where, table, draft.spec))
    yield from found
    if found:
        return
    expression = compile_expression(where, table, draft.spec)
    if column == "target" and path[0] == "relations":
        yield from _check_ends(draft, place, expression)
    if not any(read[0] == column for read in expression.paths):
        message = f"it says nothing of `{column}`, the entity that is chosen"
        yield Rejection(draft.at_value(place, message, f"name what must hold of it: `{column}.…`"), path)
    for part in expression.tree.find_all(exp.EQ):
        yield from _check_alike(draft, place, expression, part)


def _check_alike(draft: PartialSpec, path: Path, expression: Expression, part: exp.EQ) -> Iterator[Rejection]:
    """Check that references compared for equality refer to the same type."""
    if not (isinstance(part.this, exp.Column) and isinstance(part.expression, exp.Column)):
        return
    names = (part.this.name, part.expression.name)
    routes = [follow(draft.spec, expression.table, name.split(".")) for name in names]
    types = [references_of(draft.spec, route.table).get(route.column) for route in routes]
    if types[0] != types[1] and any(types):
        said = [
            f"`{name}` refers to `{one}`" if one else f"`{name}` is no reference"
            for name, one in zip(names, types, strict=True)
        ]
        yield Rejection(
            draft.at_value(path, f"it never holds: {', '.join(said)}", "compare references to one type"), path[:-1]
        )


def _check_order(draft: PartialSpec, relation: str, order: str) -> Iterator[Rejection]:
    """Check what a series is ordered by: it reads nothing but what lies at the relation's two ends."""
    path: Path = ("relations", relation, "order")
    found = list(_check_compiles(draft, path, path[:2], compile_terms, order, relation, draft.spec))
    yield from found
    if not found:
        for term in compile_terms(order, relation, draft.spec)[0]:
            yield from _check_ends(draft, path, term)


def _check_ends(draft: PartialSpec, path: Path, expression: Expression) -> Iterator[Rejection]:
    """Check that an expression which decides over the rows of a relation reads what lies at the ends alone."""
    for read in expression.paths:
        if read[0] not in ("source", "target"):
            message = f"`{'.'.join(read)}` is not there yet: a relation's rows come first, its columns after them"
            yield Rejection(draft.at_value(path, message, "read what lies at an end: `source.…`, `target.…`"), path[:2])


def _check_compiles(
    draft: PartialSpec, path: Path, exclude: Path, compiler: Callable[..., object], *given: object, offset: int = 0
) -> Iterator[Rejection]:
    """Check that `compiler` takes what it is `given`: the text at `path`, which begins `offset` characters later."""
    try:
        compiler(*given)
    except ExpressionError as error:
        hint, cause = error.hint, error.__cause__
        if isinstance(cause, UnknownColumnError):
            if draft.may_have_column(cause.table, cause.column):
                yield Rejection(None, exclude)
                return
            hint = _better_hint(draft, cause, hint)
        yield Rejection(draft.at_text(path, offset + error.position, error.message, hint), exclude)


def _better_hint(draft: PartialSpec, error: UnknownColumnError, hint: str) -> str:
    """Return a hint that knows of columns that were excluded as well."""
    near = nearest(error.column, draft.declared_columns(error.table))
    return f"did you mean `{near}`?" if near else hint


def _check_derived(draft: PartialSpec, table: str, column: str) -> Iterator[Rejection]:
    derived = draft.spec.types[table].derived[column]
    path: Path = ("types", table, "derived", column)
    if derived.rank is not None:
        yield from _check_compiles(draft, (*path, "rank"), path, compile_terms, derived.rank, table, draft.spec)
        if derived.within is not None:
            place = (*path, "within")
            yield from _check_compiles(draft, place, path, compile_within, derived.within, table, draft.spec)
        return
    try:
        over = rows_over(draft.spec, table, derived)
    except ExpressionError as error:
        yield _no_rows(draft, path, derived, error)
        return
    if over is None and derived.where is not None:
        message = "`where` needs `over` or `tree`: it chooses among the rows aggregated"
        yield Rejection(draft.at_key((*path, "where"), message), path)
    yield from _check_compiles(
        draft, (*path, "sql"), path, compile_expression, derived.sql or "", table, draft.spec, over
    )
    if over is not None and derived.where is not None:
        place = (*path, "where")
        yield from _check_compiles(draft, place, path, compile_expression, derived.where, over.table, draft.spec)


def _no_rows(draft: PartialSpec, path: Path, derived: Derived, error: ExpressionError) -> Rejection:
    """Say why a derived column has no rows to aggregate; nothing where what it names was excluded."""
    if derived.tree is not None:
        hidden = draft.may_have_column(str(path[1]), derived.tree)
        return Rejection(None if hidden else draft.at_value((*path, "tree"), error.message, error.hint), path)
    table, _, key = (derived.over or "").partition(".")
    cause = error.__cause__
    hidden = draft.may_have_table(table) or draft.may_have_column(table, key.partition(".")[0])
    if isinstance(cause, UnknownColumnError):
        hidden |= draft.may_have_column(cause.table, cause.column)
    return Rejection(None if hidden else draft.at_value((*path, "over"), error.message, error.hint), path)


def _constraint_of(graph: nx.DiGraph[ColumnKey], cycle: list[ColumnKey]) -> tuple[int, str] | None:
    """Return the constraint that closes a cycle, and the column it draws again; None where columns alone do."""
    for node, needed in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        number = graph.edges[needed, node].get("constraint")
        if number is not None:
            return number, node[1]
    return None


def _check_derived_kind(draft: PartialSpec, kinds: Kinds, path: Path, compiled: Compiled) -> Iterator[Rejection]:
    if isinstance(compiled, Ranking):
        found = [_kind_of(draft, kinds, (*path, "rank"), term, path) for term in compiled.terms]
        yield from (one for one in found if isinstance(one, Rejection))
        return
    expression = compiled.expression if isinstance(compiled, Aggregate) else compiled
    declared = draft.spec.types[str(path[1])].derived[str(path[3])].kind
    kind = _kind_of(draft, kinds, (*path, "sql"), expression, path)
    if isinstance(kind, Rejection):
        yield kind
        return
    referred = _referred(draft, expression)
    if referred is not None:
        message = f"its values are ids of `{referred}`, which no page can state"
        hint = (
            f"take a name: `{expression.paths[0][-1]}.name`"
            if not expression.is_path
            else (f"make it an attribute: `{{references: {referred}, where: {path[-1]} = {expression.text}}}`")
        )
        yield Rejection(draft.at_value((*path, "sql"), message, hint), path)
        return
    if declared is not None and declared != kind and not {declared, kind} <= _NUMERIC:
        message = f"`kind` is {declared}, but the values of `sql` are of the kind {kind}"
        yield Rejection(draft.at_value((*path, "kind"), message), path)
    if isinstance(compiled, Aggregate) and compiled.where is not None:
        yield from _check_boolean(draft, kinds, (*path, "where"), compiled.where, set(), exclude=path)


def _referred(draft: PartialSpec, expression: Expression) -> str | None:
    """Return the type whose ids an expression gives; None where it gives other values."""
    tree = expression.tree
    value = tree.this if isinstance(tree, exp.ArgMax | exp.ArgMin | exp.Min | exp.Max) else tree
    if not isinstance(value, exp.Column):
        return None
    route = follow(draft.spec, expression.table, value.name.split("."))
    return references_of(draft.spec, route.table).get(route.column)


def _kind_of(
    draft: PartialSpec, kinds: Kinds, path: Path, expression: Expression, exclude: Path | None
) -> ValueKind | Rejection:
    """Return what kind of values an expression gives; the rejection where its parts do not fit together."""
    try:
        return kinds.of_expression(expression)
    except InputError as error:
        return Rejection(draft.at_value(path, error.message, error.hint), exclude)


def _check_boolean(
    draft: PartialSpec, kinds: Kinds, path: Path, expression: Expression, unknown: set[ColumnKey], *, exclude: Path
) -> Iterator[Rejection]:
    if unknown.intersection(columns_read(expression, draft.spec)):
        return
    kind = _kind_of(draft, kinds, path, expression, exclude)
    if isinstance(kind, Rejection):
        yield kind
    elif kind != "boolean":
        message = f"it must be true or false for each row; its values are of the kind {kind}"
        yield Rejection(draft.at_value(path, message, "compare it with something: `founded > 1900`"), exclude)


def _check_ever_true(draft: PartialSpec, path: Path, expression: Expression) -> Iterator[Rejection]:
    """Check that a constraint that reads no column holds."""
    try:
        fails = is_constant(expression) and value_of(expression.tree) is False
    except ExpressionError as error:
        yield Rejection(draft.at_value(path, error.message, error.hint), path[:2])
        return
    if fails:
        message = "it reads no column, and is false in every row"
        yield Rejection(draft.at_value(path, message, "compare columns: `founded > 1900`"), path[:2])


def _check_parameter_kinds(draft: PartialSpec, kinds: Kinds, unknown: set[ColumnKey]) -> Iterator[Rejection]:
    for table, path, generator, params in generated(draft):
        known = parameters_of(load(generator, draft.code_from))
        for name, value in params.items():
            text = parameter_expression(value)
            if text is None or name not in known or not accepts_columns(known[name].annotation):
                continue
            expression = compile_expression(text, table, draft.spec)
            if not unknown.intersection(columns_read(expression, draft.spec)):
                place = (*path, "params", name)
                kind = _kind_of(draft, kinds, place, expression, None)
                if isinstance(kind, Rejection):
                    yield kind
                elif not accepts(known[name].annotation, kind):
                    yield Rejection(draft.at_value(place, f"`{name}` takes no values of the kind {kind}"))
