"""Writes sentences about an entity: fills wordings, and puts references, articles, capital letters and stops.

    sentences = SentenceWriter(chooser)
    sentences.write(wording)            # "It was founded in 1923."
    sentences.begin()                   # a sentence of several parts
    sentences.add_subject(predicate)
    sentences.add(predicate)
    sentences.end()

The entity is called by its name, by a noun or by a pronoun, as the text goes on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from generators.pages.layout import capitalised
from generators.pages.wording_chooser import WordingChooser
from generators.pages.wordings import page_wordings
from worldforge.core.english import article, number_in_words, ordinal_in_words
from worldforge.world.page_inputs import Subject, Text, Value
from worldforge.world.page_writer import Page
from worldforge.world.value_formats import NUMBERS_BELOW_100, SMALL_NUMBERS, TIMES
from worldforge.world.wording import Slot, Wording, ends_sentence

_PRONOUNS = {
    "it": {"it": "it", "its": "its", "him": "it"},
    "he": {"it": "he", "its": "his", "him": "him"},
    "she": {"it": "she", "its": "her", "him": "her"},
}
_CHINESE_PRONOUNS = {"it": "它", "he": "他", "she": "她"}
_GROUPED = 10_000  # no year is written from here on
_LEAST_IN_FIGURES, _LEAST_TO_BEGIN_WITH = 10, 100  # of computed numbers: within a sentence, and at its beginning
_ONE = ("1", "one")
_FADED, _LONG_AGO = 3, 9  # sentences since its name stood: from three on no pronoun
_NAME = 0.75  # where a paragraph begins; else a noun: `the player`
_IT, _HE_OR_SHE = 0.65, 0.85  # pronouns within a paragraph; else a noun
_NOUN_IN_FULL = 0.5  # where no pronoun can stand; else the name
_VERBS = "的是做划聘给租为有共设拥占收住登由在按于被得获卖售出列每一以从到举办待累来师依主流绵抄涉汇司家在"
_NO_NOUNS = (
    "先后|宣布|注册为|后世|史上|常作|常被|定级|归档|归类|当地人|表现|评定|负责|如今|现在|多半|说白|眼下|把|名分|法律|表面|与|扣去|爬|论(?!文)|落到|摊到"
    "|参展|最近被|对每|实现"
)
_NOUN_FIRST = re.compile(
    f"(?![{_VERBS}]|{_NO_NOUNS})(?:(?!的)[\u4e00-\u9fff]){{1,7}}(?:[数量率额价费址期度积员房位分名口长高龄重程](?:为|是|有|达|共|居|排|合|$)|[址人师者年地型号色训式](?:为|是))"
    f"|(?![{_VERBS}]|{_NO_NOUNS})(?:(?![的被称])[\u4e00-\u9fff]){{2,9}}(?:是|为|共|合计|累计|达)$"
)
"""A Chinese predicate that begins with its own subject, such as 人口为三万 (the population is 30,000)."""
_ARTICLES = (("a",), ("an",))
_SUBJECT, _SUBJECT_IN_FULL = Slot("it", "reference"), Slot("it", "reference", before_comma=True)


class SentenceWriter:
    """Writes sentences about one entity on one page."""

    __slots__ = (
        "_among_others", "_by_name", "_by_noun", "_chooser", "_is_linked", "_n_marked", "_page", "_pieces", "_referred",
        "_since_name", "_start", "_subject", "_uniform", "_words", "is_chinese", "n_sentences", "space",
    )  # fmt: skip

    def __init__(self, chooser: WordingChooser, *, linked: bool, among_others: bool) -> None:
        """Write about the chooser's entity. Its name is a link the first time if `linked`.

        `among_others` if the page is about another entity.
        """
        self._chooser = chooser
        page = self._page = chooser.page
        self._subject, self._words = chooser.subject, chooser.words
        self._uniform, self._pieces = page.draws.uniform, page.text.pieces
        self.n_sentences = 0
        """How many sentences the paragraph has."""
        self.is_chinese = page.language == "zh"
        self.space = "" if self.is_chinese else " "
        self._start = self._n_marked = 0  # where the sentence begins
        self._is_linked = not linked
        self._among_others = among_others
        self._by_name = among_others  # whether the next reference must be the name
        self._by_noun = False  # whether the last reference in the paragraph that was no pronoun was a noun
        self._referred = False  # whether the sentence has a reference to the entity
        self._since_name = _LONG_AGO  # sentences since its name or a noun stood in this paragraph

    def write(self, wording: Wording, row: Mapping[str, Value] | None = None, table: str = "") -> None:
        """Write a wording as a sentence, with the values of the entity, or of a row of the relation `table`."""
        self.begin()
        self._add(wording.sentence, row, table)
        if wording.is_sentence:
            self._since_name += 1
            self.n_sentences += 1
        else:
            self.end()

    def begin(self) -> None:
        """Begin a sentence in the paragraph."""
        self._page.begin_sentence()
        self._referred = False
        self._start, self._n_marked = len(self._pieces), len(self._page.text.marked)

    def end(self) -> None:
        """End a sentence: with a capital letter, and a stop where it has none."""
        pieces, start = self._pieces, self._start
        first = pieces[start]
        if first[:1].islower() and self._may_capitalise():
            pieces[start] = capitalised(first)
        if not ends_sentence(pieces[-1]):
            pieces.append("。" if self.is_chinese else ".")
        self._since_name += 1
        self.n_sentences += 1

    def _may_capitalise(self) -> bool:
        """Return whether the sentence begins with no value that must stand as it is written."""
        marked, place = self._page.text.marked, self._n_marked
        if len(marked) == place or marked[place] != self._start:
            return True
        phrases = self._page.phrases
        return phrases is not None and marked[place + 2] in phrases.restated

    def end_paragraph(self) -> None:
        """End the paragraph; the next one names the entity again."""
        self._page.end_paragraph()
        self.avoid_pronoun()
        self.n_sentences = 0

    def avoid_pronoun(self) -> None:
        """Let the next sentence call the entity by its name or a noun, as the first sentence of a paragraph does."""
        self._since_name, self._referred = _LONG_AGO, False

    @property
    def needs_name(self) -> bool:
        """Whether the next sentence that states a fact must name the entity.

        It must at the beginning of a paragraph, and after a sentence about another entity.
        """
        return self._by_name or self._since_name >= _LONG_AGO

    @property
    def is_unnamed(self) -> bool:
        """Whether no sentence has named the entity yet, or none since one about another entity of its type."""
        return self._by_name

    def note_name(self) -> None:
        """Note that the paragraph has just named the entity: a pronoun will do."""
        self._by_name, self._referred, self._since_name = False, False, 1

    def call_by_name(self) -> None:
        """Let the next reference to the entity be its name."""
        self._by_name = True

    def note_sentence_about(self, other: Subject) -> None:
        """Note that a sentence about another entity has been written: the next one must not seem to be about that."""
        self.avoid_pronoun()
        self._by_name = other.type == self._subject.type
        self.n_sentences += 1

    def add(self, wording: Wording, values: Mapping[str, Any] | None = None) -> None:
        """Add a wording to the sentence, with the values of the entity or others, one or more a slot."""
        self._add(wording.parts, values, "")

    def _add(self, parts: Sequence[str | Slot], row: Mapping[str, Any] | None, table: str) -> None:
        pieces, page = self._pieces, self._page
        values: Mapping[str, Any] = self._chooser.values if row is None else row
        for part in parts:
            if isinstance(part, str):
                pieces.append(part)
            elif part.kind == "fact":
                value = values[part.name]
                if not isinstance(value, Value):
                    page.write(*value)
                    continue
                if part.form == "times":
                    self._add_times(value)
                    continue
                if part.form == "ordinal":
                    assert page.phrases is not None
                    value = Value(ordinal_in_words(int(value.text)), page.phrases.worded[value.code], value.row)
                elif part.counts and value.text in NUMBERS_BELOW_100:
                    begins = part.begins or len(pieces) == self._start
                    value = self._spelled(value, NUMBERS_BELOW_100 if begins else SMALL_NUMBERS)
                    if part.begins:
                        value = value._replace(text=capitalised(value.text))
                if part.after_article:
                    pieces[-1] = _with_fitting_article(pieces[-1], value.text)
                page.write_value(value)
            elif part.kind == "reference":
                self._add_reference(part)
            elif part.kind == "worded":
                value = values[part.name]
                words = self._pick(self._chooser.word(value, part.name, table))
                assert page.phrases is not None
                page.write_value(Value(words, page.phrases.worded[value.code], value.row))
            elif part.kind == "plural":
                pieces.append(part.one if values[part.name].text in _ONE else part.many)
            else:
                pieces.append(self._number(part, table, row))

    def _spelled(self, value: Value, words: Mapping[str, str]) -> Value:
        """Return a count in words, where it is one and there are such."""
        phrases = self._page.phrases
        if phrases is None or value.code not in phrases.spelled or value.text not in words:
            return value
        return Value(words[value.text], phrases.worded[value.code], value.row)

    def _add_times(self, value: Value) -> None:
        """Add how often: `once`, `twice`, `three times`."""
        often = self._spelled(value, TIMES)
        if often is not value:
            self._page.write_value(often)
            return
        self._page.write_value(self._spelled(value, SMALL_NUMBERS))
        self._pieces.append(" time" if value.text in _ONE else " times")

    def add_text(self, text: str) -> None:
        """Add a text to the sentence."""
        self._pieces.append(text)

    def add_value(self, value: Value) -> None:
        """Add a value to the sentence."""
        self._page.write_value(value)

    def add_subject(self, *around: Wording, in_full: bool = False) -> None:
        """Write the subject of a sentence: its name, a noun or a pronoun; with `in_full` no pronoun.

        `around` is what stands before and behind it: predicates, and asides on the subject.
        """
        slot = _SUBJECT_IN_FULL if in_full else _SUBJECT
        if self.is_chinese and self._begins_with_noun(around[-1]):
            slot = slot._replace(name="its")
        self._add_reference(slot, around)

    def _add_reference(self, slot: Slot, around: Sequence[Wording] = ()) -> None:
        found = self._reference(slot.name, slot.before_comma, around)
        if isinstance(found, str):
            self._pieces.append(capitalised(found) if slot.begins else found)
        elif isinstance(found, Value):
            self._page.write_value(found)
        else:
            parts = found[1:] if slot.after_article and found[0] == "the " else found
            first = capitalised(parts[0]) if slot.begins and isinstance(parts[0], str) else parts[0]
            self._page.write(first, *parts[1:])

    def filled(self, wording: Wording) -> list[str | Value]:
        """Fill a wording that states nothing, with a capital letter; write nothing."""
        self._referred = False
        parts: list[str | Value] = []
        for part in wording.parts:
            if isinstance(part, str):
                found: Text = part
            else:  # nobody asks for "the colours of it"
                follows_of = bool(parts) and isinstance(parts[-1], str) and parts[-1].endswith(" of ")
                found = self._reference(part.name, part.before_comma or follows_of)
            parts += [found] if isinstance(found, str | Value) else found
        if isinstance(parts[0], str):
            parts[0] = capitalised(parts[0])
        return parts

    def _reference(self, form: str, in_full: bool, around: Sequence[Wording] = ()) -> Text:
        """Draw what the text calls the entity in the place of a slot, and remember it.

        No noun stands beside a predicate or an aside that says what it is.
        """
        if form == "noun":
            return self._noun()
        way = "name" if form == "name" or self._by_name else "pronoun" if self._referred else self._draw_way()
        if in_full and way == "pronoun":
            way = "noun" if self._uniform() < _NOUN_IN_FULL else "name"
        if way == "noun" and any(map(self._says_what, around)):
            way = "name" if in_full or self._since_name >= _FADED else "pronoun"
        self._by_name, self._referred = False, True
        if way != "pronoun":
            self._since_name, self._by_noun = 0, way == "noun"
        if self.is_chinese:
            return self._chinese_reference(form, way)
        if way == "pronoun":
            return _PRONOUNS[self._subject.pronoun][form]
        words = self._words
        if way == "noun":
            the = f"{words.the or 'the' if words else 'the'} {self._noun()}"
            return f"{the}'s" if form == "its" else the
        named = self.named(self._name())
        return [*named, _possessive_ending(named[-1])] if form == "its" else named

    def named(self, name: str | Value) -> Sequence[str | Value]:
        """Return the name of an entity of the type with what stands before and around it in a sentence."""
        words = self._words
        if words is None:
            return [name]
        before = [f"{words.before_name} "] if words.before_name else []
        opening, closing = words.around_name[:1], words.around_name[1:]
        return [*before, opening, name, closing] if opening else [*before, name]

    def _chinese_reference(self, form: str, way: str) -> Text:
        if way == "pronoun":
            return "其" if form == "its" else _CHINESE_PRONOUNS[self._subject.pronoun]
        if way == "name":
            named = self.named(self._name())
            return [*named, "的"] if form == "its" else named
        the = f"{(self._words.the if self._words else '') or '该'}{self._noun()}"
        return f"{the}的" if form == "its" else the

    def _says_what(self, predicate: Wording) -> bool:
        """Return whether a predicate or an aside says what it is: `is a town of 900 people`, `became a town`."""
        opening, nouns = predicate.opening, self._words.nouns if self._words else ()
        if opening[:1] in _ARTICLES or (opening[:1] == ("is",) and opening[1:] in _ARTICLES):
            return True
        return any(isinstance(part, str) and noun in part for part in predicate.parts for noun in nouns)

    def _begins_with_noun(self, predicate: Wording) -> bool:
        """Return whether a Chinese predicate has its own subject, so that 的 goes before it: 它的人口为三万."""
        first = predicate.parts[0]
        return isinstance(first, str) and _NOUN_FIRST.match(first) is not None

    def _noun(self) -> str:
        return self._pick(self._words.nouns) if self._words else self._subject.label

    def _draw_way(self) -> Literal["name", "noun", "pronoun"]:
        if self._since_name == 0 or (self._by_noun and self._since_name < _FADED and self._page.in_paragraph):
            return "pronoun"
        drawn = self._uniform()
        if self._since_name >= _FADED or not self._page.in_paragraph:
            return "name" if drawn < _NAME or self._among_others else "noun"
        return "pronoun" if drawn < (_IT if self._subject.pronoun == "it" else _HE_OR_SHE) else "noun"

    def _name(self) -> str | Value:
        """Return the name: linked the first time, then as plain text."""
        if self._is_linked:
            return self._subject.called.text
        self._is_linked = True
        return self._subject.linked_name

    def _pick(self, options: Sequence[str]) -> str:
        return options[int(self._uniform() * len(options))]

    def _number(self, slot: Slot, table: str, row: Mapping[str, Value] | None) -> str:
        number = int(self._chooser.computed(slot.expression, table, row))
        if slot.form == "plural":
            return slot.one if number == 1 else slot.many
        if slot.form == "ordinal" and not self.is_chinese:
            return ordinal_in_words(number)
        least = _LEAST_TO_BEGIN_WITH if len(self._pieces) == self._start else _LEAST_IN_FIGURES
        if not self.is_chinese and (slot.form == "words" or number < least):
            return number_in_words(number)
        may_be_year = number < _GROUPED and self._chooser.reads_years(slot.expression, table)
        return str(number) if may_be_year else f"{number:,}"


def _with_fitting_article(text: str, following: str) -> str:
    """Replace the `a` or `an` at the end of a text by the one that fits what follows."""
    return f"{text.rstrip().removesuffix('n')}{article(following).removeprefix('a')} "


def quotation(page: Page, text: str, voice: str) -> str:
    """Put a quotation and who says it into a sentence."""
    template = page.pick_new(page_wordings(page).quotations)
    return str(template.format(quote=text, voice=voice, capital=capitalised(voice), bare=text.rstrip(".")))


def _possessive_ending(name: str | Value) -> str:
    """Return `'s`, or `'` after an s: `the Annals of Forests' editor`."""
    text = name if isinstance(name, str) else name.text
    return "'" if text.endswith("s") else "'s"
