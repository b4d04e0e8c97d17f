"""The templates of one language, read from its YAML file, and the rules that both languages share.

A template holds slots, such as `{label}`, in the midst of its words. Of several templates one is drawn; where there is
one alone, no draw is spent on it.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict
from ruamel.yaml import YAML

from worldforge.world.computed_cells import Measure
from worldforge.world.question_labels import ColumnLabels
from worldforge.world.task_terms import Operator

Templates = tuple[str, ...]
Verbs = Mapping[str, str]
"""The forms of verbs that agree with one, or with several."""
Reader = Callable[[int, str], Iterator[tuple[Any, int]]]
"""Reads a slot at a place, before the words that follow it there: what it may hold, and where that ends."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class JoinedTemplate(_Part):
    """A template with a slot for several parts, and what joins them."""

    template: str
    joint: str


class AnswerForm(_Part):
    """Sentences that ask for the columns of an answer, and that state its form."""

    columns: Templates
    form: str
    group_form: str
    in_order: str
    in_any_order: str
    exact: str
    key: str
    listed: str
    between_names: str
    counted: str
    unit: str
    own_sites: str
    settled: Mapping[str, str]


class TermTemplates(_Part):
    """Templates of terms: `whole` by which sorts of terms there are, `values` patterns of values by sort.

    `referred_by_type` is for references called as what they refer to is (a town as the `town` of clubs); `closers` may
    follow a value that nothing else closes.
    """

    joint: str
    joint_of_exceptions: str
    alternatives: Mapping[Literal["alone", "after_terms"], tuple[JoinedTemplate, ...]]
    whole: Mapping[Literal["nothing", "terms", "exceptions", "both"], Templates]
    under: Templates
    an_entry: str
    at_a_time: str
    in_a_time: str
    referred: Templates
    referred_by_type: Templates = ()
    described: JoinedTemplate
    described_by_several: JoinedTemplate
    verbs: Mapping[Literal["one", "several"], Verbs] = {"one": {}, "several": {}}
    closers: Templates
    values: Mapping[str, str]


class Grammar(_Part):
    """One language: its templates, and what agrees with a label. A subclass a language has the rules of that."""

    frames: Mapping[str, Mapping[str, Templates]]
    answer: AnswerForm
    terms: TermTemplates
    phrases: Mapping[str, Mapping[Operator, Templates]]
    gap: str
    numbers: Templates
    said_already: Templates
    measures: Mapping[str, str]

    @classmethod
    def shipped(cls) -> Self:
        """Read the YAML file beside the module of the class."""
        name = cls.__module__.rpartition(".")[2]
        text = files("generators.questions").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
        return cls.model_validate(YAML(typ="safe").load(text))

    def __hash__(self) -> int:
        return id(self)

    @abstractmethod
    def phrases_of(self, column: ColumnLabels, operator: Operator) -> Templates:
        """Return the templates of a condition on a column."""

    @abstractmethod
    def inflected(self, label: str) -> Mapping[str, str]:
        """Return the words that agree with a label, by slot."""

    @abstractmethod
    def best(self, column: ColumnLabels) -> tuple[str, str]:
        """Return the words for a ranking by a column, from the top and from the bottom; empty where there is none."""

    @abstractmethod
    def bound(self, column: ColumnLabels, operator: Operator) -> str:
        """Return the template of how much, in a row of a relation."""

    @abstractmethod
    def enumerated(self, labels: Sequence[str]) -> str:
        """Name columns in a sentence."""

    @abstractmethod
    def measured(self, column: ColumnLabels, measure: Measure) -> str:
        """Name a computed column; empty where it cannot be said well."""

    @abstractmethod
    def one_group(self, group: str) -> str:
        """Name one group of those that a column makes."""

    @abstractmethod
    def adds_up(self, label: str) -> bool:
        """Return whether what a label without a unit names may be summed."""

    @abstractmethod
    def rounded(self, columns: Sequence[tuple[str, int]]) -> str:
        """Write to how many decimals columns are rounded."""

    @abstractmethod
    def settled(self, rule: str, sites: Sequence[Sequence[str]]) -> str:
        """Write the rule by which conflicts between pages are settled: `date`, `authority` or `majority`.

        `sites` are names of sites that count alike, those that count most first; an empty name is entities' own sites.
        """

    def column_words(self, columns: Sequence[str]) -> str:
        """Name the columns of an answer in a sentence, the key first: `the name, the founding year and the town`."""
        return self.enumerated([self.answer.key, *columns[1:]])

    def openings(self, frames: str | Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
        """Return openings by persona: of a shipped family by its name, or those given."""
        if not isinstance(frames, str):
            return frames
        filters = self.frames["filter"]
        return {**filters, **self.frames["list"]} if frames == "list" else self.frames.get(frames, filters)

    def verbs_of(self, opening: str) -> Verbs:
        """Return the verbs for what follows in an opening: said of one, or of several."""
        return self.terms.verbs["one" if "{label} {conditions}" in opening else "several"]

    def referred(self, *, by_type: bool) -> Templates:
        """Return the templates of a reference from another type."""
        return self.terms.referred_by_type if by_type and self.terms.referred_by_type else self.terms.referred

    def whole(self, *, terms: bool, exceptions: bool) -> Templates:
        """Return the templates that put terms and exceptions together."""
        if terms:
            return self.terms.whole["both" if exceptions else "terms"]
        return self.terms.whole["exceptions" if exceptions else "nothing"]

    def with_unit(self, value: str, column: ColumnLabels) -> str:
        """Write a value of a column with its unit."""
        return f"{value}{self.gap}{column.unit}" if value and column.unit else value


def drawn(bank: Sequence[Any], draws: Iterator[int]) -> Any:
    """Draw one of a bank."""
    return bank[0] if len(bank) == 1 else bank[next(draws) % len(bank)]


_SLOT = re.compile(r"\{(\w+)\}")


def filled(template: str, slots: Mapping[str, str]) -> str:
    """Fill the slots that are known into a template, and leave the others."""
    return _SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), template)


def pattern_of(template: str, slots: Mapping[str, str], patterns: Mapping[str, str]) -> str:
    """Write a template as a regular expression: known slots filled in, a named group for each of `patterns`."""
    groups = {slot: f"(?P<{slot}>{pattern})" for slot, pattern in patterns.items()}
    known = groups | {slot: re.escape(text) for slot, text in slots.items()}
    pieces = enumerate(_SLOT.split(template))
    return "".join(known[piece] if place % 2 else re.escape(piece) for place, piece in pieces)


def match(template: str, readers: Mapping[str, Reader], text: str, at: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield every way to read a template at a place of a text: what its slots hold, and where it ends."""
    before, *pieces = _split(template)
    if text.startswith(before, at):
        yield from _match(pieces, readers, text, at + len(before))


@lru_cache(maxsize=4096)
def _split(template: str) -> list[str]:
    return _SLOT.split(template)


def _match(
    pieces: Sequence[str], readers: Mapping[str, Reader], text: str, at: int
) -> Iterator[tuple[dict[str, Any], int]]:
    if not pieces:
        yield {}, at
        return
    slot, after, *more = pieces
    for held, end in readers[slot](at, after):
        if text.startswith(after, end):
            for others, last in _match(more, readers, text, end + len(after)):
                yield {slot: held, **others}, last
