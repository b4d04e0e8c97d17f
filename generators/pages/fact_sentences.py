"""How a page says one fact in a sentence.

A spec's own sentences for a column go first; otherwise `wordings` has some for each sort of statement, by language.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from generators.pages.wordings import Wordings, wordings
from worldforge.core.english import be, is_plural, singular, with_article
from worldforge.world.page_inputs import Fact, PageAttribute, Subject
from worldforge.world.page_writer import Page

Sort = Literal["count", "amount", "year", "date", "event", "event_date", "preposition", "text", "name", "boolean"]
_EVENT = re.compile(r"(ed|built|held|born|begun|made|won|sold|laid|lost|met|set up|written|known)$")
_PREPOSITIONS = ("since", "from", "until", "after", "before")
_TIMES = ("year ", "date ", "day ")  # `year first given` is a noun, and says not what was done
_NUMBER_OF = "number of "


def tell(page: Page, subject: Subject, fact: Fact, bank: Wordings | None = None) -> None:
    """Say a fact in a sentence, its wording drawn from the column's own or from `bank`.

    By default that is the plain one of the page's language. A subject is called by its name, or by what it is: `the
    football club`.
    """
    attribute, value = fact
    words = wordings(page.language)
    sort = sort_of(attribute)
    one = sort == "count" and not attribute.sentences and value.text == "1"
    templates = attribute.sentences or getattr(bank or words.sentences.plain, sort)
    if words.space:
        forms = _in_english(templates, subject.label, attribute.label, one)
        page.say(page.draws.pick(forms), subject=subject.called.text, value=value)
    else:
        forms = _in_chinese(templates, subject.label, attribute.label)
        page.say(page.draws.pick(forms), subject=subject.name.text, value=value)


@lru_cache(maxsize=4096)
def sort_of(attribute: PageAttribute) -> Sort:
    """Return the category of sentence templates for a column, chosen by its value kind and its label."""
    match attribute.kind:
        case "integer" | "number":
            counted = attribute.label.startswith(_NUMBER_OF) or (is_plural(attribute.label) and not attribute.unit)
            return "count" if counted and attribute.kind == "integer" else "amount"
        case "year" | "date":
            if attribute.label.startswith(_PREPOSITIONS):
                return "preposition"
            if _EVENT.search(attribute.label) and not attribute.label.startswith(_TIMES):
                return "event" if attribute.kind == "year" else "event_date"
            return attribute.kind
        case "boolean":
            return "boolean"
        case _:
            return "name" if attribute.refers else "text"


@lru_cache(maxsize=4096)
def _in_english(templates: tuple[str, ...], kind: str, label: str, one: bool) -> tuple[str, ...]:
    """Put a column's label into templates, with the words that depend on it; `one` has it in the singular."""
    label = label.removeprefix(_NUMBER_OF)
    label = singular(label) if one else label
    words = {"{kind}": kind, "{label}": label, "{a_label}": with_article(label), "{be}": be(label)}
    forms = []
    for template in templates:
        forms.append(template)
        if "{subject}" in template:
            called = f"The {kind}" if template.startswith("{subject}") else f"the {kind}"
            forms.append(template.replace("{subject}", called, 1))
    return tuple(_filled(form, words) for form in forms)


@lru_cache(maxsize=4096)
def _in_chinese(templates: tuple[str, ...], kind: str, label: str) -> tuple[str, ...]:
    """Put a column's label into templates; each that names its subject stands once more with 该足球俱乐部 instead."""
    forms = []
    for template in templates:
        forms.append(template)
        if "{subject}" in template:
            forms.append(template.replace("{subject}", f"该{kind}", 1))
    return tuple(_filled(form, {"{kind}": kind, "{label}": label}) for form in forms)


def _filled(template: str, words: dict[str, str]) -> str:
    for slot, word in words.items():
        template = template.replace(slot, word)
    return template
