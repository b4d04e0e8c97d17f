"""Phrases for terms that lead to other entities: rows that refer here, and entities described, not named."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from generators.questions.grammar_base import Reader, Verbs, drawn, filled, match
from worldforge.world.question_labels import ColumnLabels, LinkLabels
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, Operator, RelatedTerm, Term, Terms

if TYPE_CHECKING:
    from generators.questions.term_phrases import TermPhrases

_BOUNDS: tuple[Operator, Operator] = (">", "<")


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
