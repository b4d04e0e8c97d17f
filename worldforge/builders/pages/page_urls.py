"""Where pages stand: the sites of a world, their fictional hosts, and the URL of every page.

Every host lies below `.example`, a name that no one can own (RFC 2606).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.page_languages import site_title
from worldforge.builders.pages.rendered_values import RenderedTables
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.web_section import PageKind
from worldforge.world.page_inputs import Layout
from worldforge.world.slugs import host_stems, latin, marks, slugs

if TYPE_CHECKING:
    from worldforge.builders.pages.kind_outline import KindOutline

_SLOT = re.compile(r"\{[a-z_]+\}")
_HOST = "^https://(?P<host>[^/]+)/$"
_SMALL_WORDS = re.compile(r"\b(the|of|and|a|an|in|its|their)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SiteAddress:
    """A site that several kinds of pages may share: what it is called, and its host."""

    title: str
    host: str


def sites_of(spec: WorldSpec, layouts: dict[str, Layout]) -> dict[str, SiteAddress]:
    """Return the site of each kind of page, by the kind's key, in that kind's language.

    Invented hosts differ from one another.
    """
    sites: dict[str, SiteAddress] = {}
    taken: set[str] = set()
    for key, layout in layouts.items():
        name = _site_name(spec, key, layout)
        if name not in sites:
            kind = spec.pages[key]
            title = site_title(spec, kind.language or spec.languages[0], kind.site, layout.site)
            sites[name] = _site(spec, spec.pages[key], title, taken)
            taken.add(sites[name].host)
    return {key: sites[_site_name(spec, key, layout)] for key, layout in layouts.items()}


def site_names(spec: WorldSpec, layouts: dict[str, Layout], language: Language) -> dict[str, str]:
    """Name the site of each kind of page to a reader of a language, by the title that it bears and its host.

    Empty where each entity has a site of its own.
    """
    sites = sites_of(spec, layouts)
    form = "{}（{}）" if language == "zh" else "{} ({})"
    return {
        key: "" if layout.own_host else form.format(sites[key].title, sites[key].host)
        for key, layout in layouts.items()
    }


def hosts_of_their_own(own: pa.Array) -> pa.Array:
    """Give each slug a host: `www.velmar-rovers.example`."""
    return pc.binary_join_element_wise(pa.scalar("www."), host_stems(own), pa.scalar(".example"), "")


def urls(key: str, layout: Layout, hosts: pa.Array, own: pa.Array, after: pa.Array | None) -> pa.Array:
    """Write the URLs of a kind's pages, from their hosts and slugs; later pages of several have a mark in `after`.

    Raises InputError for a layout whose path has an unknown slot.
    """
    path = "/" if layout.own_host else layout.path.replace("{kind}", key.replace("_", "-"))
    first, *others = path.split("{name}")
    if (unknown := _SLOT.search("".join([first, *others]))) is not None:
        raise InputError(f"`{layout.path}` has an unknown slot `{unknown.group()}`", "there is {kind}, {name}")
    parts = ["https://", hosts, first, *(part for text in others for part in (own, text))]
    if after is not None:
        parts.append(pc.fill_null(pc.binary_join_element_wise("?after=", after, ""), ""))
    return pc.binary_join_element_wise(*parts, "")


def _site_name(spec: WorldSpec, key: str, layout: Layout) -> str:
    kind = spec.pages[key]
    if kind.site is not None:
        return kind.site
    return f" {layout.site} {kind.language or spec.languages[0]}"  # a space: no site of the spec is called so


def _site(spec: WorldSpec, kind: PageKind, title: str, taken: set[str]) -> SiteAddress:
    given = spec.sites[kind.site] if kind.site is not None else None
    if given and given.host:
        return SiteAddress(title, given.host)
    stream = Stream(spec.seed).child("pages", "hosts", title)
    words = _SMALL_WORDS.sub(" ", title)
    stem = host_stems(latin(pa.array([words])))[0].as_py() or marks(stream, np.arange(1))[0].as_py()
    host, count = f"www.{stem}.example", 0
    while host in taken:
        count += 1
        host = f"www.{stem}-{marks(stream, np.array([count]))[0].as_py()}.example"
    return SiteAddress(title, host)


def addresses_of(
    outlined: KindOutline, kinds: Mapping[str, KindOutline], written: RenderedTables, slugs_of: Mapping[str, pa.Array]
) -> tuple[pa.Array, pa.Array]:
    """Return the URL and the host of each page of a kind; a copy is called there what its original is."""
    if outlined.copied is None:
        own, after = _called(outlined, written, slugs_of)
    else:
        own, after = (
            None if called is None else called.take(pa.array(outlined.copied.pages))
            for called in _called(kinds[outlined.copied.of], written, slugs_of)
        )
    if outlined.kind.address is not None:
        hosts = _hosts_given(outlined, written)
    else:
        hosts = hosts_of_their_own(own) if outlined.layout.own_host else pa.repeat(outlined.site.host, len(outlined))
    return urls(outlined.key, outlined.layout, hosts, own, after), hosts


def _hosts_given(outlined: KindOutline, written: RenderedTables) -> pa.Array:
    """Return the host of each page that stands where a column of its entity says."""
    column = written.tables[outlined.kind.about].columns[str(outlined.kind.address)]
    return pc.struct_field(pc.extract_regex(written.values(column.code, outlined.about), _HOST), "host")


def _called(
    outlined: KindOutline, written: RenderedTables, slugs_of: Mapping[str, pa.Array]
) -> tuple[pa.Array, pa.Array | None]:
    """Return what pages are called in their addresses; later pages of lists and later parts have a mark as well."""
    lists = outlined.lists
    own_marks = page_marks(outlined)
    if outlined.site_map is not None:
        return own_marks, None
    if lists is None:
        parts = outlined.parts
        after = None if parts is None else _later(own_marks, parts.number)
        names = slugs_of[outlined.kind.about].take(pa.array(outlined.about))
        if outlined.rows is not None:  # one entity has several such pages
            return pc.binary_join_element_wise(names, own_marks, "-"), after
        return names, after
    after = _later(own_marks, lists.number)
    if lists.group_type is None:
        heads = np.flatnonzero(lists.number == 1)
        own_marks = own_marks.take(pa.array(heads[np.cumsum(lists.number == 1) - 1]))
        return pc.binary_join_element_wise("all", own_marks, "-"), after
    if outlined.layout.shared:
        names = written.names(lists.group_type, outlined.about)
        of_groups = marks(outlined.stream.child("address", "group"), outlined.about)
        return slugs(names, of_groups), after
    return slugs_of[lists.group_type].take(pa.array(outlined.about)), after


def page_marks(outlined: KindOutline) -> pa.Array:
    """Draw a mark for each page of a kind."""
    return marks(outlined.stream.child("address"), np.arange(len(outlined)))


def _later(own_marks: pa.Array, number: Integers) -> pa.Array:
    """Leave out the marks of first pages."""
    return pc.if_else(pa.array(number > 1), own_marks, pa.scalar(None, pa.string()))


def entity_slugs(spec: WorldSpec, written: RenderedTables, type_name: str) -> pa.Array:
    """Return what entities of a type are called in addresses, whatever kinds of page are about them."""
    rows = np.arange(written.tables[type_name].n_rows)
    return slugs(written.titles(type_name, rows), marks(Stream(spec.seed).child("pages", "slugs", type_name), rows))
