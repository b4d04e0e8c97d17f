"""Moves a spec's web into an organisation: its pages become a wiki's, memos, tickets and spreadsheets on its own hosts.

intranet(spec, "Velmar Trust")          club_article: pages.wiki on wiki.velmar-trust.example
"""

from __future__ import annotations

import inspect
import re
import unicodedata
from pathlib import Path

from worldforge.core.imports import load
from worldforge.schema.spec import WorldSpec
from worldforge.schema.translations import is_in
from worldforge.schema.web_section import PageKind, Site

_BECOMES = {
    "pages.encyclopedia": "pages.wiki",
    "pages.official": "pages.wiki",
    "pages.news": "pages.memo",
    "pages.forum": "pages.ticket",
    "pages.statistics": "pages.sheet",
}
_PLACES = {"pages.memo": "board", "pages.ticket": "tracker", "pages.sheet": "files"}
"""The part of the intranet that a sort of page stands in; all others stand in the wiki."""
_CHINESE = {"wiki": "维基", "board": "公告板", "tracker": "工单系统", "files": "文件库"}


def intranet(spec: WorldSpec, organisation: str, code_from: Path | None = None) -> WorldSpec:
    """Return `spec` with all its pages on the intranet of `organisation`.

    Sites keep what the spec says of them, but for title and host: the first of a sort is called `wiki`, another of that
    sort `almanac-wiki`, after what it was called.
    """
    domain = _slug(organisation) or "intranet"
    pages: dict[str, PageKind] = {}
    parts: dict[str, str] = {}
    for key, kind in spec.pages.items():
        generator = _BECOMES.get(kind.generator, kind.generator)
        place = _PLACES.get(generator, "wiki")
        site = kind.site or f"intranet_{place}"
        if site not in parts:
            parts[site] = place if place not in parts.values() else f"{_slug(site).removesuffix(f'-{place}')}-{place}"
        pages[key] = _moved(kind, generator, site, code_from)
    sites = dict(spec.sites)
    first, *others = spec.languages
    words: dict[str, dict[str, str]] = {language: dict(spec.translations.get(language, {})) for language in others}
    for site, part in parts.items():
        titles = {"en": f"{organisation} {part.replace('-', ' ')}", "zh": _in_chinese(spec, organisation, site, part)}
        for language in others:
            words[language][titles[first]] = titles[language]
        told = {"title": titles[first], "host": f"{part}.{domain}.example"}
        sites[site] = sites.get(site, Site()).model_copy(update=told)
    translations = spec.translations | {language: texts for language, texts in words.items() if texts}
    return spec.model_copy(update={"sites": sites, "pages": pages, "translations": translations})


def _in_chinese(spec: WorldSpec, organisation: str, site: str, part: str) -> str:
    """Call a part of the intranet in Chinese; a further one of a sort after what the site is called: `年鉴维基`."""
    sort, told = _CHINESE[part.rpartition("-")[2]], spec.sites.get(site, Site()).title
    own = spec.translations.get("zh", {}).get(told, told)
    return f"{organisation}{own if part not in _CHINESE and is_in(own, 'zh') else ''}{sort}"


def _moved(kind: PageKind, generator: str, site: str, code_from: Path | None) -> PageKind:
    """Write a kind by another generator, with those of its parameters that this one takes."""
    taken = inspect.signature(load(generator, code_from)).parameters
    params = {name: value for name, value in kind.params.items() if name in taken}
    return kind.model_copy(update={"generator": generator, "site": site, "params": params})


def _slug(text: str) -> str:
    """Write a text in lower-case ASCII letters, digits and hyphens."""
    folded = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return re.sub("[^a-z0-9]+", "-", folded).strip("-")[:40].rstrip("-")
