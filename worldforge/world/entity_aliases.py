"""By which names, and by which other names, a world's entities are called, and its options in either language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.schema.spec import WorldSpec
from worldforge.schema.translations import options_in
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
