"""How a question says by what rule its answer settles what pages disagree on."""

from __future__ import annotations

from pathlib import Path

from worldforge.builders.pages.addresses import site_names
from worldforge.builders.pages.outline import page_form
from worldforge.core.imports import load
from worldforge.schema.characters import authority_of
from worldforge.schema.spec import WorldSpec

_WORDINGS = {"en": "questions.settled", "zh": "questions.settled_in_chinese"}


def settling_sentence(spec: WorldSpec, code_from: Path | None) -> str:
    """Return what every question says of pages that disagree, as it follows others; nothing where there is no rule."""
    rule = spec.web.settled_by
    if rule is None:
        return ""
    language = spec.languages[0]
    sentence: str = load(_WORDINGS[language])(rule, _sites(spec, code_from) if rule == "authority" else ())
    return sentence if language == "zh" else f" {sentence}"


def _sites(spec: WorldSpec, code_from: Path | None) -> list[list[str]]:
    """Name the sites whose word counts alike, those with most authority first."""
    layouts = {key: page_form(kind.generator, code_from)[0] for key, kind in spec.pages.items()}
    names = site_names(spec, layouts)
    levels: dict[float, dict[str, None]] = {}
    for key in spec.pages:
        levels.setdefault(authority_of(spec, key), {})[names[key]] = None
    return [list(levels[authority]) for authority in sorted(levels, reverse=True)]
