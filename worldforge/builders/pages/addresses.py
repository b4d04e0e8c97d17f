"""Where pages stand: the sites of a world, their fictional hosts, and the URL of every page.

Every host lies below `.example`, a name that no one can own (RFC 2606).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_lowercase, digits

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.languages import site_title
from worldforge.core.utf8 import bytes_of
from worldforge.schema.section import Language
from worldforge.schema.spec import WorldSpec
from worldforge.schema.web import PageKind
from worldforge.world.draft import Layout
from worldforge.world.passages import Passages, concat, fill, plain, slots_of

_LONGEST_STEM = 40  # characters; a part of a host name may have 63
_SMALL_WORDS = re.compile(r"\b(the|of|and|a|an|in|its|their)\b", re.IGNORECASE)
_FOLDED = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "đ": "d", "ł": "l", "ı": "i"}
"""Letters that Unicode's compatibility decomposition leaves whole, in ASCII."""
_OTHER = np.array([chr(byte) not in ascii_lowercase + digits for byte in range(256)])
"""For each byte, whether an address has a hyphen in its place."""


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


def slugs(names: pa.Array, otherwise: pa.Array) -> pa.Array:
    """Write names in lower-case ASCII letters, digits and hyphens.

    `otherwise` gives what stands for those that have none, and for Chinese ones: of 鹭湾2017年展 a number is left.
    """
    text = pc.utf8_lower(names)
    if not pc.all(pc.string_is_ascii(text), min_count=0).as_py():
        text = pc.replace_substring_regex(text, r"(?s)^.*\p{Han}.*$", "")
        for letter, plain_letters in _FOLDED.items():
            text = pc.replace_substring(text, letter, plain_letters)
        text = pc.utf8_normalize(text, "NFKD")
        text = pc.replace_substring_regex(text, r"\p{Mn}+", "")
    text = pc.utf8_trim(_hyphenated(text), "-")
    empty = pc.equal(text, "")
    return pc.if_else(empty, _slugged_ids(otherwise), text) if pc.any(empty).as_py() else text


def _hyphenated(text: pa.Array) -> pa.Array:
    """Put a hyphen in the place of whatever is no letter and no digit of ASCII: one for all that stand side by side."""
    bounds, content = bytes_of(text)
    other = _OTHER[content]
    if text.null_count or (other[1:] & other[:-1]).any():
        return pc.replace_substring_regex(text, "[^a-z0-9]+", "-")
    written = np.where(other, np.uint8(ord("-")), content)
    return pa.StringArray.from_buffers(len(text), pa.py_buffer(bounds.astype(np.int32)), pa.py_buffer(written))


def hosts_of_their_own(own: pa.Array) -> pa.Array:
    """Give each slug a host: `www.velmar-rovers.example`."""
    stems = pc.utf8_rtrim(pc.utf8_slice_codeunits(own, 0, _LONGEST_STEM), "-")
    return pc.binary_join_element_wise(pa.scalar("www."), stems, pa.scalar(".example"), "")


def urls(key: str, layout: Layout, hosts: pa.Array, own: pa.Array, number: pa.Array | None) -> pa.Array:
    """Write the URLs of a kind's pages, from their hosts, slugs, and the page's number where it is one of several."""
    path: list[str | Passages] = ["/"]
    if not layout.own_host:
        path = slots_of(layout.path, {"kind": key.replace("_", "-"), "name": plain(own)})
    parts: list[str | Passages] = ["https://", plain(hosts), *path]
    if number is not None:
        written = fill("{number}" if layout.own_host else "/{number}", number=plain(number.cast(pa.string())))
        parts.append(written.keep(pc.greater(number, 1).to_numpy(zero_copy_only=False)))
    return concat(*parts).text


def without_repeats(addresses: pa.Array) -> pa.Array:
    """Put `~` and the page's number after every URL that an earlier page has too. No URL holds a `~` before."""
    encoded = addresses.dictionary_encode()
    if len(encoded.dictionary) == len(addresses):
        return addresses
    _, first = np.unique(encoded.indices.to_numpy(), return_index=True)
    repeated = np.ones(len(addresses), np.bool_)
    repeated[first] = False
    numbers = pa.array(np.arange(len(addresses))).cast(pa.string())
    return pc.if_else(pa.array(repeated), pc.binary_join_element_wise(addresses, numbers, "~"), addresses)


def _site_name(spec: WorldSpec, key: str, layout: Layout) -> str:
    kind = spec.pages[key]
    if kind.site is not None:
        return kind.site
    return f" {layout.site} {kind.language or spec.languages[0]}"  # a space: no site of the spec is called so


def _site(spec: WorldSpec, kind: PageKind, title: str, taken: set[str]) -> SiteAddress:
    given = spec.sites[kind.site] if kind.site is not None else None
    if given and given.host:
        return SiteAddress(title, given.host)
    words = _SMALL_WORDS.sub(" ", title)
    stem = slugs(pa.array([words]), pa.array([spec.name]))[0].as_py()[:_LONGEST_STEM].rstrip("-")
    host, count = f"www.{stem}.example", 1
    while host in taken:
        count += 1
        host = f"www.{stem}-{count}.example"
    return SiteAddress(title, host)


def _slugged_ids(ids: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(ids, "[^a-z0-9]+", "-")
