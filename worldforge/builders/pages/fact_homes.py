"""Where facts live: which columns may stand in tables and lists, and which facts only long documents tell.

What tables state can be taken without reading. So most columns of a type that has a phrasebook stand in prose alone,
and some of their facts only in documents that are long (`Layout.long`). The seed chooses which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from worldforge.builders.pages.list_columns import ListableColumns, listable_columns
from worldforge.builders.pages.rendered_values import RenderedTables
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.column_paths import built_in_columns, names_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.page_inputs import Layout

_PROSE_SHARE = 0.7  # of the columns that prose can state
_LEAST_OF_PAGES, _LEAST_OF_LONG = 0.9, 0.8  # the completeness of pages that are taken to state every fact
_LONG_SHARE = 0.6  # of the facts of those, where long documents state them


@dataclass(frozen=True, slots=True)
class FactHomes:
    """By table, the columns that stand in prose alone, and others.

    `short` holds by table and column which facts pages may tell that are not long; they tell all of other columns.
    `told` are the columns of types that prose states of each entity and that no list is made by. `lists` says by kind
    of page which columns its lists are by, where they are by columns.
    """

    prose: Mapping[str, frozenset[str]] = field(default_factory=dict)
    short: Mapping[tuple[str, str], npt.NDArray[np.bool_]] = field(default_factory=dict)
    told: Mapping[str, frozenset[str]] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def is_open(self, table: str, column: str) -> bool:
        """Say whether a column may stand in tables and lists."""
        return column not in self.prose.get(table, ())

    def stated(self, layout: Layout, table: str, column: str, rows: Integers) -> npt.NDArray[np.bool_] | None:
        """Say which facts of an entity's column pages of a layout may state; None for all of them."""
        short = None if layout.long else self.short.get((table, column))
        return None if short is None else short[rows]


def fact_homes(spec: WorldSpec, layouts: Mapping[str, Layout], written: RenderedTables) -> FactHomes:
    """Choose where facts live; `layouts` are those of the spec's kinds of pages."""
    listable = {
        name: listable_columns(spec, written, name)
        for name in dict.fromkeys(kind.about for key, kind in spec.pages.items() if layouts[key].lists_by)
    }
    if not spec.books:
        return FactHomes(lists=_lists(spec, layouts, listable, {}))
    prose, short, in_prose = {}, {}, {}
    for name in spec.types:
        pages = _told_by(spec, name, layouts, long=False)
        documents = _told_by(spec, name, layouts, long=True)
        in_tables = {str(value) for kind in spec.pages.values() if kind.about == name for value in kind.params.values()}
        in_prose[name] = {key for key in names_of(spec, name) if pages[key] or documents[key] > 1} - in_tables
        keys = [key for key in names_of(spec, name) if key in in_prose[name]]
        prose[name] = _chosen(spec, name, keys, listable.get(name), _in_lists(spec, name, layouts))
        for key in sorted(key for key in prose[name] if documents[key]):
            draws = Stream(spec.seed).child("pages", "homes", name, key).first_uniform(written.tables[name].n_rows)
            short[name, key] = draws >= _LONG_SHARE
    lists = _lists(spec, layouts, listable, prose)
    told = {name: frozenset(in_prose[name] - _listed_by(spec, name, lists, prose[name])) for name in spec.types}
    for name in spec.relations:
        if all(name in book.relations for book in spec.books.values()):
            fixed = {"source", "target", *built_in_columns(spec, name)}
            prose[name] = _chosen(spec, name, [key for key in names_of(spec, name) if key not in fixed])
    return FactHomes(prose, short, told, lists)


def _lists(
    spec: WorldSpec,
    layouts: Mapping[str, Layout],
    listable: Mapping[str, ListableColumns],
    prose: Mapping[str, frozenset[str]],
) -> dict[str, tuple[str, ...]]:
    """Choose for each kind of page that has lists by columns what these are by, of what its pages may state."""
    found = {}
    for key, kind in spec.pages.items():
        if layouts[key].lists_by:
            stated = frozenset(names_of(spec, kind.about) if kind.states == "all" else kind.states)
            closed = prose.get(kind.about, frozenset())
            found[key] = listable[kind.about].chosen(layouts[key].lists_by, stated, closed)
    return found


def _listed_by(
    spec: WorldSpec, name: str, lists: Mapping[str, tuple[str, ...]], closed: frozenset[str]
) -> frozenset[str]:
    """Return the columns of a type whose values some list gives."""
    own = [(key, kind) for key, kind in spec.pages.items() if kind.about == name]
    given = {column for key, _ in own for column in lists.get(key, ())} - closed
    return frozenset(given.union(kind.by.split(".")[0] for _, kind in own if kind.by))


def _told_by(spec: WorldSpec, name: str, layouts: Mapping[str, Layout], *, long: bool) -> Counter[str]:
    """Count by column the kinds of pages that state it in prose about (nearly) each entity of a type."""
    told: Counter[str] = Counter()
    covered = set(names_of(spec, name)).intersection(*(_with_phrases(book, name) for book in spec.books.values()))
    least = _LEAST_OF_LONG if long else _LEAST_OF_PAGES
    for key, kind in spec.pages.items():
        layout = layouts[key]
        whole = kind.share == 1 and kind.completeness >= least and not (kind.copies or kind.unless or kind.rows)
        if kind.about == name and whole and not layout.tabular and layout.long == long and not layout.shared:
            told.update(covered if kind.states == "all" else covered & set(kind.states))
    return told


def _with_phrases(book: object, name: str) -> set[str]:
    types = getattr(book, "types", {})
    return set(types[name].attributes) if name in types else set()


def _in_lists(spec: WorldSpec, name: str, layouts: Mapping[str, Layout]) -> list[list[str]]:
    """Return for each kind of list or table of a type's entities the columns that it may state."""
    kinds = [kind for key, kind in spec.pages.items() if kind.about == name and layouts[key].tabular]
    return [names_of(spec, name) if kind.states == "all" else list(kind.states) for kind in kinds]


def _chosen(
    spec: WorldSpec,
    table: str,
    keys: list[str],
    listable: ListableColumns | None = None,
    in_lists: Sequence[Sequence[str]] = (),
) -> frozenset[str]:
    """Choose which columns of `table`, of the candidates `keys`, only running text states.

    The others may stand in tables too. Of each list of columns in `in_lists` one is left to tables; and one of each
    sort by which lists are made (place, year, kind), as far as the share of such columns leaves room.
    """
    draws = Stream(spec.seed).child("pages", "homes", table).draws(np.arange(1))[0]
    shuffled, n_closed = draws.shuffled(keys), round(_PROSE_SHARE * len(keys))
    needed: list[str] = []
    for own in in_lists:
        if all(key in keys and key not in needed for key in own):
            needed += [key for key in shuffled if key in own][:1]
    wanted = listable.one_of_each(draws) if listable is not None else []
    room = max(0, len(keys) - n_closed - len(needed))
    needed += [key for key in wanted if key in keys and key not in needed][:room]
    shuffled = [*(key for key in shuffled if key not in needed), *needed]
    n_closed = min(n_closed, len(keys) - len(needed))
    return frozenset(shuffled[:n_closed])
