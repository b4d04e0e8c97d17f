"""Other words for the values of a column, as the phrasebook has them: `right-footed` for `right`.

Pages state such values in these words too, so an answer may hold them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldforge.schema.phrasebook import AttributePhrases, expanded
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language

_COUNTED = re.compile(r"^(?:(?:an?|the) |一\w)")
"""What stands before a noun: an article, or 一 and a measure word."""


def synonyms_of(spec: WorldSpec, language: Language, table: str, column: str) -> dict[str, str]:
    """Return the value that each wording of the phrasebook in `language` stands for, with and without its article.

    What would stand for two values, or is another value itself, is left out.
    """
    phrases = _phrases(spec, language, table, column)
    if phrases is None:
        return {}
    meant: dict[str, set[str]] = {}
    for value, texts in phrases.values.items():
        for wording in (one for text in texts for one in expanded(text)):
            for said in _forms(wording):
                meant.setdefault(said, set()).add(value)
    return {said: min(of) for said, of in meant.items() if len(of) == 1 and said not in phrases.values}


def _phrases(spec: WorldSpec, language: Language, table: str, column: str) -> AttributePhrases | None:
    book = spec.books.get(language)
    if book is None:
        return None
    if table in book.types:
        return book.types[table].attributes.get(column)
    return book.relations[table].columns.get(column) if table in book.relations else None


def _forms(wording: str) -> Iterator[str]:
    if "{" not in wording:
        yield wording
        if bare := _COUNTED.sub("", wording):
            yield bare
