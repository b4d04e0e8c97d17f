"""Put a searcher's state into words: what it has just learnt, what is open, and why it does what it does next.

Every word is rendered from the beliefs, so that no thought says what is not so. The sentences are chosen from
`thoughts.yaml` by the seed of the episode, and one that was used a while ago before one that was used just now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from worldforge.core.chance import Stream
from worldforge.schema.document import read_document

Length = Literal["long", "short", "none"]
_FILE = Path(__file__).with_name("thoughts.yaml")
PHRASES: Mapping[str, Mapping[str, Sequence[str]]] = read_document(_FILE.read_text("utf-8"), _FILE.name)[0].data
"""Sentences by language and occasion."""
_MOST_NAMES = 3
_MOST_VALUES = 2
_MISSING = {1: "missing", 2: "missing_one_more"}
_CONNECTIVES = {"en": (", ", " and "), "zh": ("、", "和")}


class Learnt(NamedTuple):
    """A value that was read for the answer: of what, under which label, and on which page.

    `derived` says that the page gives it relative to another value, which was known.
    """

    name: str
    label: str
    value: str
    title: str
    derived: bool = False


class Disagreement(NamedTuple):
    """Two values of a fact: what a page says, what another one said before, and which of them stands."""

    name: str
    label: str
    title: str
    said: str
    other: str
    stands: str


@dataclass
class Report:
    """What happened since the last thought."""

    kinds: str = ""
    remarks: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    """What is said first: occasions in the words of the phrases, with their slots."""
    met: list[str] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    learnt: list[Learnt] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)
    n_failed: int = 0
    n_read: int = 0
    gain: float = 0.0
    """How much of what was open the pages read have told."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is open: candidates to check, cells that are missing, one of them by name and label."""

    n_untested: int = 0
    n_missing: int = 0
    name: str = ""
    label: str = ""


class Thoughts:
    """Words the thoughts of one episode, in one language."""

    def __init__(self, language: str, seed: int, length: Length) -> None:
        self._phrases, self._language, self._length = PHRASES[language], language, length
        self._chance, self._n_draws = Stream(seed, "thoughts"), 0
        self._last_used: dict[str, int] = {}

    def word(self, report: Report, outlook: Outlook, occasion: str, slots: Mapping[str, Sequence[str]]) -> str:
        """Write the thought before an action: `occasion` says why it is done, `slots` has what it is done with."""
        if self._length == "none":
            return ""
        why = self._say(occasion, **{name: self._listed(values) for name, values in slots.items()})
        if self._length == "short":
            return self._joined([*self._what_was_learnt(report)[:1], why])
        return self._joined([*self._what_was_learnt(report), *self._what_is_open(report, outlook), why])

    def _what_was_learnt(self, report: Report) -> list[str]:
        said = [self._say(occasion, **slots) for occasion, slots in report.remarks]
        said += [self._say("failed")] if report.n_failed else []
        for one in report.disagreements[:1]:
            said.append(self._say("disagreement", **one._asdict()))
        if report.confirmed:
            said.append(self._of_several("confirmed", report.confirmed))
        for learnt in report.learnt[:_MOST_VALUES]:
            slots = {name: getattr(learnt, name) for name in ("name", "label", "value", "title")}
            said.append(self._say("derived" if learnt.derived else "learnt", **slots))
        if n_more := max(0, len(report.learnt) - _MOST_VALUES):
            said.append(self._say("learnt_one_more" if n_more == 1 else "learnt_more", n=str(n_more)))
        if report.rejected:
            said.append(self._of_several("rejected", report.rejected))
        told = {*report.confirmed, *report.rejected}
        if met := [name for name in report.met if name not in told]:
            said.append(self._of_several("met", met, kinds=report.kinds))
        if report.n_read and not said and not report.gain:
            said.append(self._say("nothing"))
        return said

    def _what_is_open(self, report: Report, outlook: Outlook) -> list[str]:
        if outlook.n_missing:
            occasion = _MISSING.get(outlook.n_missing, "missing_more")
            return [self._say(occasion, name=outlook.name, label=outlook.label, n=str(outlook.n_missing - 1))]
        if outlook.n_untested > 1 and (report.met or report.rejected or report.confirmed):
            return [self._say("untested", n=f"{outlook.n_untested:,}", kinds=report.kinds)]
        return []

    def _of_several(self, occasion: str, names: Sequence[str], **slots: str) -> str:
        """Say something of one name, of a few, or of many, whose number is given."""
        if len(names) == 1:
            return self._say(f"{occasion}_one", name=names[0], **slots)
        if len(names) <= _MOST_NAMES:
            return self._say(f"{occasion}_few", names=self._listed(names), **slots)
        return self._say(f"{occasion}_many", n=f"{len(names):,}", names=self._listed(names[:2]), **slots)

    def _listed(self, names: Sequence[str]) -> str:
        comma, last = _CONNECTIVES[self._language]
        return names[0] if len(names) == 1 else comma.join(names[:-1]) + last + names[-1] if names else ""

    def _joined(self, sentences: Sequence[str]) -> str:
        return ("" if self._language == "zh" else " ").join(sentence for sentence in sentences if sentence)

    def _say(self, occasion: str, **slots: str) -> str:
        """Fill a sentence of an occasion: drawn among the half that was used longest ago."""
        choices = sorted(self._phrases[occasion], key=lambda text: self._last_used.get(text, -1))
        self._n_draws += 1
        drawn = float(self._chance.uniform(np.array([self._n_draws]))[0])
        chosen = choices[int(drawn * max(1, (len(choices) + 1) // 2))]
        self._last_used[chosen] = self._n_draws
        return chosen.format(**slots)
