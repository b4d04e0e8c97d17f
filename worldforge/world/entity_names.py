"""The other names of entities: aliases, and titles that tell homonyms apart.

other_names(spec, tables)                   {"Velmar Rovers": ("VR", "The Rovers")}
tell_apart(spec, tables, "town")            ["Ostren", null, "Keldia", …]: null where nobody else bears the name
Titles(spec, tables).of("club/0003#town")   ("Velmar (Ostren)", "Velmar（Ostren）")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.arrays import rank_in_group
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.translations import options_in
from worldforge.world.stable_ids import rows_of
from worldforge.world.value_text import as_written

OtherNames = Mapping[str, tuple[str, ...]]
"""For a name, the aliases of those that bear it; for an option, what it is in the world's other language."""


def other_names(spec: WorldSpec, tables: Iterable[pa.Table]) -> dict[str, tuple[str, ...]]:
    """Read names and aliases out of the tables of entities, and options in two languages out of the spec."""
    found: dict[str, tuple[str, ...]] = {}
    first, *others = spec.languages
    for language in others:
        decided = pa.array([True, False])
        answers = (as_written(decided, "boolean", one).to_pylist() for one in (first, language))
        for option, word in (*options_in(spec, language).items(), *zip(*answers, strict=True)):
            found[option] = (*found.get(option, ()), word)
            found[word] = (*found.get(word, ()), option)
    for table in tables:
        known = table.select(["name", "aliases"]).filter(pc.greater(pc.list_value_length(table["aliases"]), 0))
        for name, aliases in zip(known["name"].to_pylist(), known["aliases"].to_pylist(), strict=True):
            found[name] = (*found.get(name, ()), *aliases)
    return found


def shared_names(table: pa.Table) -> frozenset[str]:
    """Return the names that several entities of a table bear."""
    counts = table["name"].combine_chunks().value_counts()
    several = pc.greater(pc.struct_field(counts, "counts"), 1)
    return frozenset(pc.struct_field(counts, "values").filter(several).to_pylist())


FORMS: Mapping[Language, str] = {"en": "{} ({})", "zh": "{}（{}）"}
"""How a title puts a name, and after it what tells its bearer apart."""


def tell_apart(spec: WorldSpec, tables: Mapping[str, pa.Table], type_name: str) -> pa.Array:
    """Return for each entity what tells it from those of its name (string); null where there are none.

    It is the first of these that differs among all who bear the name: what they refer to, in the order of the spec; a
    year, or that of a date; else they are counted.
    """
    names = _codes(tables[type_name]["name"].combine_chunks())
    shared = np.bincount(names)[names] > 1
    qualifiers = pa.nulls(len(names), pa.string())
    for values in _distinguishing_values(spec, tables, type_name):
        pairs = _codes(pc.binary_join_element_wise(pa.array(names).cast(pa.string()), values, "\0"))
        alike = (np.bincount(pairs)[pairs] > 1) | values.is_null().to_numpy(zero_copy_only=False)
        qualifiers = pc.coalesce(
            qualifiers, pc.if_else(pa.array(np.bincount(names, weights=alike)[names] == 0), values, None)
        )
    qualifiers = pc.coalesce(qualifiers, pa.array(rank_in_group(names) + 1).cast(pa.string()))
    return pc.if_else(pa.array(shared), qualifiers, None)


class Titles:
    """Titles of articles on entities that share their names, for an answer that gives them in the place of names.

    `tables` are those of types and relations, by name.
    """

    def __init__(self, spec: WorldSpec, tables: Mapping[str, pa.Table]) -> None:
        self._spec, self._tables = spec, tables

    @cached_property
    def _qualifiers(self) -> dict[str, pa.Array]:
        named = {name for name, kind in self._spec.types.items() if kind.name.namesakes}
        return {name: tell_apart(self._spec, self._tables, name) for name in named}

    def of(self, fact: str) -> tuple[str, ...]:
        """Return the titles of what a fact names: `club/0003#name`, `match/0012#target`. None where a name will do."""
        if not self._qualifiers:
            return ()
        id_, _, path = fact.partition("#")
        for step in path.split("."):
            table = id_.partition("/")[0]
            if step == "name":
                break
            target = references_of(self._spec, table).get(step)
            referred = self._cell(id_, step) if target in self._spec.types else None
            if referred is None:
                return ()
            id_ = referred
        table = id_.partition("/")[0]
        qualifier = self._qualifiers[table][_row(id_)].as_py() if table in self._qualifiers else None
        return (
            ()
            if qualifier is None
            else tuple(form.format(self._cell(id_, "name"), qualifier) for form in FORMS.values())
        )

    def _cell(self, id_: str, column: str) -> str | None:
        value: str | None = self._tables[id_.partition("/")[0]][column][_row(id_)].as_py()
        return value


def _distinguishing_values(spec: WorldSpec, tables: Mapping[str, pa.Table], type_name: str) -> Iterator[pa.Array]:
    """Yield columns that may tell entities of a type apart, as text."""
    table = tables[type_name]
    for key, attribute in spec.types[type_name].attributes.items():
        if attribute.references in spec.types and attribute.references != type_name:
            targets = rows_of(table[key])
            names = tables[attribute.references]["name"].combine_chunks()
            yield names.take(pa.array(targets, mask=targets < 0))
    for key, attribute in spec.types[type_name].attributes.items():
        if pa.types.is_date(table[key].type):
            yield pc.year(table[key].combine_chunks()).cast(pa.string())
        elif attribute.generator == "values.year":
            yield table[key].combine_chunks().cast(pa.string())


def _row(id_: str) -> int:
    return int(id_.partition("/")[2])


def _codes(texts: pa.Array) -> npt.NDArray[np.int64]:
    codes = pc.fill_null(texts.dictionary_encode(null_encoding="encode").indices, 0)
    found: npt.NDArray[np.int64] = codes.to_numpy(zero_copy_only=False).astype(np.int64)
    return found
