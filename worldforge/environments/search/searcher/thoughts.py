"""Put a searcher's state into words: what it has just learnt, what is open, and why it does what it does next.

Every word is rendered from the beliefs, so that no thought says what is not so. The sentences are chosen from
`thoughts.yaml` by the seed of the episode, and one that was used a while ago before one that was used just now. What is
put into them stands in slots, so that a model can word a thought anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from worldforge.core.chance import Stream
from worldforge.core.english import number_in_words
from worldforge.environments.search.searcher.thought_sentences import filled_sentence
from worldforge.rewording.slotted_text import SlottedSentence, SlottedText
from worldforge.schema.document import read_document

Length = Literal["long", "short", "none"]
_FILES = [Path(__file__).with_name(name) for name in ("thoughts.yaml", "noisy_thoughts.yaml")]
_BOOKS: Sequence[Mapping[str, Mapping[str, Sequence[str]]]] = [
    read_document(file.read_text("utf-8"), file.name)[0].data for file in _FILES
]
PHRASES: Mapping[str, Mapping[str, Sequence[str]]] = {
    language: {occasion: sentences for book in _BOOKS for occasion, sentences in book[language].items()}
    for language in ("en", "zh")
}
"""Sentences by language and occasion, the noisy searcher's too."""
_MEASURE_WORDS = {kind: word for word, kinds in _BOOKS[0]["measure_words"].items() for kind in kinds}
_MOST_NAMES = 3
_MOST_VALUES = 2
_MOST_WORDED = 10  # a number up to this one is written as a word in English
_MOST_REASONS = 2
_MISSING = {1: "missing", 2: "missing_one_more"}
_CONNECTIVES = {"en": (", ", " and "), "zh": ("、", "和")}
_Slot = str | Sequence[str]
Occasion = tuple[str, Mapping[str, _Slot]]
"""Why something is done, and what with: a key of `thoughts.yaml` and what fills its sentences."""


class Learnt(NamedTuple):
    """A value that was read for the answer: of what, under which label, and on which page.

    Where the page gives it relative to that of an `other`, `known` is what that one has.
    """

    name: str
    label: str
    value: str
    title: str
    other: str = ""
    known: str = ""


class Disagreement(NamedTuple):
    """Two values of a fact: what a page says, what another one said before, and which of all stands.

    `settled` is the occasion that says how: by the question's rule, without one, or not at all.
    """

    name: str
    label: str
    title: str
    said: str
    other: str
    stands: str
    settled: str = "disagreement"


class Point(NamedTuple):
    """A value under its label; `owner` is whose it is, if not the candidate's own."""

    label: str
    value: str
    owner: str = ""


class CandidateVerdict(NamedTuple):
    """A candidate that meets what is asked, or fails, with labels and values that show it.

    `wanted` is what the question asks of the value by which it fails, empty where no single value does. `again` says
    that it was thought to be the other way round before.
    """

    name: str
    points: tuple[Point, ...] = ()
    wanted: str = ""
    again: bool = False


class StatedComparison(NamedTuple):
    """A value that a page gives only relative to that of another entity, which is not known."""

    name: str
    label: str
    title: str
    other: str


class Absence(NamedTuple):
    """A value that was hoped for on a page which does not give it."""

    name: str
    label: str
    title: str


@dataclass
class Report:
    """What happened since the last thought.

    `counts_only` says that candidates that qualify are not rows of the answer, but are counted, ranked or led by.
    """

    kinds: str = ""
    counts_only: bool = False
    remarks: list[Occasion] = field(default_factory=list)
    """What is said first."""
    met: list[str] = field(default_factory=list)
    confirmed: list[CandidateVerdict] = field(default_factory=list)
    rejected: list[CandidateVerdict] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    complete: list[str] = field(default_factory=list)
    """Those confirmed of which all cells were known by then."""
    rows: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Entities of which further rows were read: what the rows are called, and how many there are by now."""
    on_the_way: dict[str, list[str]] = field(default_factory=dict)
    learnt: list[Learnt] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)
    agreements: list[Learnt] = field(default_factory=list)
    """Values on which pages disagree, and which a further one confirms."""
    comparisons: list[StatedComparison] = field(default_factory=list)
    absences: list[Absence] = field(default_factory=list)
    named_in: list[tuple[str, str]] = field(default_factory=list)
    not_named_in: list[tuple[str, str]] = field(default_factory=list)
    n_failed: int = 0
    n_read: int = 0
    gain: float = 0.0
    """How much of what was open the pages read have told."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is open: candidates to check, mostly for want of `condition`; missing cells, one by name and label.

    `n_found` are the candidates that belong in the answer.
    """

    n_found: int = 0
    n_untested: int = 0
    condition: str = ""
    n_missing: int = 0
    name: str = ""
    label: str = ""
    is_whole: bool = True
    """Whether all rows of a relation were read, of those that belong in the answer."""


class Thoughts:
    """Words the thoughts of one episode, in one language."""

    def __init__(self, language: str, seed: int, length: Length) -> None:
        self._phrases, self._language, self._length = PHRASES[language], language, length
        self._chance, self._n_draws = Stream(seed, "thoughts"), 0
        self._last_used: dict[str, int] = {}
        self._last_outlook, self._measure = Outlook(), ""

    @property
    def is_silent(self) -> bool:
        """Whether no thought is written."""
        return self._length == "none"

    def word(self, report: Report, outlook: Outlook, *occasions: Occasion) -> SlottedText:
        """Write the thought before an action: `occasions` say why it is done, and what with."""
        if self.is_silent:
            return SlottedText(self._language, ())
        self._measure = next((word for kind, word in _MEASURE_WORDS.items() if report.kinds.endswith(kind)), "个")
        why = [self._say(occasion, **slots) for occasion, slots in occasions]
        learnt = list(self._what_was_learnt(report))
        if self._length == "short":
            return SlottedText(self._language, (*learnt[:1], *why))
        return SlottedText(self._language, (*learnt, *self._what_is_open(report, outlook), *why))

    def form(self, occasion: str, **slots: str) -> str:
        """Fill the one form that a part of a sentence has."""
        return self._phrases[occasion][0].format(measure=self._measure, **slots)

    # what was learnt

    def _what_was_learnt(self, report: Report) -> Iterator[SlottedSentence]:
        told = [
            *(self._say(occasion, **slots) for occasion, slots in report.remarks),
            *([self._say("failed")] if report.n_failed else []),
            *self._of_finding(report),
            *self._of_disagreements(report),
            *(
                self._say("agreement", name=one.name, label=one.label, value=one.value, title=one.title)
                for one in report.agreements[:_MOST_VALUES]
            ),
            *self._of_confirmed(report),
            *self._of_complete(report),
            *self._of_rows(report),
            *self._of_values(report),
            *(self._say("comparison", **one._asdict()) for one in report.comparisons[:1]),
            *self._of_rejected(report),
            *self._of_the_way(report),
            *self._of_met(report),
        ]
        yield from told
        if report.left_out:
            yield self._of_several("left_out", report.left_out)
        if not told and not report.gain and report.n_read:
            if report.absences:
                yield self._of_absences(report.absences)
            else:
                yield self._say("nothing" if report.n_read == 1 else "nothing_several")

    def _of_finding(self, report: Report) -> Iterator[SlottedSentence]:
        """Say of each name that was looked for whether a page mentions it, and which."""
        if len(report.named_in) + len(report.not_named_in) == 1:
            occasion = "named_in" if report.named_in else "not_named_in"
            ((title, name),) = report.named_in or report.not_named_in
            yield self._say(occasion, title=title, name=name)
        elif report.named_in:
            yield self._say("named_in_places", places=self._places(report.named_in))
            if report.not_named_in:
                yield self._say("not_named_in_places", places=self._places(report.not_named_in))
        elif report.not_named_in:
            yield self._say("not_named_in_several")

    def _places(self, found: Iterable[tuple[str, str]]) -> list[str]:
        titles: dict[str, list[str]] = {}
        for title, name in found:
            titles.setdefault(name, []).append(quoted(title, self._language))
        return [self.form("place", name=name, titles=self.listed(own)) for name, own in titles.items()]

    def _of_confirmed(self, report: Report) -> Iterator[SlottedSentence]:
        kind = "qualified" if report.counts_only else "confirmed"
        yield from self._of_turned("confirmed_again", report.confirmed)
        fresh = [one for one in report.confirmed if not one.again]
        shown = next((one for one in fresh if one.points), None)
        if shown is not None:
            yield self._say(f"{kind}_why", name=shown.name, points=self._points(shown.points))
            if rest := [one.name for one in fresh if one is not shown]:
                yield self._of_several("also", rest)
        elif fresh:
            yield self._of_several(kind, [one.name for one in fresh])

    def _of_turned(self, occasion: str, verdicts: Iterable[CandidateVerdict]) -> Iterator[SlottedSentence]:
        """Say which candidates were thought to be the other way round, and of the first why it is not so."""
        turned = [one for one in verdicts if one.again]
        shown = next((one for one in turned if one.points), None)
        if shown is not None:
            yield self._say(f"{occasion}_why", name=shown.name, points=self._points(shown.points))
        if names := [one.name for one in turned if one is not shown]:
            yield self._say(occasion, names=names)

    def _of_rows(self, report: Report) -> Iterator[SlottedSentence]:
        for name, (label, n) in list(report.rows.items())[:_MOST_VALUES]:
            yield self._say("rows_read_one" if n == 1 else "rows_read", name=name, label=label, n=self.number(n))

    def _of_complete(self, report: Report) -> Iterator[SlottedSentence]:
        told = {one.name for one in report.learnt}
        if complete := [name for name in report.complete if name not in told]:
            yield self._of_several("complete", complete)

    def _of_disagreements(self, report: Report) -> Iterator[SlottedSentence]:
        for one in list(dict.fromkeys(report.disagreements))[:_MOST_VALUES]:
            slots = {"name": one.name, "label": one.label, "title": one.title, "said": one.said}
            yield self._say(one.settled, other=one.other, stands=one.stands, **slots)

    def _of_values(self, report: Report) -> Iterator[SlottedSentence]:
        told = {(one.name, one.label) for one in report.disagreements}
        shown = next((one for one in report.confirmed if one.points), None)
        if shown is not None:
            told |= {(point.owner or shown.name, point.label) for point in shown.points}
        learnt = [one for one in report.learnt if (one.name, one.label) not in told]
        for one in learnt[:_MOST_VALUES]:
            occasion = "resolved" if one.other and not one.title else "derived" if one.other else "learnt"
            own = "_own" if one.name == one.title else ""
            yield self._say(occasion + own, **one._asdict())
        if n_more := max(0, len(learnt) - _MOST_VALUES):
            yield self._say("learnt_one_more" if n_more == 1 else "learnt_more", n=self.number(n_more))

    def _of_rejected(self, report: Report) -> Iterator[SlottedSentence]:
        yield from self._of_turned("rejected_again", report.rejected)
        alike: dict[tuple[str, str], list[CandidateVerdict]] = {}
        for one in report.rejected:
            if not one.again:
                alike.setdefault(_reason(one), []).append(one)
        groups = sorted(alike.items(), key=lambda group: (not group[0][0], -len(group[1])))
        for (label, wanted), verdicts in groups[:_MOST_REASONS]:
            yield self._of_alike(verdicts, label, wanted)
        if others := [one.name for _, verdicts in groups[_MOST_REASONS:] for one in verdicts]:
            yield self._of_several("rejected_too", others)

    def _of_alike(self, verdicts: Sequence[CandidateVerdict], label: str, wanted: str) -> SlottedSentence:
        """Say which candidates fail under one label."""
        if not label:
            return self._of_several("rejected", [one.name for one in verdicts])
        slots = {"label": label, "wanted": wanted}
        if len(verdicts) == 1:
            point = verdicts[0].points[0]
            slots["label"] = self.form("of", label=label, name=point.owner) if point.owner else label
            occasion = "rejected_why" if wanted else "rejected_fact"
            return self._say(occasion, name=verdicts[0].name, value=point.value, **slots)
        shown = verdicts if len(verdicts) <= _MOST_NAMES + 1 else verdicts[:_MOST_NAMES]
        items = [self._item(one) for one in shown]
        if more := len(verdicts) - len(shown):
            items.append(self.form("more", n=self.number(more)))
        return self._say("rejected_alike_why" if wanted else "rejected_alike", items=items, **slots)

    def _item(self, verdict: CandidateVerdict) -> str:
        point = verdict.points[0]
        if point.owner:
            return self.form("item_of", name=verdict.name, value=point.value, owner=point.owner)
        return self.form("item", name=verdict.name, value=point.value)

    def _of_the_way(self, report: Report) -> Iterator[SlottedSentence]:
        for kinds, names in list(report.on_the_way.items())[:1]:
            yield self._of_several("on_the_way", names, kinds=kinds)

    def _of_met(self, report: Report) -> Iterator[SlottedSentence]:
        told = {one.name for one in (*report.confirmed, *report.rejected)}
        if met := [name for name in report.met if name not in told]:
            yield self._of_several("met", met, kinds=report.kinds)

    def _of_absences(self, absences: Sequence[Absence]) -> SlottedSentence:
        first = absences[0]
        if len(absences) == 1:
            own = "_own" if first.name == first.title else ""
            return self._say(f"absent{own}", **first._asdict())
        if len({one.label for one in absences}) == 1:
            names = list(dict.fromkeys(one.name for one in absences))
            return self._say("absent_alike", label=first.label, names=names)
        return self._say("nothing_several")

    # what is open

    def _what_is_open(self, report: Report, outlook: Outlook) -> list[SlottedSentence]:
        last, self._last_outlook = self._last_outlook, outlook
        missing = (outlook.n_missing, outlook.name, outlook.label)
        if outlook.n_missing and missing != (last.n_missing, last.name, last.label):
            occasion = _MISSING.get(outlook.n_missing, "missing_more")
            n = self.number(outlook.n_missing - 1)
            return [self._say(occasion, name=outlook.name, label=outlook.label, n=n)]
        if outlook.n_untested > 1 and outlook.condition and outlook.n_untested != last.n_untested:
            n = self.number(outlook.n_untested)
            return [self._say("untested", n=n, kinds=report.kinds, label=outlook.condition)]
        filled = outlook.n_found and not outlook.n_untested and not outlook.n_missing and outlook.is_whole
        return [self._say("filled", kinds=report.kinds)] if filled and outlook != last else []

    # words

    def _of_several(self, occasion: str, names: Sequence[str], **slots: str) -> SlottedSentence:
        """Say something of one name, of a few, or of many, whose number is given."""
        if len(names) == 1:
            return self._say(f"{occasion}_one", name=names[0], **slots)
        if len(names) <= _MOST_NAMES:
            return self._say(f"{occasion}_few", names=names, **slots)
        return self._say(f"{occasion}_many", n=self.number(len(names)), names=names[:2], **slots)

    def _points(self, points: Iterable[Point]) -> str:
        words = [self.form("point_of" if one.owner else "point", **one._asdict()) for one in points]
        return self.form("comma").join(words)

    def number(self, n: int) -> str:
        """Write a number of things: small ones in words, in Chinese the two that stands before a measure word."""
        if self._language == "zh":
            return "两" if n == 2 else f"{n:,}"
        return number_in_words(n) if n <= _MOST_WORDED else f"{n:,}"

    def listed(self, names: Sequence[str]) -> str:
        """Enumerate names: `A, B and C`."""
        comma, last = _CONNECTIVES[self._language]
        return names[0] if len(names) == 1 else comma.join(names[:-1]) + last + names[-1] if names else ""

    def _say(self, occasion: str, **slots: _Slot) -> SlottedSentence:
        """Fill a sentence of an occasion: drawn among the half that was used longest ago."""
        every = self._phrases[occasion]
        choices = sorted(every, key=lambda text: self._last_used.get(text, -1))
        self._n_draws += 1
        drawn = float(self._chance.uniform(np.array([self._n_draws]))[0])
        chosen = choices[int(drawn * max(1, (len(choices) + 1) // 2))]
        self._last_used[chosen] = self._n_draws
        texts = {name: value if isinstance(value, str) else self.listed(value) for name, value in slots.items()}
        return filled_sentence(chosen, tuple(every), {"measure": self._measure, **texts})


def quoted(title: str, language: str) -> str:
    """Write a title as a text of a language quotes it: in Chinese in title marks, unless it has some itself."""
    return f"《{title}》" if language == "zh" and "《" not in title else f"“{title}”"


def _reason(verdict: CandidateVerdict) -> tuple[str, str]:
    """Return under which label a candidate fails, and what is asked there; empty where no single value shows it."""
    return (verdict.points[0][0], verdict.wanted) if verdict.points else ("", "")
