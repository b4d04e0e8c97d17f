"""Which attribute of a type an entry speaks of, by its words.

Each attribute has the words of its labels, of its key and of its entries. A word counts the more, the fewer attributes
have it: 1 for a word of one attribute alone, 1/3 for one of three. An entry fits the attribute whose words it has most
of: "opened in {value}" fits `opened` better than `founded`, whatever it was written for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from worldforge.builders.phrasebooks.coverage import FORM_KINDS, phrases_of_column
from worldforge.builders.phrasebooks.language_rules import LanguageRules
from worldforge.schema.phrasebook import Book, expanded
from worldforge.schema.table_columns import ColumnInfo

_STEM = 5  # letters that two forms of a word share: founded, founding
_KINDS = (*FORM_KINDS, "labels", "asks", "which", "over", "under")
_LABELS = 3.0
"""How much more a word of a label counts than one of an entry."""

_MARGIN = 0.5
"""By how much another attribute must fit better."""


class AttributeFit:
    """The words of the attributes of one type or relation."""

    def __init__(self, rules: LanguageRules, book: Book, table: str, columns: Mapping[str, ColumnInfo]) -> None:
        self._rules = rules
        own = book.types.get(table)
        names = [one for noun in (own.nouns if own is not None else ()) for one in expanded(noun)]
        self._common = set(self._stems(" ".join(names)))
        self._texts: dict[str, Counter[str]] = {}
        self._labels: dict[str, set[str]] = {}
        for key, column in columns.items():
            phrases = phrases_of_column(book, table, key)
            self._labels[key] = {
                word for label in (column.label, *phrases.labels) for one in expanded(label) for word in self.words(one)
            }
            texts = [text for kind in _KINDS for text in _texts(getattr(phrases, kind))]
            self._texts[key] = Counter(word for text in texts for word in self.words(text))

    def words(self, text: str) -> set[str]:
        """Return the words of an entry that tell what it is about: their stems; in Chinese, pairs of characters."""
        return set(self._stems(text)) - self._common if self._rules.spaced else set(self._pairs(text))

    def better(self, key: str, text: str, *, known: bool = False) -> str:
        """Return the attribute that a text fits better than `key`; empty where there is none.

        With `known`, the text is one of the entries of `key`, and its own words count once less.
        """
        words = self.words(text)
        scores = {other: self._score(words, other, known=known and other == key) for other in self._texts}
        best = max(scores, key=lambda other: (scores[other], other == key))
        return best if scores[best] > scores[key] + _MARGIN else ""

    def _score(self, words: set[str], key: str, *, known: bool) -> float:
        return sum(self._weight(word, key, known=known) / self._shared(word) for word in words)

    def _weight(self, word: str, key: str, *, known: bool) -> float:
        if word in self._labels[key]:
            return _LABELS
        n = self._texts[key][word] - known
        return 1.0 if n > 0 else 0.0

    def _shared(self, word: str) -> int:
        return max(1, sum(word in self._labels[key] or word in own for key, own in self._texts.items()))

    def _stems(self, text: str) -> Iterator[str]:
        common = set(self._rules.common.split())
        return (word[:_STEM] for word in self._rules.words_of(text) if word not in common)

    def _pairs(self, text: str) -> Iterator[str]:
        common = set(self._rules.common.split())
        signs = self._rules.words_of(text)
        return (f"{one}{two}" for one, two in pairwise(signs) if one not in common or two not in common)


def _texts(found: list[str] | Mapping[str, list[str]]) -> list[str]:
    return [text for own in found.values() for text in own] if isinstance(found, Mapping) else found
