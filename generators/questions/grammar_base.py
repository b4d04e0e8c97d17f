"""What questions of one language are made of: its banks of templates, and how it strings them together.

A template holds slots, such as `{label}`, in the midst of its words. Of several templates one is drawn; where there is
one alone, no draw is spent on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worldforge.world.computed_cells import Measure
from worldforge.world.question_labels import ColumnLabels
from worldforge.world.task_terms import Operator

Bank = dict[str, tuple[str, ...]]
"""Openings, by persona."""
Templates = tuple[str, ...]
Verbs = Mapping[str, str]
"""What verbs agree with: one, or several."""
Reader = Callable[[int, str], Iterator[tuple[Any, int]]]
"""Reads a slot at a place, before the words that follow it there: what it may hold, and where that ends."""


@dataclass(frozen=True, eq=False)
class Grammar:
    """The banks of one language. `form` and `columns` say what the answer is to look like, `in_order` and
    `in_any_order` whether the order of its rows counts.

    `phrases` gives the templates of a condition on a column, `inflected` the words that agree with a label, `best` how
    a ranking by a column runs, from the top and from the bottom, `bound` the template of how much, in a row of a
    relation. `values` are patterns of values by sort; `closers` may follow a value that nothing else closes. `whole` is
    by whether there are terms, and exceptions; `either` by whether terms came before, each template with what joins its
    parts; `described` by whether there are several parts; `referred` by whether the reference is called as what it
    refers to is: a town as the `town` of clubs.
    """

    frames: Mapping[str, Bank]
    columns: Templates
    column_words: Callable[[Sequence[str]], str]
    form: str
    in_order: str
    in_any_order: str
    listed: str
    between_names: str
    gap: str
    numbers: tuple[str, ...]
    number: str
    values: Mapping[str, str]
    closers: Templates
    phrases: Callable[[ColumnLabels, Operator], Templates]
    inflected: Callable[[str], Mapping[str, str]]
    best: Callable[[ColumnLabels], tuple[str, str]]
    one: Verbs
    several: Verbs
    joint: str
    joint_of_exceptions: str
    either: Mapping[bool, tuple[tuple[str, str], ...]]
    whole: Mapping[tuple[bool, bool], Templates]
    under: Templates
    an_entry: str
    at_a_time: Templates
    in_a_time: Templates
    bound: Callable[[ColumnLabels, Operator], str]
    referred: Mapping[bool, Templates]
    described: Mapping[bool, tuple[str, str]]

    def verbs_of(self, opening: str) -> Verbs:
        """Say whether what follows in an opening is said of one or of several."""
        return self.one if "{label} {conditions}" in opening else self.several

    def form_of(self, label: str, columns: Sequence[str], ranked: Mapping[str, str], rounding: str) -> str:
        """Say in which form the answer is due; `ranked` says what a ranking goes by, if it is one, `rounding`
        which numbers are rounded.
        """
        order = self.in_order.format(**ranked) if ranked else self.in_any_order
        return self.form.format(label=label, labels=self.listed.join(columns), order=order, rounding=rounding)

    def with_unit(self, value: str, column: ColumnLabels) -> str:
        """Write a value of a column with its unit."""
        return f"{value}{self.gap}{column.unit}" if value and column.unit else value


@dataclass(frozen=True, eq=False)
class Grouping:
    """What questions of groups in one language are made of, beside its grammar.

    `rounded` says that columns are rounded, each `to_places`; `counted` and `measured` name computed columns, this one
    not at all where that cannot be said well; `measures` names several in a sentence; `one` names one group; `adds_up`
    says by a label whether what it names may be summed.
    """

    grammar: Grammar
    frames: Mapping[str, Templates]
    form: str
    exact: str
    rounded: Callable[[Sequence[str]], str]
    to_places: Callable[[str, int], str]
    counted: str
    measured: Callable[[ColumnLabels, Measure], str]
    measures: Callable[[Sequence[str]], str]
    unit: str
    one: Callable[[str], str]
    adds_up: Callable[[str], bool]


def drawn(bank: Sequence[Any], draws: Iterator[int]) -> Any:
    """Draw one of a bank."""
    return bank[0] if len(bank) == 1 else bank[next(draws) % len(bank)]


_SLOT = re.compile(r"\{(\w+)\}")


def filled(template: str, slots: Mapping[str, str]) -> str:
    """Fill the slots that are known into a template, and leave the others."""
    return _SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), template)


def match(template: str, readers: Mapping[str, Reader], text: str, at: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Give every way to read a template at a place of a text: what its slots hold, and where it ends."""
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
