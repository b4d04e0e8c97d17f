"""Check counts: of rows to refer to, of values for `unique` constraints, of attributes for near duplicates to share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date

from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_dependencies import shared_attributes
from worldforge.schema.column_paths import all_drawn, drawn_columns, follow, references_of
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import constant_parameters
from worldforge.schema.spec import Attribute, Constraint, Relation
from worldforge.schema.spec_section import Range
from worldforge.schema.yaml_tree import Path

_MOST_ROWS = 2**31 - 1


def check_references(draft: PartialSpec) -> Iterator[Rejection]:
    """Check references' capacities and relations' ranges against the counts of the types."""
    rows = {name: least_rows(draft, relation) for name, relation in draft.spec.relations.items()}
    for path, attribute in all_drawn(draft.spec):
        table = str(path[1])
        yield from _check_capacity(draft, path, attribute, rows[table] if table in rows else count_of(draft, table))
    for name, relation in draft.spec.relations.items():
        path = ("relations", name)
        if relation.per_source is None:
            yield from _check_pairs(draft, path, rows[name])
        elif not draft.is_excluded((*path, "per_source")):
            yield from _check_relation(draft, path, relation, relation.per_source)


def count_of(draft: PartialSpec, type_name: str) -> int | None:
    """Return how many entities a type has; None where its count is wrong in itself."""
    return None if draft.is_excluded(("types", type_name, "count")) else draft.spec.n_entities(type_name)


def least_rows(draft: PartialSpec, relation: Relation) -> int | None:
    """Return how many rows a relation has at least; None where the count of its sources is wrong in itself."""
    sources = count_of(draft, relation.source)
    if sources is None:
        return None
    if relation.pairs is None:
        return sources * relation.per_source.low if relation.per_source is not None else None
    n_groups = 1 if relation.pairs.within is None else _most_groups(draft, relation.source, relation.pairs.within)
    if n_groups is None:
        return 0
    size, larger = divmod(sources, n_groups)  # groups of equal size have the fewest pairs
    pairs = n_groups * (size * (size - 1) // 2) + larger * size
    return relation.pairs.legs * pairs


def _most_groups(draft: PartialSpec, type_name: str, within: str) -> int | None:
    """Return into how many groups a path of references splits a type at most; None where some are in no group."""
    route = follow(draft.spec, type_name, within.split("."))
    counts = []
    for table, column in route.columns:
        attribute = drawn_columns(draft.spec, table).get(column)
        if attribute is None or attribute.references is None or attribute.missing or attribute.optional:
            return None
        counts.append(count_of(draft, attribute.references))
    return None if None in counts else min(count for count in counts if count is not None)


def _check_pairs(draft: PartialSpec, path: Path, rows: int | None) -> Iterator[Rejection]:
    if rows is not None and rows > _MOST_ROWS:
        message = f"{rows:,} rows are more than a table can have: all meet one another"
        yield Rejection(draft.at_key((*path, "pairs"), message, "split them into groups with `within`"))


def _check_capacity(draft: PartialSpec, path: Path, attribute: Attribute, rows: int | None) -> Iterator[Rejection]:
    if attribute.references is None or attribute.capacity is None or rows is None:
        return
    targets = count_of(draft, attribute.references)
    needed = math.ceil(rows * (1 - attribute.missing))
    if targets is not None and attribute.capacity * targets < needed:
        message = (
            f"{needed} rows cannot refer to {targets} of `{attribute.references}` with {attribute.capacity} each: "
            f"there is room for {attribute.capacity * targets}"
        )
        hint = f"let it be {math.ceil(needed / targets)} at least"
        yield Rejection(draft.at_value((*path, "capacity"), message, hint))


def _check_relation(draft: PartialSpec, path: Path, relation: Relation, per_source: Range) -> Iterator[Rejection]:
    """Check how many rows the ranges ask for and leave room for. No entity is linked to itself."""
    sources, targets = count_of(draft, relation.source), count_of(draft, relation.target)
    if sources is None or targets is None:
        return
    others = targets - (relation.source == relation.target)
    most_each = min(per_source.high, others) if relation.distinct else per_source.high
    if per_source.low > most_each:
        message = f"a source needs {per_source.low} different targets; there are {others}"
        yield Rejection(draft.at_value((*path, "per_source", "low"), message, "lower it, or set `distinct: false`"))
        return
    if relation.per_target is None:
        return
    least, room = per_source.low * sources, relation.per_target.high * targets
    if room < least:
        message = f"{sources} sources need {least} rows at least; {targets} targets take {room} at most"
        hint = f"let it be {math.ceil(least / targets)} at least"
        yield Rejection(draft.at_value((*path, "per_target", "high"), message, hint))
    needed, most = relation.per_target.low * targets, most_each * sources
    if needed > most:
        message = f"{targets} targets need {needed} rows at least; {sources} sources have {most} at most"
        hint = f"let it be {most // targets} at most"
        yield Rejection(draft.at_value((*path, "per_target", "low"), message, hint))


_DEVIATIONS = 5  # of the number of rows that `missing` leaves filled


def check_unique_values(draft: PartialSpec) -> Iterator[Rejection]:
    """Check every `unique` constraint whose columns have a known number of values."""
    for number, constraint in enumerate(draft.spec.constraints):
        path = ("constraints", number)
        if constraint.unique is None or draft.is_excluded(path):
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
        case "values.integer" | "values.year" if (
            isinstance(low, int) and isinstance(high, int) and isinstance(step, int)
        ):
            return max(0, (high - low) // step + 1) if step else None
        case "values.date":
            first, last = _day(low), _day(high)
            return None if first is None or last is None else max(0, last - first + 1)
    return None


def _day(value: object) -> int | None:
    try:
        return date.fromisoformat(str(value)[:10]).toordinal()
    except ValueError:
        return None


_FEWEST = 2  # one that differs, and one that does not


def check_near_duplicates(draft: PartialSpec) -> Iterator[Rejection]:
    """Check every type that asks for `distractors`; nothing while other parts of the spec are at fault."""
    if any(draft.excluded):
        return
    for name, kind in draft.spec.types.items():
        if kind.distractors and len(shared_attributes(draft.spec, name)) < _FEWEST:
            message = f"entities of `{name}` have too little that near twins could share"
            hint = "give the type references, or attributes that `values.…` draws, that no constraint keeps apart"
            yield Rejection(draft.at_key(("types", name, "distractors"), message, hint))
