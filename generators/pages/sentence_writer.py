"""Writes sentences about an entity: fills wordings, and puts references, articles, capital letters and stops.

    sentences = SentenceWriter(chooser)
    sentences.write_wording(wording)            # "It was founded in 1923."
    sentences.end_paragraph()

The entity is called by its name, by a noun or by a pronoun, as the text goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from generators.pages.layout import capitalised
from generators.pages.wording_chooser import WordingChooser
from worldforge.core.english import article, number_in_words, ordinal_in_words
from worldforge.world.page_writer import Subject, Text, Value
from worldforge.world.phrases import Slot, Wording

_PRONOUNS = {"it": ("it", "its", "it"), "he": ("he", "his", "him"), "she": ("she", "her", "her")}
_CHINESE_PRONOUNS = {"it": "它", "he": "他", "she": "她"}
_ARTICLES = (" a ", " an ", "A ", "An ")
_REFERENCES = ("it", "its", "him", "name", "noun")
_STOPS = (".", "!", "?", "。", "！", "？", "…")
_CLOSING_QUOTES = "”」』\"'"
_GROUPED = 10_000  # computed numbers from here on have separators; years are below
_ONE = ("1", "one")
_LONG_AGO = 9  # sentences


class SentenceWriter:
    """Writes sentences about one entity on one page."""

    def __init__(self, chooser: WordingChooser, *, linked: bool, among_others: bool) -> None:
        """Link the entity's name the first time if `linked`; `among_others` if the page is about another entity."""
        self._chooser = chooser
        self._page, self._subject, self._words = chooser.page, chooser.subject, chooser.words
        self.n_sentences = 0
        """How many sentences the paragraph has."""
        self.is_chinese = self._page.language == "zh"
        self.space = "" if self.is_chinese else " "
        self._is_linked = not linked
        self._among_others = among_others
        self._by_name = among_others  # whether the next reference must be the name
        self._since_name = _LONG_AGO  # sentences since its name or a noun stood in this paragraph

    def write_wording(self, wording: Wording, row: Mapping[str, Text] | None = None, table: str = "") -> None:
        """Write a wording as a sentence, with the values of the entity, or of a row of the relation `table`."""
        self.write(self.fill(wording, row, table))

    def write(self, parts: Sequence[Text]) -> None:
        """Write a sentence: with a capital letter, and a stop where it has none."""
        parts = self.capitalise(parts)
        last = parts[-1]
        text = last if isinstance(last, str) else ""
        if not text.rstrip(_CLOSING_QUOTES).endswith(_STOPS):
            parts = [*parts, "。" if self.is_chinese else "."]
        self._page.say_parts(parts)
        self._since_name += 1
        self.n_sentences += 1

    def end_paragraph(self) -> None:
        """End the paragraph; the next one names the entity again."""
        self._page.end_paragraph()
        self.avoid_pronoun()
        self.n_sentences = 0

    def avoid_pronoun(self) -> None:
        """Let the next sentence refer to the entity as the first of a paragraph does."""
        self._since_name = _LONG_AGO

    def note_sentence_about(self, other: Subject) -> None:
        """Note that a sentence about another entity has been written: the next one must not seem to be about that."""
        self.avoid_pronoun()
        self._by_name = other.type == self._subject.type
        self.n_sentences += 1

    def fill(self, wording: Wording, row: Mapping[str, Text] | None = None, table: str = "") -> list[Text]:
        """Fill a wording with the values of the entity, or of a row of the relation `table`."""
        values = self._chooser.values if row is None else row
        computed = dict(wording.let)
        parts: list[Text] = []
        for part, after in zip(wording.parts, (*wording.parts[1:], ""), strict=True):
            if isinstance(part, str):
                parts.append(part)
            elif part.name in _REFERENCES:
                found = self.reference(part.name, in_full=isinstance(after, str) and after.startswith(", "))
                parts.append(_without_article(found) if _ends_in_the(parts) else found)
            elif part.name in computed:
                number = self._chooser.computed(computed[part.name], table or self._subject.type, row)
                parts.append(self._number(part, int(number)))
            elif part.form == "worded":
                parts.append(self._worded(part.name, values, table))
            elif part.form == "plural":
                parts.append(part.one if text_of(values[part.name]) in _ONE else part.many)
            else:
                value = values[part.name]
                if parts and isinstance(before := parts[-1], str) and before.endswith(_ARTICLES):
                    parts[-1] = _with_fitting_article(before, text_of(value))
                parts.append(value)
        return parts

    def capitalise(self, parts: Sequence[Text]) -> list[Text]:
        """Begin a sentence with a capital letter, unless it begins with a value that is evidence as written."""
        first, *rest = [part for part in parts if part != ""]
        if isinstance(first, str):
            return [capitalised(first), *rest]
        if isinstance(first, list) and isinstance(first[0], str):
            return [[capitalised(first[0]), *first[1:]], *rest]
        if isinstance(first, Value) and self._page.phrases is not None and first.code in self._page.phrases.restated:
            return [first._replace(text=capitalised(first.text)), *rest]
        return [first, *rest]

    def reference(self, form: str, *, in_full: bool = False) -> Text:
        """Draw what the text calls the entity in the place of a slot, and remember it; `in_full` is no pronoun."""
        words = self._words
        noun = self._page.draws.pick(words.nouns) if words else self._subject.label
        if form == "noun":
            return noun
        way = "name" if form == "name" or self._by_name else self._draw_way()
        if in_full and way == "pronoun":
            way = "noun"
        self._by_name = False
        if way != "pronoun":
            self._since_name = 0
        if self.is_chinese:
            return self._chinese_reference(form, way, noun)
        if way == "name":
            named = self.named(self._name())
            return [*named, "'s"] if form == "its" else named
        if way == "noun":
            the = f"{words.the or 'the' if words else 'the'} {noun}"
            return f"{the}'s" if form == "its" else the
        return _PRONOUNS[self._subject.pronoun][("it", "its", "him").index(form)]

    def named(self, name: str | Value) -> Sequence[str | Value]:
        """Return the name of an entity of the type with what stands before it in a sentence."""
        before = self._words.before_name if self._words else ""
        return [f"{before} ", name] if before else [name]

    def _chinese_reference(self, form: str, way: str, noun: str) -> Text:
        words = self._words
        if way == "name":
            return [self._name(), "的"] if form == "its" else self._name()
        if way == "noun":
            the = f"{(words.the if words else '') or '该'}{noun}"
            return f"{the}的" if form == "its" else the
        return "其" if form == "its" else _CHINESE_PRONOUNS[self._subject.pronoun]

    def _draw_way(self) -> Literal["name", "noun", "pronoun"]:
        drawn = self._page.draws.uniform()
        if self._since_name == 0:
            return "pronoun"
        if self._since_name >= 3 or not self._page.in_paragraph:
            return "name" if drawn < 0.6 or self._among_others else "noun"
        if drawn < 0.55:
            return "pronoun"
        return "noun" if drawn < 0.9 else "name"

    def _name(self) -> str | Value:
        """Return the name: linked the first time, then as plain text."""
        if self._is_linked:
            return self._subject.called.text
        self._is_linked = True
        return self._subject.linked_name

    def _worded(self, key: str, values: Mapping[str, Text], table: str) -> Value:
        value = values[key]
        assert isinstance(value, Value) and self._page.phrases is not None
        options = self._chooser.of_column(key, table).values[value.text]
        code = self._page.phrases.worded[value.code]
        return Value(self._page.draws.pick(options), code, value.row)

    def _number(self, slot: Slot, number: int) -> str:
        if slot.form == "plural":
            return slot.one if number == 1 else slot.many
        if self.is_chinese:
            return f"{number:,}" if number >= _GROUPED else str(number)
        if not slot.form and number >= _GROUPED:
            return f"{number:,}"
        if slot.form == "words":
            return number_in_words(number)
        return ordinal_in_words(number) if slot.form == "ordinal" else str(number)


def text_of(text: Text | Sequence[Text]) -> str:
    """Return a text, or the text of its parts, without marks."""
    if isinstance(text, str | Value):
        return text if isinstance(text, str) else text.text
    return "".join(map(text_of, text))


def _ends_in_the(parts: Sequence[Text]) -> bool:
    return bool(parts) and isinstance(parts[-1], str) and parts[-1].lower().endswith("the ")


def _without_article(found: Text) -> Text:
    """Return a name without the article before it, for a text that has written one."""
    return found[1:] if isinstance(found, list) and found[0] == "the " else found


def _with_fitting_article(text: str, following: str) -> str:
    """Replace the `a` or `an` at the end of a text by the one that fits what follows."""
    return f"{text.rstrip().removesuffix('n')}{article(following).removeprefix('a')} "
