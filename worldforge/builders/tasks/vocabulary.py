"""The vocabulary of a world, as wording banks take it: labels, units, and which texts are values or names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache

import pyarrow as pa

from worldforge.schema.columns import Column
from worldforge.schema.paths import PREVIOUS
from worldforge.schema.spec import WorldSpec
from worldforge.world.saying import SaidColumn, SaidLink, SaidTable, Sort, Vocabulary

Columns = Mapping[str, Mapping[str, Column]]


def vocabulary_of(spec: WorldSpec, tables: Mapping[str, pa.Table], columns: Columns) -> Vocabulary:
    """Return what can be said of every type and relation of a world. `columns` are those of each, by name."""
    values = _Values(tables)
    said = {}
    for name in columns:
        kind = spec.types.get(name)
        label = (kind.label if kind else "") or name.replace("_", " ")
        plural = (kind.plural if kind else "") or f"{label}s"
        links = tuple(_links(spec, columns, name)) if kind else ()
        said[name] = SaidTable(label, plural, tuple(_columns(columns, values, name)), links)
    return said


class _Values:
    """Says which texts are values of a column, or the name of one entity alone; looked up when first asked."""

    def __init__(self, tables: Mapping[str, pa.Table]) -> None:
        self._tables = tables
        self._known = cache(self._find)

    def of(self, table: str, column: str, *, once: bool) -> Callable[[str], bool]:
        return lambda text: text in self._known(table, column, once)

    def _find(self, table: str, column: str, once: bool) -> frozenset[str]:
        counts = Counter(self._tables[table][column].cast(pa.string()).to_pylist())
        return frozenset(text for text, count in counts.items() if text is not None and (not once or count == 1))


def _columns(columns: Columns, values: _Values, table: str) -> Iterator[SaidColumn]:
    """Give the columns of a table, and those that its references lead to: a reference's own reference."""
    for column in columns[table].values():
        if column.name == PREVIOUS:
            continue
        yield _said(values, table, column, column.name, column.label)
        if column.references and column.references in columns:
            for further in columns[column.references].values():
                if further.references and further.name != PREVIOUS:
                    path, label = f"{column.name}.{further.name}", f"{column.label}'s {further.label}"
                    yield _said(values, column.references, further, path, label)


def _said(values: _Values, table: str, column: Column, path: str, label: str) -> SaidColumn:
    if column.references:
        known = values.of(column.references, "name", once=True)
        return SaidColumn(path, label, "reference", column.unit, column.references, known)
    sort: Sort = "number" if column.kind == "integer" else column.kind
    if column.kind == "boolean":
        return SaidColumn(path, label, sort, column.unit, known=lambda text: text in ("yes", "no"))
    if column.kind != "text":
        return SaidColumn(path, label, sort, column.unit)
    return SaidColumn(path, label, sort, column.unit, known=values.of(table, column.name, once=False))


def _links(spec: WorldSpec, columns: Columns, type_name: str) -> Iterator[SaidLink]:
    """Give what refers to a type: relations, under the headings that pages give them, and other types."""
    for name, relation in spec.relations.items():
        if name not in columns:
            continue
        begin, until = _period(spec, columns, name)
        if relation.source == type_name:
            title = relation.title or name.replace("_", " ").capitalize()
            yield SaidLink(name, "source", title, "target", begin, until)
        if relation.target == type_name:
            source = spec.types[relation.source]
            plural = source.plural or f"{source.label or relation.source.replace('_', ' ')}s"
            yield SaidLink(name, "target", plural[:1].upper() + plural[1:], "source", begin, until)
    for other in spec.types:
        for column in columns[other].values():
            if column.references == type_name:
                yield SaidLink(other, column.name, column.label)


def _period(spec: WorldSpec, columns: Columns, relation: str) -> tuple[str, str]:
    """Name the columns in which periods of a relation begin and end: a constraint's, else `from` and `until`."""
    exclusive = [c.exclusive for c in spec.constraints if c.on == relation and c.exclusive is not None]
    begin, until = (exclusive[0].begin, exclusive[0].end) if exclusive else ("from", "until")
    held = columns[relation]
    timed = all(name in held and held[name].kind in ("year", "date") for name in (begin, until))
    return (begin, until) if timed and held[begin].kind == held[until].kind else ("", "")
