"""Texts whose facts are slots: the words around them may be chosen anew, what stands in them may not.

sentence = SlottedSentence("⟦1⟧ was founded in ⟦2⟧.", (Slot("Velmar Rovers", "name"), Slot("1911", "value")))
text = SlottedText("en", (sentence,))
str(text)                                             Velmar Rovers was founded in 1911.
text.shown                                            ⟦1⟧ was founded in ⟦2⟧.
text.filled("So ⟦1⟧ was founded in ⟦2⟧.")             So Velmar Rovers was founded in 1911.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

OPEN, CLOSE = "⟦", "⟧"
SLOT = re.compile(rf"{OPEN}([0-9]+){CLOSE}")
SlotKind = Literal["name", "value", "words"]
_ARTICLE = re.compile(rf"\b([Aa])n?(?= {OPEN})")
_BEGIN = re.compile(rf"(?:^|(?<=[.!?…] )){SLOT.pattern}")
_VOWELS = tuple("aeiouAEIOU")


@dataclass(frozen=True, slots=True)
class Slot:
    """A stretch of text that is put in by code, byte for byte.

    `kind` says whether it names somebody or something, is a value or figure, or only words (what a column is called).
    `role` tells a model what it is: `founding year`.
    """

    text: str
    kind: SlotKind = "value"
    role: str = ""


@dataclass(frozen=True, slots=True)
class SlottedSentence:
    """A sentence; `⟦1⟧` stands for the first of its `slots`. `alternatives` say the same with the same slots."""

    text: str
    slots: tuple[Slot, ...] = ()
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True)
class SlottedText:
    """Sentences of one language, in order. Its slots are numbered through, from 1."""

    language: str
    sentences: tuple[SlottedSentence, ...]

    def __str__(self) -> str:
        return self.filled(self.shown)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """All slots, in order of their numbers."""
        return tuple(slot for sentence in self.sentences for slot in sentence.slots)

    @cached_property
    def numbered(self) -> tuple[SlottedSentence, ...]:
        """The sentences with the numbers that slots have in the whole text."""
        found = []
        for one, before in zip(self.sentences, self.n_slots_before, strict=False):
            texts = [shifted(text, before) for text in (one.text, *one.alternatives)]
            found.append(SlottedSentence(texts[0], one.slots, tuple(texts[1:])))
        return tuple(found)

    @cached_property
    def n_slots_before(self) -> tuple[int, ...]:
        """How many slots the sentences before each have."""
        return tuple(accumulate((len(one.slots) for one in self.sentences[:-1]), initial=0))

    @cached_property
    def shown(self) -> str:
        """The text as a model is shown it."""
        own = zip(self.sentences, self.n_slots_before, strict=False)
        return gap_of(self.language).join(shifted(one.text, before) for one, before in own)

    def filled(self, draft: str) -> str:
        """Put the slots' texts into a draft. Raises IndexError for a slot that there is not."""
        if self.language == "en":
            draft = _ARTICLE.sub(self._article, draft)
            draft = _BEGIN.sub(self._first, draft)
        return SLOT.sub(self._text, draft)

    def _text(self, slot: re.Match[str]) -> str:
        return self.slots[int(slot[1]) - 1].text

    def _first(self, slot: re.Match[str]) -> str:
        """Begin a sentence with a slot: names stay as they are."""
        text = self._text(slot)
        return text if self.slots[int(slot[1]) - 1].kind == "name" else _capital(text)

    def _article(self, article: re.Match[str]) -> str:
        slot = SLOT.match(article.string, article.end() + 1)
        return article[1] + ("n" if slot and self._text(slot).startswith(_VOWELS) else "")


def gap_of(language: str) -> str:
    """Return what stands between two sentences."""
    return "" if language == "zh" else " "


def slot_numbers(text: str) -> list[int]:
    """Return the numbers of the slots of a text, in order."""
    return [int(number) for number in SLOT.findall(text)]


def gaps_of(text: str) -> Sequence[str]:
    """Return what a text says before, between and after its slots."""
    return SLOT.split(text)[::2]


def shifted(text: str, by: int) -> str:
    """Count the slots of a text from another number on: `by` is added to each."""
    if not by:
        return text
    return SLOT.sub(lambda slot: f"{OPEN}{int(slot[1]) + by}{CLOSE}", text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
