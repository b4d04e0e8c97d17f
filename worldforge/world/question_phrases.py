"""What a phrasebook gives to the questions of one world: wordings of conditions and superlatives by column.

    question_phrases(book, seed)["club", "founded"].which     ("founded in {value}", "that date from {value}")

The world's seed chooses which of them its questions use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from worldforge.core.chance import Stream
from worldforge.schema.phrasebook import SLOT, AttributePhrases, Book, RelationPhrases, expanded

_MOST = 4
"""Wordings of one kind that a world's questions use."""
_ONE = np.arange(1)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnPhrases:
    """How questions speak of a column: see `schema.phrasebook.AttributePhrases`.

    In `which`, `over` and `under` stands `{value}`, at most once; `by_value` has wordings of single values. `person`
    says whether they are said of a person. `link` has what is true of an entity that a column refers to: of a type,
    with `{some}` for who refers to it; of the ends of a relation, with `{other}` for the other end.
    """

    which: tuple[str, ...] = ()
    by_value: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    over: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    most: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    person: bool = False


def question_phrases(book: Book, seed: int) -> dict[tuple[str, str], ColumnPhrases]:
    """Choose what the questions of a world say of each column, by type or relation and column."""
    stream = Stream(seed).child("question phrases", book.language)
    ends = {
        (name, end): ColumnPhrases(link=_drawn(stream.child(name, end), _of_end(rows, end)))
        for name, rows in book.relations.items()
        for end in ("source", "target")
    }
    columns = {name: (own.attributes, own.pronoun != "it") for name, own in book.types.items()}
    columns |= {name: (own.columns, False) for name, own in book.relations.items()}
    return ends | {
        (name, key): _chosen(stream.child(name, key), phrases, person=person)
        for name, (attributes, person) in columns.items()
        for key, phrases in attributes.items()
    }


def _chosen(stream: Stream, phrases: AttributePhrases, *, person: bool) -> ColumnPhrases:
    def texts(group: str, found: Iterable[str], fits: Callable[[str], bool] = lambda text: True) -> tuple[str, ...]:
        return _drawn(stream.child(group), (one for text in found for one in expanded(text) if fits(one)))

    which = phrases.which
    return ColumnPhrases(
        which=texts("which", which, _takes_value) if isinstance(which, list) else (),
        by_value={v: texts(f"which/{v}", own) for v, own in which.items()} if isinstance(which, dict) else {},
        over=texts("over", phrases.over, _takes_value),
        under=texts("under", phrases.under, _takes_value),
        most=texts("most", phrases.most),
        least=texts("least", phrases.least),
        link=texts("which_referred", phrases.which_referred),
        person=person,
    )


def _of_end(rows: RelationPhrases, end: str) -> Iterator[str]:
    """Yield what is true of one end of a relation."""
    texts, other = (rows.which_source, "{target}") if end == "source" else (rows.which_target, "{source}")
    return (one.replace(other, "{other}") for text in texts for one in expanded(text))


def _drawn(stream: Stream, texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(stream.draws(_ONE)[0].shuffled(list(dict.fromkeys(texts)))[:_MOST])


def _takes_value(text: str) -> bool:
    """Return whether a text has its value as it is written, once."""
    return [match[4] for match in SLOT.finditer(text) if match[2] is None] == [None]
