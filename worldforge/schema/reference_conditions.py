"""Conditions on whom a row refers to (`where`): which parts compare the two sides, so that partners can be looked up.

    partner_condition(spec, "case", "cites")     cites.in_force <= decided: a bound; cites.court = court: an equality

The partner goes by the reference's own name, and in a relation by `target`; all else is of the row that refers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from sqlglot import exp

from worldforge.schema.column_paths import all_drawn, drawn_columns
from worldforge.schema.expressions import Expression, compile_expression, path_column, paths_of, substitute
from worldforge.schema.spec import WorldSpec

Operator = Literal["=", "<", "<=", ">", ">="]
OPERATORS: dict[type[exp.Expr], tuple[Operator, Operator]] = {
    exp.EQ: ("=", "="),
    exp.LT: ("<", ">"),
    exp.LTE: ("<=", ">="),
    exp.GT: (">", "<"),
    exp.GTE: (">=", "<="),
}
"""Comparisons: their sign, and that with its sides exchanged."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A `part` of a condition: `partner` compared with `row` by `operator`, each an expression over its own side."""

    part: Expression
    operator: Operator
    partner: Expression
    row: Expression


@dataclass(slots=True)
class PartnerCondition:
    """A condition, split: what holds of partners alone, of rows alone, comparisons of the two, and all that is left.

    Expressions over one side read that side's table: `target_type`, or `row_table`. The paths in `rest` are those of
    the condition as it is written; `sides` says for each which side it is of, and its path there, empty for the id.
    """

    text: str
    row_table: str
    target_type: str
    sides: dict[tuple[str, ...], tuple[bool, tuple[str, ...]]]
    parts: list[Expression]
    partners: list[Expression] = field(default_factory=list)
    rows: list[Expression] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    rest: list[Expression] = field(default_factory=list)

    def __post_init__(self) -> None:
        for part in self.parts:
            sides, placed = {self.sides[path][0] for path in part.paths}, self._on_own_side(part)
            if placed is not None and len(sides) < 2:
                (self.partners if sides == {True} else self.rows).append(placed)
            elif (compared := self._as_comparison(part)) is not None:
                self.comparisons.append(compared)
            else:
                self.rest.append(part)

    def _as_comparison(self, part: Expression) -> Comparison | None:
        """Read a part as a comparison of both sides; None where it is none."""
        tree = part.tree
        if type(tree) not in OPERATORS:
            return None
        sides = [replace(part, tree=side, paths=paths_of(side)) for side in (tree.this, tree.expression)]
        of_partners = [{self.sides[path][0] for path in one.paths} for one in sides]
        operator, turned = OPERATORS[type(tree)]
        if of_partners[1] == {True} and of_partners[0] <= {False}:
            sides, operator = sides[::-1], turned
        elif not (of_partners[0] == {True} and of_partners[1] <= {False}):
            return None
        partner, row = (self._on_own_side(side, bare=True) for side in sides)
        return None if partner is None or row is None else Comparison(part, operator, partner, row)

    def _on_own_side(self, one: Expression, *, bare: bool = False) -> Expression | None:
        """Write an expression over its own side's table; None where it reads that table's ids within something else."""
        own = {path: self.sides[path][1] for path in one.paths}
        if not all(own.values()) and not (bare and one.is_path):
            return None
        table = self.target_type if any(self.sides[path][0] for path in one.paths) else self.row_table
        names = {".".join(path): path_column(steps) for path, steps in own.items()}
        return Expression(one.text, table, tuple(own.values()), False, substitute(one.tree, names))


def partner_condition(spec: WorldSpec, table: str, column: str) -> PartnerCondition | None:
    """Compile the `where` of a reference, or of a relation's rows where `column` is `target`; None without one.

    Raises ExpressionError.
    """
    in_relation = table in spec.relations and column == "target"
    where = spec.relations[table].where if in_relation else drawn_columns(spec, table)[column].where
    if where is None:
        return None
    whole = compile_expression(where, table, spec)
    target = spec.relations[table].target if in_relation else str(drawn_columns(spec, table)[column].references)
    row_table = spec.relations[table].source if in_relation else table
    sides = {path: (path[0] == column, path[1:] if in_relation or path[0] == column else path) for path in whole.paths}
    parts = [replace(whole, tree=part, paths=paths_of(part)) for part in conjuncts(whole.tree)]
    return PartnerCondition(where, row_table, target, sides, parts)


def conditions_of(spec: WorldSpec) -> Iterator[tuple[str, str, str]]:
    """List the conditions on whom rows refer to: table, column (`target` of a relation's rows), the condition."""
    yield from ((name, "target", one.where) for name, one in spec.relations.items() if one.where is not None)
    yield from ((str(path[1]), str(path[3]), one.where) for path, one in all_drawn(spec) if one.where is not None)


def conjuncts(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Split a condition at each `and`; `between` is two comparisons."""
    if isinstance(tree, exp.Paren):
        yield from conjuncts(tree.this)
    elif isinstance(tree, exp.And):
        yield from conjuncts(tree.this)
        yield from conjuncts(tree.expression)
    elif isinstance(tree, exp.Between) and not tree.args.get("symmetric"):
        yield exp.GTE(this=tree.this.copy(), expression=tree.args["low"].copy())
        yield exp.LTE(this=tree.this.copy(), expression=tree.args["high"].copy())
    else:
        yield tree
