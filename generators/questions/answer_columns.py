"""Words the part of a question that says which columns the answer has: `For each, give the capacity and home town.`

An opening that is a whole sentence is followed by one more; an opening such as `For every club founded in 1923` is
continued: `, I need the capacity and home town.` Of many columns the question says that they are listed below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from generators.questions.grammar import Grammar, Templates
from worldforge.world.question_labels import ColumnLabels, TableLabels

_MOST_NAMED = 6
"""Columns that a sentence names."""
_WHETHER = "whether "
_STOPS = (".", "?", "!", "。", "？", "！")


def is_continued(opening: str) -> bool:
    """Return whether an opening is no whole sentence, and the columns continue it."""
    return not opening.endswith(_STOPS)


def ask_for_columns(
    grammar: Grammar, table: TableLabels, headings: Sequence[str], opening: str, draw: int, *, listed: bool = False
) -> str:
    """Write what asks for the columns under `headings`, the key first, behind an opening. Empty for the key alone.

    With `listed` it says in any case that they are listed below.
    """
    endings = _endings(grammar, table, tuple(headings), is_continued(opening), listed)
    return endings[draw % len(endings)]


def without_columns(grammar: Grammar, table: TableLabels, headings: Sequence[str], text: str) -> Iterator[str]:
    """Yield a question without what asks for its columns."""
    for continued in (False, True):
        for ending in _endings(grammar, table, tuple(headings), continued, False):
            if text.endswith(ending):
                yield text.removesuffix(ending)


def without_listed_columns(grammar: Grammar, table: TableLabels, headings: Sequence[str], text: str) -> Iterator[str]:
    """Yield a question without what says that its columns are listed below."""
    for ending in _endings(grammar, table, tuple(headings), False, True):
        if text.endswith(ending):
            yield text.removesuffix(ending)


@lru_cache(maxsize=512)
def _endings(
    grammar: Grammar, table: TableLabels, headings: tuple[str, ...], continued: bool, listed: bool
) -> Templates:
    """Return every form of that part of a question."""
    answer = grammar.answer
    named = answer.columns_after if continued else answer.columns
    below = answer.columns_below_after if continued else answer.columns_below
    gap = "" if continued else grammar.gap
    if len(headings) == 1:
        return tuple(gap + one for one in below) if continued else ("",)
    names = _names(grammar, table, headings[1:])
    long = len(names) > _MOST_NAMED or not all(map(grammar.is_named_in_sentence, names))
    forms = below if listed or long else (*named, below[0])
    columns = grammar.columns_in_sentence(names)
    if columns.startswith(_WHETHER):
        forms = tuple(form.replace("the {columns}", "{columns}") for form in forms)
    return tuple(gap + form.format(columns=columns) for form in forms)


def _names(grammar: Grammar, table: TableLabels, headings: Sequence[str]) -> list[str]:
    """Return the labels of columns as a sentence lists them, without units."""
    columns = columns_by_heading(grammar, table)
    return [_name(grammar, heading, columns.get(heading)) for heading in headings]


def _name(grammar: Grammar, heading: str, column: ColumnLabels | None) -> str:
    if column is None:
        return grammar.in_sentence(heading)
    return grammar.whether(column.label) if column.sort == "boolean" else grammar.in_sentence(column.label)


def columns_by_heading(grammar: Grammar, table: TableLabels) -> Mapping[str, ColumnLabels]:
    """Return the columns of a table, by what an answer calls them."""
    return {grammar.heading(column): column for column in table.columns}
