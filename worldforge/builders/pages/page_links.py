"""Links between pages: how a passage comes to hold them, and how its marks are read back.

A link's mark has a code above those of columns: one a type, whose item is the entity whose article it leads to; then
one for each of `ANCHORS`, whose item is the page it leads to; then for each code of what is written one, whose item is
an entity that is called so where the link stands; then for each of `LANGUAGES` one a type, whose item is the entity
whose article it leads to by its title.
"""

from __future__ import annotations

from typing import get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.builders.pages.outline import Outline
from worldforge.schema.spec_section import Language
from worldforge.world.passages import Passages, Positions, choose, fill, plain, repeat
from worldforge.world.text_marks import Marks

LANGUAGES: tuple[Language, ...] = get_args(Language)
ANCHORS = ("heading", "Next page", "Previous page", "下一页", "上一页")
"""What a link to a page is called: the page's heading, or these words."""


def link_entities(
    outline: Outline, passages: Passages, type_name: str, rows: Positions, chosen: Positions | None = None
) -> Passages:
    """Link each passage to the article of the entity in `rows` (-1 for none), where it has one.

    `chosen` says by which alias the passages call them, see `calling`; by their names where it is not given.
    """
    pages = np.where(rows >= 0, outline.articles[type_name][rows], -1)
    code = np.full(len(rows), outline.written.n_codes + list(outline.spec.types).index(type_name))
    if chosen is not None and chosen.any():
        name = outline.written.tables[type_name].columns["name"].code
        code = np.where(chosen > 0, _by_alias(outline) + outline.calling.codes(name, chosen), code)

    def linked(own: Positions) -> Passages:
        return _linked(outline, passages.select(own).marked(code[own], rows[own]), pages[own])

    return choose((pages >= 0).astype(np.int64), [passages.select, linked])


def link_names(
    outline: Outline, type_name: str, entities: Positions, fact: tuple[int, Positions] | None = None
) -> Passages:
    """Write the names of entities (-1 for none), linked to their articles; they state `fact`, see `LinkTexts`."""
    code = outline.written.n_codes + list(outline.spec.types).index(type_name)
    return outline.name_links[type_name].take(entities, code, fact)


def link_titles(outline: Outline, titles: Passages, type_name: str, rows: Positions, language: Language) -> Passages:
    """Link each title, as pages of a language write it, to the article of the entity in `rows`, where it has one."""
    pages = outline.articles[type_name][rows]
    place = list(outline.spec.types).index(type_name) + len(outline.spec.types) * LANGUAGES.index(language)
    code = _by_alias(outline) + outline.written.n_codes + place

    def linked(own: Positions) -> Passages:
        return _linked(outline, titles.select(own).marked(code, rows[own]), pages[own])

    return choose((pages >= 0).astype(np.int64), [titles.select, linked])


def link_pages(outline: Outline, anchor: str, pages: Positions) -> Passages:
    """Link to each of `pages`, by page number; nothing is said where that is -1."""
    code = outline.written.n_codes + len(outline.spec.types) + ANCHORS.index(anchor)
    if anchor == "heading":
        return outline.heading_links.take(pages, code)
    return _linked(outline, repeat(anchor, len(pages)).keep(pages >= 0).marked(code, pages), pages)


def read_links(outline: Outline, marks: Marks) -> tuple[Positions, pa.Array]:
    """Say where the links among a passage's marks lead: for each the page's number, and the words it stands on."""
    codes, items = marks.code, marks.item
    targets, place = np.empty((2, len(marks)), np.int64)
    words = [pa.array([], pa.string())]
    n_read = 0
    for code in np.flatnonzero(np.bincount(codes)):
        own = np.flatnonzero(codes == code)
        targets[own], anchors = _read(outline, int(code), items[own])
        words.append(anchors)
        place[own] = n_read + np.arange(len(own))
        n_read += len(own)
    return targets, pa.concat_arrays(words).take(pa.array(place))


def are_steady(outline: Outline, links: Marks) -> npt.NDArray[np.bool_]:
    """Say which links lead from part to part of a list or a table, and so bear the very address of their page."""
    first = outline.written.n_codes + len(outline.spec.types)
    return (links.code > first + ANCHORS.index("heading")) & (links.code < _by_alias(outline))


def leads_on(outline: Outline, marks: Marks, following: Positions) -> bool:
    """Whether all texts with these marks lead to the page that follows them; -1 in `following` for none."""
    steady = marks.where((marks.code >= outline.written.n_codes) & are_steady(outline, marks))
    led = np.zeros(len(following), np.bool_)
    led[steady.row] = True
    return bool(led[following >= 0].all())


def _read(outline: Outline, code: int, items: Positions) -> tuple[Positions, pa.Array]:
    place = code - outline.written.n_codes
    types = list(outline.spec.types)
    if place < len(types):
        return outline.articles[types[place]][items], outline.written.names(types[place], items)
    if code >= _by_alias(outline) + outline.written.n_codes:
        language, place = divmod(code - _by_alias(outline) - outline.written.n_codes, len(types))
        return outline.articles[types[place]][items], outline.written.titles(types[place], items, LANGUAGES[language])
    if code >= _by_alias(outline):
        version = code - _by_alias(outline)
        name = outline.written.columns_of[version]
        (of_type,) = (one for one in types if outline.written.tables[one].columns["name"].code == name)
        return outline.articles[of_type][items], outline.written.values(version, items)
    anchor = ANCHORS[place - len(types)]
    return items, outline.headings.take(pa.array(items)) if anchor == "heading" else pa.repeat(anchor, len(items))


def _by_alias(outline: Outline) -> int:
    """Return the first code of links that stand on aliases."""
    return outline.written.n_codes + len(outline.spec.types) + len(ANCHORS)


def _linked(outline: Outline, passages: Passages, pages: Positions) -> Passages:
    url = outline.urls.take(pa.array(pages, mask=pages < 0))
    return fill("[{text}]({url})", text=passages, url=plain(url))
