"""Templates of terms, filled with the labels of a world and the wordings of its phrasebook.

`TermWriter` writes terms by them, and `TermReader` reads terms back by the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from generators.questions.grammar import Grammar, Verbs, agreeing, filled, for_description
from worldforge.world.question_labels import ColumnLabels, LinkLabels, Vocabulary
from worldforge.world.task_terms import Operator

_OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", ">", "between", "highest", "lowest")
_EQUALITIES: tuple[Operator, Operator] = ("=", "!=")
SINGLE = "1"
"""Takes the first template, which suits any value: `more than 1 towns` nobody says."""


@dataclass(frozen=True)
class TermPhrases:
    """The templates of terms in one language, with the words of one world."""

    grammar: Grammar
    words: Vocabulary

    def is_one(self, verbs: Verbs) -> bool:
        """Return whether verbs agree with one entity, not with several."""
        return verbs == self.grammar.terms.verbs["one"]

    def any_entity(self, link: LinkLabels) -> str:
        """Write for some entity at the other end of a link, whichever it is."""
        return filled(self.grammar.terms.any, self.slots_about(self.words[link.table].column(link.end).refers))

    def link_templates(
        self, table: str, link: LinkLabels, verbs: Verbs
    ) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, str]]:
        """Return the templates of a link by its label, those of the phrasebook, and the slots that are known of it."""
        grammar, label, own = self.grammar, self.words[link.table].called, self.words[table]
        templates = grammar.terms.under if link.end else grammar.referred(by_type=link.title == own.label)
        inflected = grammar.inflected_type(label, self.words[link.table].the)
        book = grammar.link_phrases(link, one=self.is_one(verbs), person=own.person)
        return templates, book, {"title": link.title, "label": label, **inflected, **verbs}

    def slots_about(self, table: str) -> dict[str, str]:
        """Return the slots for what entities of a table are called where one of them is described."""
        own = self.words[table]
        return {"about": own.called, **self.grammar.inflected_type(own.called, own.the)}

    def table_names(self, table: str) -> dict[str, str]:
        """Return the slots for what one entity of a table is called, and several."""
        return {"label": self.words[table].called, "plural": self.words[table].several}

    def described_template(self, column: ColumnLabels, template: str) -> str:
        """Fill into a template what a column is called, and what it refers to."""
        grammar, about = self.grammar, self.words[column.refers]
        slots = {"label": column.label, "about": about.called, **grammar.inflected(column.label)}
        template = grammar.describing(template, column)
        return filled(template, slots | {"measure": grammar.inflected_type(about.called, about.the).get("measure", "")})


def without_article(template: str) -> str:
    """Return a template of a link in which some entity, whichever it is, can stand for a name: `an award`."""
    return template.replace("the {other}", "{other}")


@lru_cache(maxsize=4096)
def label_templates(
    grammar: Grammar, column: ColumnLabels, verbs: frozenset[tuple[str, str]]
) -> Mapping[Operator, tuple[str, ...]]:
    """Fill all but the values into the templates of a column."""
    slots = {"label": column.label, **grammar.inflected(column.label), **dict(verbs)}
    return {
        operator: tuple(filled(template, slots) for template in grammar.phrases_of(column, operator))
        for operator in _OPERATORS
    }


@dataclass(frozen=True)
class BookTemplates:
    """The templates that a phrasebook has for a column: by operator, and for single values by operator and value."""

    templates: Mapping[Operator, tuple[str, ...]]
    by_value: Mapping[tuple[Operator, str], tuple[str, ...]]


@lru_cache(maxsize=4096)
def book_templates(grammar: Grammar, column: ColumnLabels, one: bool) -> BookTemplates:
    """Return the templates that a phrasebook has for a column; `one` has the verbs that agree with one entity."""
    templates = {operator: grammar.book_phrases(column, operator, one=one) for operator in _OPERATORS}
    by_value = {
        (operator, value): texts
        for operator in _EQUALITIES
        for value, texts in grammar.value_phrases(column, operator, one=one).items()
    }
    return BookTemplates({operator: texts for operator, texts in templates.items() if texts}, by_value)


def agreeing_with(grammar: Grammar, template: str, *, one: bool) -> str:
    """Let the words of a template agree with the value 1, if `one`, or with other values."""
    template = agreeing(template, one=one)
    return grammar.counting_one(template) if one else template


@lru_cache(maxsize=4096)
def for_descriptions(templates: tuple[str, ...]) -> tuple[str, ...]:
    """Return templates in which a description can stand in the place of a name."""
    return tuple(dict.fromkeys(filter(None, map(for_description, templates))))


def superlatives(column: ColumnLabels, operator: Operator) -> tuple[str, ...]:
    """Return the phrasebook's superlatives for the highest or the lowest of a column."""
    if column.phrases is None:
        return ()
    return column.phrases.most if operator == "highest" else column.phrases.least


@lru_cache(maxsize=4096)
def bound_templates(
    grammar: Grammar, column: ColumnLabels, operator: Operator, *, plainest: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return templates of bounds on a relation's column (`with more than 12 flights`): by label, and by phrasebook.

    With `plainest`, only those that cannot be read as conditions on the entities asked for.
    """
    own = filled(grammar.bound(column, operator), {"label": column.label, **grammar.inflected(column.label)})
    narrowed = grammar.narrowed_plainly if plainest else grammar.narrowed
    return (own,), tuple(filter(None, map(narrowed, grammar.book_phrases(column, operator, one=False))))
