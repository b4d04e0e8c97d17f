"""The templates of one language, read from its YAML file, and the rules that both languages share.

A template holds slots, such as `{label}`, in the midst of its words. Of several templates one is drawn; where there is
one alone, no draw is spent on it.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict

from worldforge.world.computed_cells import Measure
from worldforge.world.question_labels import ColumnLabels, LinkLabels, Through
from worldforge.world.question_phrases import ColumnPhrases
from worldforge.world.task_terms import Operator

_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_DECIMALS = 6  # as many as a written number has
Templates = tuple[str, ...]
Verbs = Mapping[str, str]
"""The forms of verbs that agree with one, or with several."""
Reader = Callable[[int, str], Iterator[tuple[Any, int]]]
"""Reads a slot at a place, before the words that follow it there: what it may hold, and where that ends."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class JoinedTemplate(_Part):
    """A template with a slot for several parts, and what joins them; `of_clauses` where one of them is a clause."""

    template: str
    joint: str
    of_clauses: bool = False


class AnswerForm(_Part):
    """Sentences that ask for the columns of an answer, and that state its form.

    `columns_after` continue an opening that is no sentence; `columns_below` point to the names of columns in `form`.
    `by_site` explains columns named after sites; `between_sites` separates these, `site_gap` a title from its host.
    `according_to` is the label of such a column, `according_to_own` that of a figure on an entity's official site.
    """

    columns: Templates
    columns_after: Templates
    columns_below: Templates
    columns_below_after: Templates
    form: Templates
    group_form: Templates
    row_form: Templates
    in_order: str
    in_any_order: str
    fewer_in_group: str
    exact: str
    dates: str
    addresses: str
    unknown: Templates
    listed: str
    between_names: str
    counted: str
    unit: str
    own_sites: str
    settled: Mapping[str, str]
    by_site: Templates
    according_to: str
    according_to_own: str
    between_sites: str
    site_gap: str


class SeriesJoints(_Part):
    """What joins values of one column of which one holds: the last two, and those before.

    `last_of_compound` is before the last where a value holds one of `marks_of_compound`.
    """

    many: str
    last: str
    last_of_compound: str
    marks_of_compound: Templates = ()


class TermTemplates(_Part):
    """Templates of terms: `whole` by which sorts of terms there are, `values` patterns of values by sort.

    `joint` is between the last two of several terms, `joint_of_many` between those before. `referred_by_type` is for
    references called as what they refer to is (a town as the `town` of clubs); `some`, `any`, and `that` with those
    after it describe an entity where its name might stand, in several forms the last is plainest; `that_one` is the one
    just spoken of, and `described_as_that` says by a label that it is that one; `during` says when rows of a relation
    were, by the sort of the time, a number being that of a round;
    `linked` is a phrasebook's wording of a relation, with the times that are `told` so, `at_a_time_told` by the sort of
    the time; `closers` may follow a value that nothing else closes. A field a key of the language's file.
    """

    joint: str
    joint_of_many: str
    joint_of_exceptions: str
    series: SeriesJoints
    alternatives: Mapping[Literal["alone", "after_terms"], tuple[JoinedTemplate, ...]]
    whole: Mapping[Literal["nothing", "terms", "exceptions", "both"], Templates]
    under: Templates
    an_entry: str
    at_a_time: str
    in_a_time: str
    at_a_time_told: Mapping[str, str]
    in_a_time_told: str
    referred: Templates
    referred_by_type: Templates = ()
    described: JoinedTemplate
    described_by_several: tuple[JoinedTemplate, ...]
    some: str
    any: str
    linked: str
    that: JoinedTemplate
    that_of_several: tuple[JoinedTemplate, ...]
    that_most: str
    that_one: str
    during: Mapping[str, str]
    described_as_that: str
    verbs: Mapping[Literal["one", "several"], Verbs] = {"one": {}, "several": {}}
    closers: Templates
    values: Mapping[str, str]


class Grammar(_Part):
    """One language: its templates, and what agrees with a label. A subclass a language has the rules of that."""

    frames: Mapping[str, Mapping[str, Templates]]
    reasons: Templates
    larger_units: Mapping[str, tuple[int, str]]
    smaller_units: Mapping[str, tuple[int, str]]
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
        return cls.model_validate(yaml.load(text, yaml.CSafeLoader))

    def __hash__(self) -> int:
        return id(self)

    @abstractmethod
    def phrases_of(self, column: ColumnLabels, operator: Operator) -> Templates:
        """Return the templates of a condition on a column."""

    @abstractmethod
    def phrased(self, text: str, operator: Operator, sort: str, *, one: bool, person: bool) -> str:
        """Make a phrasebook's modifier of several, as `which` has it, one for an operator; empty where it cannot be.

        `one` says whether it is said of one thing.
        """

    @abstractmethod
    def stands_before(self, superlative: str) -> bool:
        """Return whether a phrasebook's superlative can stand before a noun."""

    @abstractmethod
    def is_clause(self, text: str) -> bool:
        """Return whether a condition is worded as a clause, which comes after others."""

    @abstractmethod
    def form(self, text: str) -> int:
        """Return a number for the grammatical form of a condition; alternatives of equal form can be joined by `or`."""

    @abstractmethod
    def begins(self, text: str) -> Sequence[int]:
        """Return possible lengths of the part before the values: 6 for `rated seven or twelve`."""

    @abstractmethod
    def ends(self, text: str) -> Sequence[int]:
        """Return offsets in `text` at which the part after the values may start."""

    described_first: bool = False
    """Whether conditions that describe another entity come first in a question, not last."""

    @abstractmethod
    def weight(self, text: str) -> int:
        """Return the sort key of a condition: lighter conditions come first."""

    @abstractmethod
    def joins_directly(self, before: str, text: str) -> bool:
        """Return whether a condition may follow a lighter one without a joint: `in Velmar that …`."""

    @abstractmethod
    def narrowed(self, text: str) -> str:
        """Write a phrasebook's condition on rows of a relation behind the others; empty where it cannot be."""

    def narrowed_plainly(self, text: str) -> str:
        """Write such a condition so that it cannot be read as one on the entities asked for."""
        return self.narrowed(text)

    def precedes(self, text: str) -> bool:
        """Return whether a condition on rows of a relation stands before the verb, as times do in Chinese."""
        return False

    @abstractmethod
    def elided(self, before: str, text: str) -> int:
        """Return how many characters a condition can lose behind another: the `with` of `with a beach and 3 towns`."""

    def joints_of_elided(self, before: str) -> Templates:
        """Return what may stand between two conditions where the second leaves out the first word that both share."""
        return self.joints

    @property
    def joints(self) -> Templates:
        """Return what joins the last two of several conditions, and those before."""
        return self.terms.joint, self.terms.joint_of_many

    def describing(self, template: str, column: ColumnLabels) -> str:
        """Return the template of a condition that describes the entity in a column, adapted to the column's label."""
        return template

    def late(self, text: str, verbs: Verbs, *, person: bool) -> str:
        """Reword a condition for a place behind others: `made by that maker` as `that are made by that maker`."""
        return text

    def in_past(self, link: str) -> str:
        """Return what is said of a relation as it is said of a time that is over: `who worked at {other}`."""
        return link

    @abstractmethod
    def inflected(self, label: str) -> Mapping[str, str]:
        """Return the words that agree with a label, by slot."""

    def inflected_type(self, label: str, the: str) -> Mapping[str, str]:
        """Return the words that agree with the name of a type; `the` is what a phrasebook puts before it."""
        return self.inflected(label)

    @abstractmethod
    def best(self, column: ColumnLabels) -> tuple[str, str]:
        """Return the words for a ranking by a column, from the top and from the bottom; empty where there is none."""

    @abstractmethod
    def bound(self, column: ColumnLabels, operator: Operator) -> str:
        """Return the template of how much, in a row of a relation."""

    @abstractmethod
    def in_sentence(self, label: str) -> str:
        """Write a label in the midst of a sentence."""

    @abstractmethod
    def whether(self, label: str) -> str:
        """Name a column of yes and no in a sentence."""

    @abstractmethod
    def enumerated(self, labels: Sequence[str]) -> str:
        """Name computed columns in a sentence."""

    @abstractmethod
    def columns_in_sentence(self, labels: Sequence[str]) -> str:
        """Name columns of entities in a sentence."""

    @abstractmethod
    def is_named_in_sentence(self, label: str) -> bool:
        """Return whether a sentence can name a column of entities; others are listed below it."""

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

    def according_to(self, title: str) -> str:
        """Return a format string for labels of figures by site; an empty title: the entity's official site."""
        return self.answer.according_to.format(label="{}", site=title) if title else self.answer.according_to_own

    def heading(self, column: ColumnLabels) -> str:
        """Write what a column of an answer is called: `Capacity (seats)`."""
        label = column.label[:1].upper() + column.label[1:]
        return label + self.answer.unit.format(column.unit) if column.unit and column.sort != "year" else label

    def openings(self, frames: str | Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
        """Return openings by voice: of a shipped family by its name, or those given."""
        return self.frames.get(frames, self.frames["filter"]) if isinstance(frames, str) else frames

    def verbs_of(self, opening: str) -> Verbs:
        """Return the verbs for what follows in an opening: said of one, or of several."""
        return self.terms.verbs["one" if "{label} {conditions}" in opening else "several"]

    def book_phrases(self, column: ColumnLabels, operator: Operator, *, one: bool) -> Templates:
        """Return the templates that a phrasebook has for a condition on a column, said of one thing or of several."""
        if column.phrases is None:
            return ()
        if column.through is None:
            return self._of_own(column.phrases, operator, column.sort, one=one)
        inner = self._of_own(column.phrases, "=", column.sort, one=True)
        return self._through(column.through, inner, operator, one=one)

    def value_phrases(self, column: ColumnLabels, operator: Operator, *, one: bool) -> Mapping[str, Templates]:
        """Return a phrasebook's templates for single values of a column, by value."""
        if column.phrases is None or operator not in ("=", "!=") or (operator == "!=" and column.sort == "boolean"):
            return {}  # what is not `yes` is `no`
        phrases, found = column.phrases, dict[str, Templates]()
        for value, texts in phrases.by_value.items():
            if column.through is None:
                found[value] = self._phrased(texts, phrases, operator, column.sort, one=one)
            else:
                inner = self._phrased(texts, phrases, "=", column.sort, one=True)
                found[value] = self._through(column.through, inner, operator, one=one)
        return {value: texts for value, texts in found.items() if texts}

    def _of_own(self, phrases: ColumnPhrases, operator: Operator, sort: str, *, one: bool) -> Templates:
        texts = {">": phrases.over, "<": phrases.under, "highest": phrases.most, "lowest": phrases.least}
        return self._phrased(texts.get(operator, phrases.which), phrases, operator, sort, one=one)

    def _phrased(
        self, texts: Sequence[str], phrases: ColumnPhrases, operator: Operator, sort: str, *, one: bool
    ) -> Templates:
        found = (self.phrased(text, operator, sort, one=one, person=phrases.person) for text in texts)
        return tuple(dict.fromkeys(filter(None, found)))

    def _through(self, through: Through, inner: Sequence[str], operator: Operator, *, one: bool) -> Templates:
        """Put descriptions of what a reference leads to where its name might stand: `born in a town in {value}`."""
        if operator not in ("=", "!="):
            return ()
        outer = filter(None, map(for_description, self._of_own(through.phrases, operator, "reference", one=one)))
        described = [self.some(through.label, through.the, text) for text in inner]
        return tuple(dict.fromkeys(text.replace("{value}", one_of) for text in outer for one_of in described))

    def some(self, about: str, the: str, inner: str) -> str:
        """Describe some entity of a type: `a town in {value}`."""
        return filled(self.terms.some, {"about": about, "inner": inner, **self.inflected_type(about, the)})

    def link_phrases(self, link: LinkLabels, *, one: bool, person: bool) -> Templates:
        """Return the templates that a phrasebook has for a link, said of one thing or of several."""
        texts = (self.phrased(text, "=", "reference", one=one, person=person) for text in link.phrases)
        if not link.end:
            return tuple(filter(None, texts))
        return tuple(filled(self.terms.linked, {"link": text}) for text in texts if text)

    def referred(self, *, by_type: bool) -> Templates:
        """Return the templates of a reference from another type."""
        return self.terms.referred_by_type if by_type and self.terms.referred_by_type else self.terms.referred

    def whole(self, *, terms: bool, exceptions: bool) -> Templates:
        """Return the templates that put terms and exceptions together."""
        if terms:
            return self.terms.whole["both" if exceptions else "terms"]
        return self.terms.whole["exceptions" if exceptions else "nothing"]

    def with_unit(self, value: str, column: ColumnLabels) -> str:
        """Write a value of a column with its unit, and between the column's quotation marks if it has some: `《…》`."""
        if not value:
            return value
        value, column = self.in_fitting_unit(in_marks(value, column.around), column)
        return f"{value}{self.gap}{self.unit_of(value, column)}" if column.unit else value

    def in_fitting_unit(self, value: str, column: ColumnLabels) -> tuple[str, ColumnLabels]:
        """Turn a value into a unit of fitting size: 2.5 million, not 2,500 thousand; 40,000, not 0.04 million."""
        figure = value.replace(",", "")
        if not _FIGURE.fullmatch(figure):
            return value, column
        for small, (factor, large) in self.larger_units.items():
            if _begins_with(column.unit, small) and float(figure) >= factor:
                return _grouped(float(figure) / factor), replace(column, unit=large + column.unit.removeprefix(small))
        for large, (factor, small) in self.smaller_units.items():
            if _begins_with(column.unit, large) and 0 < float(figure) < 1:
                unit = f"{small}{column.unit.removeprefix(large)}".strip()
                return _grouped(float(figure) * factor), replace(column, unit=unit)
        return value, column

    def from_other_unit(self, value: str, column: ColumnLabels) -> Iterator[tuple[str, str]]:
        """Yield each other unit that a written value may have, with the value converted to the column's unit."""
        figure = float(value.replace(",", ""))
        owns = [figure * factor for small, (factor, _) in self.larger_units.items() if _begins_with(column.unit, small)]
        owns += [
            figure / factor for large, (factor, _) in self.smaller_units.items() if _begins_with(column.unit, large)
        ]
        for own in map(_grouped, owns):
            written, other = self.in_fitting_unit(own, column)
            if written == value and other is not column:
                yield other.unit, own

    def named(self, name: str) -> str:
        """Write the name of an entity in a sentence: with its article, where it takes one."""
        return name

    def behind_article(self, text: str, at: int) -> int:
        """Return the offset of a name at `at` in `text`, after its article if there is one."""
        return at

    def unit_of(self, value: str, column: ColumnLabels) -> str:
        """Write the unit of a column behind a value."""
        return column.unit

    def with_articles(self, template: str, value: str = "") -> Templates:
        """Return a template with the article that fits a value, or with each that may."""
        return (template,)

    def counting_one(self, template: str) -> str:
        """Make what a value counts agree with 1, where a template does not say how."""
        return template


def _grouped(number: float) -> str:
    return f"{round(number, _DECIMALS):,.12g}"


def _begins_with(unit: str, word: str) -> bool:
    """Return whether a unit begins with a word: in Chinese any unit that begins so, else only a whole word."""
    return unit.startswith(word) and (not word.isascii() or unit[len(word) :][:1] in ("", " "))


def in_marks(name: str, around: str) -> str:
    """Put a name in two marks, if there are any: 《》."""
    return f"{around[:1]}{name}{around[1:]}"


def drawn(bank: Sequence[Any], draws: Iterator[int]) -> Any:
    """Draw one of a bank."""
    return bank[0] if len(bank) == 1 else bank[next(draws) % len(bank)]


_SLOT = re.compile(r"\{(\w+)\}")
_AGREES = re.compile(r"\{value\?([^{}|]*)\|([^{}|]*)\}")


_NAME_ALONE = re.compile(r"\bthe \w+ \{value\}|[“《]\{value\}")


def for_description(template: str) -> str:
    """Return a template in which a description can stand for a name; empty where none can: `of the house {value}`."""
    return "" if _NAME_ALONE.search(template) else template.replace("the {value}", "{value}")


def agreeing(template: str, *, one: bool) -> str:
    """Choose the words of a template that depend on whether its value is 1: `{value} {value?seat|seats}`."""
    return _AGREES.sub(lambda words: words[1 if one else 2], template)


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
