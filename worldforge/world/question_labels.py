"""Labels for the wording of questions: how tables, columns and links are called, and which values they have.

A wording bank takes a vocabulary and terms (`world.task_terms`), writes a question, and reads the terms back from it.
What it reads is compared with `without_ids(terms)`: the terms by values and names as written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from worldforge.world.question_phrases import ColumnPhrases
from worldforge.world.task import CellKind
from worldforge.world.task_terms import (
    AnyOf,
    Condition,
    DescribedTerm,
    GivenEntities,
    NoneOf,
    RelatedTerm,
    Shape,
    Term,
    Terms,
)

Sort = Literal["reference", "text", "boolean", "year", "date", "number", "address"]


@dataclass(frozen=True)
class ColumnLabels:
    """A column, or what a path of references leads to, as it is spoken of.

    `known` says whether a text is one of its values, or the name of one entity alone; None where the form decides.
    `around` are two marks around its values, where it has such: 《》. `refers` is the type that it refers to, `typed`
    whether it is called by that type's own name. `phrases` are those of a phrasebook, if there is one; of a path, those
    of its last column, and `through` those of its first.
    """

    path: str
    label: str
    sort: Sort
    unit: str = ""
    refers: str = ""
    typed: bool = False
    known: Callable[[str], bool] | None = None
    phrases: ColumnPhrases | None = None
    through: Through | None = None
    around: str = ""


@dataclass(frozen=True)
class Through:
    """The first column of a path: the type that it refers to, how that is called, and its phrases.

    `the` is what a phrasebook puts before that type's name.
    """

    refers: str
    label: str
    phrases: ColumnPhrases
    the: str = ""


@dataclass(frozen=True)
class LinkLabels:
    """Rows of another table that refer to these entities by `column`: of a relation under `title`, or of a type.

    `end` is the column of the relation at its other end; `begin` and `until` are those of a period, if it has one.
    `phrases` are those of a phrasebook: see `ColumnPhrases.link`. `rows` is what the rows of one source are called.
    """

    table: str
    column: str
    title: str
    end: str = ""
    begin: str = ""
    until: str = ""
    phrases: tuple[str, ...] = ()
    rows: str = ""


@dataclass(frozen=True)
class TableLabels:
    """A type or a relation, as it is spoken of. A phrasebook may have shorter names, and reasons to ask about it.

    `person` is there where it calls its entities he or she, `the` is what it puts before a noun, and `around` are two
    marks that it puts around names.
    """

    label: str
    plural: str
    columns: tuple[ColumnLabels, ...]
    links: tuple[LinkLabels, ...] = ()
    short: tuple[str, str] = ("", "")
    reasons: tuple[str, ...] = ()
    the: str = ""
    around: str = ""
    person: bool = False

    @property
    def called(self) -> str:
        """What one is called in a question."""
        return self.short[0] or self.label

    @property
    def several(self) -> str:
        """What several are called in a question."""
        return self.short[1] or self.plural

    def column(self, path: str) -> ColumnLabels:
        """Return how the column at `path` is spoken of. Raises KeyError where it is not."""
        return self._by_path[path]

    @cached_property
    def _by_path(self) -> Mapping[str, ColumnLabels]:
        return {column.path: column for column in self.columns}


Vocabulary = Mapping[str, TableLabels]
"""All types and relations, by name."""


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """What a wording says: its terms, as a reader knows them, and what is made of the entities that meet them."""

    terms: Terms
    shape: Shape = field(default_factory=Shape)

    def says(self, terms: Terms, shape: Shape) -> bool:
        """Return whether it asks for these terms, in whichever order, and this shape."""
        wanted = without_ids(terms)
        shape = replace(shape, where=without_ids(shape.where))
        return self.shape == shape and len(self.terms) == len(wanted) and set(self.terms) == set(wanted)


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be worded: its openings, the type asked about, terms, shape, the answer's column names.

    Terms hold values as they are written in `language`, and labels are in it. `places` are the decimals that each
    column is rounded to, 0 for none; `kinds` say what each holds. `frames` names the openings of a shipped family, or
    gives them by voice.
    """

    language: str
    frames: str | Mapping[str, Sequence[str]]
    about: str
    terms: Terms
    shape: Shape
    labels: tuple[str, ...]
    places: tuple[int, ...] = ()
    kinds: tuple[CellKind, ...] = ()


def without_ids(terms: Sequence[Term]) -> Terms:
    """Return terms as a reader of the question knows them: with values as written, and without ids."""
    return tuple(map(_without_ids, terms))


def _without_ids(term: Term) -> Term:
    match term:
        case Condition():
            return replace(term, value="", upper="", kind="text")
        case AnyOf() | NoneOf():
            return replace(term, parts=tuple(map(without_ids, term.parts)))
        case RelatedTerm():
            return replace(term, where=without_ids(term.where))
        case DescribedTerm():
            return replace(term, where=without_ids(term.where), value="", written="")
        case GivenEntities():
            return GivenEntities((), term.names)
