"""Expressions: checked against a spec, known by the columns they read, ready to be written as DuckDB's SQL.

    expression = compile_expression("founded > town.chartered", "club", spec)
    expression.paths                        (("founded",), ("town", "chartered"))
    columns_read(expression, spec)          (("club", "founded"), ("club", "town"), ("town", "chartered"))

`expression_grammar` decides from the text what an expression may do, `expression_sql.bind` which values it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.column_paths import UnknownColumnError, derived_columns, follow, references_of
from worldforge.schema.expression_grammar import ColumnToken, ExpressionError, read_tokens, split_terms
from worldforge.schema.spec import Derived, WorldSpec


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression over one row of `table` or, where it `aggregates`, over many.

    `paths` are the column paths it reads, each once, in order of appearance. In `tree` a column is one quoted
    identifier that holds its dotted path.
    """

    text: str
    table: str
    paths: tuple[tuple[str, ...], ...]
    aggregates: bool
    tree: exp.Expr = field(repr=False, compare=False)

    @property
    def is_path(self) -> bool:
        """Whether it is a path of columns and nothing else."""
        return isinstance(self.tree, exp.Column)


@dataclass(frozen=True, slots=True)
class Over:
    """The rows an aggregate runs over: those of `table` from which the references of `path` lead to the entity at hand.

    With `tree` they are the entity's own row, and all from which `path`, a reference of the type to itself, leads to it
    in any number of steps.
    """

    table: str
    path: tuple[str, ...]
    tree: bool = False

    @property
    def key(self) -> Expression:
        """The path as an expression over `table`: the entity that a row counts for."""
        return Expression(".".join(self.path), self.table, (self.path,), False, path_column(self.path))


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A derived column that aggregates `over` other rows, of which `where` chooses some."""

    expression: Expression
    over: Over
    where: Expression | None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All that is read: what leads to the entity, what is aggregated, and `where`."""
        return (self.over.key, self.expression, *([self.where] if self.where else []))


@dataclass(frozen=True, slots=True)
class Ranking:
    """A derived column that ranks rows: by the first of `terms`, where that is alike by the next, and so on.

    `descending` says of each term which way it sorts; `within`, whose rows are ranked apart, is a path alone.
    """

    terms: tuple[Expression, ...]
    descending: tuple[bool, ...]
    within: Expression | None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All that is read: the terms, and `within`."""
        return (*self.terms, *([self.within] if self.within else []))


Compiled = Expression | Aggregate | Ranking
"""A derived column, compiled."""


def compile_expression(text: str, table: str, spec: WorldSpec, aggregate_over: Over | None = None) -> Expression:
    """Check `text` as an expression over the rows of `table`, a type or a relation.

    With `aggregate_over` it is an aggregate for the entities of the type `table`, and reads the columns of the rows
    aggregated. Raises ExpressionError where it does not parse, uses what is not allowed, or names a column that does
    not exist.
    """
    if aggregate_over is not None:
        table = aggregate_over.table
    aggregates = aggregate_over is not None
    columns = _tokens(text, aggregates=aggregates)[1]
    for column in columns:
        _check_path(spec, table, column)
    tree = _parsed(text, aggregates)
    paths = tuple(dict.fromkeys(column.path for column in columns))
    return Expression(text, table, paths, aggregates, tree)


_INEXACT = (exp.Div, exp.Avg, exp.Median, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Sqrt, exp.Pow, exp.Ln, exp.Exp)
MOST_DECIMALS, MEAN_DECIMALS = 6, 2


def compile_derived(spec: WorldSpec, type_name: str, name: str) -> Compiled:
    """Compile the derived column `name` of a type. Raises ExpressionError, whose `key` says which of its keys fails."""
    derived, key = spec.types[type_name].derived[name], "rank"
    try:
        if derived.rank is not None:
            terms, descending = compile_terms(derived.rank, type_name, spec)
            key = "within"
            within = None if derived.within is None else _compile_within(derived.within, type_name, spec)
            return Ranking(terms, descending, within)
        key = "tree" if derived.over is None else "over"
        over = rows_over(spec, type_name, derived)
        key = "sql"
        expression = compile_expression(derived.sql or "", type_name, spec, over)
        key = "where"
        if over is None:
            return expression
        where = compile_expression(derived.where, over.table, spec) if derived.where is not None else None
        return Aggregate(expression, over, where)
    except ExpressionError as error:
        error.key = key
        raise


def decimals_of(compiled: Compiled) -> int:
    """Return how many decimals of a derived number are kept: 2 of a mean or a quotient that is not rounded, else 6."""
    if isinstance(compiled, Ranking):
        return MOST_DECIMALS
    tree = (compiled.expression if isinstance(compiled, Aggregate) else compiled).tree
    return MEAN_DECIMALS if _is_inexact(tree) else MOST_DECIMALS


def _is_inexact(node: exp.Expr) -> bool:
    """Say whether a value may have any number of decimals: what is compared, or rounded within, does not count."""
    if isinstance(node, exp.Round | exp.Predicate | exp.IntDiv | exp.Floor | exp.Ceil):
        return False
    if isinstance(node, _INEXACT):
        return True
    return any(_is_inexact(child) for child in node.iter_expressions())


def compile_terms(text: str, table: str, spec: WorldSpec) -> tuple[tuple[Expression, ...], tuple[bool, ...]]:
    """Check `text` as what rows are ranked by (`points desc, name`): expressions, and which of them descend.

    Raises ExpressionError as `compile_expression` does.
    """
    compiled = []
    terms = split_terms(text)
    for term in terms:
        try:
            compiled.append(compile_expression(term.text, table, spec))
        except ExpressionError as error:
            error.position += term.position
            raise
    return tuple(compiled), tuple(term.descending for term in terms)


def _compile_within(text: str, table: str, spec: WorldSpec) -> Expression:
    """Check `text` as a path of references whose entities are ranked apart. Raises ExpressionError."""
    expression = compile_expression(text, table, spec)
    if expression.is_path:
        route = follow(spec, table, expression.paths[0])
        if route.column in references_of(spec, route.table):
            return expression
    references = list(references_of(spec, table))
    hint = f"the references of `{table}` are {', '.join(f'`{name}`' for name in references)}" if references else ""
    raise ExpressionError(f"`within: {text}` is no path of references", hint)


def rows_over(spec: WorldSpec, type_name: str, derived: Derived) -> Over | None:
    """Find the rows that a derived column aggregates; None where it aggregates none. Raises ExpressionError."""
    if derived.tree is not None:
        return _resolve_tree(spec, type_name, derived.tree)
    return None if derived.over is None else resolve_over(spec, type_name, derived.over)


def _resolve_tree(spec: WorldSpec, type_name: str, tree: str) -> Over:
    """Find the rows that `tree` names: it is a reference of the type to itself that never comes back."""
    references = references_of(spec, type_name)
    if references.get(tree) != type_name:
        found = f"refers to `{references[tree]}`" if tree in references else "is no reference"
        own = next((f": `{name}`" for name, target in references.items() if target == type_name), "")
        cause = UnknownColumnError("", table=type_name, column=tree)
        hint = f"a tree is a reference of `{type_name}` to itself{own}"
        raise ExpressionError(f"`tree: {tree}`: `{tree}` of `{type_name}` {found}", hint) from cause
    is_acyclic = spec.types[type_name].attributes[tree].acyclic
    if not is_acyclic and (type_name, tree) not in [(one.on, one.acyclic) for one in spec.constraints]:
        message = f"`tree: {tree}`: chains of `{tree}` may come back to where they began, and then have no sum"
        raise ExpressionError(message, f"write `acyclic: true` on `types.{type_name}.attributes.{tree}`")
    return Over(type_name, (tree,), tree=True)


def resolve_over(spec: WorldSpec, type_name: str, over: str) -> Over:
    """Find the rows that `over` names for the type: a relation it takes part in, or a path of references to it.

    A path begins with the table whose rows are aggregated: `club.town`, `club.town.region`, `plays_for.target.town`.
    A relation from the type to itself is aggregated by source, unless `over` says `relation.target`.
    Raises ExpressionError.
    """
    table, *path = over.split(".")
    if table not in spec.types and table not in spec.relations:
        cause = UnknownColumnError("", table=table)
        hint = did_you_mean(over, _possible_overs(spec, type_name))
        raise ExpressionError(f"`over: {over}` names no relation and no reference", hint) from cause
    sides = [["source"], ["target"]] if table in spec.relations else []
    for steps in [path] if path else sides:
        try:
            route = follow(spec, table, steps)
        except UnknownColumnError as error:
            raise ExpressionError(error.message, error.hint) from error
        if references_of(spec, route.table).get(route.column) == type_name:
            return Over(table, tuple(steps))
    hint = did_you_mean(over, _possible_overs(spec, type_name))
    raise ExpressionError(f"`over: {over}` does not refer to `{type_name}`", hint)


def columns_read(compiled: Compiled, spec: WorldSpec) -> tuple[tuple[str, str], ...]:
    """List the columns (table, column) that an expression reads, references on the way included, each once."""
    expressions = (compiled,) if isinstance(compiled, Expression) else compiled.expressions
    routes = [follow(spec, one.table, path) for one in expressions for path in one.paths]
    return tuple(dict.fromkeys(column for route in routes for column in route.columns))


def inline_derived(expression: Expression, spec: WorldSpec) -> Expression:
    """Put the expression of each row-wise derived column in the place of its name; aggregates and ranks stay names.

    Raises ExpressionError where derived columns need one another in a circle.
    """
    tree = _inlined(expression.tree, spec, expression.table, ())
    return replace(expression, tree=tree, paths=paths_of(tree))


def _inlined(tree: exp.Expr, spec: WorldSpec, table: str, around: tuple[tuple[str, str], ...]) -> exp.Expr:
    def definition(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        *steps, name = node.name.split(".")
        owner, _ = column = follow(spec, table, (*steps, name)).columns[-1]
        derived = derived_columns(spec, owner).get(name)
        if column in around:
            raise ExpressionError(f"`{owner}.{name}` needs itself")
        if derived is None or derived.sql is None or (derived.over, derived.tree) != (None, None):
            return node
        own = _inlined(compile_expression(derived.sql, owner, spec).tree, spec, owner, (*around, column))
        return exp.Paren(this=substitute(own, {".".join(path): path_column((*steps, *path)) for path in paths_of(own)}))

    return tree.transform(definition)


def paths_of(tree: exp.Expr) -> tuple[tuple[str, ...], ...]:
    """List the column paths of a tree, each once."""
    return tuple(dict.fromkeys(tuple(column.name.split(".")) for column in tree.find_all(exp.Column, bfs=False)))


def substitute(tree: exp.Expr, columns: Mapping[str, exp.Expr]) -> exp.Expr:
    """Return a copy of `tree` with each column, by its dotted path, replaced by what `columns` holds for it."""
    return tree.transform(lambda node: columns[node.name].copy() if isinstance(node, exp.Column) else node)


def path_column(path: tuple[str, ...]) -> exp.Expr:
    """Write a column path as a node of a tree."""
    return exp.Column(this=exp.Identifier(this=".".join(path), quoted=True))


def _check_path(spec: WorldSpec, table: str, column: ColumnToken) -> None:
    try:
        follow(spec, table, column.path)
    except UnknownColumnError as error:
        hint = "text is written in single quotes" if column.quoted else error.hint
        raise ExpressionError(error.message, hint, column.position) from error


_tokens = lru_cache(1024)(read_tokens)


@lru_cache(1024)
def _parsed(text: str, aggregates: bool) -> exp.Expr:
    """Parse an expression, which its text alone decides: a build asks for each many times, and changes no tree."""
    try:
        trees = DuckDB().parser().parse(_tokens(text, aggregates=aggregates)[0], text)
        tree = trees[0]
        if len(trees) != 1 or tree is None:
            raise ExpressionError("it is no single expression")
        tree.sql("duckdb")
    except ParseError as error:
        raise ExpressionError(*_parse_problem(error, text)) from error
    except RecursionError as error:
        raise ExpressionError("it is nested too deeply") from error
    _check_shape(tree)
    if aggregates:
        _check_aggregate(tree)
    return tree


def _parse_problem(error: ParseError, text: str) -> tuple[str, str, int]:
    first = error.errors[0] if error.errors else {}
    line, column = first.get("line") or 1, first.get("col") or 1
    start = sum(len(part) for part in text.splitlines(keepends=True)[: line - 1])
    near = str(first.get("highlight") or "")
    position = max(0, start + column - max(1, len(near)))
    is_cut = text.count("(") > text.count(")")
    hint = "a bracket is not closed; in braces, `{…}`, a text that holds a comma stands in quotes" if is_cut else ""
    return ("it does not parse" + (f" at `{near}`" if near else "")), hint, position


def _check_shape(tree: exp.Expr) -> None:
    """Refuse what the words allow but an expression is not: a name given to it, a star, a list of values."""
    for node in tree.walk():
        if isinstance(node, exp.Alias):
            raise ExpressionError(f"it does not parse: something is missing before `{node.alias}`")
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
            raise ExpressionError("`*` stands for rows only in `count(*)`")
        if isinstance(node, exp.Tuple):
            raise ExpressionError("a list of values has its place only after `in`")
        if isinstance(node, exp.Distinct) and not isinstance(node.parent, exp.AggFunc):
            raise ExpressionError("`distinct` has its place only in an aggregate")


def _check_aggregate(tree: exp.Expr) -> None:
    if tree.find(exp.AggFunc) is None:
        raise ExpressionError("`over` needs an aggregate", "write `count(*)`, `sum(goals)`, `max(founded)`")
    for column in tree.find_all(exp.Column):
        if column.find_ancestor(exp.AggFunc, exp.Filter) is None:
            raise ExpressionError(f"`{column.name}` stands outside the aggregate")
    if any(call.find_ancestor(exp.AggFunc, exp.Where) is not None for call in tree.find_all(exp.AggFunc)):
        raise ExpressionError("an aggregate cannot stand inside another")


def aggregate_calls(tree: exp.Expr) -> list[exp.Expr]:
    """List the aggregate calls of a tree, each with its `filter`."""
    calls = tree.find_all(exp.AggFunc)
    return [call.parent if isinstance(call.parent, exp.Filter) else call for call in calls]


def _possible_overs(spec: WorldSpec, type_name: str) -> list[str]:
    """List what `over` may say of a type: its relations, the references to it, and those over two steps."""
    found = [name for name, one in spec.relations.items() if type_name in (one.source, one.target)]
    further = []
    for table in (*spec.types, *spec.relations):
        for column, target in references_of(spec, table).items():
            if target == type_name and column not in ("source", "target"):
                found.append(f"{table}.{column}")
            elif target in spec.types and target != type_name:
                steps = references_of(spec, target).items()
                further += [f"{table}.{column}.{step}" for step, end in steps if end == type_name]
    return found + further
