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
    return iter(())
