"""Masked text: sentences without their values, and how much of a page's wording another world has as well.

A fact's value becomes a mark of its attribute, other figures and names one mark each. Two sentences with one skeleton
differ in nothing but what they state.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks._reading.page_lines import PROSE, lines, plain
from benchmarks._reading.stated_facts import Stated, attribute_of
from worldforge.world.table_files import RELATIVE

SHINGLE = {"en": 5, "zh": 8}
"""Words, and characters in Chinese."""
COMMONEST = 10
ENOUGH = 30
"""Sentences of an attribute from which its skeletons are counted."""
SAMPLE = 300
_FIRST_MARK = 0xE000  # the private-use characters of Unicode: one an attribute
_MARK = re.compile("[\ue000-\uf8ff]")
_FIGURE = re.compile(r"\d(?:[\d,.:/-]*\d)?")
_NAMES = re.compile(r"(?<=[\w,;:] )(?:[A-Z][\w'’.&-]*)(?: (?:of |the |and |& )?[A-Z][\w'’.&-]*)*")
_NAMES_FIRST = re.compile(r"^(?:[A-Z][\w'’-]*)(?: [A-Z][\w'’-]*)+")
_SENTENCES = {"en": re.compile(r"(?<=[.!?…])[\"”’)]*\s+"), "zh": re.compile(r"(?<=[。！？])[”’」』）]*")}


@dataclass(frozen=True, slots=True)
class Skeletons:
    """Distinct skeletons an attribute (median and least), the share of its ten commonest, how many attributes count."""

    median: float
    least: int
    commonest_share: float
    n_attributes: int


class Masker:
    """Masks the prose of the pages of one world. `names` are those of its entities."""

    def __init__(self, names: set[str]) -> None:
        self._wide = {name for name in names if len(name) > 1 and not name.isascii()}
        sizes: dict[str, set[int]] = defaultdict(set)
        for name in self._wide:
            sizes[name[0]].add(len(name))
        self._wide_sizes = {first: sorted(own, reverse=True) for first, own in sizes.items()}
        self._single_words = {name for name in names if name.isascii() and " " not in name}
        self._marks: dict[str, str] = {}

    def sentences(self, text: str, facts: Sequence[Stated], language: str) -> Iterator[tuple[str, list[str]]]:
        """Yield the skeleton of each sentence of prose, and the attributes of the facts that it states."""
        for line in self._masked_lines(text, facts):
            attributes = {mark: name for name, mark in self._marks.items()}
            for sentence in _SENTENCES[language].split(line):
                found = [attributes[mark] for mark in _MARK.findall(sentence)]
                if sentence.strip():
                    yield self._without_others(sentence.strip(), language), found

    def shingles(self, text: str, facts: Sequence[Stated], language: str) -> set[tuple[str, ...]]:
        """Return the runs of words, or of Chinese characters, of a page's masked prose."""
        words = list[str]()
        for skeleton, _ in self.sentences(text, facts, language):
            masked = re.sub(r"_(?:[\s,、]*_)+", "_", _MARK.sub("_", skeleton).replace("#", "_"))
            words += re.findall(r"\w+" if language == "en" else r"\w", masked.lower())
        size = SHINGLE[language]
        return {tuple(words[start : start + size]) for start in range(len(words) - size + 1)}

    def _masked_lines(self, text: str, facts: Sequence[Stated]) -> Iterator[str]:
        """Yield lines of prose in which each fact's value is the mark of its attribute."""
        own, place = sorted(facts, key=lambda fact: fact.start), 0
        for line in lines(text):
            end = line.start + len(line.text)
            pieces, done = list[str](), line.start
            while place < len(own) and own[place].start < end:
                fact, place = own[place], place + 1
                if fact.start < done or fact.stance == RELATIVE:  # names another entity, and gives no value
                    continue
                pieces += [text[done : fact.start], self._mark(attribute_of(fact.fact))]
                done = fact.end
            if line.form == PROSE:
                yield plain("".join([*pieces, text[done:end]]))

    def _mark(self, attribute: str) -> str:
        return self._marks.setdefault(attribute, chr(_FIRST_MARK + len(self._marks)))

    def _without_others(self, sentence: str, language: str) -> str:
        """Mask names and figures that are no facts' values."""
        if language == "zh" or self._wide:
            sentence = self._without_wide_names(sentence)
        sentence = _NAMES_FIRST.sub("_", _NAMES.sub("_", sentence))
        first = re.match(r"[\w'’-]+", sentence)
        if first and re.sub(r"['’]s$", "", first[0]) in self._single_words:
            sentence = "_" + sentence[first.end() :]
        return _FIGURE.sub("#", sentence)

    def _without_wide_names(self, sentence: str) -> str:
        kept, place = list[str](), 0
        while place < len(sentence):
            sizes = self._wide_sizes.get(sentence[place], ())
            size = next((n for n in sizes if sentence[place : place + n] in self._wide), 0)
            kept.append("_" if size else sentence[place])
            place += size or 1
        return "".join(kept)


def count_skeletons(sentences: Iterator[tuple[str, list[str]]]) -> Skeletons:
    """Count the skeletons of each attribute; names of entities are no attribute."""
    by_attribute: dict[str, Counter[str]] = defaultdict(Counter)
    for skeleton, attributes in sentences:
        for attribute in set(attributes):
            if not attribute.endswith(".name"):
                by_attribute[attribute][skeleton] += 1
    counts = [found for found in by_attribute.values() if found.total() >= ENOUGH]
    if not counts:
        return Skeletons(0, 0, 0, 0)
    shares = [sum(n for _, n in found.most_common(COMMONEST)) / found.total() for found in counts]
    distinct = [len(found) for found in counts]
    return Skeletons(statistics.median(distinct), min(distinct), statistics.fmean(shares), len(counts))


def sampled(n_pages: int) -> range:
    """Return the places of the pages that `overlap` looks at, spread evenly over a world."""
    return range(0, n_pages, max(1, -(-n_pages // SAMPLE)))


def overlap(pages: Sequence[set[tuple[str, ...]]], other: set[tuple[str, ...]]) -> float:
    """Return the mean share of a page's shingles that another world has."""
    shares = [len(page & other) / len(page) for page in pages if page]
    return statistics.fmean(shares) if shares else 0.0
