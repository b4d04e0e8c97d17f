"""Cardinalities: that there are enough rows to refer to, and to be referred to."""

from __future__ import annotations

import math
from collections.abc import Iterator

from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import drawn_columns, follow
from worldforge.schema.spec import Attribute, Relation
from worldforge.schema.spec_section import Range
from worldforge.schema.yaml_tree import Path

_MOST_ROWS = 2**31 - 1


def check_cardinalities(draft: PartialSpec) -> Iterator[Rejection]:
    """Check references' capacities and relations' ranges against the counts of the types."""
    for name, entity_type in draft.spec.types.items():
        for key, attribute in entity_type.attributes.items():
            path: Path = ("types", name, "attributes", key)
            yield from _check_capacity(draft, path, attribute, count_of(draft, name))
    for name, relation in draft.spec.relations.items():
        rows = least_rows(draft, relation)
        for key, attribute in relation.columns.items():
            yield from _check_capacity(draft, ("relations", name, "columns", key), attribute, rows)
        if relation.per_source is None:
            yield from _check_pairs(draft, ("relations", name), rows)
        elif not draft.is_broken(("relations", name, "per_source")):
            yield from _check_relation(draft, ("relations", name), relation, relation.per_source)


def count_of(draft: PartialSpec, type_name: str) -> int | None:
    """Return how many entities a type has; None where its count is wrong in itself."""
    return None if draft.is_broken(("types", type_name, "count")) else draft.spec.n_entities(type_name)


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
    for table, column in (*((hop.table, hop.column) for hop in route.hops), (route.table, route.column)):
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
