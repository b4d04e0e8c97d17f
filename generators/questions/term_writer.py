"""Writes the terms of a task as a phrase.

    TermWriter(ENGLISH, words).write("club", terms, verbs, draws)      "whose home town is Velmar and with …"

Plain terms come first, then alternatives (`either … or …`), then exceptions (`except those …`). Several values of one
column are a plain term: `born in Velmar or Orsk`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from generators.questions.grammar import JoinedTemplate, Verbs, agreeing, drawn, filled, in_marks
from generators.questions.joined_values import alternatives_of, series, shortened
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
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, NoneOf, RelatedTerm, Term, Terms

_THE, _QUOTED = "the {", "“{value}”"
FormOf = Callable[[str], int]
"""Returns the form of a template: terms of one form can stand beside one another."""


@dataclass(frozen=True)
class TermWriter(TermPhrases):
    """Writes terms by a phrasebook where it words them, and the rest by labels."""

    plainest: bool = False
    """Whether descriptions say plainly what belongs to them."""
    by_label: bool = False
    """Whether conditions are worded by the labels of their columns, and not by the phrasebook."""
    links_by_label: bool = False
    """Whether references from other tables are worded by labels, and not by the phrasebook."""

    def write(self, table: str, terms: Sequence[Term], verbs: Verbs, draws: Iterator[int]) -> str:
        """Word terms that all hold, plain ones first."""
        grammar, templates = self.grammar, self.grammar.terms
        plain = [t for t in terms if alternatives_of(t) or not isinstance(t, AnyOf | NoneOf)]
        text = self._joined(self._write_all(table, plain, verbs, draws))
        for term in terms:
            if isinstance(term, AnyOf) and term not in plain:
                parts = self._write_alternatives(table, [part[0] for part in term.parts], verbs, draws)
                bank = templates.alternatives["after_terms" if text else "alone"]
                clauses = any(map(grammar.is_clause, parts))
                either = drawn([one for one in bank if one.of_clauses == clauses], draws)
                text += filled(either.template, {"parts": either.joint.join(parts), "n": grammar.numbers[len(parts)]})
        exceptions = [
            self.write_leaf(table, part[0], templates.verbs["several"], draws)
            for term in terms
            if isinstance(term, NoneOf)
            for part in term.parts
        ]
        slots = {"terms": text, "exceptions": templates.joint_of_exceptions.join(exceptions)}
        whole = drawn(grammar.whole(terms=bool(text), exceptions=bool(exceptions)), draws)
        return filled(whole, slots | self.table_names(table))

    def _write_all(self, table: str, terms: Sequence[Term], verbs: Verbs, draws: Iterator[int]) -> list[str]:
        """Word terms that all hold, the first as no clause and the others as clauses, where they can be.

        Clauses come after others, and descriptions of other entities later than others, or before them all. What begins
        with `with` would be said of `that studio` behind it.
        """
        phrases: list[tuple[tuple[bool, int, bool], str]] = []
        for term in sorted(terms, key=lambda one: self._is_nested(table, one)):
            is_clause = self.grammar.is_clause if phrases else lambda one: not self.grammar.is_clause(one)
            text = self.write_leaf(table, term, verbs, draws, is_clause)
            describes = isinstance(term, DescribedTerm)
            if describes and phrases:
                text = self.grammar.late(text, verbs, person=self.words[table].person)
            late = describes != self.grammar.described_first
            key = (late, self.grammar.weight(text), self._is_nested(table, term))
            phrases.append((key, text))
        return [text for _, text in sorted(phrases, key=lambda one: one[0])]

    def _write_alternatives(self, table: str, terms: Sequence[Term], verbs: Verbs, draws: Iterator[int]) -> list[str]:
        """Word terms of which one holds, all in one form; by their labels where the phrasebook has none for all."""
        found = self._write_alike(table, terms, verbs, draws, self.grammar.form)
        if len(set(map(self.grammar.form, found))) == 1:
            return found
        plain = replace(self, by_label=True)
        return [plain.write_leaf(table, term, verbs, draws, self.grammar.is_clause) for term in terms]

    def _write_alike(
        self, table: str, terms: Sequence[Term], verbs: Verbs, draws: Iterator[int], form_of: FormOf
    ) -> list[str]:
        """Word terms in their order, and all of them in one form, where they can be."""
        forms = [{form_of(one) for one in self._templates(table, term, verbs)} for term in terms]
        shared = sorted(form for form in forms[0] if all(form in one for one in forms))
        if not shared:
            return [self.write_leaf(table, term, verbs, draws) for term in terms]
        wanted = drawn(shared, draws)
        return [self.write_leaf(table, term, verbs, draws, lambda one: form_of(one) == wanted) for term in terms]

    def _joined(self, phrases: Sequence[str]) -> str:
        """Join words for terms that all hold: `in Velmar with a beach`, `founded in 1923 and based in Velmar`."""
        grammar, text = self.grammar, "".join(phrases[:1])
        for before, one, after in zip(phrases, phrases[1:], [*phrases[2:], ""], strict=False):
            if self._follows(before, one):
                text += f"{grammar.gap}{one}"
            else:
                lost = grammar.elided(before, one)
                joints = grammar.joints_of_elided(before) if lost else grammar.joints
                is_last = not after or self._follows(one, after)
                text += joints[0 if is_last else -1] + one[lost:]
        return text

    def _follows(self, before: str, text: str) -> bool:
        """Return whether a condition can follow another without `and` or a comma."""
        are_clauses = self.grammar.is_clause(before) and self.grammar.is_clause(text)
        return not are_clauses and self.grammar.joins_directly(before, text)

    def _is_nested(self, table: str, term: Term) -> bool:
        """Return whether a term is worded by a description of another entity, to which what follows might belong."""
        if isinstance(term, Condition | AnyOf):
            path = term.path if isinstance(term, Condition) else alternatives_of(term)[0].path
            return self.words[table].column(path).through is not None
        return isinstance(term, RelatedTerm | DescribedTerm)

    def _templates(self, table: str, term: Term, verbs: Verbs) -> tuple[str, ...]:
        """Return the templates of a term: the phrasebook's, or those of its label."""
        if isinstance(term, RelatedTerm):
            own, told, _ = self.link_templates(table, self._link(table, term), verbs)
            return own if self.links_by_label or not told else told
        if values := alternatives_of(term):
            return self._templates_of_values(table, values, verbs)
        assert isinstance(term, Condition | DescribedTerm), term
        column, operator = self.words[table].column(term.path), term.operator if isinstance(term, Condition) else "="
        if not self.by_label or column.sort == "boolean":
            book = book_templates(self.grammar, column, self.is_one(verbs))
            value = term.written if isinstance(term, Condition) else ""
            found = book.by_value.get((operator, value)) or book.templates.get(operator, ())
            if isinstance(term, DescribedTerm):
                found = for_descriptions(found)
                if not term.where:  # `that that musician wrote` nobody says
                    found = tuple(one for one in found if "that {value}" not in one)
            if found:
                return found
        if isinstance(term, DescribedTerm):
            forms = self.grammar.terms
            form = self._how_described(term).template if term.where else forms.described_as_that
            return (self.described_template(column, form),)
        return label_templates(self.grammar, column, frozenset(verbs.items()))[operator]

    def _templates_of_values(self, table: str, values: Sequence[Condition], verbs: Verbs) -> tuple[str, ...]:
        """Return the templates of several values of one column; whole wordings where the book words single values."""
        choices = [self._templates(table, one, verbs) for one in values]
        if "{value}" not in choices[0][0]:
            return shortened(choices, self.grammar)
        own = label_templates(self.grammar, self.words[table].column(values[0].path), frozenset(verbs.items()))["="]
        return tuple(one for one in choices[0] if _QUOTED not in one) or own

    def _how_described(self, term: DescribedTerm) -> JoinedTemplate:
        """Return the template that describes an entity behind the label of a column."""
        forms = self.grammar.terms
        return forms.described_by_several[-1 if self.plainest else 0] if len(term.where) > 1 else forms.described

    def write_leaf(
        self,
        table: str,
        term: Term,
        verbs: Verbs,
        draws: Iterator[int],
        fits: Callable[[str], bool] = lambda _: True,
    ) -> str:
        """Word one plain term, by a template that `fits` where it has one."""
        templates = self._templates(table, term, verbs)
        templates = tuple(filter(fits, templates)) or templates
        if isinstance(term, RelatedTerm):
            return self._write_related(table, term, templates, verbs, draws)
        if isinstance(term, DescribedTerm):
            return self._write_described(table, term, templates, draws)
        if several := alternatives_of(term):
            return self._write_values(table, several, drawn(templates, draws))
        assert isinstance(term, Condition), term
        column = self.words[table].column(term.path)
        single = term.written == SINGLE
        template = templates[0 if single else next(draws) % len(templates)]
        template = agreeing_with(self.grammar, template, one=single and not term.upper_written)
        template = self.grammar.with_articles(template, term.written)[0]
        values = {"value": term.written, "upper": term.upper_written}
        return filled(template, {slot: self._written(value, column, template) for slot, value in values.items()})

    def _written(self, value: str, column: ColumnLabels, template: str) -> str:
        """Write a value for a slot of a template: with its unit, and a name with its article."""
        text = self.grammar.with_unit(value, column)
        return self.grammar.named(text) if value and column.sort == "reference" and _THE not in template else text

    def _write_values(self, table: str, values: Sequence[Condition], template: str) -> str:
        """Fill several values of one column into a template."""
        column = self.words[table].column(values[0].path)
        written = [self._written(one.written, column, template) for one in values]
        template = self.grammar.with_articles(agreeing(template, one=False), written[0])[0]
        return filled(template, {"value": series(written, self.grammar.terms.series)})

    def _link(self, table: str, term: RelatedTerm) -> LinkLabels:
        links = self.words[table].links
        return next(one for one in links if (one.table, one.column) == (term.table, term.column))

    def _write_related(
        self, table: str, term: RelatedTerm, templates: Sequence[str], verbs: Verbs, draws: Iterator[int]
    ) -> str:
        """Word a row of another table that refers here."""
        grammar, link, template = self.grammar, self._link(table, term), drawn(templates, draws)
        slots, one = self.link_templates(table, link, verbs)[2], self.grammar.terms.verbs["one"]
        if not link.end:
            inner = self.write_leaf(link.table, term.where[0], one, draws)
            own = self.words[link.table]
            some = self.grammar.some(own.called, own.the, inner)
            return filled(template, {**slots, "inner": inner, "some": some})
        first = term.where[0]
        named = isinstance(first, Condition) and first.path == link.end
        narrowing = term.where[1:] if named else term.where
        name = ""
        if isinstance(first, Condition) and named:
            name = in_marks(first.written, self.words[link.table].column(link.end).around)
            name = name if _THE in template else grammar.named(name)
        slots |= {"entry": name or self.grammar.terms.an_entry, "other": name or self.any_entity(link)}
        template = template if name else without_article(template)
        told = "{other}" in template
        narrowed = self._write_narrowing(link, narrowing, draws, told=told)
        return filled(self.grammar.in_past(template) if narrowed["time"] else template, slots | narrowed)

    def _write_narrowing(self, link: LinkLabels, terms: Terms, draws: Iterator[int], *, told: bool) -> dict[str, str]:
        """Word when, or how much: a time window is a begin and an end, a bound one condition on a column."""
        if not terms:
            return {"time": "", "much": ""}
        grammar, first = self.grammar, terms[0]
        assert isinstance(first, Condition)
        column = self.words[link.table].column(first.path)
        high = grammar.with_unit(first.written, column)
        if len(terms) == 1:
            own, book = bound_templates(grammar, column, first.operator, plainest=self.plainest)
            template = drawn(own if self.by_label or not book else book, draws)
            text = filled(agreeing_with(grammar, template, one=first.written == SINGLE), {"value": high})
            return {"time": text, "much": ""} if grammar.precedes(template) else {"time": "", "much": text}
        window = terms[1]
        assert isinstance(window, AnyOf)
        over = window.parts[1][0]
        assert isinstance(over, Condition)
        forms = grammar.terms
        if over.written == first.written:
            template = forms.at_a_time_told[column.sort] if told else forms.at_a_time
        else:
            template = forms.in_a_time_told if told else forms.in_a_time
        return {"time": filled(template, {"low": grammar.with_unit(over.written, column), "high": high}), "much": ""}

    def _write_described(self, table: str, term: DescribedTerm, templates: Sequence[str], draws: Iterator[int]) -> str:
        """Word an entity by what singles it out."""
        template = drawn(templates, draws)
        if "{value}" in template:
            return filled(agreeing(template, one=False), {"value": self._write_that(term, draws)})
        if not term.where:
            return template
        return filled(template, {"inner": self._write_parts(term, self._how_described(term).joint, draws)})

    def _write_that(self, term: DescribedTerm, draws: Iterator[int]) -> str:
        """Describe an entity where its name might stand: `the town founded in 1923`, `the oldest town`, `that town`."""
        forms, slots = self.grammar.terms, self.slots_about(term.about)
        if not term.where:
            return filled(forms.that_one, slots)
        first = term.where[0]
        if len(term.where) > 1:
            how = forms.that_of_several[-1 if self.plainest else 0]
            return filled(how.template, {**slots, "inner": self._write_parts(term, how.joint, draws)})
        if isinstance(first, Condition) and first.operator in ("highest", "lowest"):
            column = self.words[term.about].column(first.path)
            if best := [one for one in superlatives(column, first.operator) if self.grammar.stands_before(one)]:
                return filled(forms.that_most, {**slots, "best": drawn(best, draws)})
        return filled(forms.that.template, {**slots, "inner": self._write_parts(term, forms.that.joint, draws)})

    def _write_parts(self, term: DescribedTerm, joint: str, draws: Iterator[int]) -> str:
        parts = self._write_alike(
            term.about, term.where, self.grammar.terms.verbs["one"], draws, self.grammar.is_clause
        )
        if joint != self.grammar.terms.joint:
            return joint.join(parts)
        return self._joined(sorted(parts, key=self.grammar.weight))
