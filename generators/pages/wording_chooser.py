"""Draws wordings of a phrasebook that fit what a page states of an entity.

    chooser = WordingChooser(page, subject)
    chooser.pick(chooser.words.leads, known)     # a Wording, or None where none fits

A wording fits where the page states every fact in it, its condition holds, and its numbers can be computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from worldforge.world.page_inputs import Subject, Value
from worldforge.world.page_writer import Page
from worldforge.world.phrases import NO_WORDINGS, AttributeWordings, TypeWordings
from worldforge.world.wording import Wording, Wordings

_NO_ZEROS: frozenset[str] = frozenset()
_NO_CODES: frozenset[int] = frozenset()
_DRAWN = 3  # wordings drawn for a row
_NEW = 2  # how many facts more a wording counts that the page has not used


class WordingChooser:
    """Draws wordings about one entity on one page, and prefers those that the page has not used."""

    __slots__ = ("_of_columns", "_spacing", "_uniform", "_used", "_worded_zeros", "page", "subject", "values", "words")

    def __init__(self, page: Page, subject: Subject, among: str = "") -> None:
        """Draw for a page about `subject`, or about a row of the relation `among`."""
        self.page, self.subject = page, subject
        phrases = page.phrases
        self.words: TypeWordings | None = phrases.types.get(subject.type) if phrases is not None else None
        """The wordings for entities of the subject's type; None where the phrasebook has none."""
        self._of_columns: Mapping[str, AttributeWordings] = self.words.attributes if self.words is not None else {}
        untrue = phrases.untrue if phrases is not None else _NO_CODES
        self.values: dict[str, Value] = {
            attribute.key: value
            for attribute, value in zip(subject.attributes, subject.values, strict=True)
            if value is not None and (value.code not in untrue or self._can_be_told(attribute.key, value.text))
        }
        """What the page may state of the subject, by column."""
        self._used, self._uniform = page.used, page.draws.uniform
        self._spacing = phrases.spacing.get(among or subject.type, 1) if phrases is not None else 1
        zeros = self.words.zero_columns if self.words is not None else ()
        self._worded_zeros = frozenset(filter(self._is_worded_zero, zeros)) if zeros else _NO_ZEROS

    def share_theme(self, key: str, other: str) -> bool:
        """Return whether two columns are of one theme, so that a sentence may tell both."""
        themes = self.words.theme_of if self.words is not None else {}
        return themes.get(key) == themes.get(other)

    def of_column(self, key: str) -> AttributeWordings:
        """Return the wordings of a column of the subject."""
        return self._of_columns.get(key, NO_WORDINGS)

    def word(self, value: Value, key: str, table: str) -> tuple[str, ...]:
        """Return the phrasebook's words for a value of the subject, or of the relation `table`."""
        phrases = self.page.phrases
        if phrases is None or value.code not in phrases.worded:
            return ()
        own = phrases.relations[table].columns.get(key, NO_WORDINGS) if table else self.of_column(key)
        return own.values.get(value.text, ())

    def pick(self, options: Wordings, known: Set[str] | None = None) -> Wording | None:
        """Draw a wording that states no column but those `known`, one that the page has not used where there is one.

        By default, all that the options state is known.
        """
        n = len(options)
        if not n:
            return None
        start, used = int(self._uniform() * n), self._used
        one, any_plain = options[start], known is None and not self._worded_zeros
        if one.entry not in used and ((any_plain and one.is_plain) or self._fits(one, known)):
            used.add(one.entry)
            return one
        repeated = None
        for one in options[start:] + options[:start]:
            is_used = one.entry in used
            if (not is_used or repeated is None) and self._fits(one, known):
                if not is_used:
                    used.add(one.entry)
                    return one
                repeated = one
        return repeated

    def can_pick(self, options: Wordings) -> bool:
        """Return whether one of some wordings fits the entity's values: words for a 0 do where the value is 0."""
        return any(self._fits(one, None) for one in options)

    def pick_spaced(self, options: Wordings, share: float = 1.0) -> Wording | None:
        """Draw a wording that states nothing, that the page has not used and that is its to use; None for none.

        `share` is the part of the pages about such entities that ask for one of `options`.
        """
        fresh = self.spaced(options, share)
        if not fresh:
            return None
        one = fresh[int(self._uniform() * len(fresh))]
        self._used.add(one.entry)
        return one

    def spaced(self, options: Wordings, share: float = 1.0) -> list[Wording]:
        """Return the wordings that `pick_spaced` draws from: each is free on one page in so many, and once there."""
        used, number, spacing = self._used, self.page.number, max(1, round(self._spacing * share))
        return [one for one in options if (one.number + number) % spacing == 0 and one.entry not in used]

    def is_free(self, wording: Wording) -> bool:
        """Return whether a wording that states nothing is the page's to use, where all such pages ask for one."""
        return (wording.number + self.page.number) % self._spacing == 0

    def pick_for_row(self, options: Wordings, row: Mapping[str, Value], table: str) -> Wording | None:
        """Draw a few wordings for a row of the relation `table`; return the one with most facts, new ones preferred."""
        start, used, known = int(self._uniform() * len(options)), self._used, set(row)
        chosen, best = None, -1
        n_fitting = 0
        for one in options[start:] + options[:start]:
            if one.facts <= known and (one.is_plain or self._holds(one, table, row)):
                worth = len(one.tells) + (_NEW if one.entry not in used else 0)
                if worth > best:
                    chosen, best = one, worth
                n_fitting += 1
                if n_fitting == _DRAWN:
                    break
        if chosen is not None:
            used.add(chosen.entry)
        return chosen

    def of_cell(self, own: AttributeWordings, key: str, value: Value, table: str) -> Wordings:
        """Return the sentences for a cell of the relation `table`: those that word it, where it is a 0 with words."""
        if value.text[:1] == "0" and self.word(value, key, table):
            return tuple(one for one in own.sentences if one.worded) or own.sentences
        return own.sentences

    def computed(self, expression: str, table: str = "", row: Mapping[str, Value] | None = None) -> Any:
        """Return an expression's value, for the subject or a row of the relation `table`.

        None where the page does not state, truly, all that the expression reads.
        """
        phrases = self.page.phrases
        assert phrases is not None
        found = phrases.computed.get((table or self.subject.type, expression))
        if found is None or (found.of_today and self.page.published.year != self.page.as_of.year):
            return None
        known = self.values if row is None else row
        for key in found.reads:
            value = known.get(key)
            if value is None and row is not None and key in ("source", "target"):
                continue
            if value is None or value.code in phrases.untrue:
                return None
        number = self.subject.row if row is None else next((value.row for value in row.values()), -1)
        return found.values[number] if number >= 0 else None

    def reads_years(self, expression: str, table: str = "") -> bool:
        """Return whether an expression, of the subject or a row of the relation `table`, may come to a year."""
        phrases = self.page.phrases
        found = phrases.computed.get((table or self.subject.type, expression)) if phrases is not None else None
        return found is not None and found.reads_years

    def _fits(self, wording: Wording, known: Set[str] | None) -> bool:
        if known is not None and not wording.tells <= known:
            return False
        zeros = self._worded_zeros
        if not zeros:
            return wording.is_plain or self._holds(wording)
        if not zeros & wording.facts <= wording.worded:
            return False  # words a 0 that has words
        if wording.when and not zeros & self._columns_read(wording.when) <= wording.facts:
            return False  # "… has led no trial, having 160 beds to think of", and then that it has led none
        return wording.is_plain or self._holds(wording)

    def _holds(self, wording: Wording, table: str = "", row: Mapping[str, Value] | None = None) -> bool:
        """Return whether a condition holds of what the page states, and numbers and words for values can be had."""
        if not all(self._can_be_ordinal(key, row) for key in wording.ordinals):
            return False
        if wording.worded:
            values = self.values if row is None else row
            for key in wording.worded:
                if key not in values or not self.word(values[key], key, table):
                    return False
        if wording.when and self.computed(wording.when, table, row) is not True:
            return False
        return all(_can_be_told(self.computed(expression, table, row)) for _, expression in wording.let)

    def _can_be_ordinal(self, key: str, row: Mapping[str, Value] | None) -> bool:
        """Return whether a value of the subject, or of `row`, can be an ordinal: true, whole and above 0."""
        value, phrases = (self.values if row is None else row).get(key), self.page.phrases
        if value is None or phrases is None or value.code not in phrases.worded:
            return False
        return value.text.isdigit() and value.text != "0"

    def _columns_read(self, expression: str) -> frozenset[str]:
        phrases = self.page.phrases
        found = phrases.computed.get((self.subject.type, expression)) if phrases is not None else None
        return found.reads if found is not None else frozenset()

    def _is_worded_zero(self, key: str) -> bool:
        """Return whether a value is a 0 that the phrasebook words: `has no pupils`, not `has 0 pupils`."""
        value = self.values.get(key)
        return value is not None and value.text[:1] == "0" and bool(self.word(value, key, ""))

    def _can_be_told(self, key: str, text: str) -> bool:
        """Return whether sentences can state a false value: the phrasebook has words of its own for true ones alone."""
        own = self.of_column(key)
        return text not in own.values or (text[:1] != "0" and any(not one.worded for one in own.whole))


def _can_be_told(number: object) -> bool:
    """Return whether a number is whole and above 0, so that a sentence can have it: nobody writes `0 years ago`."""
    return isinstance(number, int | float) and number > 0 and float(number).is_integer()
