"""Check languages and translations, and their use by pages and tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.check_structure import repeated_labels, sentence_fault
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.spec_section import Language
from worldforge.schema.translations import missing_translations, translated
from worldforge.schema.web_section import PageKind
from worldforge.schema.yaml_tree import Path

_CALLED = {"en": "English", "zh": "Chinese"}


def check_languages(draft: PartialSpec) -> Iterator[Rejection]:
    """Check the world's languages and translations, then what kinds of pages and families of tasks say of them."""
    languages = draft.spec.languages
    for language, count in Counter(languages).items():
        if count > 1:
            yield Rejection(draft.at_value(("languages",), f"`{language}` is there {count} times"))
    for language in dict.fromkeys(languages):
        yield from _check_translations(draft, language)
        yield from _check_labels(draft, language)
    for key, kind in draft.spec.pages.items():
        yield from _check_language(draft, ("pages", key, "language"), kind.language)
        if kind.prose == "model" and kind.language == "zh" and languages[0] != "zh":
            message, hint = "a model words Chinese pages where Chinese comes first", "write `languages: [zh, en]`"
            yield Rejection(draft.at_value(("pages", key, "prose"), message, hint))
        yield from _check_unless(draft, ("pages", key, "unless"), kind)
    for key, family in draft.spec.tasks.items():
        path: Path = ("tasks", key, "language")
        if family.language != "both":
            yield from _check_language(draft, path, family.language)
        elif len(languages) < 2:
            yield Rejection(draft.at_value(path, "the world has one language", "name two under `languages`"))


def _check_translations(draft: PartialSpec, language: Language) -> Iterator[Rejection]:
    missing = missing_translations(draft.spec, language)
    if missing:
        message = f"{len(missing)} texts have no {_CALLED[language]}: {'; '.join(missing)}"
        yield Rejection(draft.at_value(("languages",), message, f"write each under `translations: {{{language}: …}}`"))
    for text, said in draft.spec.translations.get(language, {}).items():
        path: Path = ("translations", language, text)
        if any(character in said for character in "|\n\r"):
            yield Rejection(draft.at_value(path, "it stands in lines and tables: no `|` and no line breaks"))
        if "{value}" in text:
            fault, hint = sentence_fault(said), "the slots are `{subject}`, `{value}` and `{unit}`"
        elif "{}" in text:
            form = said.count("{}") == 1 and not set("{}") & set(said.replace("{}", ""))
            fault, hint = "" if form else "the form must have the slot `{}` once", f"write it as `{text}` does"
        else:
            braces = set("{}") & set(said)
            fault, hint = "it holds a brace: it has no slots" if braces else "", "write plain words here"
        if fault:
            yield Rejection(draft.at_value(path, fault, hint))


def _check_labels(draft: PartialSpec, language: Language) -> Iterator[Rejection]:
    """Check that the columns of one table are called differently in a language other than the spec's own."""
    if language not in draft.spec.translations:
        return
    spec = translated(draft.spec, language)
    columns = {name: {**kind.attributes, **kind.derived} for name, kind in spec.types.items()}
    for table, own in (columns | {name: relation.columns for name, relation in spec.relations.items()}).items():
        for name, label, first in repeated_labels(own):
            message = f"`{table}` calls both `{first}` and `{name}` `{label}`"
            place: Path = ("translations", language)
            yield Rejection(draft.at_key(place, message, "readers must be able to tell them apart"))


def _check_language(draft: PartialSpec, path: Path, language: Language | None) -> Iterator[Rejection]:
    if language is not None and language not in draft.spec.languages:
        hint = f"add it to the world's `languages`, or choose {did_you_mean(language, draft.spec.languages)}"
        yield Rejection(draft.at_value(path, f"the world has no `{language}`", hint))


def _check_unless(draft: PartialSpec, path: Path, kind: PageKind) -> Iterator[Rejection]:
    if kind.unless is None:
        return
    other = draft.spec.pages.get(kind.unless)
    if other is None:
        excluded = draft.is_excluded(("pages", kind.unless))
        yield from draft.check_known(path, kind.unless, draft.spec.pages, "kind of page", excluded=excluded)
    elif other is kind or other.unless is not None:
        yield Rejection(draft.at_value(path, f"`{kind.unless}` has an `unless` of its own", "let one of them be whole"))
    elif other.about != kind.about:
        message = f"`{kind.unless}` is about `{other.about}`, this kind about `{kind.about}`"
        yield Rejection(draft.at_value(path, message, "both must be about one type"))
