"""Where facts live: which columns may stand in tables and lists, and which facts only long documents tell.

What tables state can be taken without reading. So most columns of a type that has a phrasebook stand in prose alone,
and some of their facts only in documents that are long (`Layout.long`). The seed chooses which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.column_paths import built_in_columns, names_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.page_inputs import Layout

_PROSE_SHARE = 0.7  # of the columns that prose can state
_LEAST_OF_PAGES, _LEAST_OF_LONG = 0.9, 0.8  # the completeness of pages that are taken to state every fact
_LONG_SHARE = 0.4  # of the facts of those, where long documents state them


@dataclass(frozen=True, slots=True)
class FactHomes:
    """By table, the columns that stand in prose alone, those of which some facts only long documents tell, and others.

    `told` are the columns of types that prose states of each entity and that no list is made by.
    """

    seed: int = 0
    prose: Mapping[str, frozenset[str]] = field(default_factory=dict)
    long: Mapping[str, frozenset[str]] = field(default_factory=dict)
    told: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def is_open(self, table: str, column: str) -> bool:
        """Say whether a column may stand in tables and lists."""
        return column not in self.prose.get(table, ())

    def stated(self, layout: Layout, table: str, column: str, rows: Integers) -> npt.NDArray[np.bool_] | None:
        """Say which facts of an entity's column pages of a layout may state; None for all of them."""
        if layout.long or column not in self.long.get(table, ()):
            return None
        draws = Stream(self.seed).child("pages", "homes", table, column).uniform(rows)
        kept: npt.NDArray[np.bool_] = draws >= _LONG_SHARE
        return kept


def fact_homes(spec: WorldSpec, layouts: Mapping[str, Layout]) -> FactHomes:
    """Choose where facts live; `layouts` are those of the spec's kinds of pages."""
    if not spec.books:
        return FactHomes()
    prose, long, told = {}, {}, {}
    for name in spec.types:
        pages = _told_by(spec, name, layouts, long=False)
        documents = _told_by(spec, name, layouts, long=True)
        in_tables = {str(value) for kind in spec.pages.values() if kind.about == name for value in kind.params.values()}
        in_prose = {key for key in names_of(spec, name) if pages[key] or documents[key] > 1} - in_tables
        prose[name] = _chosen(spec, name, [key for key in names_of(spec, name) if key in in_prose])
        listed_by = {kind.by.split(".")[0] for kind in spec.pages.values() if kind.about == name and kind.by}
        told[name] = frozenset(in_prose - listed_by)
        long[name] = frozenset(key for key in prose[name] if documents[key])
    for name in spec.relations:
        if all(name in book.relations for book in spec.books.values()):
            fixed = {"source", "target", *built_in_columns(spec, name)}
            prose[name] = _chosen(spec, name, [key for key in names_of(spec, name) if key not in fixed])
    return FactHomes(spec.seed, prose, long, told)


def _told_by(spec: WorldSpec, name: str, layouts: Mapping[str, Layout], *, long: bool) -> Counter[str]:
    """Count by column the kinds of pages that state it in prose about (nearly) each entity of a type."""
    told: Counter[str] = Counter()
    covered = set(names_of(spec, name)).intersection(*(_with_phrases(book, name) for book in spec.books.values()))
    least = _LEAST_OF_LONG if long else _LEAST_OF_PAGES
    for key, kind in spec.pages.items():
        layout = layouts[key]
        whole = kind.share == 1 and kind.completeness >= least and kind.copies is None and kind.unless is None
        if kind.about == name and whole and not layout.tabular and layout.long == long and not layout.shared:
            told.update(covered if kind.states == "all" else covered & set(kind.states))
    return told


def _with_phrases(book: object, name: str) -> set[str]:
    types = getattr(book, "types", {})
    return set(types[name].attributes) if name in types else set()


def _chosen(spec: WorldSpec, table: str, keys: list[str]) -> frozenset[str]:
    draws = Stream(spec.seed).child("pages", "homes", table).draws(np.arange(1))[0]
    return frozenset(draws.shuffled(keys)[: round(_PROSE_SHARE * len(keys))])
