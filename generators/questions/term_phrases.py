"""Phrases for the terms of a task: written from a language's templates, and read back by the same templates.

    TermPhrases(ENGLISH, words).write("club", terms, verbs, draws)     "whose home town is Velmar and with …"
    TermPhrases(ENGLISH, words).read("club", text, verbs)              every way to read the whole text as terms

Plain terms come first, then alternatives (`either … or …`), then exceptions (`except those …`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from generators.questions.grammar import Grammar, Reader, Verbs, agreeing, drawn, filled, for_description, match
from worldforge.world.question_labels import ColumnLabels, LinkLabels, Vocabulary
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, NoneOf, Operator, RelatedTerm, Term, Terms

_OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", ">", "between", "highest", "lowest")
_BOUNDS: tuple[Operator, Operator] = (">", "<")
_EQUALITIES: tuple[Operator, Operator] = ("=", "!=")
_EXTREMES: tuple[Operator, Operator] = ("highest", "lowest")
_OF_LINKS = ("inner", "some", "entry", "other", "time", "much")
_LONGEST_WORDS = 16  # characters that show whether a term is joined directly
_DEEPEST = 2
"""Descriptions of entities within one another that are read. Chinese ones begin with the inner one: `{value}的…`."""
_SINGLE = "1"
"""Takes the first template, which suits any value: `more than 1 towns` nobody says."""
Found = Iterator[tuple[Terms, int]]
FoundTerm = Iterator[tuple[Term, int]]


@dataclass(frozen=True)
class TermPhrases:
    """Writes and reads terms in one language, with the words of one world.

    What a phrasebook has is worded by it, and the rest by labels; `by_label` words all so.
    """

    grammar: Grammar
    words: Vocabulary
    by_label: bool = False
    within: int = 0
    """In how many descriptions of entities what is read stands."""

    def write(self, table: str, terms: Sequence[Term], verbs: Verbs, draws: Iterator[int]) -> str:
        """Word terms that all hold, plain ones first."""
        grammar, templates = self.grammar, self.grammar.terms
        said = self._write_all(table, [t for t in terms if not isinstance(t, AnyOf | NoneOf)], verbs, draws)
        for term in terms:
            if isinstance(term, AnyOf):
                parts = self._write_alike(table, [part[0] for part in term.parts], verbs, draws)
                bank, clauses = (
                    templates.alternatives["after_terms" if said else "alone"],
                    any(map(grammar.is_clause, parts)),
                )
                either = drawn([one for one in bank if one.of_clauses == clauses], draws)
                slots = {"parts": either.joint.join(parts), "n": grammar.numbers[len(parts)]}
                said.append(filled(either.template, slots))
        exceptions = [
            self.write_leaf(table, part[0], templates.verbs["several"], draws)
            for term in terms
            if isinstance(term, NoneOf)
            for part in term.parts
        ]
        slots = {"terms": self._joined(said), "exceptions": templates.joint_of_exceptions.join(exceptions)}
        whole = drawn(grammar.whole(terms=bool(said), exceptions=bool(exceptions)), draws)
        return filled(whole, slots | self._names(table))

    def _write_all(self, table: str, terms: Sequence[Term], verbs: Verbs, draws: Iterator[int]) -> list[str]:
        """Word terms that all hold: clauses come after others, and descriptions of other entities later than others."""
        said = [(term, self.write_leaf(table, term, verbs, draws)) for term in terms]
        said.sort(key=lambda one: (self.grammar.weight(one[1]), self._is_nested(table, one[0])))
        return [text for _, text in said]

    def _write_alike(self, table: str, terms: Sequence[Term], verbs: Verbs, draws: Iterator[int]) -> list[str]:
        """Word terms in their order, and all of them as clauses or none, where they can be."""
        forms = [{self.grammar.is_clause(one) for one in self._templates(table, term, verbs)} for term in terms]
        shared = [form for form in (False, False, True) if all(form in one for one in forms)]
        clause = drawn(shared, draws) if shared else None
        return [self.write_leaf(table, term, verbs, draws, clause) for term in terms]

    def _joined(self, said: Sequence[str]) -> str:
        """Join words for terms that all hold: `in Velmar with a beach`, `founded in 1923 and based in Velmar`."""
        text = ""
        for before, one in zip(["", *said], said, strict=False):
            directly = self.grammar.weight(before) < self.grammar.weight(one) and self.grammar.joins_directly(
                before, one
            )
            joint = self.grammar.gap if directly else self.grammar.terms.joint
            text += f"{joint}{one}" if before else one
        return text

    def _is_nested(self, table: str, term: Term) -> bool:
        """Return whether a term is worded by a description of another entity, to which what follows might belong."""
        if isinstance(term, Condition):
            return self.words[table].column(term.path).through is not None
        return isinstance(term, RelatedTerm | DescribedTerm)

    def _templates(self, table: str, term: Term, verbs: Verbs) -> tuple[str, ...]:
        """Return the templates of a term: the phrasebook's, or those of its label."""
        if isinstance(term, RelatedTerm):
            own, told, _ = self._link_templates(table, self._link(table, term), verbs)
            return own if self.by_label or not told else told
        assert isinstance(term, Condition | DescribedTerm), term
        column, operator = self.words[table].column(term.path), term.operator if isinstance(term, Condition) else "="
        if not self.by_label:
            book = _book_forms(self.grammar, column, self._is_one(verbs))
            value = term.written if isinstance(term, Condition) else ""
            found = book.by_value.get((operator, value)) or book.templates.get(operator, ())
            if isinstance(term, DescribedTerm):
                found = _for_descriptions(found)
            if found:
                return found
        if isinstance(term, DescribedTerm):
            templates = self.grammar.terms
            how = templates.described_by_several if len(term.where) > 1 else templates.described
            return (_described(self, column, how.template),)
        return _forms(self.grammar, column, frozenset(verbs.items()))[operator]

    def _is_one(self, verbs: Verbs) -> bool:
        return verbs == self.grammar.terms.verbs["one"]

    def write_leaf(self, table: str, term: Term, verbs: Verbs, draws: Iterator[int], clause: bool | None = None) -> str:
        """Word one plain term, as a `clause` or not where both can be."""
        templates = self._templates(table, term, verbs)
        fit = tuple(one for one in templates if clause is None or self.grammar.is_clause(one) == clause)
        templates = fit or templates
        if isinstance(term, RelatedTerm):
            return self._write_related(table, term, templates, verbs, draws)
        if isinstance(term, DescribedTerm):
            return self._write_described(table, term, templates, draws)
        assert isinstance(term, Condition), term
        column = self.words[table].column(term.path)
        single = term.written == _SINGLE
        template = templates[0 if single else next(draws) % len(templates)]
        values = {"value": term.written, "upper": term.upper_written}
        template = _agreeing(self.grammar, template, one=single and not term.upper_written)
        template = self.grammar.with_articles(template, term.written)[0]
        return filled(template, {slot: self.grammar.with_unit(value, column) for slot, value in values.items()})

    def _link(self, table: str, term: RelatedTerm) -> LinkLabels:
        links = self.words[table].links
        return next(one for one in links if (one.table, one.column) == (term.table, term.column))

    def _write_related(
        self, table: str, term: RelatedTerm, templates: Sequence[str], verbs: Verbs, draws: Iterator[int]
    ) -> str:
        """Word a row of another table that refers here."""
        link, template = self._link(table, term), drawn(templates, draws)
        slots, one = self._link_templates(table, link, verbs)[2], self.grammar.terms.verbs["one"]
        if not link.end:
            inner = self.write_leaf(link.table, term.where[0], one, draws)
            own = self.words[link.table]
            some = self.grammar.some(own.called, own.the, inner)
            return filled(template, {**slots, "inner": inner, "some": some})
        first = term.where[0]
        named = isinstance(first, Condition) and first.path == link.end
        narrowing = term.where[1:] if named else term.where
        name = first.written if isinstance(first, Condition) and named else ""
        slots |= {"entry": name or self.grammar.terms.an_entry, "other": name or self._any(link)}
        told = "{other}" in template
        return filled(template, slots | self._write_narrowing(link, narrowing, draws, told=told))

    def _any(self, link: LinkLabels) -> str:
        """Write for some entity at the other end of a link, whichever it is."""
        return filled(self.grammar.terms.any, self._about(self.words[link.table].column(link.end).refers))

    def _link_templates(
        self, table: str, link: LinkLabels, verbs: Verbs
    ) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, str]]:
        """Return the templates of a link by its label, those of the phrasebook, and the slots that are known of it."""
        grammar, label, own = self.grammar, self.words[link.table].called, self.words[table]
        templates = grammar.terms.under if link.end else grammar.referred(by_type=link.title == own.label)
        inflected = grammar.inflected_type(label, self.words[link.table].the)
        book = grammar.link_phrases(link, one=self._is_one(verbs), person=own.person)
        return templates, book, {"title": link.title, "label": label, **inflected, **verbs}

    def _write_narrowing(self, link: LinkLabels, terms: Terms, draws: Iterator[int], *, told: bool) -> dict[str, str]:
        """Word when, or how much: a time window is a begin and an end, a bound one condition on a column."""
        if not terms:
            return {"time": "", "much": ""}
        grammar, first = self.grammar, terms[0]
        assert isinstance(first, Condition)
        column = self.words[link.table].column(first.path)
        high = grammar.with_unit(first.written, column)
        if len(terms) == 1:
            own, book = _bounds(grammar, column, first.operator)
            template = drawn(own if self.by_label or not book else book, draws)
            template = _agreeing(grammar, template, one=first.written == _SINGLE)
            return {"time": "", "much": filled(template, {"value": high})}
        window = terms[1]
        assert isinstance(window, AnyOf)
        over = window.parts[1][0]
        assert isinstance(over, Condition)
        forms = grammar.terms
        at_a_time, in_a_time = (
            (forms.at_a_time_told, forms.in_a_time_told) if told else (forms.at_a_time, forms.in_a_time)
        )
        template = at_a_time if over.written == first.written else in_a_time
        return {"time": filled(template, {"low": grammar.with_unit(over.written, column), "high": high}), "much": ""}

    def _write_described(self, table: str, term: DescribedTerm, templates: Sequence[str], draws: Iterator[int]) -> str:
        """Word an entity by what singles it out."""
        forms, template = self.grammar.terms, drawn(templates, draws)
        if "{value}" in template:
            return filled(agreeing(template, one=False), {"value": self._write_that(term, draws)})
        how = forms.described_by_several if len(term.where) > 1 else forms.described
        return filled(template, {"inner": self._write_parts(term, how.joint, draws)})

    def _write_that(self, term: DescribedTerm, draws: Iterator[int]) -> str:
        """Describe an entity where its name might stand: `the town founded in 1923`, `the oldest town`."""
        forms, first = self.grammar.terms, term.where[0]
        slots = self._about(term.about)
        if len(term.where) > 1:
            how = forms.that_of_several
            return filled(how.template, {**slots, "inner": self._write_parts(term, how.joint, draws)})
        if isinstance(first, Condition) and first.operator in ("highest", "lowest"):
            column = self.words[term.about].column(first.path)
            if best := [one for one in _superlatives(column, first.operator) if self.grammar.stands_before(one)]:
                return filled(forms.that_most, {**slots, "best": drawn(best, draws)})
        return filled(forms.that.template, {**slots, "inner": self._write_parts(term, forms.that.joint, draws)})

    def _write_parts(self, term: DescribedTerm, joint: str, draws: Iterator[int]) -> str:
        return joint.join(self._write_alike(term.about, term.where, self.grammar.terms.verbs["one"], draws))

    def _about(self, table: str) -> dict[str, str]:
        own = self.words[table]
        return {"about": own.called, **self.grammar.inflected_type(own.called, own.the)}

    def read(self, table: str, text: str, verbs: Verbs) -> Iterator[Terms]:
        """Yield every way to read a whole text as terms."""
        several, joint = self.grammar.terms.verbs["several"], self.grammar.terms.joint_of_exceptions
        readers = {
            "terms": lambda at, _: self._terms(table, text, at, verbs),
            "exceptions": lambda at, _: self._read_joined(table, text, at, several, joint),
        }
        for template in (one for templates in self.grammar.terms.whole.values() for one in templates):
            for held, end in match(filled(template, self._names(table)), readers, text, 0):
                if end == len(text):
                    parts = tuple((part,) for part in held.get("exceptions", ()))
                    yield (*held.get("terms", ()), *((NoneOf(parts),) if parts else ()))

    def _names(self, table: str) -> dict[str, str]:
        return {"label": self.words[table].called, "plural": self.words[table].several}

    def _terms(self, table: str, text: str, at: int, verbs: Verbs) -> Found:
        """Read plain terms, then alternatives; one or the other is there."""
        joint = self.grammar.terms.joint
        yield from self._alternatives(table, text, at, verbs, after_terms=False)
        for plain, end in self._read_joined(table, text, at, verbs, joint):
            yield plain, end
            if text.startswith(joint, end):
                for alternatives, last in self._alternatives(table, text, end + len(joint), verbs, after_terms=True):
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

    def _next(self, text: str, at: int, joint: str) -> Iterator[int]:
        """Yield where a further term may begin, behind one that ends at a place."""
        if text.startswith(joint, at):
            yield at + len(joint)
        gap = self.grammar.gap
        after = text[at + len(gap) : at + len(gap) + _LONGEST_WORDS]
        if joint == self.grammar.terms.joint and text.startswith(gap, at) and self.grammar.joins_directly("", after):
            yield at + len(gap)

    def read_leaf(self, table: str, text: str, at: int, verbs: Verbs) -> FoundTerm:
        """Yield every way to read one plain term that begins at a place, and where it ends."""
        kept = frozenset(verbs.items())
        for column in self.words[table].columns:
            value = partial(self._read_value, column, text)
            for operator, templates in _forms(self.grammar, column, kept).items():
                for template in templates:
                    for held, end in match(template, {"value": value, "upper": value}, text, at):
                        if held or self._closed(text, end):
                            yield _condition(column, operator, **held), end
            yield from self._read_by_book(column, text, at, one=self._is_one(verbs))
        yield from self._read_related(table, text, at, verbs)
        yield from self._read_described(table, text, at)

    def _read_by_book(self, column: ColumnLabels, text: str, at: int, *, one: bool) -> FoundTerm:
        """Yield every way to read a term that is worded by the phrasebook."""
        book, value = _book_forms(self.grammar, column, one), partial(self._read_value, column, text)
        found: list[tuple[Condition, int]] = []
        for operator, templates in book.templates.items():
            for template, single in _variants(self.grammar, templates):
                for held, end in match(template, {"value": value, "upper": value}, text, at):
                    if single is None or (held == {"value": _SINGLE}) == single:
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
            for template, _ in _variants(self.grammar, _for_descriptions(book.templates.get("=", ()))):
                for held, end in match(template, {"value": that}, text, at):
                    yield DescribedTerm(column.path, column.refers, held["value"], "", ""), end

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
        forms, slots, within = self.grammar.terms, self._about(table), self._within()
        for n, how in ((1, forms.that), (2, forms.that_of_several)):
            inner = partial(within._read_parts, table, text, how.joint, n)
            for held, end in match(filled(how.template, slots), {"inner": inner}, text, at):
                yield held["inner"], end
        for column in self.words[table].columns:
            for operator in _EXTREMES if column.phrases and not column.through else ():
                for best in _superlatives(column, operator):
                    known = filled(forms.that_most, {**slots, "best": best})
                    if text.startswith(known, at):
                        yield (_condition(column, operator),), at + len(known)

    def _read_value(self, column: ColumnLabels, text: str, at: int, after: str) -> Iterator[tuple[str, int]]:
        """Yield the values of a column that may stand at a place, with `after` behind them, and where each ends."""
        grammar = self.grammar
        if column.sort in grammar.terms.values:
            found = re.compile(grammar.terms.values[column.sort]).match(text, at)
            ends: Sequence[int] = [found.end()] if found else []
        else:
            ends = range(at + 1, len(text) + 1)
        for end in ends:
            unit = f"{grammar.gap}{grammar.unit_of(text[at:end], column)}" if column.unit else ""
            stop = end + len(unit)
            fits = text.startswith(unit + after, end) and (bool(after) or self._closed(text, stop))
            if fits and (column.known is None or column.known(text[at:end])):
                yield text[at:end], stop

    def _closed(self, text: str, end: int) -> bool:
        return end == len(text) or text.startswith(self.grammar.terms.closers, end)

    def _read_related(self, table: str, text: str, at: int, verbs: Verbs) -> FoundTerm:
        """Yield every way to read a row of another table that refers here."""
        for link in self.words[table].links:
            own, book, slots = self._link_templates(table, link, verbs)
            readers: dict[str, Reader] = {
                "inner": partial(self._read_inner, link, text),
                "some": partial(self._read_some, link, text),
                "entry": partial(self._read_entry, link, text, self.grammar.terms.an_entry),
                "other": partial(self._read_entry, link, text, self._any(link) if link.end else ""),
                "time": partial(self._read_time, link, text),
                "much": partial(self._read_much, link, text),
            }
            for template in (*own, *book):
                for held, end in match(filled(template, slots), readers, text, at):
                    if where := tuple(term for slot in _OF_LINKS for term in held.get(slot, ())):
                        yield RelatedTerm(link.table, link.column, where), end

    def _read_inner(self, link: LinkLabels, text: str, at: int, _: str) -> Found:
        return self._read_parts(link.table, text, self.grammar.terms.joint, 1, at, _)

    def _read_some(self, link: LinkLabels, text: str, at: int, _: str) -> Found:
        inner = {"inner": partial(self._read_inner, link, text)}
        for held, end in match(filled(self.grammar.terms.some, self._about(link.table)), inner, text, at):
            yield held["inner"], end

    def _read_entry(self, link: LinkLabels, text: str, entry: str, at: int, after: str) -> Found:
        if text.startswith(entry, at):
            yield (), at + len(entry)
        for name, end in self._read_value(self.words[link.table].column(link.end), text, at, after):
            yield (Condition(link.end, "=", "", name, "text"),), end

    def _read_time(self, link: LinkLabels, text: str, at: int, _: str) -> Found:
        yield (), at
        if not link.begin:
            return
        value = partial(self._read_value, self.words[link.table].column(link.begin), text)
        forms = self.grammar.terms
        for template in dict.fromkeys((forms.at_a_time, forms.at_a_time_told, forms.in_a_time, forms.in_a_time_told)):
            for held, end in match(template, {"low": value, "high": value}, text, at):
                low, high = held["low"], held.get("high", held["low"])
                if "high" not in held or low != high:
                    yield _window(link, low, high), end

    def _read_much(self, link: LinkLabels, text: str, at: int, _: str) -> Found:
        yield (), at
        for column in self.words[link.table].columns:
            value = partial(self._read_value, column, text)
            for operator in _BOUNDS if column.sort in self.grammar.terms.values else ():
                own, book = _bounds(self.grammar, column, operator)
                for template, single in _variants(self.grammar, (*own, *book)):
                    for held, end in match(template, {"value": value}, text, at):
                        if single is None or (held["value"] == _SINGLE) == single:
                            yield (_condition(column, operator, held["value"]),), end

    def _read_described(self, table: str, text: str, at: int) -> FoundTerm:
        """Yield every way to read an entity that is described."""
        templates, within = self.grammar.terms, self._within()
        for column in self.words[table].columns:
            if not column.refers or self.within == _DEEPEST:
                continue
            for n, how in ((1, templates.described), (2, templates.described_by_several)):
                inner = partial(within._read_parts, column.refers, text, how.joint, n)
                for held, end in match(_described(self, column, how.template), {"inner": inner}, text, at):
                    yield DescribedTerm(column.path, column.refers, held["inner"], "", ""), end

    def _within(self) -> TermPhrases:
        """Return what reads within one more description."""
        return replace(self, within=self.within + 1)

    def _read_parts(self, table: str, text: str, joint: str, n: int, at: int, _: str) -> Found:
        for where, end in self._read_joined(table, text, at, self.grammar.terms.verbs["one"], joint):
            if len(where) == n:
                yield where, end
                for more, last in self._read_more(table, text, end) if n == 1 else ():
                    yield (*where, more), last


@lru_cache(maxsize=4096)
def _forms(
    grammar: Grammar, column: ColumnLabels, verbs: frozenset[tuple[str, str]]
) -> Mapping[Operator, tuple[str, ...]]:
    """Fill all but the values into the templates of a column."""
    slots = {"label": column.label, **grammar.inflected(column.label), **dict(verbs)}
    return {
        operator: tuple(filled(template, slots) for template in grammar.phrases_of(column, operator))
        for operator in _OPERATORS
    }


@dataclass(frozen=True)
class _BookForms:
    """The templates that a phrasebook has for a column: by operator, and for single values by operator and value."""

    templates: Mapping[Operator, tuple[str, ...]]
    by_value: Mapping[tuple[Operator, str], tuple[str, ...]]


@lru_cache(maxsize=4096)
def _book_forms(grammar: Grammar, column: ColumnLabels, one: bool) -> _BookForms:
    templates = {operator: grammar.book_phrases(column, operator, one=one) for operator in _OPERATORS}
    by_value = {
        (operator, value): texts
        for operator in _EQUALITIES
        for value, texts in grammar.value_phrases(column, operator, one=one).items()
    }
    return _BookForms({operator: texts for operator, texts in templates.items() if texts}, by_value)


def _agreeing(grammar: Grammar, template: str, *, one: bool) -> str:
    template = agreeing(template, one=one)
    return grammar.counting_one(template) if one else template


@lru_cache(maxsize=4096)
def _variants(grammar: Grammar, templates: tuple[str, ...]) -> tuple[tuple[str, bool | None], ...]:
    """List templates with the words that agree with 1, and with other values; True and False say with which."""
    found: list[tuple[str, bool | None]] = []
    for template in (one for each in templates for one in grammar.with_articles(each)):
        single, several = (_agreeing(grammar, template, one=one) for one in (True, False))
        found += [(several, None)] if single == several else [(single, True), (several, False)]
    return tuple(found)


@lru_cache(maxsize=4096)
def _for_descriptions(templates: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(for_description, templates))))


def _superlatives(column: ColumnLabels, operator: Operator) -> tuple[str, ...]:
    if column.phrases is None:
        return ()
    return column.phrases.most if operator == "highest" else column.phrases.least


def _condition(column: ColumnLabels, operator: Operator, value: str = "", upper: str = "") -> Condition:
    return Condition(column.path, operator, "", value, "text", "", upper)


@lru_cache(maxsize=4096)
def _bounds(grammar: Grammar, column: ColumnLabels, operator: Operator) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the templates of how much, in a row of a relation: by the column's label, and the phrasebook's."""
    own = filled(grammar.bound(column, operator), {"label": column.label, **grammar.inflected(column.label)})
    book = map(grammar.narrowed, grammar.book_phrases(column, operator, one=False))
    return (own,), tuple(filter(None, book))


def _window(link: LinkLabels, low: str, high: str) -> Terms:
    missing, over = (Condition(link.until, "missing", "", "", "text"), Condition(link.until, ">", "", low, "text"))
    return Condition(link.begin, "<=", "", high, "text"), AnyOf(((missing,), (over,)))


def _described(phrases: TermPhrases, column: ColumnLabels, template: str) -> str:
    """Fill into a template what a column is called, and what it refers to."""
    grammar, about = phrases.grammar, phrases.words[column.refers]
    slots = {"label": column.label, "about": about.called, **grammar.inflected(column.label)}
    return filled(template, slots | {"measure": grammar.inflected_type(about.called, about.the).get("measure", "")})
