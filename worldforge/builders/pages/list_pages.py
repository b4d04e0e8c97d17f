"""How a type's entities are split into lists, and lists into pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.rendered_values import RenderedColumn, RenderedTables
from worldforge.core.arrays import Integers, first_in_group
from worldforge.core.chance import Stream
from worldforge.core.columns import ARROW_TYPES
from worldforge.core.errors import InputError
from worldforge.schema.column_paths import follow
from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import PageKind
from worldforge.world.page_inputs import ListsBy
from worldforge.world.value_text import read_value

_MOST_RANKED = 100


@dataclass(frozen=True, slots=True)
class Lists:
    """The list pages of a kind, in order: page i lists the entities `items[offsets[i]:offsets[i + 1]]`, by name.

    `groups` holds the row of what each page's list belongs to, of type `group_type`; 0 where one list holds all. Where
    all entities are listed once by each of some `columns`, it holds the place among these; an empty one is by name.
    """

    group_type: str | None
    groups: Integers
    number: Integers
    of: Integers
    items: Integers
    offsets: Integers
    columns: tuple[str, ...] = ()

    @property
    def page_of_item(self) -> Integers:
        """The page that each of the items stands on."""
        return np.repeat(np.arange(len(self.number)), np.diff(self.offsets))

    @property
    def first(self) -> Integers:
        """The place of each page's first item in its list, from 1."""
        heads = np.flatnonzero(self.number == 1)
        return self.offsets[:-1] - self.offsets[heads[np.cumsum(self.number == 1) - 1]] + 1


def by_name(written: RenderedTables, type_name: str) -> Integers:
    """Return the rows of a type's entities in the order of their names."""
    names = written.names(type_name, np.arange(written.tables[type_name].n_rows))
    rows: Integers = pc.sort_indices(names).to_numpy().astype(np.int64)
    return rows


def list_entities(
    kind: PageKind, stream: Stream, spec: WorldSpec, written: RenderedTables, named: Integers, *, long: bool = False
) -> Lists:
    """List a kind's entities: those that chance lists, split `by` a reference, by name, `page_size` a page.

    `named` are the rows of all of them as `by_name` has them. An entity whose reference is missing stands in no list.
    The pages of `long` documents have about as many entities each, so that none is short.
    """
    groups, group_type = _groups(kind, spec, written)
    listed = groups >= 0
    if kind.completeness < 1:
        listed &= stream.child("listed").uniform(np.arange(len(groups))) < kind.completeness
    if kind.share < 1:
        listed &= stream.child("share").uniform(np.maximum(groups, 0)) < kind.share
    items = named[listed[named]]
    items = items[np.argsort(groups[items], kind="stable")]
    return _paginate(items, groups[items], kind.page_size, group_type, even=long)


def list_by_columns(
    kind: PageKind, lists_by: ListsBy, columns: Sequence[str], written: RenderedTables, named: Integers
) -> Lists:
    """List a kind's entities by name and once by each column's values, or rank the first hundred by its figures.

    Among equals they stand by name. An entity without a value stands in no list by it.
    """
    table, ranked = written.tables[kind.about], lists_by == "figures"
    by = tuple(columns) if ranked else ("", *columns)
    orders = [_ordered(written, table.columns[key], named, largest_first=ranked) if key else named for key in by]
    if ranked:
        orders = [order[:_MOST_RANKED] for order in orders]
    groups = np.repeat(np.arange(len(orders)), [len(order) for order in orders])
    items = np.concatenate([np.empty(0, np.int64), *orders])
    return replace(_paginate(items, groups, kind.page_size, None), columns=by)


def _ordered(written: RenderedTables, column: RenderedColumn, named: Integers, *, largest_first: bool) -> Integers:
    """Return the rows of `named` that have a value, in its order."""
    values = written.values(column.code, named)
    places = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
    values, kind = values.take(pa.array(places)), column.column.kind
    if kind in ("integer", "number", "year"):
        values = pc.replace_substring(values, ",", "").cast(ARROW_TYPES[kind])
    elif kind == "date":
        encoded = values.dictionary_encode()
        days = [read_value(text, "date") for text in encoded.dictionary.to_pylist()]
        values = pa.array(days, pa.date32()).take(encoded.indices)
    ranks = pc.rank(values, tiebreaker="dense").to_numpy().astype(np.int64)
    return named[places[np.argsort(-ranks if largest_first else ranks, kind="stable")]]


def list_namesakes(kind: PageKind, stream: Stream, spec: WorldSpec, written: RenderedTables) -> Lists:
    """List the entities of a type that share a name, name by name; a list belongs to the first that bears it.

    Raises InputError where the type's names are all different.
    """
    if not spec.types[kind.about].name.namesakes:
        raise InputError(
            f"`{kind.generator}` tells entities apart that share a name, and no two of `{kind.about}` do",
            f"give `types.{kind.about}.name` a share of `namesakes`, or leave such pages out",
        )
    items = np.arange(written.tables[kind.about].n_rows)
    codes = written.names(kind.about, items).dictionary_encode().indices.to_numpy().astype(np.int64)
    groups = first_in_group(codes)
    listed = np.bincount(codes)[codes] > 1
    if kind.share < 1:
        listed &= stream.child("share").uniform(groups) < kind.share
    items = items[listed]
    items = items[np.argsort(groups[items], kind="stable")]
    return _paginate(items, groups[items], kind.page_size, kind.about)


def _groups(kind: PageKind, spec: WorldSpec, written: RenderedTables) -> tuple[Integers, str | None]:
    """Return the row that each entity's list belongs to (-1 for none), and its type."""
    rows = np.arange(written.tables[kind.about].n_rows)
    if kind.by is None:
        return np.zeros_like(rows), None
    table = kind.about
    for column in kind.by.split("."):
        targets = written.tables[table].columns[column].targets
        table = follow(spec, table, [column, "name"]).table
        if targets is None:
            raise InputError(
                f"`by: {kind.by}` does not end in a reference", "lists are split by what entities refer to"
            )
        rows = np.where(rows >= 0, targets[rows], -1)
    return rows, table


def _paginate(
    items: Integers, groups: Integers, page_size: int, group_type: str | None, *, even: bool = False
) -> Lists:
    starts_list = np.diff(groups, prepend=-1) != 0
    first = np.flatnonzero(starts_list)
    sizes = np.diff(np.append(first, len(items)))
    n_pages = -(-sizes // page_size)
    of = np.repeat(n_pages, sizes)
    place = np.arange(len(items)) - np.repeat(first, sizes)
    page = place * of // np.repeat(sizes, sizes) if even else place // page_size
    starts = np.flatnonzero(starts_list | (np.diff(page, prepend=0) != 0))
    return Lists(
        group_type=group_type,
        groups=groups[starts],
        number=page[starts] + 1,
        of=of[starts],
        items=items,
        offsets=np.append(starts, len(items)),
    )
