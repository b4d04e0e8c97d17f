"""Where pages stand: the sites of a world, their fictional hosts, and the URL of every page.

Every host lies below `.example`, a name that no one can own (RFC 2606).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.page_languages import site_title
from worldforge.builders.pages.slugs import host_stems, latin, marks
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.web_section import PageKind
from worldforge.world.page_inputs import Layout

_SLOT = re.compile(r"\{[a-z_]+\}")
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
