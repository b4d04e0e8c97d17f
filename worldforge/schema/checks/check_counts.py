"""Check counts: of rows to refer to, of values for `unique` constraints, of attributes for near duplicates to share."""

from __future__ import annotations

import math
from datetime import date

from worldforge.schema.checks.checker import Checker
from worldforge.schema.column_dependencies import shared_attributes
from worldforge.schema.column_paths import all_drawn, drawn_columns, follow, references_of
from worldforge.schema.document import KeyPath
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_sql import constant_parameters
from worldforge.schema.spec import Attribute, Constraint, Relation
from worldforge.schema.spec_section import Range

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
                first, last = (date.fromisoformat(str(value)[:10]).toordinal() for value in (low, high))
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
