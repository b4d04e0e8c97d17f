"""Check names, references, phrasings, and the languages that a spec is written in and translated to."""

from __future__ import annotations

import datetime
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.checker import Checker
from worldforge.schema.column_paths import built_in_columns, drawn_columns
from worldforge.schema.document import KeyPath
from worldforge.schema.spec import Attribute, Phrasing
from worldforge.schema.spec_section import Language
from worldforge.schema.translations import missing_translations, translated
from worldforge.schema.web_section import PageKind

_RESERVED = ("id", "name", "aliases", "source", "target")
_SLOTS = ("subject", "value", "unit")


def check_structure(checker: Checker) -> None:
    """Check names against one another, references against types, and how columns are spoken of."""
    spec = checker.spec
    try:
        datetime.date.fromisoformat(spec.as_of)
    except ValueError:
        checker.reject(("as_of",), f"`{spec.as_of}` is no day of the calendar")
    for name, kind in spec.types.items():
        path: KeyPath = ("types", name)
        _check_lines(checker, path, {"label": kind.label, "plural": kind.plural})
        for column in kind.derived:
            if column in kind.attributes:
                where = (*path, "derived", column)
                checker.reject(where, f"`{name}` has an attribute `{column}` already", "", where, key=True)
        _check_columns(checker, path, {"attributes": kind.attributes, "derived": kind.derived})
    for name, relation in spec.relations.items():
        path = ("relations", name)
        if name in spec.types:
            checker.reject(path, f"a type is called `{name}` already", "", path, key=True)
        _check_lines(checker, path, {"title": relation.title})
        for side in ("source", "target"):
            checker.is_known((*path, side), getattr(relation, side), breaks=path)
        if relation.pairs is not None and relation.pairs.within is not None and relation.source in spec.types:
            checker.check_references((*path, "pairs", "within"), relation.source, relation.pairs.within, path)
        _check_columns(checker, path, {"columns": relation.columns})
    for name, site in spec.sites.items():
        _check_lines(checker, ("sites", name), {"title": site.title})
    _check_constraints(checker)


def _check_columns(checker: Checker, path: KeyPath, parts: Mapping[str, Mapping[str, Phrasing]]) -> None:
    """Check the columns of a table: their names, what they refer to, and how they are spoken of."""
    built_in = built_in_columns(checker.spec, str(path[1]))
    columns = {(*path, part, name): one for part, listed in parts.items() for name, one in listed.items()}
    for where, phrasing in columns.items():
        name = str(where[-1])
        if name in _RESERVED:
            hint = f"reserved are {', '.join(f'`{word}`' for word in _RESERVED)}"
            checker.reject(where, f"`{name}` is a reserved name", hint, where, key=True)
        if name in built_in:
            hint = f"built in are {', '.join(f'`{word}`' for word in built_in)}: name yours otherwise"
            checker.reject(where, f"`{path[1]}` has a column `{name}` without asking", hint, where, key=True)
        if isinstance(phrasing, Attribute) and phrasing.references is not None:
            checker.is_known((*where, "references"), phrasing.references, breaks=where)
        _check_lines(checker, where, {"label": phrasing.label, "unit": phrasing.unit})
        for number, sentence in enumerate(phrasing.sentences):
            if fault := sentence_fault(sentence):
                hint = "the slots are `{subject}`, `{value}` and `{unit}`; a brace itself is written twice"
                checker.reject((*where, "sentences", number), fault, hint)
    places = {str(where[-1]): where for where in columns}
    for name, label, first in repeated_labels({name: columns[where] for name, where in places.items()}, built_in):
        message = f"the label `{label}` is that of `{first}` already"
        checker.reject((*places[name], "label"), message, "readers must be able to tell them apart")


def repeated_labels(columns: Mapping[str, Phrasing], built_in: Sequence[str] = ()) -> Iterator[tuple[str, str, str]]:
    """Yield each column whose label an earlier column of its table has: its name, the label, the earlier column."""
    taken = {name: name for name in built_in}
    for name, phrasing in columns.items():
        label = phrasing.label or name.replace("_", " ")
        if label.lower() in taken and name not in taken.values():
            yield name, label, taken[label.lower()]
        taken.setdefault(label.lower(), name)


def _check_lines(checker: Checker, path: KeyPath, texts: Mapping[str, str]) -> None:
    """Check texts that stand in the lines and tables of a page, and in wordings that have slots of their own."""
    for key, text in texts.items():
        if "{" in text or "}" in text:
            hint = "a column's `sentences` have the slots `{subject}` and `{value}`; write plain words here"
            checker.reject((*path, key), f"`{key}` holds a brace: it has no slots", hint)
        if any(character in text for character in "|\n\r"):
            checker.reject((*path, key), f"`{key}` stands in lines and tables: no `|` and no line breaks")


def sentence_fault(sentence: str) -> str:
    """Return what is wrong with a sentence that states a column; empty if nothing is."""
    try:
        fields = list(string.Formatter().parse(sentence))
    except ValueError:
        return "the sentence has a brace without its partner"
    slots = Counter(name for _, name, _, _ in fields if name is not None)
    for slot in slots:
        if slot not in _SLOTS:
            return f"the sentence has an unknown slot `{{{slot}}}`"
    if any(form or conversion for _, _, form, conversion in fields):
        return "a slot of a sentence takes no format"
    return "" if slots["value"] == 1 else "the sentence must have the slot `{value}` once"


def _check_constraints(checker: Checker) -> None:
    tables = [*checker.spec.types, *checker.spec.relations]
    for path, constraint in checker.constraints():
        table, column = constraint.on, constraint.redraw
        if table not in tables:
            if checker.hides(table):
                checker.broken.add(path)
            else:
                hint = did_you_mean(table, tables)
                checker.reject((*path, "on"), f"unknown type or relation `{table}`", hint, path)
        elif column is not None and column not in (drawn := drawn_columns(checker.spec, table)):
            if checker.hides(table, column):
                checker.broken.add(path)
            else:
                message = f"`{table}` draws no column `{column}`: it cannot be drawn again"
                checker.reject((*path, "redraw"), message, did_you_mean(column, drawn), path)


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
    for text, translation in checker.spec.translations.get(language, {}).items():
        path: KeyPath = ("translations", language, text)
        if any(character in translation for character in "|\n\r"):
            checker.reject(path, "it stands in lines and tables: no `|` and no line breaks")
        if "{value}" in text:
            fault, hint = sentence_fault(translation), "the slots are `{subject}`, `{value}` and `{unit}`"
        elif "{}" in text:
            form = translation.count("{}") == 1 and not set("{}") & set(translation.replace("{}", ""))
            fault, hint = "" if form else "the form must have the slot `{}` once", f"write it as `{text}` does"
        else:
            braces = set("{}") & set(translation)
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
