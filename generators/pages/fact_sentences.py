"""How a page says one fact in a sentence, where the spec has no sentences of its own for it.

The wordings for each sort of statement are in `banks`, language by language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyarrow.compute as pc

from generators.pages.banks import BANKS
from generators.pages.banks.wording_bank import Sentences, Sort
from generators.pages.layout import unmarked
from worldforge.core.chance import Stream
from worldforge.core.english import be, is_plural, singular, with_article
from worldforge.world.page_draft import PageColumn, Subjects
from worldforge.world.passages import Passages, fill_chosen

_EVENT = re.compile(r"(ed|built|held|born|begun|made|won|sold|laid|lost|met|set up|written|known)$")
_PREPOSITIONS = ("since", "from", "until", "after", "before")
_TIMES = ("year ", "date ", "day ")  # `year first given` is a noun, and says not what was done
_NUMBER_OF = "number of "


def sentence(stream: Stream, subjects: Subjects, column: PageColumn, bank: Sentences | None = None) -> Passages:
    """Say a column's value of each subject in a sentence, its wording drawn from the column's own or from `bank`
    (by default the plain one of the page's language).

    Nothing is said where the value is not. A subject is called by its name, or by what it is: `the football club`.
    A sentence begins with what parts it from the one before: in English a space.
    """
    words = BANKS[subjects.language]
    sort, wordings_of = sort_of(column), bank or words.plain
    called = _called if words.space else _called_in_chinese
    templates = [form for text in column.sentences or wordings_of[sort] for form in called(text, subjects.label)]
    choice = stream.child(column.key).integers(subjects.rows, 0, len(templates) - 1)
    if not words.space:
        wordings = [_filled(text, {"{kind}": subjects.label, "{label}": column.label}) for text in templates]
        return fill_chosen(choice, wordings, subject=unmarked(subjects.names), value=column.value)
    label = column.label.removeprefix(_NUMBER_OF)
    wordings = [_worded(template, subjects.label, label) for template in templates]
    if sort == "count" and not column.sentences:
        wordings += [_worded(template, subjects.label, singular(label)) for template in templates]
        one = pc.fill_null(pc.equal(column.bare.text, "1"), False)
        choice += len(templates) * one.to_numpy(zero_copy_only=False)
    return fill_chosen(choice, wordings, subject=unmarked(subjects.called), value=column.value)


def sort_of(column: PageColumn) -> Sort:
    """Tell what sort of statement a column's value makes, by its kind and by how its label reads."""
    match column.kind:
        case "integer" | "number":
            counted = column.label.startswith(_NUMBER_OF) or (is_plural(column.label) and not column.unit)
            return "count" if counted and column.kind == "integer" else "amount"
        case "year" | "date":
            if column.label.startswith(_PREPOSITIONS):
                return "preposition"
            if _EVENT.search(column.label) and not column.label.startswith(_TIMES):
                return "event" if column.kind == "year" else "event_date"
            return column.kind
        case "boolean":
            return "boolean"
        case _:
            return "name" if column.refers else "text"


def _called(template: str, label: str) -> list[str]:
    """Return a template as it is and, if it names its subject, with what the subject is in the name's place."""
    if "{subject}" not in template:
        return [template]
    called = f"The {label}" if template.startswith("{subject}") else f"the {label}"
    return [template, template.replace("{subject}", called, 1)]


def _worded(template: str, kind: str, label: str) -> str:
    """Put a column's label into a template, with the words that depend on it, and a space before."""
    words = {"{kind}": kind, "{label}": label, "{a_label}": with_article(label), "{be}": be(label)}
    return f" {_filled(template, words)}"


def _called_in_chinese(template: str, label: str) -> list[str]:
    """Return a template as it is and, if it names its subject, with 该足球俱乐部 in the name's place."""
    return [template, template.replace("{subject}", f"该{label}", 1)] if "{subject}" in template else [template]


def _filled(template: str, words: Mapping[str, str]) -> str:
    for slot, word in words.items():
        template = template.replace(slot, word)
    return template
