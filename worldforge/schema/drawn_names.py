"""Which names are drawn, and which are the spec's own words: a season `Thaw season`, a sector `Fashion`.

Names of the second sort are the same few in every world of the spec, as `position: midfielder` is.
"""

from __future__ import annotations

import networkx as nx

from worldforge.schema.column_dependencies import dependency_graph
from worldforge.schema.column_paths import drawn_columns
from worldforge.schema.spec import WorldSpec

_MADE_OF_OTHERS = ("names.composed", "names.transliterated", "names.short", "names.initials")


def draws_a_name(spec: WorldSpec, table: str, column: str) -> bool:
    """Say whether a column holds names that a generator draws, and does not write out of other columns."""
    if table in spec.types and column == "name":
        return spec.types[table].name.generator not in _MADE_OF_OTHERS
    source = drawn_columns(spec, table).get(column)
    generator = source.generator if source is not None else None
    return (generator or "").startswith("names.") and generator not in _MADE_OF_OTHERS


def types_in_own_words(spec: WorldSpec) -> frozenset[str]:
    """Return the types whose names are put together out of columns, none of which has to do with a drawn name."""
    graph = dependency_graph(spec)
    drawn = {node for node in graph if draws_a_name(spec, *node)}
    return frozenset(name for name in spec.types if not drawn & {(name, "name"), *nx.ancestors(graph, (name, "name"))})
