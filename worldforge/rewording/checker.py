"""Whether a draft says what a slotted text says: the same slots, and around them the same telling words.

    check(text, "So ⟦1⟧ was founded in ⟦2⟧.")       a Refusal, or None

A draft sentence is held against the source sentence with the same slots, and against its alternatives, which say the
same by the phrasebook. One of these must fit:

- the slots stand in the same order, each once;
- the words that say something are the same, each as often; only words of a closed list (`free_words.yaml`) may be added
  or left out. So no negation, hedge, bound, number, name or order can come in, and none can get lost;
- where a sentence has more than two slots, or two names, or is Chinese, those words and the slots keep their order, so
  that no value changes what it is of;
- between the first and the last of several names every word is kept: they say who did what to whom;
- before each slot stands the same preposition, if one does: it says what the slot is to the rest;
- what follows a word that binds (`not`, `before`) is kept, as are the tense, and whether it is a question.

A sentence without slots may be left out, and none may be added.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from worldforge.rewording.free_words import FreeWords, free_words_of
from worldforge.rewording.slotted_text import SLOT, SlottedSentence, SlottedText, gap_of, shifted, slot_numbers

VERSION = 1
"""Counts up when another draft passes than before: what was kept under another version is not used."""

Reason = Literal["form", "slots", "words", "order", "roles", "binding", "tense", "length"]
_ENDS = re.compile(r"(?<=[.!?…])(?<!\b[A-Z]\.)[”\"’)]*\s+|(?<=[。！？…])[”』」）]*(?![”』」）])")
_PLAIN = re.compile(rf"(?:{SLOT.pattern}|[^\W\d_]|[ ,.;:'’\"“”‘()–—…-])*")
_PLAIN_CHINESE = re.compile(rf"(?:{SLOT.pattern}|[\u4e00-\u9fff〇，。、；：“”‘’（）《》—…·])*")
_BEGUN = re.compile(rf"[“\"‘(]*(?:{SLOT.pattern}|[^\W\d_a-zß-ÿ])")
_MOST_SENTENCES = 4  # that one of the source may become
_FREE_TIMES, _FREE_MORE = 2, 12  # of the tokens of the source that a draft may have in all, and beyond that


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a draft is refused; `words` are those that may not stand there, or that are missing (with a minus)."""

    reason: Reason
    words: tuple[str, ...] = ()


def check(source: SlottedText, draft: str, *, thinking: bool = False) -> Refusal | None:
    """Say why a draft cannot stand for a text, None where it can; `thinking`: the text is what somebody thinks."""
    lists = free_words_of(source.language)
    if not _is_plain(source, draft):
        return Refusal("form", tuple(sorted(_strange(source, draft))))
    if len(lists.tokens(draft)) > _FREE_TIMES * len(lists.tokens(source.shown)) + _FREE_MORE:
        return Refusal("length")
    if sorted(slot_numbers(draft)) != list(range(1, len(source.slots) + 1)):
        return Refusal("slots")
    return _SentenceMatcher(source, _Comparison(lists, thinking), sentences_of(draft)).refusal()


class _SentenceMatcher:
    """Finds which sentences of a draft stand for which of the source. Some sources, or drafts of one, have several."""

    def __init__(self, source: SlottedText, comparison: _Comparison, drafts: Sequence[str]) -> None:
        self._comparison, self._source, self._drafts = comparison, source.sentences, drafts
        self._gap = gap_of(source.language)
        self._before = source.n_slots_before
        self._furthest, self._refusal = -1, Refusal("slots")

    def refusal(self) -> Refusal | None:
        """Return the refusal of the first sentence that cannot be matched; None where all can."""
        return None if self._matches(0, 0) else self._refusal

    def _matches(self, at: int, draft_at: int) -> bool:
        if at == len(self._source):
            if draft_at < len(self._drafts):
                self._note(draft_at, self._comparison.refusal(SlottedSentence(""), self._drafts[draft_at]))
            return draft_at == len(self._drafts)
        sentence = self._source[at]
        before = self._before[at]
        numbers = range(before + 1, before + len(sentence.slots) + 1)
        for end in range(draft_at + 1, min(len(self._drafts), draft_at + _MOST_SENTENCES) + 1):
            group = self._gap.join(self._drafts[draft_at:end])
            own = slot_numbers(group)
            if sorted(own) == [*numbers]:
                refused = self._comparison.refusal(sentence, shifted(group, -before))
                if refused is None and self._matches(at + 1, end):
                    return True
                self._note(draft_at, refused)
            elif not set(own) <= set(numbers):
                break
        return not sentence.slots and self._matches(at + 1, draft_at)

    def _note(self, place: int, refused: Refusal | None) -> None:
        if refused is not None and place > self._furthest:
            self._furthest, self._refusal = place, refused


@dataclass(frozen=True, slots=True)
class _Comparison:
    lists: FreeWords
    thinking: bool

    def refusal(self, sentence: SlottedSentence, draft: str) -> Refusal | None:
        """Say why a draft is no rewording of a sentence; of several reasons, that of the closest wording."""
        if draft == sentence.text:
            return None
        every = dict.fromkeys((sentence.text, *sentence.alternatives))
        told = sorted(self._telling(draft))
        close = [base for base in every if sorted(self._telling(base)) == told]
        found = [self._against(sentence, base, draft) for base in close or every]
        if None in found:
            return None
        return min((one for one in found if one is not None), key=_distance)

    def _telling(self, text: str) -> tuple[str, ...]:
        return self.lists.telling(text, thinking=self.thinking)

    def _against(self, sentence: SlottedSentence, base: str, draft: str) -> Refusal | None:
        wanted, told = self._telling(base), self._telling(draft)
        if slot_numbers(base) != slot_numbers(draft):
            return Refusal("order")
        if Counter(wanted) != Counter(told):
            added, lost = Counter(told) - Counter(wanted), Counter(wanted) - Counter(told)
            return Refusal("words", (*added.elements(), *(f"-{word}" for word in lost.elements())))
        if wanted != told and self._keeps_order(sentence, base):
            return Refusal("order")
        if not self._keeps_between_names(sentence, base, draft):
            return Refusal("order")
        if self.lists.roles(base) != self.lists.roles(draft):
            return Refusal("roles")
        if self._bound(wanted) != self._bound(told):
            return Refusal("binding")
        if ("?" in base or "？" in base) != ("?" in draft or "？" in draft) or not self._keeps_tense(base, draft):
            return Refusal("tense")
        return None

    def _keeps_order(self, sentence: SlottedSentence, base: str) -> bool:
        """Return whether words and slots of a sentence must keep their order."""
        return not self.lists.spaced or len(sentence.slots) > 2 or len(_names(sentence, base)) > 1

    def _keeps_between_names(self, sentence: SlottedSentence, base: str, draft: str) -> bool:
        names = _names(sentence, base)
        if len(names) < 2:
            return True
        first, last = (f"⟦{number}⟧" for number in (names[0], names[-1]))
        own, told = (self.lists.tokens(text.partition(first)[2].partition(last)[0]) for text in (base, draft))
        return own == told

    def _bound(self, telling: Sequence[str]) -> Counter[tuple[str, str]]:
        """Count the words that bind, with what each stands before."""
        pairs = zip(telling, (*telling, "")[1:], strict=True)
        return Counter(pair for pair in pairs if pair[0] in self.lists.binding)

    def _keeps_tense(self, base: str, draft: str) -> bool:
        """Return whether no word of one tense has become one of the other, or has come in where there was none."""
        own, told = (Counter(self._tenses(text)) for text in (base, draft))
        return own <= told and (told.keys() <= own.keys() or not own)

    def _tenses(self, text: str) -> Iterator[str]:
        for token in self.lists.tokens(text):
            if token in self.lists.present or token in self.lists.past:
                yield "present" if token in self.lists.present else "past"


def _names(sentence: SlottedSentence, text: str) -> list[int]:
    """Return the numbers of the slots that are names, in the order in which a text has them."""
    return [number for number in slot_numbers(text) if sentence.slots[number - 1].kind == "name"]


def _distance(refusal: Refusal) -> int:
    """Return how far a draft is from a wording: in telling words; another order is further than any of these."""
    return 1000 if refusal.reason == "order" else len(refusal.words)


def sentences_of(text: str) -> list[str]:
    """Part a text into its sentences."""
    return [one.strip() for one in _ENDS.split(text) if one and one.strip()]


def _is_plain(source: SlottedText, draft: str) -> bool:
    """Return whether a draft is one line of words and stops, begun and ended as sentences are."""
    if not draft or draft != draft.strip() or _strange(source, draft):
        return False
    if source.language == "zh":
        return draft[-1] in "。！？…”）" or draft[-1] == source.shown[-1]
    return bool(_BEGUN.match(draft)) and draft[-1] in '.!?…”")’:'


def _strange(source: SlottedText, draft: str) -> set[str]:
    """Return the signs of a draft that neither its source, nor an alternative, nor plain text has."""
    plain = _PLAIN_CHINESE if source.language == "zh" else _PLAIN
    rest = plain.sub("", draft)
    texts = (text for one in source.sentences for text in (one.text, *one.alternatives))
    return set(rest).difference(*(SLOT.sub("", text) for text in texts))
