"""Return the character and the authority of the site that a kind of page stands on."""

from __future__ import annotations

from collections.abc import Mapping

from worldforge.core.imports import is_own
from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import Character, PageKind, Site

AUTHORITY: Mapping[Character, float] = {
    "official": 6.0,
    "data": 5.0,
    "encyclopedia": 4.0,
    "trade": 3.0,
    "news": 2.5,
    "shop": 2.0,
    "fan": 1.0,
    "forum": 0.5,
}
"""How much the word of a site counts that gives no `authority`, from 0 to 10, by its character."""

_BY_GENERATOR: Mapping[str, Character] = {
    "pages.encyclopedia": "encyclopedia",
    "pages.official": "official",
    "pages.news": "news",
    "pages.forum": "forum",
    "pages.trade": "trade",
    "pages.fan": "fan",
    "pages.shop": "shop",
    "pages.wiki": "encyclopedia",
    "pages.memo": "news",
    "pages.ticket": "forum",
    "pages.archived": "forum",
}
_OTHERS: Character = "data"  # lists and tables
_OWN: Character = "news"  # what a spec's own generators write: it counts less than the encyclopedia's word


def site_of(spec: WorldSpec, key: str) -> Site:
    """Return the site that a kind of page stands on; where it has one of its own, what holds for any site."""
    named = spec.pages[key].site
    return spec.sites[named] if named is not None else Site()


def character_of(spec: WorldSpec, key: str) -> Character:
    """Return the character of the site that the kind `key` stands on: the site's own, or that of its first pages."""
    kind = spec.pages[key]
    given = site_of(spec, key).character
    if given is not None:
        return given
    return _character(next(one for one in spec.pages.values() if one.site == kind.site) if kind.site else kind)


def authority_of(spec: WorldSpec, key: str) -> float:
    """Return how much the word of the kind's pages counts, from 0 to 10: the site's own, or by its character."""
    given = site_of(spec, key).authority
    return given if given is not None else AUTHORITY[character_of(spec, key)]


def has_conflicting_pages(spec: WorldSpec) -> bool:
    """Return whether pages of the world may be outdated or mistaken."""
    return any(kind.archives for kind in spec.pages.values()) or any(
        site.outdated or site.mistaken for site in (site_of(spec, key) for key in spec.pages)
    )


def _character(kind: PageKind) -> Character:
    return _BY_GENERATOR.get(kind.generator, _OWN if is_own(kind.generator) else _OTHERS)
