"""Which pages point to which, apart from what they tell: articles, similar entities, lists, more of the same site."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.rendered_values import RenderedTables
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.spec import WorldSpec

N_NEIGHBOURS, N_SEE_ALSO = 10, 6
N_MORE = 2


def article_pages(type_name: str, n: int, kinds: Sequence[KindOutline]) -> Integers:
    """Return the page that references to each of the `n` entities of a type link to; -1 for none."""
    articles = np.full(n, -1, np.int64)
    for outlined in kinds:
        of_entities = outlined.lists is None and outlined.copied is None and outlined.rows is None
        if outlined.layout.article and outlined.kind.about == type_name and of_entities:
            about = outlined.about[: outlined.n_heads]
            free = articles[about] < 0
            articles[about[free]] = outlined.first + np.flatnonzero(free)
    return articles


def pages_that_list(type_name: str, n: int, kinds: Sequence[KindOutline]) -> list[Integers]:
    """Return for each kind of list the page that lists each of the `n` entities of a type; -1 for none.

    Then for each kind of list by entities of the type the list that belongs to each: the towns of a region.
    """
    listed, belonging = [], []
    for outlined in kinds:
        lists = outlined.lists
        if lists is not None and outlined.kind.about == type_name:
            of_item = lists.groups[lists.page_of_item] if lists.columns else np.zeros(len(lists.items))
            for number in range(max(len(lists.columns), 1)):
                own, pages = of_item == number, np.full(n, -1, np.int64)
                pages[lists.items[own]] = outlined.first + lists.page_of_item[own]
                listed.append(pages)
        if lists is not None and lists.group_type == type_name and not outlined.layout.shared:
            pages = np.full(n, -1, np.int64)
            heads = np.flatnonzero(lists.number == 1)
            pages[lists.groups[heads]] = outlined.first + heads
            belonging.append(pages)
    return listed + belonging


def neighbours(spec: WorldSpec, written: RenderedTables, type_name: str, articles: Integers) -> Integers:
    """Give each entity the next ones with an article, in a keyed order that keeps those of one reference together."""
    rows = np.flatnonzero(articles >= 0)
    order = rows[_in_keyed_order(spec, written, type_name, rows)]
    following = np.full((N_NEIGHBOURS, len(articles)), -1, np.int64)
    for step in range(1, min(N_NEIGHBOURS, len(rows) - 1) + 1):
        following[step - 1, order] = np.roll(order, -step)
    return following


def other_pages(type_name: str, articles: Integers, kinds: Sequence[KindOutline]) -> dict[str, Integers]:
    """Return by kind the page about each entity of a type, copies too; -1 for none, and for the entity's article."""
    found = {}
    others = {one.key for one in kinds if one.lists is not None or one.rows is not None}
    for outlined in kinds:
        of_entities = outlined.key not in others and (outlined.copied is None or outlined.copied.of not in others)
        of_entities &= outlined.site_map is None
        if of_entities and outlined.kind.about == type_name:
            pages = np.full(len(articles), -1, np.int64)
            heads = np.arange(outlined.n_heads)[::-1]  # of several copies about an entity, the first one counts
            pages[outlined.about[heads]] = outlined.first + heads
            found[outlined.key] = np.where(pages == articles, -1, pages)
    return found


def next_pages(spec: WorldSpec, written: RenderedTables, kinds: Sequence[KindOutline]) -> Integers:
    """Give each page the next ones of its site, as an array (N_MORE, pages); -1 for none, and on later parts.

    They go round, so that every page is pointed to where a site has several. All pages of a list point to other lists.
    Where each entity has a site of its own, they point to one another.
    """
    rings: dict[tuple[str, str], list[Integers]] = {}
    own = np.full(sum(map(len, kinds)), -1, np.int64)
    for outlined in kinds:
        of_page, heads = _heads(outlined)
        own[outlined.first : outlined.first + len(of_page)] = outlined.first + of_page
        if outlined.lists is None and outlined.copied is None:
            heads = heads[_in_keyed_order(spec, written, outlined.kind.about, outlined.about[heads])]
        site = outlined.key if outlined.layout.own_host else outlined.site.host
        rings.setdefault((site, outlined.page_language.language), []).append(outlined.first + heads)
    following = np.full((N_MORE, len(own)), -1, np.int64)
    for parts in rings.values():
        ring = np.concatenate(parts)
        for step in range(1, min(N_MORE, len(ring) - 1) + 1):
            following[step - 1, ring] = np.roll(ring, -step)
    return np.where(own >= 0, following[:, own], -1)


def _heads(outlined: KindOutline) -> tuple[Integers, Integers]:
    """Return the head of each page that points to others, and all heads: first pages of lists, pages about entities."""
    if outlined.site_map is not None:
        return np.zeros(len(outlined), np.int64), np.zeros(1, np.int64)
    if outlined.lists is None:
        heads = np.arange(outlined.n_heads)
        return heads, heads
    first = outlined.lists.number == 1
    heads = np.flatnonzero(first)
    return heads[np.cumsum(first) - 1], heads


def _in_keyed_order(spec: WorldSpec, written: RenderedTables, type_name: str, rows: Integers) -> Integers:
    """Return the order of entities in which those of one reference follow each other, by chance among themselves."""
    chance = Stream(spec.seed).child("pages", "neighbours", type_name).bits(rows)
    columns = written.tables[type_name].columns.values()
    shared = next((column.targets for column in columns if column.targets is not None), None)
    order: Integers = np.lexsort((chance, shared[rows] if shared is not None else np.zeros(len(rows))))
    return order
