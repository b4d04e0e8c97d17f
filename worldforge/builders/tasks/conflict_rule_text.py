"""The sentence of a question that says how conflicts between pages are settled."""

from __future__ import annotations

from pathlib import Path

from worldforge.builders.pages.outline import page_form
from worldforge.builders.pages.page_urls import site_names
from worldforge.core.imports import load
from worldforge.schema.site_authority import authority_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language

_WORDINGS = {"en": "questions.settled", "zh": "questions.settled_in_chinese"}


def settling_sentence(spec: WorldSpec, code_from: Path | None, language: Language | None = None) -> str:
    """Return the sentence on conflicts between pages that every question of a language ends with.

    Nothing where there is no rule. The default is the first of the world's languages.
    """
    rule = spec.web.settled_by
    if rule is None:
        return ""
    language = language or spec.languages[0]
    sites = _sites(spec, code_from, language) if rule == "authority" else ()
    sentence: str = load(_WORDINGS[language])(rule, sites)
    return sentence if language == "zh" else f" {sentence}"


def _sites(spec: WorldSpec, code_from: Path | None, language: Language) -> list[list[str]]:
    """Name the sites by authority, the highest first; sites of equal authority together."""
    layouts = {key: page_form(kind, code_from)[0] for key, kind in spec.pages.items()}
    names = site_names(spec, layouts, language)
    levels: dict[float, dict[str, None]] = {}
    for key in spec.pages:
        levels.setdefault(authority_of(spec, key), {})[names[key]] = None
    return [list(levels[authority]) for authority in sorted(levels, reverse=True)]
