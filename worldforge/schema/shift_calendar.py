"""Move every year and date of a spec some years on.

    shift_calendar(spec, 28)      as_of 2059-06-30 where it was 2031-06-30, and `founded > 1988` where it was 1960

Which numbers of an expression are years is inferred as dimensions are: a year less a year is a number, a year more a
number is a year, and what is compared with a year is one.
"""

from __future__ import annotations

import calendar
import datetime
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sqlglot import TokenType, exp
from sqlglot.dialects.duckdb import DuckDB

from worldforge.schema.column_paths import follow
from worldforge.schema.document import KeyPath
from worldforge.schema.expression_grammar import split_terms
from worldforge.schema.expressions import Over, compile_expression, rows_over
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import Kinds

_FIRST_YEAR, _LAST_YEAR = 1000, 2999  # a number outside is never taken for a year
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TAG = 700_000_000  # stands, with a number's place, for that number while an expression is looked at
_BOUNDS = ("low", "high", "start")
_SAME = (exp.Coalesce, exp.Greatest, exp.Least, exp.Case, exp.If, exp.Min, exp.Max, exp.Nullif, exp.ArgMax, exp.ArgMin)
_Dimension = Literal["year", "other", "open"]
"""What a part of an expression is: a year, no year, or a number that may be either."""


def shift_calendar(spec: WorldSpec, years: int, code_from: Path | None = None) -> WorldSpec:
    """Return `spec` with its calendar moved `years` on. Draws stay as they are, so every year comes out later by them.

    So do days where `years` is a multiple of 28, after which the calendar repeats, and no century without a leap year
    lies between. Raises ExpressionError for an expression that does not compile.
    """
    shift = _CalendarShift(spec, years, Kinds(spec, code_from))
    data = spec.model_dump()
    data |= {part: shift.part(data[part], (part,)) for part in ("types", "relations", "constraints")}
    return WorldSpec.model_validate({**data, "as_of": later_date(spec.as_of, years)})


def later_date(written: str, years: int) -> str:
    """Return an ISO date `years` later, in 9999 at most; 29 February becomes 28 where there is none."""
    try:
        day = datetime.date.fromisoformat(written)
    except ValueError:
        return written
    year = min(day.year + years, datetime.MAXYEAR)
    is_leap_day = (day.month, day.day) == (2, 29) and not calendar.isleap(year)
    return day.replace(year=year, day=28 if is_leap_day else day.day).isoformat()


@dataclass(frozen=True)
class _CalendarShift:
    """Move the years and dates in the expressions and parameters of a spec."""

    spec: WorldSpec
    years: int
    kinds: Kinds

    def part(self, value: Any, path: KeyPath) -> Any:
        """Return what stands at `path` with its years and dates moved."""
        if isinstance(value, dict):
            return {name: self.part(item, (*path, name)) for name, item in value.items()}
        if path == ("constraints",):
            return [self.part(item, (*path, number)) for number, item in enumerate(value)]
        if value is None:
            return None
        table = self.spec.constraints[int(path[1])].on if path[0] == "constraints" else str(path[1])
        if path[-2] == "params":
            is_year = path[-1] in _BOUNDS and path[-3] != "name" and self.kinds.of(table, str(path[-3])) == "year"
            if isinstance(value, str) and value.startswith("="):
                return "=" + self._text(value[1:], table, is_year=is_year)
            if is_year and isinstance(value, int):
                return value + self.years
            return later_date(value, self.years) if isinstance(value, str) and _DATE.fullmatch(value) else value
        if path[-1] in ("rank", "order"):
            for term in reversed(split_terms(value)):
                end = term.position + len(term.text)
                value = value[: term.position] + self._text(term.text, table) + value[end:]
            return value
        if path[-1] not in ("sql", "where"):
            return value
        derived = self.spec.types[table].derived[str(path[3])] if path[2] == "derived" else None
        over = None if derived is None else rows_over(self.spec, table, derived)
        if over is not None and path[-1] == "where":
            return self._text(value, over.table)
        is_year = derived is not None and self.kinds.of(table, str(path[3])) == "year"
        return self._text(value, table, over, is_year=is_year)

    def _text(self, text: str, table: str, over: Over | None = None, *, is_year: bool = False) -> str:
        """Move the years and dates of an expression; all else of its text stays as it is written."""
        tagged = text
        tokens = list(DuckDB().tokenize(text))
        for place, token in reversed(list(enumerate(tokens))):
            value = text[token.start : token.end + 1]
            if token.token_type == TokenType.STRING and _DATE.fullmatch(token.text):
                later = value.replace(token.text, later_date(token.text, self.years))
                text = text[: token.start] + later + text[token.end + 1 :]
            elif token.token_type == TokenType.NUMBER and value.isdigit() and _FIRST_YEAR <= int(value) <= _LAST_YEAR:
                tagged = f"{tagged[: token.start]}{_TAG + place}{tagged[token.end + 1 :]}"
        expression = compile_expression(tagged, table, self.spec, over)
        reading = _YearFinder(self.kinds, self.spec, expression.table)
        if reading.dimension(expression.tree) == "open" and is_year:
            reading.settle(expression.tree)
        for place in sorted(reading.found, reverse=True):
            start, end = tokens[place].start, tokens[place].end + 1  # years and dates keep their length
            text = f"{text[:start]}{int(text[start:end]) + self.years}{text[end:]}"
        return text


@dataclass(frozen=True)
class _YearFinder:
    """Infer which tagged numbers of an expression are years, and collect their places in `found`."""

    kinds: Kinds
    spec: WorldSpec
    table: str
    found: set[int] = field(default_factory=set)

    def dimension(self, node: exp.Expr) -> _Dimension:
        parts = [child for child in node.iter_expressions() if not isinstance(child, exp.DataType | exp.Identifier)]
        match node:
            case exp.Column():
                route = follow(self.spec, self.table, node.name.split("."))
                return "year" if self.kinds.of(route.table, route.column) == "year" else "other"
            case exp.Literal():
                return "open" if _tagged(node) is not None else "other"
            case exp.Paren() | exp.Cast() | exp.Where():
                return self.dimension(node.this)
            case exp.Year() | exp.Extract():
                return "year" if isinstance(node, exp.Year) or node.this.name.lower() == "year" else "other"
            case exp.Add():
                sides = {self.dimension(part) for part in (node.this, node.expression)}
                return "year" if "year" in sides else "open" if sides == {"open"} else "other"
            case exp.Sub():
                left, right = self.dimension(node.this), self.dimension(node.expression)
                if {left, right} == {"year", "open"}:
                    self.settle(node.expression if right == "open" else node.this)
                    return "other"
                return "other" if left == right == "year" else left
            case exp.DateFromParts():
                self.settle(node.args["year"])
                return "other"
            case exp.Predicate() | exp.Between() | exp.In():
                self._same_dimension(parts)
                return "other"
            case _ if isinstance(node, _SAME):
                return self._same_dimension(parts)
        for part in parts:
            self.dimension(part)
        return "other"

    def settle(self, node: exp.Expr) -> None:
        """Note what `node` leaves open as years; of a sum, its first part."""
        if isinstance(node, exp.Literal):
            place = _tagged(node)
            self.found.update([place] if place is not None else [])
        for part in [node.this] if isinstance(node, exp.Add) else node.iter_expressions():
            self.settle(part)

    def _same_dimension(self, parts: list[exp.Expr]) -> _Dimension:
        """Parts of the same dimension: where one is a year, so are those that are open."""
        dimensions = [self.dimension(part) for part in parts]
        if "year" not in dimensions:
            return "open" if "open" in dimensions else "other"
        for part, dimension in zip(parts, dimensions, strict=True):
            if dimension == "open":
                self.settle(part)
        return "year"


def _tagged(literal: exp.Literal) -> int | None:
    value = str(literal.this)
    return int(value) - _TAG if not literal.is_string and value.isdigit() and int(value) >= _TAG else None
