"""The columns of a type or a relation: what each holds, what it refers to, how it is spoken of.

    columns_of(spec, "club")["founded"]       ColumnInfo("founded", "year", None, "founding year", "", (…), False)

A generated column's kind is what its generator's return annotation says (`def year(...) -> Years`), a reference's is
`text` (it holds ids), a derived column's is what DuckDB binds its expression to, unless the spec gives it.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlglot import exp

from worldforge.core.columns import ADDRESS, ValueKind
from worldforge.core.errors import InputError
from worldforge.core.imports import load
from worldforge.schema.column_paths import (
    built_in_columns,
    derived_columns,
    drawn_columns,
    follow,
    names_of,
    references_of,
)
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import bind
from worldforge.schema.expressions import MOST_DECIMALS, Aggregate, Expression, Ranking, compile_derived, decimals_of
from worldforge.schema.spec import Derived, Phrasing, WorldSpec
from worldforge.schema.translations import names_a_number

_RANKS = ("place", "rank", "ranking", "position", "placing", "standing")
_CHINESE_RANKS = ("名次", "排名", "位次", "番位", "次序", "顺序")
_BEFORE_HEAD = re.compile(r" (?:of|in|at|by|among|on|for|within|per) ")


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """One column. `references` names the table whose ids it holds, if it holds ids; `sentences` are the spec's own.

    `rank` says that its numbers are places in an order, and 1 is the best: nothing is ordered by them.
    `places` is to how many decimals a mean or a quotient is rounded; 0 for what is not rounded. `address` says that its
    texts are addresses of web pages. `counts` names the table whose rows it counts, of those that refer to the entity.
    """

    name: str
    kind: ValueKind
    references: str | None = None
    label: str = ""
    unit: str = ""
    sentences: tuple[str, ...] = ()
    derived: bool = False
    rank: bool = False
    places: int = 0
    address: bool = False
    counts: str = ""

    @property
    def is_amount(self) -> bool:
        """Whether a number says how much: no place in an order, and no line or fleet number."""
        return not self.rank and not names_a_number(self.label)


def columns_of(spec: WorldSpec, table: str, code_from: Path | None = None) -> dict[str, ColumnInfo]:
    """Return the columns of a type (name, attributes, derived) or a relation (source, target, its own), in order.

    `code_from` is the folder a spec's own generators are imported from. Raises InputError for a generator or an
    expression that cannot be used.
    """
    kinds = Kinds(spec, code_from)
    return {name: _column(kinds, table, name) for name in names_of(spec, table)}


def generator_kind(reference: str, code_from: Path | None = None) -> ValueKind:
    """Return what the generator's column holds, as its return annotation says. Raises InputError."""
    function = load(reference, code_from)
    try:
        returned = hints_of(function).get("return")
    except (NameError, TypeError) as error:
        raise InputError(f"the annotations of `{reference}` cannot be read: {error}") from error
    notes = getattr(returned, "__metadata__", ())
    for kind in typing.get_args(ValueKind):
        if kind in notes:
            return typing.cast(ValueKind, kind)
    raise InputError(
        f"`{reference}` does not say what it returns",
        "annotate it with one of worldforge.core.columns: `-> Integers`, `-> Years`, `-> Texts`, …",
    )


def makes_addresses(reference: str, code_from: Path | None = None) -> bool:
    """Return whether a generator's texts are addresses of web pages, as its return annotation says."""
    return ADDRESS in getattr(hints_of(load(reference, code_from)).get("return"), "__metadata__", ())


@lru_cache(256)
def hints_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Read a generator's annotations, with what they are annotated with. Raises NameError or TypeError."""
    return typing.get_type_hints(function, include_extras=True)


@dataclass
class Kinds:
    """Determine the kinds of columns, each once."""

    spec: WorldSpec
    code_from: Path | None = None
    _known: dict[tuple[str, str], ValueKind | None] = field(default_factory=dict)  # None: being determined

    def of(self, table: str, column: str) -> ValueKind:
        """Return what a column holds. Raises InputError, ExpressionError among them, where that cannot be said."""
        if (table, column) not in self._known:
            self._known[table, column] = None
            self._known[table, column] = self._find(table, column)
        kind = self._known[table, column]
        if kind is None:
            raise ExpressionError(f"`{table}.{column}` needs itself")
        return kind

    def of_expression(self, expression: Expression) -> ValueKind:
        """Return what an expression gives. Raises ExpressionError where its parts do not fit together."""
        columns = {path: follow(self.spec, expression.table, path).columns[-1] for path in expression.paths}
        kinds = {path: self.of(*column) for path, column in columns.items()}
        tree = expression.tree
        if isinstance(tree, exp.Min | exp.Max) and not tree.expressions:
            tree = tree.this
        kind = bind(expression, kinds)
        return kinds[expression.paths[0]] if isinstance(tree, exp.Column) else kind

    def _find(self, table: str, column: str) -> ValueKind:
        if column == "name" or column in references_of(self.spec, table):
            return "text"
        if column in built_in_columns(self.spec, table):
            return "integer"
        derived = derived_columns(self.spec, table).get(column)
        if derived is None:
            return generator_kind(drawn_columns(self.spec, table)[column].generator or "", self.code_from)
        if derived.kind is not None:
            return derived.kind
        compiled = compile_derived(self.spec, table, column)
        if isinstance(compiled, Ranking):
            return "integer"
        return self.of_expression(compiled.expression if isinstance(compiled, Aggregate) else compiled)


def _column(kinds: Kinds, table: str, name: str) -> ColumnInfo:
    derived = derived_columns(kinds.spec, table)
    phrasings: Mapping[str, Phrasing] = {**drawn_columns(kinds.spec, table), **derived}
    kind, compiled = kinds.of(table, name), compile_derived(kinds.spec, table, name) if name in derived else None
    places = decimals_of(compiled) % MOST_DECIMALS if compiled is not None and kind == "number" else 0
    drawn = drawn_columns(kinds.spec, table).get(name)
    generator = drawn.generator if drawn is not None else None
    phrasing = phrasings.get(name, Phrasing.model_validate({}))  # name, source and target have none of their own
    return ColumnInfo(
        name=name,
        kind=kind,
        references=references_of(kinds.spec, table).get(name),
        label=phrasing.label or name.replace("_", " "),
        unit=phrasing.unit,
        sentences=tuple(phrasing.sentences),
        derived=name in derived,
        rank=isinstance(compiled, Ranking) or is_rank(phrasing.label or name.replace("_", " ")),
        places=places,
        address=generator is not None and makes_addresses(generator, kinds.code_from),
        counts=_counted(derived[name]) if name in derived else "",
    )


def _counted(derived: Derived) -> str:
    """Return the table whose rows a derived column counts; empty where it counts none."""
    counts = derived.over is not None and (derived.sql or "").startswith("count(")
    return str(derived.over).partition(".")[0] if counts else ""


def is_rank(label: str) -> bool:
    """Say whether a label names places in an order: `best place in the charts`, `league position`, `科研经费排名`."""
    head = _BEFORE_HEAD.split(label.strip().lower(), maxsplit=1)[0]
    return head.rpartition(" ")[2] in _RANKS or label.endswith(_CHINESE_RANKS)
