"""Move every year and date of a spec some years on.

    shift_calendar(spec, 28)      as_of 2059-06-30 where it was 2031-06-30, and `founded > 1988` where it was 1960

Which numbers of an expression are years is inferred as dimensions are: a year less a year is a number, a year more a
number is a year, and what is compared with a year is one.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlglot import TokenType, exp
from sqlglot.dialects.duckdb import DuckDB

from worldforge.schema.column_paths import follow
from worldforge.schema.expression_grammar import split_terms
from worldforge.schema.expressions import Over, compile_expression, rows_over
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import Kinds

_FIRST_YEAR, _LAST_YEAR = 1000, 2999  # a number outside is never taken for a year
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TAG = 700_000_000  # stands, with a number's place, for that number while an expression is looked at
_BOUNDS = ("low", "high", "start")
_SAME = (exp.Coalesce, exp.Greatest, exp.Least, exp.Case, exp.If, exp.Min, exp.Max, exp.Nullif, exp.ArgMax, exp.ArgMin)
Dimension = Literal["year", "other", "open"]
"""What a part of an expression is: a year, no year, or a number that may be either."""


def shift_calendar(spec: WorldSpec, years: int, code_from: Path | None = None) -> WorldSpec:
    """Return `spec` with its calendar moved `years` on. Draws stay as they are, so every year comes out later by them.

    So do days where `years` is a multiple of 28, after which the calendar repeats, and no century without a leap year
    lies between. Raises ExpressionError for an expression that does not compile.
    """
    shift = _Shift(spec, years, Kinds(spec, code_from))
    return WorldSpec.model_validate({**shift.part(spec.model_dump(), ()), "as_of": later_date(spec.as_of, years)})


def later_date(written: str, years: int) -> str:
    """Return an ISO date `years` later; 29 February becomes 28 where there is none."""
    day = datetime.date.fromisoformat(written)
    try:
        return day.replace(year=day.year + years).isoformat()
    except ValueError:
        return day.replace(year=day.year + years, day=28).isoformat()


@dataclass(frozen=True)
class _Shift:
    """Move the years and dates in the expressions and parameters of a spec."""

    spec: WorldSpec
    years: int
    kinds: Kinds

    def part(self, value: Any, path: tuple[str | int, ...]) -> Any:
        """Return what stands at `path` with its years and dates moved."""
        if isinstance(value, dict):
            return {name: self.part(item, (*path, name)) for name, item in value.items()}
        if path[:1] == ("constraints",) and isinstance(value, list):
            return [self.part(item, (*path, number)) for number, item in enumerate(value)]
        if path[:1] not in (("types",), ("relations",), ("constraints",)) or value is None:
            return value
        table = self.spec.constraints[int(path[1])].on if path[0] == "constraints" else str(path[1])
        if path[-2] == "params":
            return self._param(table, path, value)
        if path[-1] in ("rank", "order"):
            return self._terms(value, table)
        if path[-1] not in ("sql", "where"):
            return value
        derived = self.spec.types[table].derived[str(path[3])] if path[2] == "derived" else None
        over = None if derived is None else rows_over(self.spec, table, derived)
        if over is not None and path[-1] == "where":
            return self._text(value, over.table)
        is_year = derived is not None and self.kinds.of(table, str(path[3])) == "year"
        return self._text(value, table, over=over, is_year=is_year)

    def _param(self, table: str, path: tuple[str | int, ...], value: Any) -> Any:
        column = str(path[-3])
        is_year = path[-1] in _BOUNDS and column != "name" and self.kinds.of(table, column) == "year"
        if isinstance(value, str) and value.startswith("="):
            return "=" + self._text(value[1:], table, is_year=is_year)
        if is_year and isinstance(value, int):
            return value + self.years
        return later_date(value, self.years) if isinstance(value, str) and _DATE.fullmatch(value) else value

    def _terms(self, text: str, table: str) -> str:
        for term in reversed(split_terms(text)):
            end = term.position + len(term.text)
            text = text[: term.position] + self._text(term.text, table) + text[end:]
        return text

    def _text(self, text: str, table: str, *, over: Over | None = None, is_year: bool = False) -> str:
        """Move the years and dates of an expression; all else of its text stays as it is written."""
        spans = list(_numbers(text))
        tagged = _replaced(text, {span: str(_TAG + place) for place, span in enumerate(spans)})
        expression = compile_expression(tagged, table, self.spec, over)
        reading = _Reading(self.kinds, self.spec, expression.table, set())
        if reading.dimension(expression.tree) == "open" and is_year:
            reading.settle(expression.tree)
        new = {spans[place]: str(int(text[slice(*spans[place])]) + self.years) for place in reading.found}
        new |= {span: later_date(text[slice(*span)], self.years) for span in _dates(text)}
        return _replaced(text, new)


@dataclass(frozen=True)
class _Reading:
    """Infer which tagged numbers of an expression are years, and collect them in `found`."""

    kinds: Kinds
    spec: WorldSpec
    table: str
    found: set[int]

    def dimension(self, node: exp.Expr) -> Dimension:
        parts = [child for child in node.iter_expressions() if not isinstance(child, exp.DataType | exp.Identifier)]
        match node:
            case exp.Column():
                return self._column(node)
            case exp.Literal():
                return "open" if _tagged(node) is not None else "other"
            case exp.Paren() | exp.Cast() | exp.Where():
                return self.dimension(node.this)
            case exp.Year() | exp.Extract():
                return "year" if isinstance(node, exp.Year) or node.this.name.lower() == "year" else "other"
            case exp.Add():
                sides = {self.dimension(node.this), self.dimension(node.expression)}
                return "year" if "year" in sides else "open" if sides == {"open"} else "other"
            case exp.Sub():
                return self._difference(self.dimension(node.this), self.dimension(node.expression), node)
            case exp.DateFromParts():
                self.settle(node.args["year"])
                return "other"
            case exp.Predicate() | exp.Between() | exp.In():
                self._alike(parts)
                return "other"
            case _ if isinstance(node, _SAME):
                return self._alike(parts)
            case _:
                for part in parts:
                    self.dimension(part)
                return "other"

    def settle(self, node: exp.Expr) -> None:
        """Note what `node` leaves open as years; of a sum, its first part."""
        if isinstance(node, exp.Add):
            self.settle(node.this)
        elif isinstance(node, exp.Literal):
            place = _tagged(node)
            self.found.update([place] if place is not None else [])
        else:
            for part in node.iter_expressions():
                self.settle(part)

    def _alike(self, parts: list[exp.Expr]) -> Dimension:
        """Parts of the same dimension: where one is a year, so are those that are open."""
        dimensions = [self.dimension(part) for part in parts]
        if "year" not in dimensions:
            return "open" if "open" in dimensions else "other"
        for part, dimension in zip(parts, dimensions, strict=True):
            if dimension == "open":
                self.settle(part)
        return "year"

    def _difference(self, left: Dimension, right: Dimension, node: exp.Sub) -> Dimension:
        if (left, right) in (("year", "open"), ("open", "year")):
            self.settle(node.expression if right == "open" else node.this)
            return "other"
        return "other" if left == right == "year" else left

    def _column(self, node: exp.Column) -> Dimension:
        route = follow(self.spec, self.table, node.name.split("."))
        return "year" if self.kinds.of(route.table, route.column) == "year" else "other"


def _tagged(literal: exp.Literal) -> int | None:
    value = str(literal.this)
    return int(value) - _TAG if not literal.is_string and value.isdigit() and int(value) >= _TAG else None


def _numbers(text: str) -> Iterator[tuple[int, int]]:
    """Find the numbers of an expression that may be years: where each begins and ends."""
    for token in DuckDB().tokenize(text):
        value = text[token.start : token.end + 1]
        if token.token_type == TokenType.NUMBER and value.isdigit() and _FIRST_YEAR <= int(value) <= _LAST_YEAR:
            yield token.start, token.end + 1


def _dates(text: str) -> Iterator[tuple[int, int]]:
    """Find the dates of an expression, written as text: where each begins and ends."""
    for token in DuckDB().tokenize(text):
        match = _DATE.search(text, token.start, token.end + 1)
        if token.token_type == TokenType.STRING and match and _DATE.fullmatch(token.text):
            yield match.span()


def _replaced(text: str, new: Mapping[tuple[int, int], str]) -> str:
    for (start, end), written in sorted(new.items(), reverse=True):
        text = text[:start] + written + text[end:]
    return text
