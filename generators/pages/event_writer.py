"""Writes about a row of a relation in running text, with the phrasebook's stories and reports.

writer = EventWriter(page, event, source)
writer.story()                      # "Velmar beat Sandvik 3–1 on 4 May."
writer.say("during", 2)             # up to two sentences on how it went
writer.tell_rest()                  # what is not told yet
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from generators.pages.layout import capitalised
from generators.pages.row_sentences import NUMBERS_OF_ROWS, tell_columns
from generators.pages.sentence_writer import SentenceWriter, quotation
from generators.pages.wording_chooser import WordingChooser
from worldforge.world.page_inputs import Event, Subject, Value
from worldforge.world.page_writer import Page
from worldforge.world.phrases import RelationWordings
from worldforge.world.wording import Slot, Wording, Wordings

Phase = Literal["before", "during", "after"]
_ENDS = {"source", "target"}


class EventWriter:
    """Writes about one row of a relation on one page."""

    def __init__(self, page: Page, event: Event, source: Subject) -> None:
        """Write about `event`, whose source is `source`."""
        self.page, self.event = page, event
        self.remaining: dict[str, Value] = dict(event.known)
        """What is not told yet, by column."""
        self._known = event.known
        self._named = {one.key for one in event.attributes if one.refers}
        self._chooser = WordingChooser(page, source, among=event.key)
        self._sentences = SentenceWriter(self._chooser, linked=True, among_others=True)
        phrases = page.phrases
        self._words: RelationWordings | None = phrases.relations.get(event.key) if phrases is not None else None

    def headline(self) -> str | None:
        """Return a title that fits the row; None where the phrasebook has none."""
        options = self._words.report.headlines if self._words is not None else ()
        wording = self._chooser.pick_for_row(options, self._known, self.event.key)
        if wording is None:
            return None
        texts = [self._known[part.name].text if isinstance(part, Slot) else part for part in wording.parts]
        return capitalised("".join(texts))

    def story(self) -> bool:
        """Tell the row in a sentence or two from outside; return whether the phrasebook has words for it."""
        stories = self._words.stories if self._words is not None else ()
        named = tuple(one for one in stories if one.facts >= _ENDS)
        fresh = tuple(one for one in named if one.facts - self._named <= self.remaining.keys())
        return any(self._write(options, self._known) for options in (fresh, named, stories))

    def tell_row(self, row: Mapping[str, Value]) -> bool:
        """Tell another row of the relation from outside; return whether the phrasebook has words for it."""
        return self._write(self._words.stories if self._words is not None else (), row)

    def say(self, phase: Phase, n: int = 1) -> None:
        """Write up to `n` sentences on what came before, on how it went, or on what came after."""
        options: Wordings = getattr(self._words.report, phase) if self._words is not None else ()
        for _ in range(n):
            fresh = tuple(one for one in self._fresh(options) if self._is_news(one))
            if not self._write(fresh, self._known):
                return

    def _is_news(self, wording: Wording) -> bool:
        """Return whether it states no figure, or one that is not told yet; who took part may be named again."""
        figures = wording.facts - self._named
        return not figures or not figures.isdisjoint(self.remaining)

    def tell_rest(self, n: int | None = None) -> None:
        """Write sentences for the row's columns that the page has not stated yet, or for the first `n` of these."""
        left_out = self._words.report.without.union(NUMBERS_OF_ROWS) if self._words is not None else NUMBERS_OF_ROWS
        keys = [one.key for one in self.event.attributes if one.key in self.remaining and one.key not in left_out][:n]
        attributes = [one for one in self.event.attributes if one.key in keys]
        ends = self._words.naming_target if self._words is not None else ()
        tell_columns(self._chooser, self._sentences, self._words, self.event.key, attributes, self._known, ends)
        for key in keys:
            del self.remaining[key]

    def quote(self) -> None:
        """Write what somebody says of it; nothing where the phrasebook has no quotation that fits."""
        phrases, options = self.page.phrases, self._words.report.quotes if self._words is not None else ()
        wording = self._chooser.pick_for_row(self._fresh(options), self._known, self.event.key)
        if wording is None or phrases is None or not phrases.voices:
            return
        text = "".join(map(str, wording.parts))
        self.page.say(quotation(self.page, text, self.page.pick_new(phrases.voices)))

    def end_paragraph(self) -> None:
        """End the paragraph."""
        self._sentences.end_paragraph()

    def _write(self, options: Wordings, row: Mapping[str, Value]) -> bool:
        wording = self._chooser.pick_for_row(options, row, self.event.key)
        if wording is None:
            return False
        self._sentences.write(wording, row, self.event.key)
        if row is self._known:
            for key in wording.tells:
                self.remaining.pop(key, None)
        return True

    def _fresh(self, options: Wordings) -> Wordings:
        """Return the wordings that the page has not used; those that state nothing stand on few pages."""
        used, is_free = self.page.used, self._chooser.is_free
        return tuple(one for one in options if one.entry not in used and (one.facts or is_free(one)))
