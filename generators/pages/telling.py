"""Tells what is known of an entity in running text, with the wordings of the world's phrasebook.

    teller = Teller(page, subject)
    teller.lead()                       # "Velmar Rovers is a football club that plays at Sandvik Park."
    teller.tell(["founded", "colours"]) # these facts, one or more in a sentence, in a paragraph that has begun or not
    teller.tell()                       # all that is left

Each fact is told once. The entity is called by its name, by a noun or by a pronoun, as the text goes on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from generators.pages.fact_sentences import tell as tell_by_label
from generators.pages.layout import capitalised
from generators.pages.wordings import wordings
from worldforge.core.english import number_in_words, ordinal_in_words
from worldforge.world.page_writer import Fact, Page, RelatedRows, Subject, Text, Value
from worldforge.world.phrases import (
    NO_WORDINGS,
    AttributeWordings,
    Slot,
    TypeWordings,
    Wording,
    Wordings,
)

_SOUNDS_LIKE_A_VOWEL = re.compile(
    r"(?!(?:[Uu]ni(?!n)|[Uu]s[eu]|[Uu]t[ei]|[Ee]u|[Oo]ne\b|[Oo]nce\b))(?:[AEFHILMNORSX](?![a-z])|[AEIOUaeiou](?![A-Z])|8|1[18](?!\d|,\d\d\d,))"
)
Voice = Literal["sentences", "talk"]
_PRONOUNS = {"it": ("it", "its", "it"), "he": ("he", "his", "him"), "she": ("she", "her", "her")}
_CHINESE_PRONOUNS = {"it": "它", "he": "他", "she": "她"}
_STORY, _PAIR, _ASIDE, _IN_PASSING = 0.55, 0.4, 0.35, 0.7
_MOST_OTHERS = 12  # rows of a relation beside which something is told of their other side
_NUMBERS_OF_ROWS = ("position", "round")  # texts go through rows in order, and need not count them
_RELATIVE = ("which ", "who ", "whose ", "where ", "in which ", "of which ")  # asides that follow what they are about
_ARTICLES = (" a ", " an ", "A ", "An ")
_TALK_AGAIN = 0.5  # how often a page that has said a fact in every way of talking says it so once more
_TRIES = 4  # draws of a wording before all are looked through
_MOST_SENTENCES = 5  # in a paragraph
_GROUPED = 10_000  # computed numbers from here on have separators; years are below


class Teller:
    """Tells of one entity on one page."""

    def __init__(self, page: Page, subject: Subject, *, linked: bool = True, among_others: bool = False) -> None:
        """Tell of `subject`, its name `linked` the first time; `among_others` where the page is about another."""
        self.page, self.subject = page, subject
        self.left: dict[str, Fact] = {fact.attribute.key: fact for fact in subject.facts}
        """What is not told yet, by column."""
        phrases = page.phrases
        self.words: TypeWordings | None = phrases.types.get(subject.type) if phrases is not None else None
        self._values: dict[str, Text] = {key: fact.value for key, fact in self.left.items()}
        self._current = dict(self.left)
        self._linked = not linked
        self._among_others = among_others
        self._by_name = among_others  # whether the next reference must be the name
        self._since_name = 9  # sentences since its name or a noun stood in this paragraph
        self._used = page.used
        self._n_sentences = 0
        self._zeros = frozenset(key for key, value in self._values.items() if self._words_zero(key, value))

    # ---- what is told

    def lead(self, but: Collection[str] = ()) -> bool:
        """Say what it is, with some of what is known; return whether the phrasebook has words for that.

        It does without the facts in `but` where there are words that do.
        """
        leads = self.words.leads if self.words else ()
        known = {key: fact for key, fact in self.left.items() if key not in but}
        wording = (self._pick(leads, known) if but else None) or self._pick(leads, self.left)
        if wording is not None:
            self._say(wording)
        return wording is not None

    def introduce(self) -> bool:
        """Say what it is, by its name; return whether the phrasebook has words for that."""
        leads = self.words.leads if self.words else ()
        naming = tuple(
            one for one in leads if any(isinstance(part, Slot) and part.name == "name" for part in one.parts)
        )
        wording = self._pick(naming, self.left)
        if wording is not None:
            self._say(wording)
        return wording is not None

    def tell(self, keys: Iterable[str] | None = None, voice: Voice = "sentences") -> None:
        """Tell facts that are left, those of `keys` or all, in sentences of the paragraph."""
        wanted = list(self.left) if keys is None else [key for key in keys if key in self.left]
        while wanted:
            told = self._tell_some(wanted, voice)
            wanted = [key for key in wanted if key in self.left and key not in told]
            if voice == "sentences":
                for key in told:
                    self._in_passing(key)
                if self._n_sentences >= _MOST_SENTENCES:
                    self.end_paragraph()

    def themes(self, level: int | None = None) -> None:
        """Tell all that is left, theme by theme; with headings of a level where one is given."""
        for theme in self._ordered_themes():
            keys = [key for key in theme.facts if key in self.left]
            if not keys:
                continue
            if level is not None and theme.titles:
                self.page.heading(capitalised(self.page.draws.pick(theme.titles)), level=level)
            opening = self._pick(tuple(one for one in theme.openings if one.entry not in self._used), {})
            if opening is not None and self.page.draws.chance(0.7):
                self._say(opening)
            half = len(keys) // 2 if len(keys) > 3 else len(keys)
            self.tell(keys[:half])
            self.filler(0.8)
            self.end_paragraph()
            if keys[half:]:
                self.tell([key for key in keys[half:] if key in self.left])
                self.filler(0.8)
                self.end_paragraph()
        if self.left:
            self.tell()
            self.end_paragraph()

    def _ordered_themes(self) -> Sequence[Any]:
        themes = list(self.words.themes) if self.words else []
        return themes[:1] + self.page.draws.shuffled(themes[1:]) if len(themes) > 2 else themes

    def filler(self, chance: float = 1.0) -> None:
        """Say something of it that states nothing, with a probability of `chance`."""
        self._aside_from("fillers", chance)

    def chatter(self, chance: float = 1.0) -> None:
        """Say something about it as people chat."""
        self._aside_from("chatter", chance)

    def can_chat(self) -> bool:
        """Say whether anything is left to chat about that this page has not said."""
        return self.words is not None and any(one.entry not in self._used for one in self.words.chatter)

    def _aside_from(self, group: str, chance: float) -> None:
        if self.words and self.page.draws.chance(chance):
            options = [one for one in getattr(self.words, group) if one.entry not in self._used]
            wording = self._pick(tuple(options), {})
            if wording is not None:
                self._say(wording)

    def quote(self) -> tuple[str, str] | None:
        """Return what somebody says of it, without facts, and who: `a steward at the ground`."""
        phrases = self.page.phrases
        if self.words is None or phrases is None or not self.words.quotes or not phrases.voices:
            return None
        wording = self._pick(self.words.quotes, {})
        if wording is None:
            return None
        text = "".join(map(_text_of, self._parts(wording, {})))
        voice = self.page.draws.pick([one for one in phrases.voices if one not in self._used] or phrases.voices)
        self._used.add(voice)
        return text, voice

    def said(self, chance: float = 1.0) -> None:
        """Write what somebody says of it as a sentence, with a probability of `chance`."""
        if self.page.draws.chance(chance) and (quoted := self.quote()) is not None:
            self.page.say(said_by(self.page, quoted))
            self._n_sentences += 1

    def text(self, texts: Wordings) -> None:
        """Say one of some texts that state nothing; nothing where there are none."""
        wording = self._pick(texts, {})
        if wording is not None:
            self._say(wording)

    def asked(self, key: str) -> list[Text] | None:
        """Return the parts of the question that a fact answers; None where there is none."""
        wording = self._pick(self._attribute(key).asks, {})
        if wording is None:
            return None
        self._since_name = 9
        return self._capital(self._parts(wording, {}))

    def tell_alone(self, key: str) -> None:
        """Tell one fact in a sentence of its own."""
        self._tell_alone(key)

    def can_tell(self, relation: RelatedRows) -> bool:
        """Say whether the phrasebook has wordings for the rows of a relation."""
        return self.page.phrases is not None and relation.key in self.page.phrases.relations

    def rows(self, relation: RelatedRows, rows: Sequence[tuple[Value | None, ...]] | None = None) -> bool:
        """Tell rows of a relation, a few sentences each; return False where the phrasebook has no words for them."""
        phrases = self.page.phrases
        own = phrases.relations.get(relation.key) if phrases is not None else None
        if own is None:
            return False
        side = relation.attributes[0].key
        told = own.source if side == "target" else own.target
        keys = [attribute.key for attribute in relation.attributes]
        for number, row in enumerate(relation.rows if rows is None else rows):
            values: dict[str, Text] = {key: value for key, value in zip(keys, row, strict=True) if value is not None}
            if not values:
                continue
            naming = tuple(one for one in told if side in one.facts)
            wording = self._richest(naming, values, relation.key) or self._richest(told, values, relation.key)
            left = list(values)
            if wording is not None:
                self._say(wording, values, relation.key)
                left = [key for key in left if key not in wording.facts]
            for key in left:
                self._tell_column(own.columns.get(key, NO_WORDINGS), relation, keys.index(key), values)
            if number < _MOST_OTHERS and self.page.draws.chance(_IN_PASSING):
                self._tell_of(relation.other(number))
            if number % 3 == 2 or self._n_sentences >= _MOST_SENTENCES:
                self.end_paragraph()
        self.end_paragraph()
        return True

    def end_paragraph(self) -> None:
        """End the paragraph; the next one names the entity again."""
        self.page.end_paragraph()
        self._since_name, self._n_sentences = 9, 0

    # ---- choosing

    def _attribute(self, key: str, table: str = "") -> AttributeWordings:
        if table and table != self.subject.type:
            relation = self.page.phrases.relations.get(table) if self.page.phrases is not None else None
            return relation.columns.get(key, NO_WORDINGS) if relation is not None else NO_WORDINGS
        return self.words.attributes.get(key, NO_WORDINGS) if self.words else NO_WORDINGS

    def _can_word(self, wording: Wording, values: Mapping[str, Any], table: str) -> bool:
        """Say whether the phrasebook words the values that a wording wants worded."""
        for key in wording.worded:
            value = values.get(key)
            if not isinstance(value, Value) or self.page.phrases is None or value.code not in self.page.phrases.worded:
                return False
            if value.text not in self._attribute(key, table).values:
                return False
        return True

    def _pick(self, options: Wordings, known: Mapping[str, Any]) -> Wording | None:
        """Draw a wording that states nothing but what is known, one that this page has not used where there is one."""
        return self._draw(options, known, self.subject.type)

    def _draw(
        self, options: Wordings, known: Mapping[str, Any], table: str, values: Mapping[str, Text] | None = None
    ) -> Wording | None:
        if not options:
            return None
        easy = not self._zeros
        used, uniform, n, keys = self._used, self.page.draws.uniform, len(options), known.keys()
        for _ in range(_TRIES):  # most wordings fit, and few are used: looking at all of them takes longer
            one = options[int(uniform() * n)]
            if (
                one.entry not in used
                and one.facts <= keys
                and ((one.is_plain and easy) or self._suits(one, table, values))
            ):
                used.add(one.entry)
                return one
        fitting = [
            one for one in options if one.facts <= keys and ((one.is_plain and easy) or self._suits(one, table, values))
        ]
        if not fitting:
            return None
        chosen = self.page.draws.pick([one for one in fitting if one.entry not in used] or fitting)
        used.add(chosen.entry)
        return chosen

    def _suits(self, wording: Wording, table: str, values: Mapping[str, Text] | None) -> bool:
        """Say whether a wording that states what is known may be used: it holds, and words a 0 that has words."""
        if values is None and self._zeros:
            if not self._zeros & wording.facts <= wording.worded:
                return False
            if wording.when and not self._zeros & self._reads(wording.when, table) <= wording.facts:
                return False  # "… has led no trial, having 160 beds to think of", and then that it has led none
        return wording.is_plain or self._holds(wording, table, values)

    def _reads(self, expression: str, table: str) -> frozenset[str]:
        found = self.page.phrases.computed.get((table, expression)) if self.page.phrases is not None else None
        return found.reads if found is not None else frozenset()

    def _words_zero(self, key: str, value: Text) -> bool:
        """Say whether a value is a 0 for which the phrasebook has words: `has no pupils`, not `has 0 pupils`."""
        if not isinstance(value, Value) or not value.text.startswith("0"):
            return False
        own = self._attribute(key)
        return value.text in own.values and any(
            one.worded and self._can_word(one, self._values, "") for one in own.says + own.sentences
        )

    def _richest(self, options: Wordings, values: Mapping[str, Text], table: str) -> Wording | None:
        """Draw a wording for a row, of two that fit the one that states more."""
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

    def _holds(self, wording: Wording, table: str, values: Mapping[str, Text] | None = None) -> bool:
        """Say whether a wording's condition holds of what the page says, and its numbers can be computed."""
        if wording.worded and not self._can_word(wording, self._values if values is None else values, table):
            return False
        if wording.when and self._computed(wording.when, table, values) is not True:
            return False
        return all(_is_whole(self._computed(expression, table, values)) for _, expression in wording.let)

    def _computed(self, expression: str, table: str, values: Mapping[str, Text] | None) -> Any:
        """Return an expression's value in the row; None where the page does not state, truly, all that it reads."""
        assert self.page.phrases is not None
        found = self.page.phrases.computed.get((table, expression))
        if found is None:
            return None
        row = self.subject.row if values is None else -1
        known: Mapping[str, Any] = self._values if values is None else values
        for key in found.reads:
            value = known.get(key)
            if value is None and values is not None and key in ("source", "target"):
                continue
            if not isinstance(value, Value) or value.code in self.page.phrases.untrue:
                return None
        if values is not None:
            row = next((value.row for value in values.values() if isinstance(value, Value)), -1)
        return found.values[row] if row >= 0 else None

    def _tell_some(self, wanted: list[str], voice: Voice) -> list[str]:
        """Tell the first of the wanted facts, perhaps with others; return those told."""
        key, draws = wanted[0], self.page.draws
        own = self._attribute(key)
        if voice == "talk" and own.talk:
            fresh = any(one.entry not in self._used for one in own.talk)
            wording = self._pick(own.talk, self.left) if fresh or draws.chance(_TALK_AGAIN) else None
            if wording is not None:
                self._say(wording)
                return self._told([key])
        if self.words and voice == "sentences":
            stories = [one for one in self.words.stories.get(key, ()) if one.facts <= self.left.keys()]
            if stories and draws.chance(_STORY):
                story = self._pick(tuple(stories), self.left)
                if story is not None and story.facts:
                    self._say(story)
                    return self._told(story.facts)
            second = next((other for other in wanted[1:] if self._attribute(other).says), None)
            if second is not None and own.says and draws.chance(_PAIR):
                return self._tell_two(key, second)
            if second is not None and own.asides and draws.chance(_ASIDE):
                return self._tell_with_aside(key, second)
        return self._tell_alone(key)

    def _tell_alone(self, key: str) -> list[str]:
        own = self._attribute(key)
        options = own.sentences + own.says
        return self._tell_one(options, key) if options else self._tell_by_label(key)

    def _tell_one(self, options: Wordings, key: str) -> list[str]:
        wording = self._pick(options, self.left)
        if wording is None:
            own = self._attribute(key)
            wording = self._pick(own.sentences + own.says, self.left)
        if wording is None:
            return self._tell_by_label(key)
        if any(wording is one for one in self._attribute(key).says):
            self._write([self._reference("it"), self._space, *self._parts(wording, self._values)])
        else:
            self._say(wording)
        return self._told([key])

    def _tell_two(self, key: str, second: str) -> list[str]:
        """Tell two facts by two predicates: `It was founded in 1923 and plays at Sandvik Park.`"""
        first, other = (self._pick(self._attribute(one).says, self.left) for one in (key, second))
        if first is None or other is None:
            return self._tell_alone(key)
        if _begins_like(first, other):  # not "defended a thesis under … and defended a thesis in …"
            self._write([self._reference("it"), self._space, *self._parts(first, self._values)])
            return self._told([key])
        joint = "，" if self._chinese else " and "
        subject = self._reference("it")
        parts = [subject, self._space, *self._parts(first, self._values), joint, *self._parts(other, self._values)]
        self._write(parts)
        return self._told([key, second])

    def _tell_with_aside(self, key: str, second: str) -> list[str]:
        """Tell a fact beside another: `Founded in 1923, the club plays at Sandvik Park.`"""
        aside = self._pick(self._attribute(key).asides, self.left)
        says = self._pick(self._attribute(second).says, self.left)
        if aside is None or says is None:
            return self._tell_alone(key)
        if self._chinese:
            parts = [*self._parts(aside, self._values), self._reference("it", True), *self._parts(says, self._values)]
        elif self.page.draws.chance(0.5) and not _is_relative(aside):
            parts = [*self._parts(aside, self._values), ", ", self._reference("it"), " "]
            parts += self._parts(says, self._values)
        else:
            parts = [self._reference("it", True), ", ", *self._parts(aside, self._values), ", "]
            parts += self._parts(says, self._values)
        self._write(parts)
        return self._told([key, second])

    def _tell_by_label(self, key: str) -> list[str]:
        tell_by_label(self.page, self.subject, self.left[key])
        self._n_sentences += 1
        return self._told([key])

    def _tell_column(
        self, own: AttributeWordings, relation: RelatedRows, place: int, values: Mapping[str, Text]
    ) -> None:
        """Tell one more column of a row that has been introduced."""
        attribute = relation.attributes[place]
        if not own.sentences and attribute.key in _NUMBERS_OF_ROWS:
            return
        wording = self._richest(own.sentences, {attribute.key: values[attribute.key]}, relation.key)
        if wording is not None:
            self._write(self._parts(wording, values, relation.key))
        else:
            colon = "：" if self._chinese else ": "
            self._write([capitalised(attribute.label), colon, values[attribute.key]])

    def _in_passing(self, key: str) -> None:
        """Tell something of what a fact refers to: `The ground opened in 1931.`"""
        fact = self._current[key]
        if not fact.attribute.refers or not self.page.draws.chance(_IN_PASSING):
            return
        self._tell_of(self.subject.other(key))

    def _tell_of(self, other: Subject | None) -> None:
        """Tell something of another entity in a sentence; nothing where nothing is known of it."""
        if other is None or (other.type, other.row) == (self.subject.type, self.subject.row):
            return
        teller = Teller(self.page, other, linked=False, among_others=True)
        if teller.words is None or (other.type, other.row) in self.page.others:
            return
        known = [one.attribute.key for one in other.facts if teller._attribute(one.attribute.key).says]
        if known:
            self.page.others.add((other.type, other.row))
            chosen = self.page.draws.shuffled(known)[: self.page.draws.integer(1, 2)]
            teller.tell_briefly(chosen)
            self._since_name = 9
            self._by_name = other.type == self.subject.type
            self._n_sentences += 1

    def similar(self, n: int = 4) -> bool:
        """Tell something of `n` similar entities, a paragraph each; return whether there was anything to tell."""
        told = False
        for other in self.subject.similar()[:n]:
            teller = Teller(self.page, other, among_others=True)
            if teller.words is None or not teller.left or (other.type, other.row) in self.page.others:
                continue
            keys = self.page.draws.shuffled(list(teller.left))[: self.page.draws.integer(3, 6)]
            if not teller.introduce():
                named = [key for key in keys if teller._attribute(key).says]
                if not named:
                    continue
                teller.tell_briefly(named[:1])
            self.page.others.add((other.type, other.row))
            teller.tell(keys)
            teller.filler(0.8)
            teller.end_paragraph()
            told = True
        return told

    def tell_briefly(self, keys: list[str]) -> None:
        """Tell some facts in one sentence that names the entity."""
        if len(keys) > 1:
            self._tell_two(*keys[:2])
        else:
            self._tell_one(self._attribute(keys[0]).says, keys[0])

    def _told(self, keys: Iterable[str]) -> list[str]:
        return [key for key in keys if self.left.pop(key, None) is not None]

    # ---- writing

    @property
    def _chinese(self) -> bool:
        return self.page.language == "zh"

    @property
    def _space(self) -> str:
        return "" if self._chinese else " "

    def _say(self, wording: Wording, values: Mapping[str, Text] | None = None, table: str = "") -> None:
        self._write(self._parts(wording, self._values if values is None else values, table))
        if values is None:
            self._told(wording.facts)

    def _write(self, parts: Sequence[Text]) -> None:
        """Write a sentence: with a capital letter, and a stop where it has none."""
        parts = self._capital(parts)
        last = parts[-1]
        text = last if isinstance(last, str) else ""
        if not text.rstrip("”」』\"'").endswith((".", "!", "?", "。", "！", "？", "…")):
            parts = [*parts, "。" if self._chinese else "."]
        self.page.say_parts(parts)
        self._since_name += 1
        self._n_sentences += 1

    def _capital(self, parts: Sequence[Text]) -> list[Text]:
        first, *rest = [part for part in parts if part != ""]
        if isinstance(first, str):
            return [capitalised(first), *rest]
        if isinstance(first, list) and isinstance(first[0], str):
            return [[capitalised(first[0]), *first[1:]], *rest]
        if isinstance(first, Value) and self.page.phrases is not None and first.code in self.page.phrases.restated:
            return [first._replace(text=capitalised(first.text)), *rest]
        return [first, *rest]

    def _parts(self, wording: Wording, values: Mapping[str, Text], table: str = "") -> list[Text]:
        """Fill a wording: return its texts and values."""
        computed = dict(wording.let)
        parts: list[Text] = []
        for part, after in zip(wording.parts, (*wording.parts[1:], ""), strict=True):
            if isinstance(part, str):
                parts.append(part)
            elif part.name in ("it", "its", "him", "name", "noun"):
                found = self._reference(part.name, isinstance(after, str) and after.startswith(", "))
                parts.append(_without_article(found) if _ends_in_article(parts) else found)
            elif part.name in computed:
                row_values = values if table else None
                number = self._computed(computed[part.name], table or self.subject.type, row_values)
                parts.append(self._number(part, int(number)))
            elif part.form == "worded":
                parts.append(self._worded(part.name, values, table))
            elif part.form == "plural":
                parts.append(part.one if _text_of(values[part.name]) == "1" else part.many)
            else:
                value = values[part.name]
                if parts and isinstance(before := parts[-1], str) and before.endswith(_ARTICLES):
                    parts[-1] = with_fitting_article(before, _text_of(value))
                parts.append(value)
        return parts

    def _worded(self, key: str, values: Mapping[str, Text], table: str) -> Value:
        value = values[key]
        assert isinstance(value, Value) and self.page.phrases is not None
        options = self._attribute(key, table).values[value.text]
        code = self.page.phrases.worded[value.code]
        return Value(self.page.draws.pick(options), code, value.row)

    def _number(self, slot: Slot, number: int) -> str:
        if slot.form == "plural":
            return slot.one if number == 1 else slot.many
        if self._chinese:
            return f"{number:,}" if number >= _GROUPED else str(number)
        if not slot.form and number >= _GROUPED:
            return f"{number:,}"
        if slot.form == "words":
            return number_in_words(number)
        return ordinal_in_words(number) if slot.form == "ordinal" else str(number)

    def _reference(self, form: str, full: bool = False) -> Text:
        """Return what the text calls the entity in the place of a slot, and remember it; `full` is no pronoun."""
        words = self.words
        noun = self.page.draws.pick(words.nouns) if words else self.subject.label
        if form == "noun":
            return noun
        way = "name" if form == "name" or self._by_name else self._way()
        if full and way == "pronoun":
            way = "noun"
        self._by_name = False
        if way != "pronoun":
            self._since_name = 0
        if self._chinese:
            return self._chinese_reference(form, way, noun)
        if way == "name":
            before = [f"{words.before_name} "] if words and words.before_name else []
            owner = ["'s"] if form == "its" else []
            name = self._name()
            return [*before, name, *owner] if before or owner else name
        if way == "noun":
            the = f"{words.the or 'the' if words else 'the'} {noun}"
            return f"{the}'s" if form == "its" else the
        return _PRONOUNS[self.subject.pronoun][("it", "its", "him").index(form)]

    def _chinese_reference(self, form: str, way: str, noun: str) -> Text:
        words = self.words
        if way == "name":
            return [self._name(), "的"] if form == "its" else self._name()
        if way == "noun":
            the = f"{(words.the if words else '') or '该'}{noun}"
            return f"{the}的" if form == "its" else the
        return "其" if form == "its" else _CHINESE_PRONOUNS[self.subject.pronoun]

    def _way(self) -> Literal["name", "noun", "pronoun"]:
        drawn = self.page.draws.uniform()
        if self._since_name == 0:
            return "pronoun"
        if self._since_name >= 3 or not self.page.in_paragraph:
            return "name" if drawn < 0.6 or self._among_others else "noun"
        if drawn < 0.55:
            return "pronoun"
        return "noun" if drawn < 0.9 else "name"

    def _name(self) -> str | Value:
        """Return the name: linked the first time, then as plain text."""
        if self._linked:
            return self.subject.called.text
        self._linked = True
        return self.subject.linked_name


def _is_whole(number: object) -> bool:
    return isinstance(number, int) or (isinstance(number, float) and number.is_integer())


def _is_relative(wording: Wording) -> bool:
    first = wording.parts[0]
    return isinstance(first, str) and first.startswith(_RELATIVE)


def _begins_like(one: Wording, other: Wording) -> bool:
    """Say whether two predicates begin with the same two words."""
    first, second = one.parts[0], other.parts[0]
    if not isinstance(first, str) or not isinstance(second, str):
        return False
    return first.split()[:2] == second.split()[:2] and len(first.split()) > 1


def _ends_in_article(parts: Sequence[Text]) -> bool:
    return bool(parts) and isinstance(parts[-1], str) and parts[-1].lower().endswith("the ")


def _without_article(found: Text) -> Text:
    """Return a name without the article before it, for a text that has written one."""
    return found[1:] if isinstance(found, list) and found[0] == "the " else found


def with_fitting_article(text: str, following: str) -> str:
    """End a text that ends in `a` or `an` in the one that fits what follows."""
    stem = text.rstrip().removesuffix("n")
    return f"{stem}{'n' if _SOUNDS_LIKE_A_VOWEL.match(following) else ''} "


def _text_of(value: Text) -> str:
    if isinstance(value, str | Value):
        return value if isinstance(value, str) else value.text
    return "".join(map(_text_of, value))


def said_by(page: Page, quote: tuple[str, str]) -> str:
    """Put a quotation and who says it into a sentence."""
    text, voice = quote
    if page.language == "zh":
        return page.draws.pick(wordings("zh").telling.said).format(quote=text, voice=voice)
    return page.draws.pick(wordings("en").telling.said).format(
        quote=text, voice=voice, capital=capitalised(voice), bare=text.rstrip(".")
    )
