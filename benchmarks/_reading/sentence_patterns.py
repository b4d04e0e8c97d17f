"""Sentence patterns that pages themselves teach: what stands around values that their infoboxes and tables give too.

A pattern is the words right before and after a value, figures and names masked: `has a population of ⟨⟩ .` One that
agrees with the records of several names is applied where a record has nothing. No sentence is understood.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks._reading.cell_values import DATES, FIGURE, Value, fold, read_value
from benchmarks._reading.harvest import Records, Statement, WebPage
from benchmarks._reading.page_lines import HEADING, PROSE, lines, plain
from benchmarks._reading.question_terms import stems

LEAST_NAMES = 3
LEAST_PRECISION = 0.7
WINDOWS = {"en": ((4, 2), (3, 1), (2, 2)), "zh": ((6, 3), (4, 2), (3, 1))}
"""Words, or characters, before and after a value, from the surest pattern to the widest."""
_SENTENCE = re.compile(r"(?<=[.!?…])[\"”’)]*\s+|(?<=[。！？；])[”’」』）]*")
_WIDE = re.compile(r"[㐀-鿿]")
_PIECE = re.compile(r"⟨\d+⟩|[A-Za-z'’-]+|\d+|[㐀-鿿]|[^\w\s]")
_LONGEST = 8

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A value in a sentence: of which name it may be, what it is, the patterns around it, from the surest."""

    name: str
    value: Value
    keys: tuple[Key, ...]
    sentence: str
    page: WebPage


class SentencePatterns:
    """Patterns learned from pages and from what was harvested of their form."""

    def __init__(self, records: Records, pages: Iterable[WebPage]) -> None:
        self._records = records
        self._texts = {
            fold(one.value.text)
            for own in records.facts.values()
            for found in own.values()
            for one in found
            if one.value.figure is None and one.value.date is None and 2 <= len(one.value.text) <= 60
        } | set(records.anchors.known)
        self._heads = {piece[0].casefold() for text in self._texts if (piece := _PIECE.search(text))}
        pages = list(pages)
        self._learn_kinds(pages)
        self._found = [found for page in pages for found in self._values_on(page)]
        self._labels = self._learn()

    @property
    def n_patterns(self) -> int:
        """How many patterns were learned."""
        return len(self._labels)

    def fill(self) -> int:
        """Add to the records what patterns give where they have nothing; return how many values that are."""
        added: list[tuple[str, str, Statement]] = []
        for found in self._found:
            label = next((self._labels[key] for key in found.keys if key in self._labels), None)
            label = label or self._label_beside(found)
            if label and label not in self._records.facts.get(found.name, {}):
                added.append((found.name, label, Statement(found.value, found.page.published, found.page.host, 0.8)))
        for name, label, statement in added:
            self._records.facts[name][label].append(statement)
        return len(added)

    def _learn_kinds(self, pages: Sequence[WebPage]) -> None:
        """Take what prose calls a name for its kind: `the club`, `is a town in`."""
        kinds = Counter(noun for own in self._records.nouns.values() for noun in own)
        usual = {noun for noun, n in kinds.items() if n >= LEAST_NAMES and len(noun) > 1} | self._records.wanted
        patterns = {noun: rf"\b{re.escape(noun)}\b" if noun.isascii() else re.escape(noun) for noun in sorted(usual)}
        learned: dict[str, Counter[str]] = defaultdict(Counter)
        for page in pages if usual else ():
            subject = self._records.anchors.subject(page)
            if self._records.kind(subject) not in (self._records.wanted or usual):
                prose = " ".join(plain(line.text) for line in lines(page.text) if line.form == PROSE).lower()
                counts = {noun: len(re.findall(pattern, prose)) for noun, pattern in patterns.items()}
                noun, n = max(counts.items(), key=lambda one: (one[1], len(one[0])))
                learned[subject][noun] += n
        for subject, own in learned.items():
            self._records.nouns[subject].update(+own)

    def _learn(self) -> dict[Key, str]:
        agree: dict[Key, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        differ: dict[Key, Counter[str]] = defaultdict(Counter)
        for found in self._found:
            for label, own in self._records.facts.get(found.name, {}).items():
                same = any(one.value.folded == found.value.folded for one in own)
                for key in found.keys:
                    if same:
                        agree[key][label].add(found.name)
                    else:
                        differ[key][label] += 1
        labels = {}
        for key, own in agree.items():
            label = max(own, key=lambda one: (len(own[one]), one))
            n = len(own[label])
            if n >= LEAST_NAMES and n >= LEAST_PRECISION * (n + differ[key][label]):
                labels[key] = label
        return labels

    def _label_beside(self, found: Found) -> str | None:
        """Return the label whose words stand right before a value, of those that names of its kind have."""
        if not found.keys:
            return None
        before = " ".join(found.keys[0]).split("⟨")[0]
        labels = self._labels_of(self._records.kind(found.name))
        near = set(stems(before)) if before.strip() else set()
        fitting = [label for label in labels if label in before or (len(near) > 1 and set(stems(label)) <= near)]
        return max(fitting, key=len, default=None)

    def _labels_of(self, kind: str) -> list[str]:
        if not hasattr(self, "_by_kind"):
            counts: dict[str, Counter[str]] = defaultdict(Counter)
            for name, own in self._records.facts.items():
                counts[self._records.kind(name)].update(list(own))
            self._by_kind = {noun: [label for label, n in own.items() if n >= 3] for noun, own in counts.items()}
        return self._by_kind.get(kind, [])

    def _values_on(self, page: WebPage) -> Iterator[Found]:
        page_subject = subject = self._records.anchors.subject(page)
        for line in lines(page.text):
            if line.form == HEADING:
                subject = self._records.anchors.known.get(fold(line.text.lstrip("#")), page_subject)
            if line.form == PROSE:
                about = subject
                for sentence in _SENTENCE.split(plain(line.text)):
                    if len(sentence) > 3:
                        about, found = self._values_in(sentence, about, page)
                        yield from found

    def _values_in(self, sentence: str, subject: str, page: WebPage) -> tuple[str, list[Found]]:
        """Return whom a sentence is about, and the values in it."""
        held: list[Value] = []

        def hold(text: str) -> str:
            held.append(read_value(text))
            return f" ⟨{len(held) - 1}⟩ "

        masked = sentence
        for pattern in DATES:
            masked = pattern.sub(lambda found: hold(found[0]), masked)
        masked = _outside_marks(masked, lambda text: self._hold_names(text, hold))
        masked = _outside_marks(masked, lambda text: FIGURE.sub(lambda found: _hold_figure(found, hold), text))
        pieces = _PIECE.findall(masked)
        name = self._subject(pieces, held, subject)
        shown = [self._shown(piece, held, name) for piece in pieces]
        windows = WINDOWS["zh" if _WIDE.search(sentence) else "en"]
        found = list[Found]()
        for place, piece in enumerate(pieces):
            if piece[0] == "⟨" and shown[place] != "S":
                value = held[int(piece[1:-1])]
                keys = tuple(
                    (*shown[max(0, place - before) : place], "⟨⟩", *shown[place + 1 : place + 1 + after])
                    for before, after in windows
                )
                found.append(Found(name, value, keys, sentence, page))
        return name, found

    def _subject(self, pieces: Sequence[str], held: Sequence[Value], subject: str) -> str:
        """Return whom a sentence is about: the name that it opens with, else the page's subject."""
        for piece in pieces[:2]:
            if piece[0] == "⟨" and (name := self._records.anchors.known.get(fold(held[int(piece[1:-1])].text))):
                return name
        return subject

    def _shown(self, piece: str, held: Sequence[Value], subject: str) -> str:
        if piece[0] != "⟨":
            return piece.lower()
        value = held[int(piece[1:-1])]
        if fold(value.text) == fold(subject):
            return "S"
        return "D" if value.date else "#" if value.figure is not None else "N"

    def _hold_names(self, text: str, hold) -> str:  # noqa: ANN001
        """Hold the longest names and values of records in a text."""
        spans, place, out, done = [piece.span() for piece in _PIECE.finditer(text)], 0, list[str](), 0
        while place < len(spans):
            if text[slice(*spans[place])].casefold() not in self._heads:
                place += 1
                continue
            for size in range(min(_LONGEST, len(spans) - place), 0, -1):
                start, end = spans[place][0], spans[place + size - 1][1]
                if fold(text[start:end]) in self._texts and (size > 1 or end - start > 2):
                    out += [text[done:start], hold(text[start:end])]
                    done, place = end, place + size - 1
                    break
            place += 1
        return "".join([*out, text[done:]])


def _hold_figure(found: re.Match[str], hold) -> str:  # noqa: ANN001
    """Hold a figure with its size; the word after it stays where it is."""
    end = found.end("size") if found["size"] else found.end("figure")
    return hold(found.string[found.start() : end]) + found.string[end : found.end()]


def _outside_marks(text: str, change) -> str:  # noqa: ANN001
    """Change what is not held yet."""
    return "".join(part if part.startswith("⟨") else change(part) for part in re.split(r"(⟨\d+⟩)", text))
