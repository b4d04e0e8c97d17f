"""Translate a spec: labels, units, sentences, titles and options.

    spoken(spec, "zh").types["club"].attributes["founded"].label            成立年份

A spec is written in one language, and says under `translations`, text by text, what its words are in others. A world is
built in the first of its `languages`: where that is not the one the spec is written in, its options and the texts in
its expressions are translated as its labels are, so that its tables are in that language too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from worldforge.core.english import plural
from worldforge.schema.column_paths import all_drawn
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language

_IDENTIFIER = re.compile(r"(\w number|号码|编号)$")  # labels
_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[a-z]{5}")  # a unit with one is a word, and no sign
_LITERAL = re.compile(r"'((?:[^']|'')*)'")
BUILT_IN: Mapping[Language, Mapping[str, str]] = {
    "en": {},
    "zh": {"from": "起", "until": "止", "position": "次序", "round": "轮次", "name": "名称"},
}
"""What needs no translation by a spec: columns that are there without asking, and a period's ends."""


def names_a_number(label: str) -> bool:
    """Say whether a label calls its numbers a name: `fleet number`, 编号."""
    return _IDENTIFIER.search(label) is not None


def label_of(spec: WorldSpec, type_name: str) -> str:
    """Return what one entity of a type is called."""
    return spec.types[type_name].label or type_name.replace("_", " ")


def plural_of(spec: WorldSpec, type_name: str) -> str:
    """Return what several entities of a type are called: by its `plural`, else the plural of its label."""
    return spec.types[type_name].plural or plural(label_of(spec, type_name))


def is_in(text: str, language: Language) -> bool:
    """Say whether a text can stand in a language: Chinese has a Chinese character in it, or no letter at all."""
    return bool(_HAN.search(text) or not _LETTER.search(text)) if language == "zh" else not _HAN.search(text)


def missing_translations(spec: WorldSpec, language: Language) -> list[str]:
    """List the texts of a spec, each once, that its pages or questions need in a language and do not have."""
    words = _words(spec, language)
    labels = (holder[key] for holder, key in _texts(spec.model_dump()))
    needed = dict.fromkeys((*labels, *spec.web.currencies, *_options(spec)))
    return [text for text in needed if text not in words and not is_in(text, language)]


def in_first_language(spec: WorldSpec) -> WorldSpec:
    """Return a spec as its world is built: in the first of its languages, throughout.

    What it says in the others is kept under `translations`, by the texts as they are now.
    """
    first = spec.languages[0]
    words = _words(spec, first)
    if first == "en" and not words:
        return spec
    built = translated(spec, first, whole=True)
    kept = {
        language: {words.get(text, text): own for text, own in spec.translations.get(language, {}).items()}
        for language in spec.languages[1:]
    }
    if "en" in kept:
        kept["en"] = {own: text for text, own in reversed(words.items()) if is_in(text, "en")} | kept["en"]
    return built.model_copy(update={"translations": {language: texts for language, texts in kept.items() if texts}})


def labels_in_language(spec: WorldSpec, language: Language) -> WorldSpec:
    """Return a spec as pages and questions of a language speak of it: labels, units, sentences, titles.

    Options and expressions stay: what tables hold is in the first of the world's languages.
    """
    return spec if language == spec.languages[0] else translated(spec, language)


def options_in(spec: WorldSpec, language: Language) -> dict[str, str]:
    """Return how the options that a world's columns hold are written in a language."""
    if language == spec.languages[0]:
        return {}
    words = _words(spec, language)
    return {option: words[option] for option in _options(spec) if option in words}


def _words(spec: WorldSpec, language: Language) -> dict[str, str]:
    return {**BUILT_IN[language], **spec.translations.get(language, {})}


def _options(spec: WorldSpec) -> Iterator[str]:
    """Go through the texts that columns choose among."""
    for _, attribute in all_drawn(spec):
        options = attribute.params.get("options", ())
        yield from (option for option in options if isinstance(option, str)) if isinstance(options, list) else ()


def _texts(data: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield where a spec's data hold the texts that every language needs, after writing defaults there."""
    tables = {**data["types"], **data["relations"]}
    for name, kind in data["types"].items():
        kind["label"] = kind["label"] or name.replace("_", " ")
        yield kind, "label"
    for name, phrasing in _phrasings(tables):
        phrasing["label"] = phrasing["label"] or name.replace("_", " ")
        yield phrasing, "label"
        if _WORD.search(phrasing["unit"]):
            yield phrasing, "unit"
    for name, titled in (*data["relations"].items(), *data["sites"].items()):
        titled["title"] = titled["title"] or name.replace("_", " ").capitalize()
        yield titled, "title"


def _phrasings(tables: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for table in tables.values():
        for part in ("attributes", "derived", "columns"):
            yield from table.get(part, {}).items()


def translated(spec: WorldSpec, language: Language, *, whole: bool = False) -> WorldSpec:
    """Translate a spec as it is written: its labels, units, sentences and titles; `whole`: its values too."""
    words = _words(spec, language)
    data = spec.model_dump()
    options = set(_options(spec))
    for holder, key in (*_texts(data), (data, "title")):
        holder[key] = words.get(holder[key], holder[key])
    for kind in data["types"].values():
        kind["plural"] = words.get(kind["plural"], kind["label"] if language == "zh" else "")
    for _, phrasing in _phrasings({**data["types"], **data["relations"]}):
        phrasing["unit"] = words.get(phrasing["unit"], phrasing["unit"])
        sentences = [words.get(sentence, sentence) for sentence in phrasing["sentences"]]
        phrasing["sentences"] = [sentence for sentence in sentences if is_in(sentence, language)]
    for site in data["sites"].values():
        if currency := site.get("style", {}).get("currency"):
            site["style"]["currency"] = words.get(currency, currency)
    if currencies := data.get("web", {}).get("currencies"):
        data["web"]["currencies"] = {words.get(name, name): worth for name, worth in currencies.items()}
    if whole:
        data["description"] = words.get(data["description"], data["description"])
        tables = {name: data[name] for name in ("types", "relations", "constraints")}
        data |= _translated(tables, words, lambda text: _expression(text, words, options))
    return WorldSpec.model_validate(data)


def _translated(value: Any, words: Mapping[str, str], expression: Callable[[str], str], key: str = "") -> Any:
    """Translate options and forms as they are, and in expressions the texts that are options."""
    if isinstance(value, dict):
        return {name: _translated(item, words, expression, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_translated(item, words, expression, key) for item in value]
    if not isinstance(value, str):
        return value
    if key == "options" or (key == "form" and "{}" in value):  # `form: game` is a generator's own word
        return words.get(value, value)
    return expression(value) if key in ("sql", "where", "rank") or value.startswith("=") else value


def _expression(text: str, words: Mapping[str, str], options: set[str]) -> str:
    def literal(match: re.Match[str]) -> str:
        written = match[1].replace("''", "'")
        if written not in options or written not in words:
            return match[0]
        return "'" + words[written].replace("'", "''") + "'"

    return _LITERAL.sub(literal, text)
