"""Phrases for the terms of a task: written from a language's banks of templates, and read back by the same templates.

    Phrases(ENGLISH, words).write("club", terms, verbs, draws)     "whose home town is Velmar and with more than 3 …"
    Phrases(ENGLISH, words).read("club", text, verbs)              every way to read the whole text as terms

Plain terms come first, then alternatives (`either … or …`), then exceptions (`except those …`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from generators.questions import link_phrases
from generators.questions.grammar_base import Grammar, Verbs, drawn, filled, match
from worldforge.world.question_labels import ColumnLabels, Vocabulary
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, NoneOf, Operator, RelatedTerm, Term, Terms

_OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", ">", "between", "highest", "lowest")
_SINGLE = "1"
"""Takes the first template, which suits any value: `more than 1 towns` nobody says."""
Found = Iterator[tuple[Terms, int]]


@dataclass(frozen=True)
class TermPhrases:
    """Writes and reads terms in one language, with the words of one world."""

    grammar: Grammar
    words: Vocabulary

    def write(self, table: str, terms: Sequence[Term], verbs: Verbs, draws: Iterator[int]) -> str:
        """Word terms that all hold, plain ones first."""
        grammar = self.grammar
        said = [self.write_leaf(table, term, verbs, draws) for term in terms if not isinstance(term, AnyOf | NoneOf)]
        for term in terms:
            if isinstance(term, AnyOf):
                template, joint = drawn(grammar.either[bool(said)], draws)
                parts = [self.write_leaf(table, part[0], verbs, draws) for part in term.parts]
                said.append(filled(template, {"parts": joint.join(parts), "n": grammar.numbers[len(parts)]}))
        exceptions = [
            self.write_leaf(table, part[0], grammar.several, draws)
            for term in terms
            if isinstance(term, NoneOf)
            for part in term.parts
        ]
        slots = {"terms": grammar.joint.join(said), "exceptions": grammar.joint_of_exceptions.join(exceptions)}
        return filled(drawn(grammar.whole[bool(said), bool(exceptions)], draws), slots | self._names(table))

    def write_leaf(self, table: str, term: Term, verbs: Verbs, draws: Iterator[int]) -> str:
        """Word one plain term."""
        if isinstance(term, RelatedTerm):
            return link_phrases.write_related(self, table, term, verbs, draws)
        if isinstance(term, DescribedTerm):
            return link_phrases.write_described(self, table, term, draws)
        assert isinstance(term, Condition), term
        column = self.column(table, term.path)
        templates = _forms(self.grammar, column, frozenset(verbs.items()))[term.operator]
        template = templates[0 if term.written == _SINGLE else next(draws) % len(templates)]
        values = {"value": term.written, "upper": term.upper_written}
        return filled(template, {slot: self.grammar.with_unit(value, column) for slot, value in values.items()})

    def read(self, table: str, text: str, verbs: Verbs) -> Iterator[Terms]:
        """Give every way to read a whole text as terms."""
        grammar = self.grammar
        readers = {
            "terms": lambda at, _: self._terms(table, text, at, verbs),
            "exceptions": lambda at, _: self.read_joined(table, text, at, grammar.several, grammar.joint_of_exceptions),
        }
        for templates in grammar.whole.values():
            for template in templates:
                for held, end in match(filled(template, self._names(table)), readers, text, 0):
                    if end == len(text):
                        parts = tuple((part,) for part in held.get("exceptions", ()))
                        yield (*held.get("terms", ()), *((NoneOf(parts),) if parts else ()))

    def _names(self, table: str) -> dict[str, str]:
        return {"label": self.words[table].label, "plural": self.words[table].plural}

    def _terms(self, table: str, text: str, at: int, verbs: Verbs) -> Found:
        """Read plain terms, then alternatives; one or the other is there."""
        joint = self.grammar.joint
        yield from self._alternatives(table, text, at, verbs, False)
        for plain, end in self.read_joined(table, text, at, verbs, joint):
            yield plain, end
            if text.startswith(joint, end):
                for alternatives, last in self._alternatives(table, text, end + len(joint), verbs, True):
                    yield (*plain, *alternatives), last

    def _alternatives(self, table: str, text: str, at: int, verbs: Verbs, follows: bool) -> Found:
        for template, joint in self.grammar.either[follows]:
            for n in (2, 3):
                readers = {"parts": lambda at, _, joint=joint: self.read_joined(table, text, at, verbs, joint)}
                known = filled(template, {"n": self.grammar.numbers[n]})
                for held, end in match(known, readers, text, at):
                    if len(held["parts"]) == n:
                        yield (AnyOf(tuple((part,) for part in held["parts"])),), end

    def read_joined(self, table: str, text: str, at: int, verbs: Verbs, joint: str) -> Found:
        """Give every way to read one or more plain terms that follow one another, and where each ends."""
        for term, end in self.read_leaf(table, text, at, verbs):
            yield (term,), end
            if text.startswith(joint, end):
                for more, last in self.read_joined(table, text, end + len(joint), verbs, joint):
                    yield (term, *more), last

    def read_leaf(self, table: str, text: str, at: int, verbs: Verbs) -> Iterator[tuple[Term, int]]:
        """Give every way to read one plain term that begins at a place, and where it ends."""
        kept = frozenset(verbs.items())
        for column in self.words[table].columns:
            value = partial(self.read_value, column, text)
            for operator, templates in _forms(self.grammar, column, kept).items():
                for template in templates:
                    for held, end in match(template, {"value": value, "upper": value}, text, at):
                        if held or self._closed(text, end):
                            yield _condition(column, operator, **held), end
        yield from link_phrases.read_related(self, table, text, at, verbs)
        yield from link_phrases.read_described(self, table, text, at)

    def read_value(self, column: ColumnLabels, text: str, at: int, after: str) -> Iterator[tuple[str, int]]:
        """Give the values of a column that may stand at a place, with `after` behind them, and where each ends."""
        grammar = self.grammar
        unit = f"{grammar.gap}{column.unit}" if column.unit else ""
        if column.sort in grammar.values:
            found = re.compile(grammar.values[column.sort]).match(text, at)
            ends: Sequence[int] = [found.end()] if found else []
        else:
            ends = range(at + 1, len(text) + 1)
        for end in ends:
            stop = end + len(unit)
            fits = text.startswith(unit + after, end) and (bool(after) or self._closed(text, stop))
            if fits and (column.known is None or column.known(text[at:end])):
                yield text[at:end], stop

    def column(self, table: str, path: str) -> ColumnLabels:
        """Return how a column is spoken of."""
        return self.words[table].column(path)

    def _closed(self, text: str, end: int) -> bool:
        return end == len(text) or text.startswith(self.grammar.closers, end)


def _condition(column: ColumnLabels, operator: Operator, value: str = "", upper: str = "") -> Condition:
    return Condition(column.path, operator, "", value, "text", "", upper)


@lru_cache(maxsize=4096)
def _forms(
    grammar: Grammar, column: ColumnLabels, verbs: frozenset[tuple[str, str]]
) -> Mapping[Operator, tuple[str, ...]]:
    """Fill all but the values into the templates of a column."""
    slots = {"label": column.label, **grammar.inflected(column.label), **dict(verbs)}
    return {
        operator: tuple(filled(template, slots) for template in grammar.phrases(column, operator))
        for operator in _OPERATORS
    }
