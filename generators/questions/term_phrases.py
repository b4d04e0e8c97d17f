"""Phrases for the terms of a task: written from a language's banks of templates, and read back by the same templates.

    TermPhrases(ENGLISH, words).write("club", terms, verbs, draws)     "whose home town is Velmar and with …"
    TermPhrases(ENGLISH, words).read("club", text, verbs)              every way to read the whole text as terms

Plain terms come first, then alternatives (`either … or …`), then exceptions (`except those …`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from generators.questions.grammar_base import Grammar, Reader, Verbs, drawn, filled, match
from worldforge.world.question_labels import ColumnLabels, LinkLabels, Vocabulary
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, NoneOf, Operator, RelatedTerm, Term, Terms

_OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", ">", "between", "highest", "lowest")
_BOUNDS: tuple[Operator, Operator] = (">", "<")
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
            return write_related(self, table, term, verbs, draws)
        if isinstance(term, DescribedTerm):
            return write_described(self, table, term, draws)
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
        yield from read_related(self, table, text, at, verbs)
        yield from read_described(self, table, text, at)

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


def write_related(phrases: TermPhrases, table: str, term: RelatedTerm, verbs: Verbs, draws: Iterator[int]) -> str:
    """Word a row of another table that refers here."""
    grammar, label = phrases.grammar, phrases.words[term.table].label
    link = next(one for one in phrases.words[table].links if (one.table, one.column) == (term.table, term.column))
    slots = {"title": link.title, "label": label, **grammar.inflected(label), **verbs}
    if not link.end:
        slots["inner"] = phrases.write_leaf(link.table, term.where[0], grammar.one, draws)
        return filled(drawn(grammar.referred[link.title == phrases.words[table].label], draws), slots)
    first = term.where[0]
    named = isinstance(first, Condition) and first.path == link.end
    slots["entry"] = first.written if isinstance(first, Condition) and named else grammar.an_entry
    template = drawn(grammar.under, draws)
    return filled(template, slots | _write_narrowing(phrases, link, term.where[1:] if named else term.where))


def _write_narrowing(phrases: TermPhrases, link: LinkLabels, terms: Terms) -> dict[str, str]:
    """Word when, or how much: a time window is a begin and an end, a bound one condition on a column."""
    if not terms:
        return {"time": "", "much": ""}
    grammar, first = phrases.grammar, terms[0]
    assert isinstance(first, Condition)
    column = phrases.column(link.table, first.path)
    if len(terms) == 1:
        value = grammar.with_unit(first.written, column)
        return {"time": "", "much": filled(_bound(phrases, column, first.operator), {"value": value})}
    window = terms[1]
    assert isinstance(window, AnyOf)
    over = window.parts[1][0]
    assert isinstance(over, Condition)
    template = (grammar.at_a_time if over.written == first.written else grammar.in_a_time)[0]
    slots = {"low": grammar.with_unit(over.written, column), "high": grammar.with_unit(first.written, column)}
    return {"time": filled(template, slots), "much": ""}


def read_related(phrases: TermPhrases, table: str, text: str, at: int, verbs: Verbs) -> Iterator[tuple[Term, int]]:
    """Give every way to read a row of another table that refers here."""
    grammar = phrases.grammar
    for link in phrases.words[table].links:
        label = phrases.words[link.table].label
        slots = {"title": link.title, "label": label, **grammar.inflected(label), **verbs}
        readers: dict[str, Reader] = {
            "inner": partial(_read_inner, phrases, link, text),
            "entry": partial(_read_entry, phrases, link, text),
            "time": partial(_read_time, phrases, link, text),
            "much": partial(_read_much, phrases, link, text),
        }
        for template in grammar.under if link.end else grammar.referred[link.title == phrases.words[table].label]:
            for held, end in match(filled(template, slots), readers, text, at):
                where = (held["inner"],) if "inner" in held else (*held["entry"], *held["time"], *held["much"])
                if where:
                    yield RelatedTerm(link.table, link.column, where), end


def _read_inner(phrases: TermPhrases, link: LinkLabels, text: str, at: int, _: str) -> Iterator[tuple[Term, int]]:
    return phrases.read_leaf(link.table, text, at, phrases.grammar.one)


def _read_entry(phrases: TermPhrases, link: LinkLabels, text: str, at: int, after: str) -> Iterator[tuple[Terms, int]]:
    if text.startswith(phrases.grammar.an_entry, at):
        yield (), at + len(phrases.grammar.an_entry)
    for name, end in phrases.read_value(phrases.column(link.table, link.end), text, at, after):
        yield (Condition(link.end, "=", "", name, "text"),), end


def _read_time(phrases: TermPhrases, link: LinkLabels, text: str, at: int, _: str) -> Iterator[tuple[Terms, int]]:
    yield (), at
    if not link.begin:
        return
    value = partial(phrases.read_value, phrases.column(link.table, link.begin), text)
    for template in (*phrases.grammar.at_a_time, *phrases.grammar.in_a_time):
        for held, end in match(template, {"low": value, "high": value}, text, at):
            low, high = held["low"], held.get("high", held["low"])
            if "high" not in held or low != high:
                yield _window(link, low, high), end


def _read_much(phrases: TermPhrases, link: LinkLabels, text: str, at: int, _: str) -> Iterator[tuple[Terms, int]]:
    yield (), at
    for column in phrases.words[link.table].columns:
        if column.sort not in phrases.grammar.values:
            continue
        value = partial(phrases.read_value, column, text)
        for operator in _BOUNDS:
            for held, end in match(_bound(phrases, column, operator), {"value": value}, text, at):
                yield (Condition(column.path, operator, "", held["value"], "text"),), end


def _bound(phrases: TermPhrases, column: ColumnLabels, operator: Operator) -> str:
    slots = {"label": column.label, **phrases.grammar.inflected(column.label)}
    return filled(phrases.grammar.bound(column, operator), slots)


def _window(link: LinkLabels, low: str, high: str) -> Terms:
    missing, over = (Condition(link.until, "missing", "", "", "text"), Condition(link.until, ">", "", low, "text"))
    return Condition(link.begin, "<=", "", high, "text"), AnyOf(((missing,), (over,)))


def write_described(phrases: TermPhrases, table: str, term: DescribedTerm, draws: Iterator[int]) -> str:
    """Word an entity by what singles it out."""
    template, joint = phrases.grammar.described[len(term.where) > 1]
    parts = [phrases.write_leaf(term.about, one, phrases.grammar.one, draws) for one in term.where]
    return filled(_of_column(phrases, table, term.path, template), {"inner": joint.join(parts)})


def read_described(phrases: TermPhrases, table: str, text: str, at: int) -> Iterator[tuple[Term, int]]:
    """Give every way to read an entity that is described."""
    for column in phrases.words[table].columns:
        if not column.refers:
            continue
        for several, (template, joint) in phrases.grammar.described.items():
            inner = partial(_read_parts, phrases, column.refers, text, joint, 2 if several else 1)
            for held, end in match(_of_column(phrases, table, column.path, template), {"inner": inner}, text, at):
                yield DescribedTerm(column.path, column.refers, held["inner"], "", ""), end


def _read_parts(
    phrases: TermPhrases, table: str, text: str, joint: str, n: int, at: int, _: str
) -> Iterator[tuple[Terms, int]]:
    for where, end in phrases.read_joined(table, text, at, phrases.grammar.one, joint):
        if len(where) == n:
            yield where, end


def _of_column(phrases: TermPhrases, table: str, path: str, template: str) -> str:
    """Fill into a template what a column is called, and what it refers to."""
    column = phrases.column(table, path)
    about = phrases.words[column.refers].label
    slots = {"label": column.label, "about": about, **phrases.grammar.inflected(column.label)}
    return filled(template, slots | {"measure": phrases.grammar.inflected(about).get("measure", "")})
