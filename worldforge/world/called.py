"""By which names, and by which other names, a world's entities are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

OtherNames = Mapping[str, tuple[str, ...]]
"""For a name, the aliases of those that bear it."""


def other_names(tables: Iterable[pa.Table]) -> dict[str, tuple[str, ...]]:
    """Read names and aliases out of the tables of entities."""
    found: dict[str, tuple[str, ...]] = {}
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
