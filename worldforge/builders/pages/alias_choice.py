"""By which name a page calls an entity where it speaks of it: its name, or in a share of places one of its aliases.

    written, alias_use = call_by_aliases(spec, tables, written)
    alias_use.chosen(stream, "town", rows)         [0, 2, 0, …]: 0 for the name, k for the k-th alias
    alias_use.codes(column, "town", rows, chosen)  codes of the name or of a version, as in `RenderedTables`

A version of a column is its cells with every name in them replaced by the k-th alias of what bears it. Aliases stand
only for entities that some page introduces by them, so that who reads the web can know whom they mean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.rendered_values import ColumnVersion, RenderedColumn, RenderedTables
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.world.page_inputs import Value

_STANCE = "alias"
_HAN = re.compile(r"[\u3400-\u9fff]")
_SIGNS = re.compile(r"[\s.'’·-]")
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AliasUse:
    """For a type that has aliases how many each entity has; for a column's code, that of its first version by alias.

    In a world of several languages pages call by aliases in their own script alone. `chinese` says there of the name
    of each entity (column 0) and of its aliases which are in Chinese characters; of other worlds it says nothing.
    """

    n_aliases: dict[str, Integers]
    used: dict[str, float]
    first: dict[int, int]
    chinese: dict[str, Mask]

    def chosen(
        self, stream: Stream, type_name: str, entities: Integers, rows: Integers, language: Language
    ) -> Integers:
        """Draw what to call `entities` (-1 for none) where `rows` say so: 0 for the name, k for the k-th alias."""
        if not self.used.get(type_name):
            return np.zeros(len(rows), np.int64)
        n = np.where(entities >= 0, self.n_aliases[type_name][entities], 0)
        fitting = self._fitting(type_name, entities, n, language)
        n = n if fitting is None else fitting.sum(axis=1)
        by_alias = (stream.uniform(rows) < self.used[type_name]) & (n > 0)
        which = stream.child("which").integers(rows, 1, np.maximum(n, 1))
        if fitting is not None:
            which = np.argsort(~fitting, axis=1, kind="stable")[np.arange(len(rows)), which - 1] + 1
        return np.where(by_alias, which, 0)

    def _fitting(self, type_name: str, entities: Integers, n: Integers, language: Language) -> Mask | None:
        """Say which aliases are in the script of a language; None where all will do."""
        if type_name not in self.chinese:
            return None
        written = self.chinese[type_name][entities, 1:] == (language == "zh")
        return written & (np.arange(written.shape[1]) < n[:, None])

    def titled(self, stream: Stream, type_name: str, rows: Integers, language: Language) -> Integers:
        """Draw what pages about entities call them in their titles, where their names are in another script.

        0 for the name, which it is wherever that is in the script of the pages.
        """
        if type_name not in self.chinese:
            return np.zeros(len(rows), np.int64)
        foreign = self.chinese[type_name][rows, 0] != (language == "zh")
        return np.where(foreign, self.chosen(stream, type_name, rows, rows, language), 0)

    def codes(self, column: int, chosen: Integers) -> Integers:
        """Return the code under which a column is written for each choice."""
        return np.where(chosen > 0, self.first.get(column, 0) + chosen - 1, column)

    def also(
        self, written: RenderedTables, type_name: str, rows: Integers, language: Language, titled: Integers
    ) -> list[list[str | Value]]:
        """Join the aliases of each entity, but the one that is its title: `VR, V.R. and Rovers`.

        In Chinese each has before it what sort of name it is: 简称安师大，原名鹭湾学院. Empty where there is none.
        """
        n = self.n_aliases[type_name][rows] if type_name in self.n_aliases else np.zeros(len(rows), np.int64)
        found: list[list[tuple[str, Value]]] = [[] for _ in rows]
        for number in range(int(n.max(initial=0))):
            code = self.first[written.tables[type_name].columns["name"].code] + number
            values = written.values(code, rows)
            named = zip(written.names(type_name, rows).to_pylist(), values.to_pylist(), rows.tolist(), strict=True)
            for place, (name, text, row) in enumerate(named):
                if number < n[place] and titled[place] != number + 1:
                    before = alias_kind(name, text, number) if language == "zh" else ""
                    found[place].append((before, Value(text, code, row)))
        return [_joined(aliases, language) for aliases in found]

    def only_for(self, introduced: Mapping[str, Integers]) -> AliasUse:
        """Call by aliases only the entities in these rows, by type."""
        kept = {name: np.zeros_like(n) for name, n in self.n_aliases.items()}
        for name, n in self.n_aliases.items():
            kept[name][introduced[name]] = n[introduced[name]]
        return replace(self, n_aliases=kept)


def call_by_aliases(
    spec: WorldSpec, tables: Mapping[str, pa.Table], written: RenderedTables
) -> tuple[RenderedTables, AliasUse]:
    """Add to what is written the versions by alias: of the names of each type, and of the columns that refer to it."""
    aliases = {name: tables[name]["aliases"].combine_chunks() for name, kind in spec.types.items() if kind.name.aliases}
    n_aliases = {name: _lengths(one) for name, one in aliases.items()}
    versions: list[ColumnVersion] = []
    first: dict[int, int] = {}
    for table_name, table in written.tables.items():
        for key, column in table.columns.items():
            type_name = _named(spec, table_name, key, column)
            most = int(n_aliases[type_name].max(initial=0)) if type_name in aliases else 0
            if most:
                first[column.code] = written.n_codes + len(versions)
                targets = np.arange(table.n_rows) if column.targets is None else column.targets
                cells = [_nth(aliases[str(type_name)], number) for number in range(most)]
                versions += [ColumnVersion(column.code, one.take(_places(targets)), _STANCE) for one in cells]
    used = {name: kind.name.aliases.used for name, kind in spec.types.items() if kind.name.aliases}
    chinese = {name: _chinese(tables[name], one) for name, one in aliases.items() if len(spec.languages) > 1}
    return (written.with_versions(versions) if versions else written), AliasUse(n_aliases, used, first, chinese)


def _chinese(table: pa.Table, aliases: pa.Array) -> Mask:
    """Say of the name of each entity, and of its aliases, whether it is in Chinese characters, a row an entity."""
    most = int(_lengths(aliases).max(initial=0))
    columns = [table["name"].combine_chunks(), *(_nth(aliases, number) for number in range(most))]
    found = [pc.fill_null(pc.match_substring_regex(column, r"\p{Han}"), False) for column in columns]
    return np.stack([column.to_numpy(zero_copy_only=False) for column in found], axis=1)


def _named(spec: WorldSpec, table_name: str, key: str, column: RenderedColumn) -> str | None:
    """Return the type whose names a column holds; None for what holds other values."""
    return column.column.references or (table_name if key == "name" and table_name in spec.types else None)


def _lengths(lists: pa.Array) -> Integers:
    lengths: Integers = pc.fill_null(pc.list_value_length(lists), 0).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return lengths


def _nth(lists: pa.Array, number: int) -> pa.Array:
    """Return the alias at a place of each list; null where it is shorter."""
    place = pc.add(pa.array(lists.offsets.to_numpy()[:-1]), number)
    there = pa.array(_lengths(lists) > number)
    return lists.values.take(pc.if_else(there, place, None))


def _places(targets: Integers) -> pa.Array:
    return pa.array(targets, mask=targets < 0)


def alias_kind(name: str, alias: str, number: int = 0) -> str:
    """Return what a Chinese page says before an alias; `number` aliases have been given before.

    An alias in another script is the name there; one whose characters stand in the name, in their order, is a shorter
    form of it; any other is a former name.
    """
    chinese = bool(_HAN.search(name))
    if chinese != bool(_HAN.search(alias)):
        return "外文名为" if chinese else "中文名为"
    letters = iter(_SIGNS.sub("", name))
    if all(letter in letters for letter in _SIGNS.sub("", alias)):
        return "又称" if alias in name else "简称"
    return "曾用名" if number else "原名"


def _joined(aliases: Sequence[tuple[str, Value]], language: Language) -> list[str | Value]:
    parts: list[str | Value] = []
    for place, (before, alias) in enumerate(aliases):
        comma = "，" if language == "zh" else " and " if place == len(aliases) - 1 else ", "
        parts += [(comma if place else "") + before, alias]
    return parts
