"""What a draft must keep to: its slots, each in a sentence of its own, and nothing said that was not there.

reason      the draft
slots       leaves one out, has one twice, or one that there is not, or has them in another order
form        is not plain words and stops, begun and ended as sentences are: a digit, Markdown, an address, several lines
length      is far shorter or longer than the paragraph
sentences   has slots of one sentence in two, or of two in one, or more than a sentence too many
negation    denies what was said, says what was denied, or ends what goes on
fact        has what looks like a fact: a number in words, a bound, a name or value of the world, a name nobody knows
meaning     no longer says what a slot is (its label), turns round which of two names is what of the other, or speaks of
            another column of the world

Slots in order, sentence by sentence, each beside its label: so no value can change its subject or what it is of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from worldforge.builders.pages.prose.chinese_paragraphs import ChineseChecker, is_chinese
from worldforge.builders.pages.prose.meaning import keeps_direction, keeps_labels
from worldforge.builders.pages.prose.paragraphs import SLOT, Paragraph, is_plain, keeps_slots, words_of
from worldforge.world.lexicon.english_lexicon import FUNCTION_WORDS, NEGATIONS
from worldforge.world.lexicon.lexicon import Lexicon

Reason = Literal["slots", "form", "length", "sentences", "negation", "fact", "meaning"]

VERSION = 1
"""Counts up with every change of what is refused: refusals of another version are tried again."""

_BREAK = re.compile(r"(?<=[.!?…])[”\"’)]*\s+")
_ENDED = re.compile(r"[.!?…][”\"’)]*$")
_BEGUN = re.compile(rf"[“\"‘(]*(?:{SLOT.pattern}|[A-ZÀ-Þ])")
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST, _LONGEST, _SLACK = 0.4, 2.5, 40  # of the paragraph's length without slots; and characters beyond that
_NOT = re.compile(r"n['’]t\b")
_DENYING = NEGATIONS | frozenset(
    (
        "abandoned",
        "abolished",
        "ceased",
        "closed",
        "defunct",
        "demolished",
        "destroyed",
        "disbanded",
        "dissolved",
        "lost",
    )
)


@dataclass(frozen=True, slots=True)
class DraftChecker:
    """Checks drafts of one world: `lexicon` finds what looks like a fact, `labels` are what its facts are called.

    `chinese` checks those of Chinese paragraphs, where there are any.
    """

    lexicon: Lexicon
    labels: frozenset[str]
    chinese: ChineseChecker | None = None

    def refusal(self, paragraph: Paragraph, draft: str) -> Reason | None:
        """Say why a draft cannot stand for a paragraph; None where it can."""
        if not keeps_slots(paragraph, draft):
            return "slots"
        if self.chinese is not None and is_chinese(paragraph):
            return self.chinese.refusal(paragraph, draft)
        if not (all(map(is_plain, words_of(draft))) and _BEGUN.match(draft) and _ENDED.search(draft)):
            return "form"
        if not _fits(paragraph.slotted, draft):
            return "length"
        before, after = _sentences(paragraph.slotted), _sentences(draft)
        said, says = (_stating(both) for both in (before, after))
        if list(map(SLOT.findall, said)) != list(map(SLOT.findall, says)) or len(after) > len(before) + 1:
            return "sentences"
        if _denials(paragraph.slotted) < _denials(draft) or list(map(_denials, said)) != list(map(_denials, says)):
            return "negation"
        if self._found(paragraph, draft) - self._found(paragraph, paragraph.slotted):
            return "fact"
        kept = all(self._keeps(paragraph, *both) for both in zip(said, says, strict=True))
        if not kept or self._strays(paragraph, draft):
            return "meaning"
        return None

    def _found(self, paragraph: Paragraph, text: str) -> Counter[tuple[str, str]]:
        """Count what looks like a fact in a text, a figure standing in the place of slots that hold one."""
        bare = SLOT.sub(lambda slot: "7" if paragraph.locked[int(slot[1]) - 1].figure else "it", text)
        return Counter((found.kind, found.canonical) for found in self.lexicon.found(bare) if found.kind != "negation")

    def _keeps(self, paragraph: Paragraph, before: str, after: str) -> bool:
        """Say whether a sentence still says what its slots are; one that states nothing, what it spoke of."""
        slots = [paragraph.locked[int(number) - 1] for number in SLOT.findall(before)]
        if any(slot.labels for slot in slots):
            return keeps_labels(before, after, slots) and keeps_direction(before, after, slots)
        return all(f" {label} " in _spaced(after) for label in self.labels if f" {label} " in _spaced(before))

    def _strays(self, paragraph: Paragraph, draft: str) -> bool:
        """Say whether a draft speaks of what the paragraph does not speak of."""
        there, here = _spaced(paragraph.slotted), _spaced(draft)
        return any(f" {label} " in here and f" {label.removesuffix('s')}" not in there for label in self.labels)


def spoken_of(labels: Iterable[str]) -> frozenset[str]:
    """Return labels as drafts are searched for them, without those that any sentence may hold (`from`, `until`)."""
    spaced = {" ".join(_words(label)) for label in labels}
    return frozenset(label for label in spaced if len(label) > 3 and label not in FUNCTION_WORDS)


def _sentences(text: str) -> list[str]:
    return _BREAK.split(text)


def _stating(sentences: Iterable[str]) -> list[str]:
    """Keep the sentences that have slots."""
    return [one for one in sentences if SLOT.search(one)]


def _denials(text: str) -> int:
    """Count what turns a statement round, or ends it."""
    return sum(word in _DENYING for word in _words(text)) + len(_NOT.findall(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(SLOT.sub(" ", text).lower())


def _spaced(text: str) -> str:
    return f" {' '.join(_WORD.findall(SLOT.sub(' x ', text).lower()))} "


def _fits(slotted: str, draft: str) -> bool:
    before, after = (len("".join(words_of(text))) for text in (slotted, draft))
    return _SHORTEST * before - _SLACK <= after <= _LONGEST * before + _SLACK
