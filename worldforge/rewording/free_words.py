"""The words that a model may add or leave out, by language: read from `free_words.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

from worldforge.rewording.slotted_text import OPEN, SLOT
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
_KEPT = 65_536  # texts that were read are remembered
Phrases = Mapping[str, Sequence[tuple[str, ...]]]
_STOPS = frozenset(",.;:–—()[]'\"‘’“”，。；：、（）《》！!？?…")


@dataclass(frozen=True, eq=False)
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

    @lru_cache(_KEPT)  # noqa: B019  one for each language
    def tokens(self, text: str) -> tuple[str, ...]:
        """Return the words of a text in lower case, in Chinese its signs; slots as `⟦1⟧`; no stops."""
        if not self.spaced:
            return tuple(match[0] for match in _SIGN.finditer(text) if match[0] not in _STOPS)
        found: list[str] = []
        for match in _WORD.finditer(text):
            found += _split(match[0].lower().replace("’", "'")) if match[0] not in _STOPS else []
        return tuple(found)

    @lru_cache(_KEPT)  # noqa: B019
    def telling(self, text: str, *, thinking: bool = False) -> tuple[str, ...]:
        """Return the words of a text that say something, and its slots, in order."""
        free = self._free_in_thought if thinking else self.free
        return tuple(_without(self.tokens(text), free, self._phrases[thinking]))

    @lru_cache(_KEPT)  # noqa: B019
    def roles(self, text: str) -> tuple[str, ...]:
        """Return the words of a text that say what its slots are to the rest, each with the slot; in order."""
        if not self.spaced:
            return tuple(token for token in self.tokens(text) if token in self.role or token.startswith(OPEN))
        tokens = list(_without(self.tokens(text), self.articles, self._phrases[True]))
        pairs = zip(["", *tokens], tokens, strict=False)
        return tuple(f"{word} {slot}" if word in self.role else slot for word, slot in pairs if slot.startswith(OPEN))

    @cached_property
    def _free_in_thought(self) -> frozenset[str]:
        return self.free | self.thinking

    @cached_property
    def _phrases(self) -> tuple[Phrases, Phrases]:
        """Free phrases of several tokens: without those of thinking, and with them."""
        split = self._parts
        plain = [split(one) for one in self.free]
        both = [*plain, *(split(one) for one in self.thinking)]
        return _by_first(plain), _by_first(both)

    def _parts(self, entry: str) -> tuple[str, ...]:
        return self.tokens(entry.replace("_", " "))


def _by_first(phrases: Iterable[tuple[str, ...]]) -> Phrases:
    """Return phrases of several tokens by the first, longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted({one for one in phrases if len(one) > 1}, key=lambda one: (-len(one), one)):
        found.setdefault(phrase[0], []).append(phrase)
    return found


def _without(tokens: tuple[str, ...], free: frozenset[str], phrases: Phrases) -> Iterator[str]:
    place = 0
    while place < len(tokens):
        own = phrases.get(tokens[place], ())
        phrase = next((one for one in own if tokens[place : place + len(one)] == one), ())
        if not phrase and tokens[place] not in free:
            yield tokens[place]
        place += len(phrase) or 1


def _split(word: str) -> Sequence[str]:
    """Split a word from its short form: `isn't` into `is` and `not`."""
    if "'" not in word:
        return (word,)
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
