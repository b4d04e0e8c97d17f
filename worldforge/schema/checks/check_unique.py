"""`unique` constraints: that their columns can hold as many different values as the table has rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date

from worldforge.schema.checks.check_counts import count_of, least_rows
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import drawn_columns, references_of
from worldforge.schema.constant_expressions import constant_parameters
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.spec import Attribute, Constraint

_DEVIATIONS = 5  # of the number of rows that `missing` leaves filled


def check_value_counts(draft: PartialSpec) -> Iterator[Rejection]:
    """Check every `unique` constraint whose columns have a known number of values."""
    for number, constraint in enumerate(draft.spec.constraints):
        path = ("constraints", number)
        if constraint.unique is None or draft.is_broken(path):
            continue
        sizes = [_n_values(draft, constraint.on, one) for one in constraint.unique]
        rows = _filled_rows(draft, constraint)
        if rows is None or None in sizes:
            continue
        most = math.prod(size for size in sizes if size is not None)
        if rows > most:
            columns = "its columns hold" if len(sizes) > 1 or isinstance(constraint.unique[0], list) else "it holds"
            message = f"{rows:,} rows of `{constraint.on}` cannot differ: {columns} {most:,} different values at most"
            hint = f"lower the count to {most:,}, name a further column, or draw from more values"
            yield Rejection(draft.at_value((*path, "unique"), message, hint), path)


def _filled_rows(draft: PartialSpec, constraint: Constraint) -> int | None:
    """Return the fewest rows that hold a value in every column of a constraint; None where that is not known."""
    table = constraint.on
    relation = draft.spec.relations.get(table)
    rows = count_of(draft, table) if relation is None else least_rows(draft, relation)
    if rows is None:
        return None
    drawn, share = drawn_columns(draft.spec, table), 1.0
    for one in constraint.unique or ():
        for name in [one] if isinstance(one, str) else one:
            if name not in drawn and name not in (*references_of(draft.spec, table), "name"):
                return None  # a derived or built-in column may be empty in any row
            share *= 1 - drawn[name].missing if name in drawn else 1.0
            if name in drawn and drawn[name].optional:
                return None
    return max(0, math.floor(rows * share - _DEVIATIONS * math.sqrt(rows * share * (1 - share))))


def _n_values(draft: PartialSpec, table: str, columns: str | list[str]) -> int | None:
    """Return how many different values a column, or any of several, can hold at most; None where that is not known."""
    sizes = [_column_size(draft, table, name) for name in ([columns] if isinstance(columns, str) else columns)]
    return None if None in sizes else max(size for size in sizes if size is not None)


def _column_size(draft: PartialSpec, table: str, name: str) -> int | None:
    target = references_of(draft.spec, table).get(name)
    if target is not None:
        return count_of(draft, target) if target in draft.spec.types else None
    source = drawn_columns(draft.spec, table).get(name)
    return None if source is None else _drawn_size(draft, table, source)


def _drawn_size(draft: PartialSpec, table: str, source: Attribute) -> int | None:
    """Return how many different values a shipped generator can draw; None where that is not known."""
    try:
        params = constant_parameters(draft.spec, table, source.params)
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
        case "values.integer" | "values.year" if _are_whole(low, high, step):
            return max(0, (high - low) // step + 1)
        case "values.date":
            first, last = _day(low), _day(high)
            return None if first is None or last is None else max(0, last - first + 1)
    return None


def _are_whole(*values: object) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values) and values[-1] != 0


def _day(value: object) -> int | None:
    try:
        return date.fromisoformat(str(value)[:10]).toordinal()
    except ValueError:
        return None
