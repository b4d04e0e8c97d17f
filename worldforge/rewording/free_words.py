"""The words that a model may add or leave out, by language: read from `free_words.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from worldforge.rewording.slotted_text import SLOT
from worldforge.schema.document import read_document

_FILE = Path(__file__).with_name("free_words.yaml")
_WORD = re.compile(rf"{SLOT.pattern}|[^\W\d_]+(?:['’][^\W\d_]+)*|['’]s\b|[^\w\s]|\d")
_SIGN = re.compile(rf"{SLOT.pattern}|\S")
_SHORT_FORMS = {
    "n't": ("not",),
    "'s": (),
    "'m": ("am",),
    "'re": ("are",),
    "'ve": ("have",),
    "'ll": ("will",),
    "'d": ("would",),
}
_STOPS = frozenset(",.;:–—()[]'\"‘’“”，。；：、（）《》！!？?…")


@dataclass(frozen=True)
class FreeWords:
    """What may be added or left out in one language; `binding` words keep what follows them.

    `role` words say what a slot is to the rest, `present` and `past` tell the tense.
    """

    spaced: bool
    free: frozenset[str]
    thinking: frozenset[str]
    binding: frozenset[str]
    role: frozenset[str]
    articles: frozenset[str]
    present: frozenset[str]
    past: frozenset[str]

    def tokens(self, text: str) -> list[str]:
        """Return the words of a text in lower case, in Chinese its signs; slots as `⟦1⟧`; no stops."""
        if not self.spaced:
            return [match[0] for match in _SIGN.finditer(text) if match[0] not in _STOPS]
        found: list[str] = []
        for match in _WORD.finditer(text):
            found += _split(match[0].lower().replace("’", "'")) if match[0] not in _STOPS else []
        return found

    def telling(self, text: str, *, thinking: bool = False) -> list[str]:
        """Return the words of a text that say something, and its slots, in order."""
        free = self.free | self.thinking if thinking else self.free
        return list(_without(self.tokens(text), free, self._phrases[thinking]))

    def roles(self, text: str) -> list[str]:
        """Return the words of a text that say what its slots are to the rest, each with the slot; in order."""
        if not self.spaced:
            return [token for token in self.tokens(text) if token in self.role or SLOT.fullmatch(token)]
        tokens = list(_without(self.tokens(text), self.articles, self._phrases[True]))
        pairs = zip(["", *tokens], tokens, strict=False)
        return [f"{word} {slot}" if word in self.role else slot for word, slot in pairs if SLOT.fullmatch(slot)]

    @cached_property
    def _phrases(self) -> tuple[Sequence[tuple[str, ...]], Sequence[tuple[str, ...]]]:
        """Free phrases of several tokens, longest first: without those of thinking, and with them."""
        split = self._parts
        plain = [split(one) for one in self.free]
        both = [*plain, *(split(one) for one in self.thinking)]
        first, second = (
            sorted({one for one in found if len(one) > 1}, key=lambda one: (-len(one), one)) for found in (plain, both)
        )
        return first, second

    def _parts(self, entry: str) -> tuple[str, ...]:
        return tuple(self.tokens(entry.replace("_", " ")))


def _without(tokens: Sequence[str], free: frozenset[str], phrases: Sequence[tuple[str, ...]]) -> Iterator[str]:
    place = 0
    while place < len(tokens):
        phrase = next((one for one in phrases if tuple(tokens[place : place + len(one)]) == one), ())
        if not phrase and tokens[place] not in free:
            yield tokens[place]
        place += len(phrase) or 1


def _split(word: str) -> Sequence[str]:
    """Split a word from its short form: `isn't` into `is` and `not`."""
    for ending, parts in _SHORT_FORMS.items():
        if word.endswith(ending) and word != ending:
            return [word.removesuffix(ending), *parts]
    return _SHORT_FORMS.get(word, (word,))


@cache
def free_words_of(language: str) -> FreeWords:
    """Return the lists of a language."""
    lists = read_document(_FILE.read_text("utf-8"), _FILE.name)[0].data[language]
    words = {name: frozenset(text.split()) for name, text in lists.items()}
    return FreeWords(spaced=language == "en", **words)
