"""Reads the terms of a task from a phrase, by the templates that `TermWriter` writes with.

TermReader(ENGLISH, words).read("club", text, verbs)               every way to read the whole text as terms
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from generators.questions.grammar import Grammar, Reader, Verbs, filled, match
from generators.questions.joined_values import alternatives_of, read_series, remainders
from generators.questions.term_phrases import (
    SINGLE,
    TermPhrases,
    agreeing_with,
    book_templates,
    bound_templates,
    for_descriptions,
    label_templates,
    superlatives,
    without_article,
)
from worldforge.world.question_labels import ColumnLabels, LinkLabels
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, NoneOf, Operator, RelatedTerm, Term, Terms

_BOUNDS: tuple[Operator, Operator] = (">", "<")
_EXTREMES: tuple[Operator, Operator] = ("highest", "lowest")
_OF_LINKS = ("inner", "some", "entry", "other", "time", "much")
_LONGEST_WORDS = 16  # characters that show whether a term is joined directly
_DEEPEST = 2
"""Descriptions of entities within one another that are read. Chinese ones begin with the inner one: `{value}的…`."""
Found = Iterator[tuple[Terms, int]]
FoundTerm = Iterator[tuple[Term, int]]


@dataclass(frozen=True)
class TermReader(TermPhrases):
    """Reads terms in all ways in which labels and the phrasebook can be understood."""

    within: int = 0
    """In how many descriptions of entities what is read stands."""

    def read(self, table: str, text: str, verbs: Verbs) -> Iterator[Terms]:
        """Yield every way to read a whole text as terms."""
        several, joint = self.grammar.terms.verbs["several"], self.grammar.terms.joint_of_exceptions
        readers = {
            "terms": lambda at, _: self._terms(table, text, at, verbs),
            "exceptions": lambda at, _: self._read_joined(table, text, at, several, joint),
        }
        for template in (one for templates in self.grammar.terms.whole.values() for one in templates):
            for held, end in match(filled(template, self.table_names(table)), readers, text, 0):
                if end == len(text):
                    parts = tuple((part,) for part in held.get("exceptions", ()))
                    terms = held.get("terms", ())
                    if _is_possible(terms):
                        yield (*terms, *((NoneOf(parts),) if parts else ()))

    def _terms(self, table: str, text: str, at: int, verbs: Verbs) -> Found:
        """Read plain terms, then alternatives; one or the other is there."""
        yield from self._alternatives(table, text, at, verbs, after_terms=False)
        for plain, end in self._read_joined(table, text, at, verbs, self.grammar.terms.joint):
            yield plain, end
            for alternatives, last in self._alternatives(table, text, end, verbs, after_terms=True):
                yield (*plain, *alternatives), last

    def _alternatives(self, table: str, text: str, at: int, verbs: Verbs, *, after_terms: bool) -> Found:
        for either in self.grammar.terms.alternatives["after_terms" if after_terms else "alone"]:
            readers = {"parts": lambda at, _, joint=either.joint: self._read_joined(table, text, at, verbs, joint)}
            for n in (2, 3):
                known = filled(either.template, {"n": self.grammar.numbers[n]})
                for held, end in match(known, readers, text, at):
                    if len(held["parts"]) == n:
                        yield (AnyOf(tuple((part,) for part in held["parts"])),), end

    def _read_joined(self, table: str, text: str, at: int, verbs: Verbs, joint: str) -> Found:
        """Yield every way to read one or more plain terms that follow one another, and where each ends."""
        for term, end in self.read_leaf(table, text, at, verbs):
            yield (term,), end
            for next_at in self._next(text, end, joint):
                for more, last in self._read_joined(table, text, next_at, verbs, joint):
                    yield (term, *more), last
            if joint == self.grammar.terms.joint:
                yield from self._read_elided(table, text, at, (term, end), verbs)

    def _read_elided(self, table: str, text: str, at: int, first: tuple[Term, int], verbs: Verbs) -> Found:
        """Yield every way to read terms behind a `first` one that have lost the word that it begins with."""
        term, end = first
        word, joints = text[at : text.find(" ", at) + 1], self.grammar.joints_of_elided(text[at:end])
        for next_at in (end + len(one) for one in joints if text.startswith(one, end)):
            whole = text[:next_at] + word + text[next_at:]
            if self.grammar.elided(word, whole[next_at:]):
                for more, last in self._read_joined(table, whole, next_at, verbs, self.grammar.terms.joint):
                    yield (term, *more), last - len(word)

    def _next(self, text: str, at: int, joint: str) -> Iterator[int]:
        """Yield where a further term may begin, behind one that ends at a place."""
        if text.startswith(joint, at):
            yield at + len(joint)
        forms, gap = self.grammar.terms, self.grammar.gap
        if joint == forms.joint:
            if text.startswith(forms.joint_of_many, at):
                yield at + len(forms.joint_of_many)
            after = text[at + len(gap) : at + len(gap) + _LONGEST_WORDS]
            if text.startswith(gap, at) and self.grammar.joins_directly("", after):
                yield at + len(gap)

    def read_leaf(self, table: str, text: str, at: int, verbs: Verbs) -> FoundTerm:
        """Yield every way to read one plain term that begins at a place, and where it ends."""
        kept = frozenset(verbs.items())
        for column in self.words[table].columns:
            value = partial(self._read_value, column, text)
            for operator, templates in label_templates(self.grammar, column, kept).items():
                for template in templates:
                    for held, end in match(template, {"value": value, "upper": value}, text, at):
                        if held or self._closed(text, end):
                            yield _condition(column, operator, **held), end
            yield from self._read_by_book(table, column, text, at, verbs)
            yield from self._read_values(column, text, at, verbs)
        yield from self._read_related(table, text, at, verbs)
        yield from self._read_described(table, text, at)

    def _read_by_book(self, table: str, column: ColumnLabels, text: str, at: int, verbs: Verbs) -> FoundTerm:
        """Yield every way to read a term that is worded by the phrasebook."""
        book, value = book_templates(self.grammar, column, self.is_one(verbs)), partial(self._read_value, column, text)
        found: list[tuple[Condition, int]] = []
        for operator, templates in book.templates.items():
            for template, single in _variants(self.grammar, templates):
                for held, end in match(template, {"value": value, "upper": value}, text, at):
                    if single is None or (held == {"value": SINGLE}) == single:
                        found.append((_condition(column, operator, **held), end))
        for (operator, written), templates in book.by_value.items():
            found += [
                (_condition(column, operator, written), at + len(template))
                for template in templates
                if text.startswith(template, at) and self._closed(text, at + len(template))
            ]
        for term, end in found:
            yield term, end
            if column.through is not None:
                for more, last in self._read_more(column.through.refers, text, end):
                    yield DescribedTerm(column.path, column.through.refers, (term, more), "", ""), last
        if column.refers and self.within < _DEEPEST:
            that = partial(self._read_that, column.refers, text)
            own = for_descriptions(book.templates.get("=", ()))
            own = (*own, *(self.grammar.late(template, verbs, person=self.words[table].person) for template in own))
            for template, _ in _variants(self.grammar, tuple(dict.fromkeys(own))):
                for held, end in match(template, {"value": that}, text, at):
                    yield DescribedTerm(column.path, column.refers, held["value"], "", ""), end

    def _read_values(self, column: ColumnLabels, text: str, at: int, verbs: Verbs) -> FoundTerm:
        """Yield every way to read several values of one column in one phrase."""
        joints = self.grammar.terms.series
        if column.sort not in ("reference", "text") or text.find(joints.last, at) < 0:
            return
        book = book_templates(self.grammar, column, self.is_one(verbs))
        own = label_templates(self.grammar, column, frozenset(verbs.items()))["="]
        several = partial(read_series, partial(self._read_value, column, text), joints)
        for template, _ in _variants(self.grammar, (*own, *book.templates.get("=", ()))):
            for held, end in match(template, {"value": several}, text, at):
                if held:
                    yield _any_of(column, held["value"]), end
        worded = {one: value for (operator, value), texts in book.by_value.items() if operator == "=" for one in texts}
        for shared in remainders(worded, self.grammar):
            if text.startswith(shared.before, at):
                begin = at + len(shared.before)
                for values, end in read_series(shared.reader(text), joints, begin, shared.after):
                    if self._closed(text, end + len(shared.after)):
                        yield _any_of(column, values), end + len(shared.after)

    def _read_more(self, table: str, text: str, at: int) -> FoundTerm:
        """Read what follows the description of an entity, and might belong to it rather than to what is asked for.

        Where a description is not last in what is written of an entity, nothing can.
        """
        if not self.grammar.terms.some.endswith("{inner}"):
            return
        for next_at in self._next(text, at, self.grammar.terms.joint):
            yield from self.read_leaf(table, text, next_at, self.grammar.terms.verbs["one"])

    def _read_that(self, table: str, text: str, at: int, _: str) -> Found:
        """Yield every way to read the description of an entity where its name might stand."""
        forms, slots, within = self.grammar.terms, self.slots_about(table), self._within()
        one = filled(forms.that_one, slots)
        if text.startswith(one, at):
            yield (), at + len(one)
        for n, how in ((1, forms.that), *((2, one) for one in forms.that_of_several)):
            inner = partial(within._read_parts, table, text, how.joint, n)
            for held, end in match(filled(how.template, slots), {"inner": inner}, text, at):
                yield held["inner"], end
        for column in self.words[table].columns:
            for operator in _EXTREMES if column.phrases and not column.through else ():
                for best in superlatives(column, operator):
                    known = filled(forms.that_most, {**slots, "best": best})
                    if text.startswith(known, at):
                        yield (_condition(column, operator),), at + len(known)

    def _read_value(self, column: ColumnLabels, text: str, at: int, after: str) -> Iterator[tuple[str, int]]:
        """Yield the values of a column that may stand at a place, with `after` behind them, and where each ends."""
        grammar = self.grammar
        if column.sort == "reference" and (name := grammar.behind_article(text, at)) > at:
            yield from self._read_value(column, text, name, after)
        if not text.startswith(column.around[:1], at):
            return
        at += len(column.around[:1])
        if column.sort in grammar.terms.values:
            found = re.compile(grammar.terms.values[column.sort]).match(text, at)
            ends: Sequence[int] = [found.end()] if found else []
        else:
            ends = range(at + 1, len(text) + 1)
        for end in ends:
            unit = f"{grammar.gap}{grammar.unit_of(text[at:end], column)}" if column.unit else column.around[1:]
            units = [(unit, text[at:end])]
            if column.unit and column.sort == "number":
                others = grammar.from_other_unit(text[at:end], column)
                units += [(f"{grammar.gap}{unit}" if unit else "", own) for unit, own in others]
            for unit, value in units:
                stop = end + len(unit)
                fits = text.startswith(unit + after, end) and (bool(after) or self._closed(text, stop))
                if fits and (column.known is None or column.known(value)):
                    yield value, stop

    def _closed(self, text: str, end: int) -> bool:
        return end == len(text) or text.startswith(self.grammar.terms.closers, end)

    def _read_related(self, table: str, text: str, at: int, verbs: Verbs) -> FoundTerm:
        """Yield every way to read a row of another table that refers here."""
        for link in self.words[table].links:
            own, book, slots = self.link_templates(table, link, verbs)
            readers: dict[str, Reader] = {
                "inner": partial(self._read_inner, link, text),
                "some": partial(self._read_some, link, text),
                "entry": partial(self._read_entry, link, text, self.grammar.terms.an_entry),
                "other": partial(self._read_entry, link, text, self.any_entity(link) if link.end else ""),
                "time": partial(self._read_time, link, text),
                "much": partial(self._read_much, link, text),
            }
            known = (*own, *book, *map(self.grammar.in_past, book))
            for template in dict.fromkeys((*known, *map(without_article, known))):
                for held, end in match(filled(template, slots), readers, text, at):
                    if where := tuple(term for slot in _OF_LINKS for term in held.get(slot, ())):
                        yield RelatedTerm(link.table, link.column, where), end

    def _read_inner(self, link: LinkLabels, text: str, at: int, _: str) -> Found:
        return self._read_parts(link.table, text, self.grammar.terms.joint, 1, at, _)

    def _read_some(self, link: LinkLabels, text: str, at: int, _: str) -> Found:
        if self.within == _DEEPEST:
            return
        inner = {"inner": partial(self._within()._read_inner, link, text)}
        for held, end in match(filled(self.grammar.terms.some, self.slots_about(link.table)), inner, text, at):
            yield held["inner"], end

    def _read_entry(self, link: LinkLabels, text: str, entry: str, at: int, after: str) -> Found:
        if text.startswith(entry, at):
            yield (), at + len(entry)
        for name, end in self._read_value(self.words[link.table].column(link.end), text, at, after):
            yield (Condition(link.end, "=", "", name, "text"),), end

    def _read_time(self, link: LinkLabels, text: str, at: int, after: str) -> Found:
        yield from self._read_bound(link, text, at, precedes=True)
        if not link.begin:
            return
        value = partial(self._read_value, self.words[link.table].column(link.begin), text)
        forms = self.grammar.terms
        at_a_time = (forms.at_a_time, *forms.at_a_time_told.values())
        for template in dict.fromkeys((*at_a_time, forms.in_a_time, forms.in_a_time_told)):
            for held, end in match(template + after, {"low": value, "high": value}, text, at):
                low, high = held["low"], held.get("high", held["low"])
                if "high" not in held or low != high:
                    yield _window(link, low, high), end - len(after)

    def _read_much(self, link: LinkLabels, text: str, at: int, _: str) -> Found:
        return self._read_bound(link, text, at, precedes=False)

    def _read_bound(self, link: LinkLabels, text: str, at: int, *, precedes: bool) -> Found:
        """Yield nothing at all, or a bound on a column of the relation, as it stands before or behind the link."""
        yield (), at
        for column in self.words[link.table].columns:
            value = partial(self._read_value, column, text)
            for operator in _BOUNDS if column.sort in self.grammar.terms.values else ():
                ways = (
                    bound_templates(self.grammar, column, operator, plainest=plainest) for plainest in (False, True)
                )
                known = dict.fromkeys(one for own, book in ways for one in (*own, *book))
                for template, single in _variants(self.grammar, tuple(known)):
                    for held, end in match(template, {"value": value}, text, at):
                        if self.grammar.precedes(template) == precedes and single in (None, held["value"] == SINGLE):
                            yield (_condition(column, operator, held["value"]),), end

    def _read_described(self, table: str, text: str, at: int) -> FoundTerm:
        """Yield every way to read an entity that is described."""
        templates, within = self.grammar.terms, self._within()
        for column in self.words[table].columns:
            if not column.refers or self.within == _DEEPEST:
                continue
            for n, how in ((1, templates.described), *((2, one) for one in templates.described_by_several)):
                inner = partial(within._read_parts, column.refers, text, how.joint, n)
                for held, end in match(self.described_template(column, how.template), {"inner": inner}, text, at):
                    yield DescribedTerm(column.path, column.refers, held["inner"], "", ""), end
            one = self.described_template(column, templates.described_as_that)
            if text.startswith(one, at):
                yield DescribedTerm(column.path, column.refers, (), "", ""), at + len(one)

    def _within(self) -> TermReader:
        """Return what reads within one more description."""
        return replace(self, within=self.within + 1)

    def _read_parts(self, table: str, text: str, joint: str, n: int, at: int, _: str) -> Found:
        for where, end in self._read_joined(table, text, at, self.grammar.terms.verbs["one"], joint):
            if len(where) == n:
                yield where, end
                for more, last in self._read_more(table, text, end) if n == 1 else ():
                    yield (*where, more), last


@lru_cache(maxsize=4096)
def _variants(grammar: Grammar, templates: tuple[str, ...]) -> tuple[tuple[str, bool | None], ...]:
    """List templates with the words that agree with 1, and with other values; True and False say with which."""
    found: list[tuple[str, bool | None]] = []
    for template in (one for each in templates for one in grammar.with_articles(each)):
        single, several = (agreeing_with(grammar, template, one=one) for one in (True, False))
        found += [(several, None)] if single == several else [(single, True), (several, False)]
    return tuple(found)


def _condition(column: ColumnLabels, operator: Operator, value: str = "", upper: str = "") -> Condition:
    return Condition(column.path, operator, "", value, "text", "", upper)


def _is_possible(terms: Terms) -> bool:
    """Return whether no two terms fix the value of one column: `rated seven, and twelve or sixteen`."""
    fixed = [one.path for term in terms for one in alternatives_of(term)[:1]]
    fixed += [term.path for term in terms if isinstance(term, Condition) and term.operator == "="]
    return len(set(fixed)) == len(fixed)


def _any_of(column: ColumnLabels, values: Sequence[str]) -> AnyOf:
    return AnyOf(tuple((_condition(column, "=", value),) for value in values))


def _window(link: LinkLabels, low: str, high: str) -> Terms:
    missing, over = (Condition(link.until, "missing", "", "", "text"), Condition(link.until, ">", "", low, "text"))
    return Condition(link.begin, "<=", "", high, "text"), AnyOf(((missing,), (over,)))
