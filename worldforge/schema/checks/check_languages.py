"""Check languages and translations, and their use by pages and tasks."""

from __future__ import annotations

from collections import Counter

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.check_structure import repeated_labels, sentence_fault
from worldforge.schema.checks.checker import Checker
from worldforge.schema.document import KeyPath
from worldforge.schema.spec_section import Language
from worldforge.schema.translations import missing_translations, translated
from worldforge.schema.web_section import PageKind

_CALLED = {"en": "English", "zh": "Chinese"}


def check_languages(checker: Checker) -> None:
    """Check the world's languages and translations, then what kinds of pages and families of tasks say of them."""
    languages = checker.spec.languages
    for language, count in Counter(languages).items():
        if count > 1:
            checker.reject(("languages",), f"`{language}` is there {count} times")
        _check_translations(checker, language)
        _check_labels(checker, language)
    for key, kind in checker.spec.pages.items():
        _check_language(checker, ("pages", key, "language"), kind.language)
        if kind.prose == "model" and kind.language == "zh" and languages[0] != "zh":
            message, hint = "a model words Chinese pages where Chinese comes first", "write `languages: [zh, en]`"
            checker.reject(("pages", key, "prose"), message, hint)
        _check_unless(checker, ("pages", key, "unless"), kind)
    for key, family in checker.spec.tasks.items():
        path: KeyPath = ("tasks", key, "language")
        if family.language != "both":
            _check_language(checker, path, family.language)
        elif len(languages) < 2:
            checker.reject(path, "the world has one language", "name two under `languages`")


def _check_translations(checker: Checker, language: Language) -> None:
    missing = missing_translations(checker.spec, language)
    if missing:
        message = f"{len(missing)} texts have no {_CALLED[language]}: {'; '.join(missing)}"
        checker.reject(("languages",), message, f"write each under `translations: {{{language}: …}}`")
    for text, said in checker.spec.translations.get(language, {}).items():
        path: KeyPath = ("translations", language, text)
        if any(character in said for character in "|\n\r"):
            checker.reject(path, "it stands in lines and tables: no `|` and no line breaks")
        if "{value}" in text:
            fault, hint = sentence_fault(said), "the slots are `{subject}`, `{value}` and `{unit}`"
        elif "{}" in text:
            form = said.count("{}") == 1 and not set("{}") & set(said.replace("{}", ""))
            fault, hint = "" if form else "the form must have the slot `{}` once", f"write it as `{text}` does"
        else:
            braces = set("{}") & set(said)
            fault, hint = "it holds a brace: it has no slots" if braces else "", "write plain words here"
        if fault:
            checker.reject(path, fault, hint)


def _check_labels(checker: Checker, language: Language) -> None:
    """Check that the columns of one table are called differently in a language other than the spec's own."""
    if language not in checker.spec.translations:
        return
    spec = translated(checker.spec, language)
    columns = {name: {**kind.attributes, **kind.derived} for name, kind in spec.types.items()}
    for table, own in (columns | {name: relation.columns for name, relation in spec.relations.items()}).items():
        for name, label, first in repeated_labels(own):
            message = f"`{table}` calls both `{first}` and `{name}` `{label}`"
            checker.reject(("translations", language), message, "readers must be able to tell them apart", key=True)


def _check_language(checker: Checker, path: KeyPath, language: Language | None) -> None:
    if language is not None and language not in checker.spec.languages:
        hint = f"add it to the world's `languages`, or choose {did_you_mean(language, checker.spec.languages)}"
        checker.reject(path, f"the world has no `{language}`", hint)


def _check_unless(checker: Checker, path: KeyPath, kind: PageKind) -> None:
    if kind.unless is None or not checker.is_known(path, kind.unless, "pages"):
        return
    other = checker.spec.pages[kind.unless]
    if other is kind or other.unless is not None:
        checker.reject(path, f"`{kind.unless}` has an `unless` of its own", "let one of them be whole")
    elif other.about != kind.about:
        message = f"`{kind.unless}` is about `{other.about}`, this kind about `{kind.about}`"
        checker.reject(path, message, "both must be about one type")
