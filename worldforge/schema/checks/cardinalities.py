"""Cardinalities: that there are enough rows to refer to, and to be referred to."""

from __future__ import annotations

import math
from collections.abc import Iterator

from worldforge.schema.checks.draft import Draft, Finding
from worldforge.schema.documents import Path
from worldforge.schema.section import Range
from worldforge.schema.spec import Attribute, Relation

_MOST_ROWS = 2**31 - 1


def check_cardinalities(draft: Draft) -> Iterator[Finding]:
    """Check references' capacities and relations' ranges against the counts of the types."""
    for name, entity_type in draft.spec.types.items():
        for key, attribute in entity_type.attributes.items():
            path: Path = ("types", name, "attributes", key)
            yield from _check_capacity(draft, path, attribute, _count(draft, name))
    for name, relation in draft.spec.relations.items():
        rows = least_rows(relation, _count(draft, relation.source))
        for key, attribute in relation.columns.items():
            yield from _check_capacity(draft, ("relations", name, "columns", key), attribute, rows)
        if relation.per_source is None:
            yield from _check_pairs(draft, ("relations", name), rows)
        elif not draft.is_broken(("relations", name, "per_source")):
            yield from _check_relation(draft, ("relations", name), relation, relation.per_source)


def _count(draft: Draft, type_name: str) -> int | None:
    """Return how many entities a type has; None where its count is wrong in itself."""
    return None if draft.is_broken(("types", type_name, "count")) else draft.spec.n_entities(type_name)


def least_rows(relation: Relation, sources: int | None) -> int | None:
    """Return how many rows a relation has at least; None where the count of its sources is wrong in itself."""
    if sources is None:
        return None
    if relation.pairs is None:
        return sources * relation.per_source.low if relation.per_source is not None else None
    return relation.pairs.legs * sources * (sources - 1) // 2 if relation.pairs.within is None else 0


def _check_pairs(draft: Draft, path: Path, rows: int | None) -> Iterator[Finding]:
    if rows is not None and rows > _MOST_ROWS:
        message = f"{rows:,} rows are more than a table can have: all meet one another"
        yield Finding(draft.at_key((*path, "pairs"), message, "split them into groups with `within`"))


def _check_capacity(draft: Draft, path: Path, attribute: Attribute, rows: int | None) -> Iterator[Finding]:
    if attribute.references is None or attribute.capacity is None or rows is None:
        return
    targets = _count(draft, attribute.references)
    needed = math.ceil(rows * (1 - attribute.missing))
    if targets is not None and attribute.capacity * targets < needed:
        message = (
            f"{needed} rows cannot refer to {targets} of `{attribute.references}` with {attribute.capacity} each: "
            f"there is room for {attribute.capacity * targets}"
        )
        hint = f"let it be {math.ceil(needed / targets)} at least"
        yield Finding(draft.at_value((*path, "capacity"), message, hint))


def _check_relation(draft: Draft, path: Path, relation: Relation, per_source: Range) -> Iterator[Finding]:
    """Check how many rows the ranges ask for and leave room for. No entity is linked to itself."""
    sources, targets = _count(draft, relation.source), _count(draft, relation.target)
    if sources is None or targets is None:
        return
    others = targets - (relation.source == relation.target)
    most_each = min(per_source.high, others) if relation.distinct else per_source.high
    if per_source.low > most_each:
        message = f"a source needs {per_source.low} different targets; there are {others}"
        yield Finding(draft.at_value((*path, "per_source", "low"), message, "lower it, or set `distinct: false`"))
        return
    if relation.per_target is None:
        return
    least, room = per_source.low * sources, relation.per_target.high * targets
    if room < least:
        message = f"{sources} sources need {least} rows at least; {targets} targets take {room} at most"
        hint = f"let it be {math.ceil(least / targets)} at least"
        yield Finding(draft.at_value((*path, "per_target", "high"), message, hint))
    needed, most = relation.per_target.low * targets, most_each * sources
    if needed > most:
        message = f"{targets} targets need {needed} rows at least; {sources} sources have {most} at most"
        hint = f"let it be {most // targets} at most"
        yield Finding(draft.at_value((*path, "per_target", "low"), message, hint))
