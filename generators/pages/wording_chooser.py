"""Draws wordings of a phrasebook that fit what a page states of an entity.

    chooser = WordingChooser(page, subject)
    chooser.pick(chooser.of_column("founded").sentences, known)     # a Wording, or None where none fits

A wording fits where the page states every fact in it, its condition holds, and its numbers can be computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldforge.world.page_writer import Page, Subject, Text, Value
from worldforge.world.phrases import NO_WORDINGS, AttributeWordings, TypeWordings, Wording, Wordings

_TRIES = 4  # draws of a wording before all are looked through


class WordingChooser:
    """Draws wordings about one entity on one page, and prefers those that the page has not used."""

    def __init__(self, page: Page, subject: Subject) -> None:
        self.page, self.subject = page, subject
        phrases = page.phrases
        self.words: TypeWordings | None = phrases.types.get(subject.type) if phrases is not None else None
        """The wordings for entities of the subject's type; None where the phrasebook has none."""
        self.values: dict[str, Text] = {fact.attribute.key: fact.value for fact in subject.facts}
        """What the page may state of the subject, by column."""
        self._used = page.used
        self._worded_zeros = frozenset(key for key, value in self.values.items() if self._words_zero(key, value))

    def of_column(self, key: str, table: str = "") -> AttributeWordings:
        """Return the wordings of a column of the subject, or of the relation `table`."""
        if table and table != self.subject.type:
            relation = self.page.phrases.relations.get(table) if self.page.phrases is not None else None
            return relation.columns.get(key, NO_WORDINGS) if relation is not None else NO_WORDINGS
        return self.words.attributes.get(key, NO_WORDINGS) if self.words else NO_WORDINGS

    def pick(self, options: Wordings, known: Mapping[str, Any]) -> Wording | None:
        """Draw a wording that states no column but those `known`, one that the page has not used where there is one."""
        return self._draw(options, known, self.subject.type, None)

    def pick_unused(self, options: Wordings) -> Wording | None:
        """Draw a wording that states nothing and that the page has not used; None where there is none."""
        return self.pick(tuple(one for one in options if one.entry not in self._used), {})

    def pick_for_row(self, options: Wordings, values: Mapping[str, Text], table: str) -> Wording | None:
        """Draw two wordings for a row of a relation, and return the one that states more."""
        first = self._draw(options, values, table, values)
        if first is None:
            return None
        second = self._draw(options, values, table, values)
        assert second is not None
        if len(second.facts) > len(first.facts):
            first, second = second, first
        if second.entry != first.entry:
            self._used.discard(second.entry)
        return first

    def computed(self, expression: str, table: str, row: Mapping[str, Text] | None = None) -> Any:
        """Return an expression's value, for the subject or a row of the relation `table`.

        None where the page does not state, truly, all that the expression reads.
        """
        assert self.page.phrases is not None
        found = self.page.phrases.computed.get((table, expression))
        if found is None:
            return None
        known: Mapping[str, Any] = self.values if row is None else row
        for key in found.reads:
            value = known.get(key)
            if value is None and row is not None and key in ("source", "target"):
                continue
            if not isinstance(value, Value) or value.code in self.page.phrases.untrue:
                return None
        number = self.subject.row
        if row is not None:
            number = next((value.row for value in row.values() if isinstance(value, Value)), -1)
        return found.values[number] if number >= 0 else None

    def _draw(
        self, options: Wordings, known: Mapping[str, Any], table: str, row: Mapping[str, Text] | None
    ) -> Wording | None:
        if not options:
            return None
        any_plain = not self._worded_zeros
        used, uniform, n, keys = self._used, self.page.draws.uniform, len(options), known.keys()
        for _ in range(_TRIES):  # most wordings fit, and few are used: looking at all of them takes longer
            one = options[int(uniform() * n)]
            if (
                one.entry not in used
                and one.facts <= keys
                and ((one.is_plain and any_plain) or self._suits(one, table, row))
            ):
                used.add(one.entry)
                return one
        fitting = [
            one
            for one in options
            if one.facts <= keys and ((one.is_plain and any_plain) or self._suits(one, table, row))
        ]
        if not fitting:
            return None
        chosen = self.page.draws.pick([one for one in fitting if one.entry not in used] or fitting)
        used.add(chosen.entry)
        return chosen

    def _suits(self, wording: Wording, table: str, row: Mapping[str, Text] | None) -> bool:
        """Return whether a wording that states what is known holds, and words the zeros that have words."""
        zeros = self._worded_zeros
        if row is None and zeros:
            if not zeros & wording.facts <= wording.worded:
                return False
            if wording.when and not zeros & self._columns_read(wording.when, table) <= wording.facts:
                return False  # "… has led no trial, having 160 beds to think of", and then that it has led none
        return wording.is_plain or self._holds(wording, table, row)

    def _holds(self, wording: Wording, table: str, row: Mapping[str, Text] | None) -> bool:
        """Return whether a wording's condition holds of what the page states, and its numbers can be computed."""
        if wording.worded and not self._can_word(wording, self.values if row is None else row, table):
            return False
        if wording.when and self.computed(wording.when, table, row) is not True:
            return False
        return all(_is_whole(self.computed(expression, table, row)) for _, expression in wording.let)

    def _can_word(self, wording: Wording, values: Mapping[str, Any], table: str) -> bool:
        """Return whether the phrasebook words the values that a wording wants worded."""
        for key in wording.worded:
            value = values.get(key)
            if not isinstance(value, Value) or self.page.phrases is None or value.code not in self.page.phrases.worded:
                return False
            if value.text not in self.of_column(key, table).values:
                return False
        return True

    def _columns_read(self, expression: str, table: str) -> frozenset[str]:
        found = self.page.phrases.computed.get((table, expression)) if self.page.phrases is not None else None
        return found.reads if found is not None else frozenset()

    def _words_zero(self, key: str, value: Text) -> bool:
        """Return whether a value is a 0 for which the phrasebook has words: `has no pupils`, not `has 0 pupils`."""
        if not isinstance(value, Value) or not value.text.startswith("0"):
            return False
        own = self.of_column(key)
        return value.text in own.values and any(
            one.worded and self._can_word(one, self.values, "") for one in own.says + own.sentences
        )


def _is_whole(number: object) -> bool:
    return isinstance(number, int) or (isinstance(number, float) and number.is_integer())
