"""A world's tables as pages write them: every column as text, every reference as the name of what it refers to.

Each column has a code, by which the marks in a passage name it. So has each further version of a column: its cells as
some pages write them, with the stance that they have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.arrays import Integers
from worldforge.schema.column_paths import built_in_columns
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.schema.translations import label_of
from worldforge.schema.web_section import Style
from worldforge.world.entity_names import FORMS, tell_apart
from worldforge.world.stable_ids import rows_of
from worldforge.world.value_text import as_written

_FEW = 24  # cells that are read one by one sooner than taken together


@dataclass(frozen=True, slots=True)
class RenderedColumn:
    """One column of a table: its code, and for a reference the row that each row refers to (-1 for none)."""

    column: ColumnInfo
    code: int
    targets: Integers | None = None


@dataclass(frozen=True, slots=True)
class RenderedTable:
    """One table of entities or of a relation: how many rows, its columns by name, its rows in order of time."""

    n_rows: int
    columns: dict[str, RenderedColumn]
    by_time: Integers
    """All rows, by the first column that holds a year or a date, else by round or position; else as they are."""


@dataclass(frozen=True, slots=True)
class ColumnVersion:
    """Another way in which pages write the column `of`: a cell a row, null where it has none, and its stance."""

    of: int
    cells: pa.Array
    stance: str


@dataclass(frozen=True, slots=True)
class RenderedTables:
    """All tables, and every cell of them in one column of text: found by its column's code and its row."""

    tables: dict[str, RenderedTable]
    cells: pa.Array
    """As written, null where missing; column after column, in the order of codes."""
    first_cell: Integers
    """For each code, where its column's cells begin."""
    ids: pa.Array
    """The ids of all rows, table after table; after them, code by code, the suffixes."""
    first_id: Integers
    """For each code, where its table's ids begin."""
    suffixes: pa.Array
    """For each code, how the ids of its facts end: `#founded`."""
    stances: pa.Array
    """For each code, the stance of what is written under it: see `table_files.MENTIONS`."""
    columns_of: Integers
    """For each code, the code of the column that it writes: its own, but for versions."""
    styled: Mapping[tuple[Style, int], int] = field(default_factory=dict)
    """For a style and a column's code, the code under which sites of that style write it, where they differ."""

    told_apart: Mapping[str, pa.Array] = field(default_factory=dict)
    """For a type with namesakes, what tells each of its entities from those: see `namesakes`."""

    @property
    def n_codes(self) -> int:
        """How many columns and versions of columns have a code; codes count from 0."""
        return len(self.suffixes)

    def with_versions(self, versions: Sequence[ColumnVersion]) -> RenderedTables:
        """Add versions of columns; they are given the codes from `n_codes` on, in order."""
        of = pa.array([version.of for version in versions], pa.int64())
        firsts = _starts([len(self.cells), *(len(version.cells) for version in versions)])[1:]
        return replace(
            self,
            cells=pa.concat_arrays([self.cells, *(version.cells for version in versions)]),
            first_cell=np.concatenate([self.first_cell, firsts]),
            ids=pa.concat_arrays([self.ids, self.suffixes.take(of)]),
            first_id=np.concatenate([self.first_id, self.first_id[of.to_numpy()]]),
            suffixes=pa.concat_arrays([self.suffixes, self.suffixes.take(of)]),
            stances=pa.concat_arrays([self.stances, pa.array([version.stance for version in versions], pa.string())]),
            columns_of=np.concatenate([self.columns_of, of.to_numpy()]),
        )

    def versions_of(self, code: int) -> Integers:
        """Return the codes under which a column is written: its own, and those of its versions."""
        same = pc.equal(self.suffixes, self.suffixes[code]).to_numpy(zero_copy_only=False)
        return np.flatnonzero(same & (self.first_id == self.first_id[code]))

    def values(self, codes: Integers | int, rows: Integers) -> pa.Array:
        """Return cells as written; null where missing, and for row -1."""
        return self.cells.take(pa.array(self.first_cell[codes] + rows, mask=rows < 0))

    def texts(self, codes: Integers | int, rows: Integers) -> list[str | None]:
        """Return cells as written, as Python has them; None where missing, and for row -1."""
        if len(rows) > _FEW:
            texts: list[str | None] = self.values(codes, rows).to_pylist()
            return texts
        places, cells = (self.first_cell[codes] + rows).tolist(), self.cells
        return [cells[place].as_py() if row >= 0 else None for place, row in zip(places, rows.tolist(), strict=True)]

    def names(self, type_name: str, rows: Integers) -> pa.Array:
        """Return the names of entities; null for row -1."""
        return self.values(self.tables[type_name].columns["name"].code, rows)

    def apart(self, type_name: str, rows: Integers) -> pa.Array:
        """Return what tells entities from others of their names; null where there are none."""
        told = self.told_apart.get(type_name)
        return pa.nulls(len(rows), pa.string()) if told is None else told.take(pa.array(rows))

    def titles(self, type_name: str, rows: Integers, language: Language = "en") -> pa.Array:
        """Return names, with what tells their bearers apart where several bear one: `Velmar (Ostren)`."""
        names = self.names(type_name, rows)
        if type_name not in self.told_apart:
            return names
        apart = self.apart(type_name, rows)
        before, between, after = FORMS[language].split("{}")
        return pc.coalesce(pc.binary_join_element_wise(before, names, between, apart, after, ""), names)

    def stances_of(self, codes: Integers) -> pa.DictionaryArray:
        """Return the stances of what is written under codes."""
        encoded = self.stances.dictionary_encode()
        return pa.DictionaryArray.from_arrays(pa.array(encoded.indices.to_numpy()[codes]), encoded.dictionary)

    def facts(self, codes: Integers, rows: Integers) -> pa.Array:
        """Return the ids of facts: `club/0031#founded`.

        Ids and suffixes are taken in turn, and lie side by side as they should be read.
        """
        in_turn = np.empty((len(codes), 2), np.int64)
        in_turn[:, 0] = self.first_id[codes] + rows
        in_turn[:, 1] = codes + (len(self.ids) - self.n_codes)
        _, bounds, content = self.ids.take(pa.array(in_turn.ravel())).buffers()
        starts = np.frombuffer(bounds, np.int32)[: in_turn.size + 1 : 2].copy()
        return pa.StringArray.from_buffers(len(codes), pa.py_buffer(starts), content)


def write_tables(spec: WorldSpec, tables: Mapping[str, pa.Table], code_from: Path | None = None) -> RenderedTables:
    """Write out every table of types and relations, column by column. `tables` are as populated: references hold ids.

    What refers to a relation's row is left out: it has no name that a page could state.
    """
    names = {name: _whole(tables[name], "name") for name in spec.types}
    asked = [
        (table_name, column)
        for table_name in (*spec.types, *spec.relations)
        for column in columns_of(spec, table_name, code_from).values()
        if column.references not in spec.relations
    ]
    texts = [_text(tables[name], column, names, spec.languages[0]) for name, column in asked]
    columns: dict[str, dict[str, RenderedColumn]] = {name: {} for name in (*spec.types, *spec.relations)}
    for code, ((table_name, column), (targets, _)) in enumerate(zip(asked, texts, strict=True)):
        columns[table_name][column.name] = RenderedColumn(labelled(spec, table_name, column), code, targets)
    cells = [text for _, text in texts]
    written = {
        name: RenderedTable(tables[name].num_rows, own, _by_time(spec, name, tables[name], own))
        for name, own in columns.items()
    }
    suffixes = [f"#{column.name}" for _, column in asked]
    ids = [_whole(tables[name], "id") for name in written]
    return RenderedTables(
        tables=written,
        cells=pa.concat_arrays(cells),
        first_cell=_starts([len(column) for column in cells]),
        ids=pa.concat_arrays([*ids, pa.array(suffixes)]),
        first_id=np.repeat(_starts([len(own) for own in ids]), [len(table.columns) for table in written.values()]),
        suffixes=pa.array(suffixes),
        stances=pa.repeat("current", len(suffixes)),
        columns_of=np.arange(len(suffixes)),
        told_apart={name: tell_apart(spec, tables, name) for name, one in spec.types.items() if one.name.namesakes},
    )


def _starts(sizes: list[int]) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)[:-1]])


def _text(
    table: pa.Table, column: ColumnInfo, names: Mapping[str, pa.Array], language: str
) -> tuple[Integers | None, pa.Array]:
    """Write a column: a reference by the name of what it refers to, any other value once for all that are alike.

    With it comes for a reference the row that each row refers to.
    """
    values = _whole(table, column.name)
    if column.references is not None:
        targets = rows_of(values)
        return targets, names[column.references].take(pa.array(targets, mask=targets < 0))
    if column.kind == "text":
        return None, values
    encoded = values.dictionary_encode()
    return None, as_written(encoded.dictionary, column.kind, language).take(encoded.indices)


def _by_time(spec: WorldSpec, name: str, table: pa.Table, columns: Mapping[str, RenderedColumn]) -> Integers:
    """Put a table's rows in order of time: see `RenderedTable`."""
    times = [key for key, one in columns.items() if one.column.kind in ("year", "date")]
    times += [key for key in built_in_columns(spec, name) if key in columns]
    if not times:
        return np.arange(table.num_rows)
    order: Integers = pc.sort_indices(_whole(table, times[0]).cast(pa.int32())).to_numpy().astype(np.int64)
    return order


def labelled(spec: WorldSpec, table: str, column: ColumnInfo) -> ColumnInfo:
    """Call a relation's ends what their types are called."""
    if table in spec.relations and column.name in ("source", "target") and column.references is not None:
        return replace(column, label=label_of(spec, column.references))
    return column


def _whole(table: pa.Table, column: str) -> pa.Array:
    return table[column].combine_chunks()
