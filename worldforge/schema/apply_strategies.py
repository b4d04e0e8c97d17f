"""Apply strategies to a checked spec; the result is a plain spec that lists them under `applied`."""

from __future__ import annotations

import inspect
import re
import typing
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.imports import load
from worldforge.schema.shift_calendar import shift_calendar
from worldforge.schema.spec import EntityType, WorldSpec
from worldforge.schema.strategy_section import Grounded, LongTail, Strategies
from worldforge.schema.translations import is_in
from worldforge.schema.web_section import PageKind, Site


def apply_strategies(spec: WorldSpec, code_from: Path | None = None) -> WorldSpec:
    """Return the spec with its strategies applied. Raises InputError."""
    chosen, applied = spec.strategies, []
    if (long_tail := chosen.long_tail) is not None:
        spec = _apply_long_tail(spec, long_tail, code_from)
        applied.append(f"long_tail: {long_tail.detail:g} times as many, {long_tail.documented:g} of them documented")
    if (grounded := chosen.grounded) is not None:
        spec = _apply_grounded(spec, grounded, code_from)
        applied.append(f"grounded: {grounded.culture} names")
    if (private := chosen.private) is not None:
        organisation = private.organisation or _invent_name(spec)
        spec = _move_to_intranet(spec, organisation, code_from)
        applied.append(f"private: {organisation}")
    if (shifted := chosen.time_shifted) is not None:
        spec = shift_calendar(spec, shifted.years, code_from)
        applied.append(f"time_shifted: {shifted.years} years")
    if chosen.mirror is not None:
        spec = spec.model_copy(update={"naming": chosen.mirror})
        applied.append(f"mirror: {chosen.mirror}")
    changes = {"strategies": Strategies(), "applied": [*spec.applied, *applied]}
    return spec.model_copy(update=changes) if applied else spec


def _apply_long_tail(spec: WorldSpec, how: LongTail, code_from: Path | None) -> WorldSpec:
    """Multiply scaled counts, and lower the share of entities that have pages of their own."""
    types, pages = dict(spec.types), dict(spec.pages)
    for name, one in types.items():
        if one.scaled:
            types[name] = one.model_copy(update={"count": max(1, round(one.count * how.detail))})
    for key, kind in pages.items():
        hints = typing.get_type_hints(load(kind.generator, code_from)).values()
        if not any(getattr(hint, "__name__", "") == "Listing" for hint in hints):
            share = how.documented if kind.address is None else 1.0  # those without an address have no such page
            pages[key] = kind.model_copy(update={"share": kind.share * share})
        if kind.address is not None:
            types[kind.about] = _with_fewer(types[kind.about], kind.address, how.documented)
    return spec.model_copy(update={"types": types, "pages": pages})


def _with_fewer(kind: EntityType, column: str, share: float) -> EntityType:
    """Leave a share of the values of a column that are there."""
    one = kind.attributes[column]
    changed = one.model_copy(update={"missing": 1 - (1 - one.missing) * share})
    return kind.model_copy(update={"attributes": {**kind.attributes, column: changed}})


def _invent_name(spec: WorldSpec) -> str:
    culture = {"culture": "chinese"} if spec.languages[0] == "zh" else {}
    names = load("names.organisation")(Stream(spec.seed).child("strategies", "private"), np.arange(1), **culture)
    return str(names[0].as_py())


def _apply_grounded(spec: WorldSpec, how: Grounded, code_from: Path | None) -> WorldSpec:
    """Use names of a real culture, and other words for units."""
    found: set[str] = set()

    def reworded(text: str) -> str:
        for word, instead in how.units.items():
            parts = re.split(rf"\b{re.escape(word)}\b", text)
            text = instead.join(parts)
            found.update([word] if len(parts) > 1 else [])
        return text

    def grounded(part: Any, key: str = "") -> Any:
        if isinstance(part, dict):
            generator = str(part.get("generator") or "")
            part = {name: item if name == "params" else grounded(item, name) for name, item in part.items()}
            if generator.startswith("names.") and "culture" in inspect.signature(load(generator, code_from)).parameters:
                part["params"] = {**part["params"], "culture": how.culture}
            return part
        if key == "sentences":
            return [reworded(sentence) for sentence in part]
        return reworded(part) if key in ("label", "unit") and isinstance(part, str) else part

    data = spec.model_dump()
    data |= {part: grounded(data[part]) for part in ("types", "relations")}
    if spec.web.currencies:
        data["web"]["currencies"] = {reworded(word): rate for word, rate in spec.web.currencies.items()}
    lost = [word for word in how.units if word not in found]
    if lost:
        message = f"strategies.grounded.units: no unit, label or sentence has the word `{lost[0]}`"
        raise InputError(message, "name words as the spec's `unit` has them: `crowns`")
    return WorldSpec.model_validate(data)


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


def _move_to_intranet(spec: WorldSpec, organisation: str, code_from: Path | None) -> WorldSpec:
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
        taken = inspect.signature(load(generator, code_from)).parameters
        params = {name: value for name, value in kind.params.items() if name in taken}
        changes = {"generator": generator, "site": site, "params": params, "address": None}
        pages[key] = kind.model_copy(update=changes)
    sites = dict(spec.sites)
    first, *others = spec.languages
    words: dict[str, dict[str, str]] = {language: dict(spec.translations.get(language, {})) for language in others}
    for site, part in parts.items():
        titles = {"en": f"{organisation} {part.replace('-', ' ')}", "zh": _in_chinese(spec, organisation, site, part)}
        for language in others:
            words[language][titles[first]] = titles[language]
        changes = {"title": titles[first], "host": f"{part}.{domain}.example"}
        sites[site] = sites.get(site, Site()).model_copy(update=changes)
    translations = spec.translations | {language: texts for language, texts in words.items() if texts}
    return spec.model_copy(update={"sites": sites, "pages": pages, "translations": translations})


def _in_chinese(spec: WorldSpec, organisation: str, site: str, part: str) -> str:
    """Return the Chinese name of a part of the intranet: `年鉴维基`."""
    sort, title = _CHINESE[part.rpartition("-")[2]], spec.sites.get(site, Site()).title
    own = spec.translations.get("zh", {}).get(title, title)
    return f"{organisation}{own if part not in _CHINESE and is_in(own, 'zh') else ''}{sort}"


def _slug(text: str) -> str:
    """Write a text in lower-case ASCII letters, digits and hyphens."""
    folded = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return re.sub("[^a-z0-9]+", "-", folded).strip("-")[:40].rstrip("-")
