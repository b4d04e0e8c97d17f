"""Which pages a world has, before a word of them is written: what each is about, its number, its address, its links.

Pages are numbered kind by kind in the order of the spec; within a kind by the row of the entity, or list by list.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.alias_choice import AliasUse
from worldforge.builders.pages.conflicts.overrides import NO_OVERRIDES, PageOverrides
from worldforge.builders.pages.event_rows import check_rows, rows_with_pages
from worldforge.builders.pages.fact_homes import FactHomes, fact_homes
from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.list_pages import Lists, by_name, list_by_columns, list_entities, list_namesakes
from worldforge.builders.pages.page_copies import ArchivedPages, check_form, copied_pages
from worldforge.builders.pages.page_languages import PageLanguage, in_page_languages
from worldforge.builders.pages.page_links import article_pages, neighbours, next_pages, other_pages, pages_that_list
from worldforge.builders.pages.page_parts import End, RowRuns, check_parts, cut_in_parts, runs_of
from worldforge.builders.pages.page_urls import SiteAddress, addresses_of, entity_slugs, page_marks, sites_of
from worldforge.builders.pages.redirects import LinkAddresses, Redirects, redirects_of
from worldforge.builders.pages.rendered_values import RenderedTables
from worldforge.builders.pages.site_maps import site_map_pages
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.imports import load
from worldforge.schema.column_paths import errors_at
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.translations import plural_of
from worldforge.schema.web_section import PageKind
from worldforge.world.page_inputs import Layout, Listing
from worldforge.world.phrases import Phrases
from worldforge.world.slugs import without_repeats
from worldforge.world.stable_ids import page_ids


@dataclass(frozen=True, slots=True)
class RelativeColumn:
    """The facts of a column that pages state relative to another entity's: by row, -1 where they state the value."""

    code: int
    """The code under which they are marked."""
    others: Integers
    """The row of that other entity, which is of the same type."""
    differences: npt.NDArray[np.int64] | npt.NDArray[np.float64] | None
    """What to add to its value, of a date in days; None where both values are the same."""


@dataclass(frozen=True)
class Outline:
    """Every page's place. Columns hold one entry a page; maps hold, for a type, one entry an entity (-1 for none)."""

    spec: WorldSpec
    written: RenderedTables
    alias_use: AliasUse
    code_from: Path | None
    kinds: tuple[KindOutline, ...]
    urls: pa.Array
    hosts: pa.Array
    redirects: Redirects
    headings: pa.Array
    """What a list's page is called; null for other pages."""
    articles: dict[str, Integers]
    """The page that a reference to an entity links to."""
    neighbours: dict[str, Integers]
    """Per type, an array (N_NEIGHBOURS, entities): rows of other entities, to point a reader to."""
    listed: dict[str, list[Integers]]
    """Per type and kind of list, the page that lists each entity, or the list that belongs to it."""
    other_pages: dict[str, dict[str, Integers]]
    """Per type and kind of page, the page about each entity; articles that references link to are left out."""
    more: Integers
    """An array (N_MORE, pages): pages of the same site, to which a page points its reader."""
    runs: dict[End, RowRuns]
    """For each relation and each of its ends (`source`, `target`), the rows that each entity has there."""

    overrides: PageOverrides = NO_OVERRIDES
    """Where pages say something else than the tables."""
    phrases: Mapping[Language, Phrases] = field(default_factory=dict)
    """The phrasebooks, by language."""
    asides: Mapping[str, Mapping[str, Integers]] = field(default_factory=dict)
    """By type, the columns that pages about other entities may state, and since when each cell can be stated."""
    relative: Mapping[str, Mapping[str, RelativeColumn]] = field(default_factory=dict)
    """By type and column, the facts that pages state relative to others."""
    turns: Mapping[str, Mapping[str, npt.NDArray[np.int8]]] = field(default_factory=dict)
    """By type and column that tables may state, which label pages about each entity call it by."""
    row_known: Mapping[str, Mapping[str, Integers]] = field(default_factory=dict)
    """By relation and column, since when each cell can be stated, where rows have pages of their own."""
    row_asides: Mapping[str, Mapping[str, Integers]] = field(default_factory=dict)
    """The same for pages about other rows, which leave alone what any page is to get wrong."""
    totals: Mapping[int, int] = field(default_factory=dict)
    """By the code of a column of counts, the code under which totals of it are marked."""
    days: Mapping[str, Integers] = field(default_factory=dict)
    """By kind, the day of publication of each page (days from 1970-01-01)."""

    def __len__(self) -> int:
        return len(self.urls)

    @cached_property
    def ids(self) -> pa.Array:
        """The id of each page."""
        return page_ids(np.arange(len(self)))

    @cached_property
    def url_list(self) -> list[str]:
        """The address of each page."""
        urls: list[str] = self.urls.to_pylist()
        return urls

    @cached_property
    def link_address(self) -> LinkAddresses:
        """Gives links between pages their addresses."""
        return LinkAddresses(self.spec, self.urls, self.redirects)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what each process can make for itself."""
        return {name: value for name, value in vars(self).items() if name not in ("ids", "url_list", "link_address")}


def outline_pages(
    spec: WorldSpec, written: RenderedTables, alias_use: AliasUse, code_from: Path | None = None
) -> Outline:
    """Decide which pages there are, by keyed chance where the spec gives a share, and where each stands."""
    forms = {key: page_form(kind, code_from) for key, kind in spec.pages.items()}
    for key, kind in spec.pages.items():
        takes = {*_hints(kind.generator, code_from).values()}
        with errors_at(spec, ("pages", key)):
            check_form(key, kind, takes)
            check_rows(key, kind, takes)
            check_parts(key, kind, forms[key][0], takes, listing=forms[key][1])
    written, page_languages = in_page_languages(spec, written, code_from)
    named = {name: by_name(written, name) for name in _listed_by_name(spec, forms)}
    slugs_of = {name: entity_slugs(spec, written, name) for name in spec.types}
    runs = runs_of(spec, written)
    kinds = _outline_kinds(spec, written, page_languages, forms, runs, named)
    own = {one.key: one for one in kinds}
    addresses = [addresses_of(outlined, own, written, slugs_of) for outlined in kinds]
    own_marks = _chained([page_marks(outlined) for outlined in kinds])
    page_urls = without_repeats(_chained([url for url, _ in addresses]), own_marks)
    for outlined, (given, _) in zip(kinds, addresses, strict=True):
        _check_addresses(spec, outlined, given, page_urls)
    hosts = _chained([host for _, host in addresses])
    articles = {name: article_pages(name, written.tables[name].n_rows, kinds) for name in spec.types}
    alias_use = alias_use.only_for({name: _introduced(name, kinds) for name in spec.types})
    headings = _chained([_headings(outlined, written, alias_use) for outlined in kinds])
    return Outline(
        spec=spec,
        written=written,
        alias_use=alias_use,
        code_from=code_from,
        kinds=kinds,
        urls=page_urls,
        hosts=hosts,
        redirects=redirects_of(spec, page_urls, hosts),
        headings=headings,
        articles=articles,
        neighbours={name: neighbours(spec, written, name, articles[name]) for name in spec.types},
        listed={name: pages_that_list(name, written.tables[name].n_rows, kinds) for name in spec.types},
        other_pages={name: other_pages(name, articles[name], kinds) for name in spec.types},
        more=next_pages(spec, written, kinds),
        runs=runs,
    )


def _check_addresses(spec: WorldSpec, outlined: KindOutline, given: pa.Array, page_urls: pa.Array) -> None:
    """Raise InputError where a page cannot stand at the address that its entity's table gives, as another does."""
    here = page_urls.slice(outlined.first, len(outlined))
    if outlined.kind.address is not None and not here.equals(given):
        taken = given.filter(pc.not_equal(here, given))[0].as_py()
        with errors_at(spec, ("pages", outlined.key)):
            raise InputError(f"another page stands at {taken}", "give the column's generator a `zone` of its own")


def page_form(kind: PageKind, code_from: Path | None) -> tuple[Layout, bool]:
    """Read off a page generator how its pages stand on the web, and whether they are lists. Raises InputError.

    Pages that the spec puts on a site stand there, and on no host of their own.
    """
    hints = _hints(kind.generator, code_from)
    notes = getattr(hints.get("return"), "__metadata__", ())
    layout = next((note for note in notes if isinstance(note, Layout)), Layout())
    if kind.site is not None:
        layout = replace(layout, own_host=False)
    return layout, Listing in hints.values()


def _hints(generator: str, code_from: Path | None) -> dict[str, Any]:
    return typing.get_type_hints(load(generator, code_from), include_extras=True)


def _outline_kinds(
    spec: WorldSpec,
    written: RenderedTables,
    page_languages: Mapping[Language, PageLanguage],
    forms: Mapping[str, tuple[Layout, bool]],
    runs: Mapping[End, RowRuns],
    named: Mapping[str, Integers],
) -> tuple[KindOutline, ...]:
    """Outline the pages of every kind, in the order of the spec; `named` are types' rows as `by_name` has them."""
    layouts = {key: layout for key, (layout, _) in forms.items()}
    sites, homes = sites_of(spec, layouts), fact_homes(spec, layouts, written)
    unplaced: dict[str, KindOutline] = {}

    def outlined(key: str) -> KindOutline:
        original = unplaced.get(spec.pages[key].copies or spec.pages[key].archives or "")
        page_language = page_languages[spec.pages[key].language or spec.languages[0]]
        with errors_at(spec, ("pages", key)):
            lists = _lists_of(spec, key, forms[key], written, named, homes)
            whole = _outline_kind(spec, key, forms, sites[key], original, written, page_language, lists)
            return _in_parts(spec, replace(whole, homes=homes), runs)

    def turn(key: str) -> int:
        """Put originals before their copies, and maps after what they link to."""
        return 2 if layouts[key].site_map else int((spec.pages[key].copies or spec.pages[key].archives) is not None)

    for key in sorted(forms, key=turn):
        unplaced[key] = outlined(key)
        if layouts[key].site_map:
            site_map = site_map_pages(sites[key].host, [unplaced[one] for one in forms if one in unplaced], written)
            unplaced[key] = replace(unplaced[key], about=np.zeros(len(site_map), np.int64), site_map=site_map)
    firsts = np.cumsum([0, *(len(unplaced[key]) for key in forms)]).tolist()
    return tuple(replace(unplaced[key], first=first) for key, first in zip(forms, firsts[:-1], strict=True))


def _listed_by_name(spec: WorldSpec, forms: Mapping[str, tuple[Layout, bool]]) -> list[str]:
    """Return the types whose entities stand in lists by their names."""
    listed = {spec.pages[key].about for key, (layout, listing) in forms.items() if listing and not layout.shared}
    return [name for name in spec.types if name in listed]


def _outline_kind(
    spec: WorldSpec,
    key: str,
    forms: Mapping[str, tuple[Layout, bool]],
    site: SiteAddress,
    original: KindOutline | None,
    written: RenderedTables,
    page_language: PageLanguage,
    lists: Lists | None,
) -> KindOutline:
    kind, (layout, listing) = spec.pages[key], forms[key]
    stream = Stream(spec.seed).child("pages", key)
    if page_language.language not in layout.languages:
        hint = f"it writes {' and '.join(f'`{language}`' for language in layout.languages)}"
        raise InputError(f"`{kind.generator}`, of `{key}`, does not write `{page_language.language}`", hint)
    if kind.unless is not None and (listing or forms[kind.unless][1]):
        raise InputError(f"`unless` of `{key}` is about lists", "it goes with kinds that have a page an entity")
    if original is not None and kind.archives is not None:
        return _archived(key, kind, layout, site, stream, original)
    if original is not None:
        copied = copied_pages(kind, stream, original.numbers)
        as_first_worded = kind.model_copy(update={"prose": "templates"})
        about = original.about[copied.pages]
        return KindOutline(key, as_first_worded, layout, site, stream, 0, about, None, page_language, copied)
    if lists is not None:
        return KindOutline(key, kind, layout, site, stream, 0, lists.groups, lists, page_language)
    if kind.rows is not None:
        rows, about = rows_with_pages(spec, key, written)
        return KindOutline(key, kind, layout, site, stream, 0, about, None, page_language, rows=rows)
    rows = _shared(spec, key, written)
    if kind.unless is not None:
        rows = np.setdiff1d(rows, _shared(spec, kind.unless, written))
    return KindOutline(key, kind, layout, site, stream, 0, rows, None, page_language)


def _archived(
    key: str, kind: PageKind, layout: Layout, site: SiteAddress, stream: Stream, original: KindOutline
) -> KindOutline:
    """Outline the archived copies of a kind's pages; they draw what the originals do. Raises InputError for lists."""
    if original.lists is not None or original.site_map is not None:
        raise InputError(f"`archives: {original.key}` are lists", "archived copies are of pages about entities")
    heads = np.arange(original.n_heads)
    pages = heads[stream.child("share").uniform(original.about[heads]) < kind.share]
    changes = {"generator": kind.generator, "site": kind.site, "part_rows": None, "prose": "templates", "unless": None}
    stands = replace(original.layout, path=layout.path, max_age=layout.max_age, own_host=False, article=False)
    return KindOutline(
        key=key,
        kind=original.kind.model_copy(update=changes),
        layout=replace(stands, introduces=False),
        site=site,
        stream=original.stream,
        first=0,
        about=original.about[pages],
        lists=None,
        page_language=original.page_language,
        archived=ArchivedPages(original.key, original.site.title, pages),
    )


def _lists_of(
    spec: WorldSpec,
    key: str,
    form: tuple[Layout, bool],
    written: RenderedTables,
    named: Mapping[str, Integers],
    homes: FactHomes,
) -> Lists | None:
    """Return the lists of a kind of page; None where it has none."""
    kind, stream, (layout, listing) = spec.pages[key], Stream(spec.seed).child("pages", key), form
    if not listing:
        return None
    if layout.shared:
        return list_namesakes(kind, stream, spec, written)
    if layout.lists_by:
        return list_by_columns(kind, layout.lists_by, homes.lists[key], written, named[kind.about])
    return list_entities(kind, stream, spec, written, named[kind.about], long=layout.long)


def _in_parts(spec: WorldSpec, whole: KindOutline, runs: Mapping[End, RowRuns]) -> KindOutline:
    """Add to the pages of a kind those on which their tables go on, where they are cut into parts."""
    if whole.kind.part_rows is None:
        return whole
    parts = cut_in_parts(spec, whole.kind, whole.stream, whole.about, runs)
    return replace(whole, about=whole.about[parts.head], parts=parts)


def _shared(spec: WorldSpec, key: str, written: RenderedTables) -> Integers:
    """Return the entities that have a page of a kind by its `share`, or by their address."""
    kind = spec.pages[key]
    rows = np.arange(written.tables[kind.about].n_rows)
    if kind.address is not None:
        given = written.values(written.tables[kind.about].columns[kind.address].code, rows)
        rows = rows[given.is_valid().to_numpy(zero_copy_only=False)]
    if kind.share < 1:
        rows = rows[Stream(spec.seed).child("pages", key, "share").uniform(rows) < kind.share]
    return rows


def _headings(outlined: KindOutline, written: RenderedTables, alias_use: AliasUse) -> pa.Array:
    lists = outlined.lists
    if lists is None:
        return pa.nulls(len(outlined), pa.string())
    if lists.columns:
        return pa.array([heading_template(outlined, key) for key in lists.columns], pa.string()).take(lists.groups)
    template = heading_template(outlined)
    if lists.group_type is None:
        return pa.repeat(template, len(outlined))
    code = written.tables[lists.group_type].columns["name"].code
    chosen = titled_by(alias_use, outlined, lists.group_type, outlined.about, "grouped")
    groups = written.values(alias_use.codes(code, chosen), outlined.about)
    before, _, after = template.partition("{group}")
    return pc.binary_join_element_wise(before, groups, after, "")


def titled_by(alias_use: AliasUse, pages: KindOutline, type_name: str, rows: Integers, place: str) -> Integers:
    """Draw where in a place of pages' titles and lists entities are called by an alias: see `alias_use`."""
    if pages.layout.shared:
        return np.zeros(len(rows), np.int64)
    return alias_use.titled(pages.stream.child(place), type_name, rows, pages.page_language.language)


def heading_template(outlined: KindOutline, by: str = "") -> str:
    """Return what a kind's lists are called, with `{group}` where the group's name stands; `by` is their column."""
    page_language, about = outlined.page_language, outlined.kind.about
    plural = plural_of(page_language.spec, about)
    group_type = outlined.lists.group_type if outlined.lists is not None else None
    if not outlined.layout.lists_by:
        return page_language.heading(outlined.layout.heading, plural, group_type)
    form = outlined.layout.heading if by else "All {plural}"
    column = page_language.columns[about][by].label if by else ""
    return page_language.heading(form, plural, group_type).replace("{column}", column)


def _introduced(type_name: str, kinds: Sequence[KindOutline]) -> Integers:
    """Return the rows of the entities whose aliases some page says."""
    rows = [one.about for one in kinds if one.layout.introduces and one.kind.about == type_name and one.lists is None]
    return np.unique(np.concatenate([np.empty(0, np.int64), *rows]))


def _chained(columns: list[pa.Array]) -> pa.Array:
    return pa.concat_arrays([pa.array([], pa.string()), *columns])
