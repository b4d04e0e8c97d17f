"""Whether a text in other words says the same: sentence by sentence, fact by fact.

A bag of facts would not do: on a page with two clubs it lets their founding years change places. So facts are compared
in order, and within a sentence:

- A sentence that states facts must carry exactly those of one sentence of the source, in the same order; negations and
  bounds (`before 1903`) are among them. It may speak of no column (`capacity`, `founded`) that its source does not
  speak of; and where it has several figures, the columns keep their order as well.
- A sentence that ties several figures to several names is copied from its first fact to its last: its facts alone do
  not say what belongs to what.
- Sentences with facts keep their order. Where all are wanted none may be missing. Where some may be, a sentence that
  names somebody is left out at the end only: what follows it may lean on it (`It was founded …`).
- A sentence without facts may be worded freely, added or left out, within the length of the whole.
- No character comes in that the source has not, but for letters without accents, figures and plain punctuation: no
  digits of other scripts, no look-alikes, nothing invisible, no markup.

Chinese is read by `ChineseLexicon`: what no known word covers is taken for a name. There a sentence with several names
or values is copied from its first fact to its last.

What it cannot tell: whether the words between the facts, where they name no column, mean the same.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldforge.world.lexicon.chinese_text import HAN
from worldforge.world.lexicon.lexicon import Lexicon, stems
from worldforge.world.lexicon.sentence_splitting import sentences

Fact = tuple[str, str]
"""A kind and a canonical form, as a `lexicon.Found` has them."""

_PLAIN = frozenset(string.ascii_letters + string.digits + " \n.,;:!?'\"()-–—’‘“”…")
_EMPHASIS = str.maketrans("", "", "*`")
_FIGURES = frozenset({"number", "date", "value"})
_NAMES = frozenset({"name", "word"})
_LEANED_ON = frozenset({"name", "word", "address"})
_LONGER_BY, _LONGER_TIMES = 200, 2
_SIGN = re.compile(r"[\u4e00-\u9fff]")
_CHINESE = frozenset("。，、；：？！“”‘’（）《》—…·〇")
_KEPT = 8192  # texts and sentences whose reading is remembered


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it is compared.

    `core` is what stands from its first fact to its last; `columns` are the stems that columns are called by, in order;
    `capitals` those of common words written as names; `stems` those of all that says something.
    """

    text: str
    core: str
    facts: tuple[Fact, ...]
    columns: tuple[str, ...]
    capitals: frozenset[str]
    stems: frozenset[str]
    is_chinese: bool = False

    @property
    def n_figures(self) -> int:
        """How many figures, dates and values it states."""
        return sum(kind in _FIGURES for kind, _ in self.facts)

    @property
    def ties(self) -> bool:
        """Whether it ties several figures to several names; in Chinese, names or values to one another.

        What is of which is told there by the order of words alone: 甲城的省会, 省会是甲城.
        """
        names = len({name for kind, name in self.facts if kind in _NAMES})
        tied = names + sum(kind == "value" for kind, _ in self.facts) > 1
        return (self.is_chinese and tied) or (self.n_figures > 1 and names > 1)

    @property
    def leaned_on(self) -> bool:
        """Whether it names somebody whom the next sentence may call `it`."""
        return any(kind in _LEANED_ON for kind, _ in self.facts)


@dataclass(frozen=True, slots=True)
class Prose:
    """A text as it is compared: all sentences, those that state facts, what is said in all, the characters of it."""

    sentences: tuple[Sentence, ...]
    stating: tuple[Sentence, ...]
    stems: frozenset[str]
    characters: frozenset[str]


@dataclass(frozen=True, slots=True)
class Objection:
    """What is wrong with a text: its `form`; or facts `added` or `missing`; or an arrangement that is not the source's.

    `detail` says it in words.
    """

    detail: str
    form: bool = False
    added: tuple[Fact, ...] = ()
    missing: tuple[Fact, ...] = ()


class ProseReader:
    """Reads and compares prose with one lexicon. What it has read it remembers."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._sentence = lru_cache(maxsize=_KEPT)(self._read_sentence)
        self._prose = lru_cache(maxsize=_KEPT)(self._read_prose)

    def facts(self, text: str) -> list[Fact]:
        """Return the facts of a text of any form, in order."""
        found = self._lexicon.found(text.translate(_EMPHASIS))
        return [(one.kind, one.canonical) for one in found if one.kind != "capital"]

    def compare(self, source: str, draft: str, *, complete: bool) -> Objection | None:
        """Say what is wrong with `draft` in the place of `source`, or None. `complete`: no fact may be left out."""
        if draft.split() == source.split():
            return None
        original = self._prose(source)
        allowed = _PLAIN | original.characters | (_CHINESE if HAN.search(source) else frozenset())
        if strange := sorted(sign for sign in set(draft) - allowed if not (HAN.search(source) and _SIGN.match(sign))):
            return Objection(f"characters that the source has not: {' '.join(map(ascii, strange))}", form=True)
        if len(draft) > _LONGER_TIMES * len(source) + _LONGER_BY:
            return Objection(f"{len(draft)} characters in the place of {len(source)}", form=True)
        return _compare(original, self._prose(draft), complete=complete)

    def _read_prose(self, text: str) -> Prose:
        read = tuple(self._sentence(one) for one in sentences(text))
        stems = frozenset[str]().union(*(sentence.stems for sentence in read))
        return Prose(read, tuple(sentence for sentence in read if sentence.facts), stems, frozenset(text))

    def _read_sentence(self, text: str) -> Sentence:
        plain = text.translate(_EMPHASIS)
        found = self._lexicon.found(plain)
        facts = [one for one in found if one.kind != "capital"]
        words = self._lexicon.stems_of(plain)
        capitals = (stem for one in found if one.kind == "capital" for stem in stems(one.canonical))
        return Sentence(
            text=" ".join(text.split()),
            core=" ".join(plain[facts[0].start : facts[-1].end].replace("为", "是").split()) if facts else "",
            facts=tuple((one.kind, one.canonical) for one in facts),
            columns=tuple(dict.fromkeys(filter(self._lexicon.is_label, words))),
            capitals=frozenset(capitals),
            stems=frozenset(words),
            is_chinese=bool(HAN.search(plain)),
        )


def _compare(source: Prose, retold: Prose, *, complete: bool) -> Objection | None:
    for sentence in retold.sentences:
        if not sentence.facts and not (sentence.capitals | set(sentence.columns)) <= source.stems:
            return _changed(sentence, "speaks of what its source does not")
    place = 0
    for sentence in retold.stating:
        match = next((n for n in range(place, len(source.stating)) if _same(source.stating[n], sentence)), None)
        if match is None:
            return _unmatched(source, retold, sentence)
        skipped = source.stating[place:match]
        if any(complete or one.leaned_on for one in skipped):
            return Objection(f"left out: {skipped[0].text}", missing=_facts(skipped))
        place = match + 1
    if complete and place < len(source.stating):
        return Objection(f"left out: {source.stating[place].text}", missing=_facts(source.stating[place:]))
    return None


def _same(source: Sentence, retold: Sentence) -> bool:
    """Tell whether a sentence says what its source says."""
    if source.text == retold.text:
        return True
    return (
        source.facts == retold.facts
        and (source.core == retold.core or not source.ties)
        and (retold.capitals | set(retold.columns)) <= source.stems
        and (source.n_figures < 2 or _in_order(retold.columns, source.columns))
    )


def _in_order(some: Sequence[str], whole: Sequence[str]) -> bool:
    """Tell whether `some` is `whole` with nothing but items left out."""
    rest = iter(whole)
    return all(one in rest for one in some)


def _unmatched(source: Prose, retold: Prose, sentence: Sentence) -> Objection:
    """Say what is wrong with a sentence that has no like: facts added, facts missing, or facts put together anew."""
    added = less(sentence.facts, _facts(source.stating))
    missing = less(_facts(source.stating), _facts(retold.stating))
    if added:
        return Objection(f"not in the source: {added[0][1]}, in: {sentence.text}", added=added, missing=missing)
    if missing and any(not less(sentence.facts, one.facts) for one in source.stating):
        return Objection(f"leaves out {missing[0][1]}: {sentence.text}", missing=missing)
    return _changed(sentence, "has the facts of no sentence of the source, or has them otherwise")


def _changed(sentence: Sentence, how: str) -> Objection:
    return Objection(f"{how}: {sentence.text}")


def _facts(read: Iterable[Sentence]) -> tuple[Fact, ...]:
    return tuple(fact for sentence in read for fact in sentence.facts)


def less(some: Iterable[Fact], others: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return what `some` has more of than `others`."""
    return tuple((Counter(some) - Counter(others)).elements())
