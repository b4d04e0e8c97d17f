"""Writes what is known of an entity in running text, with the wordings of the world's phrasebook.

    writer = ProseWriter(page, subject)
    writer.lead()                       # "Velmar Rovers is a football club that plays at Sandvik Park."
    writer.tell(["founded", "colours"]) # these facts, one or more in a sentence, in a paragraph that has begun or not
    writer.tell()                       # all that remain

Each fact is told once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Any, Literal

from generators.pages.comparisons import compared, comparing, comparison_slots
from generators.pages.fact_sentences import tell as tell_by_label
from generators.pages.layout import capitalised, new_heading
from generators.pages.row_sentences import tell_columns
from generators.pages.sentence_writer import SentenceWriter, quotation
from generators.pages.wording_chooser import WordingChooser
from worldforge.world.page_inputs import Fact, RelatedRows, Subject, Value
from worldforge.world.page_writer import Page
from worldforge.world.phrases import AttributeWordings, ThemeWordings
from worldforge.world.wording import Wording, Wordings

Voice = Literal["sentences", "talk"]
_STORY, _PAIR, _OTHER = 0.55, 0.4, 0.7
"""Probabilities: that a sentence tells several facts at once, that it has two predicates, and that a sentence about the
entity that a fact refers to follows."""
_ASIDE = {"en": 0.35, "zh": 0.1}
"""Probability of an aside, by language. In Chinese all asides stand before the name, where long ones read badly."""
_OTHER_END = 0.4  # how often a row of a relation is followed by a sentence about the entity at its other end
_MOST_OTHERS = 12  # rows of a relation after which a sentence about the entity at their other end may follow
_RELATIVE = re.compile(r"(?:[a-z]+ )?(?:which|whom|whose)\b|(?:who|where|that)\b")
"""The beginning of an aside that can only follow the name it describes: `whose mayor …`, `from which …`."""
_TALK_AGAIN = 0.25  # how often a page that has said a fact in every way of talking says it so once more
_LEAST_SENTENCES, _MOST_SENTENCES = 3, 5  # in a paragraph
_ASIDE_FIRST = 0.75  # of the asides that may begin a sentence: `Founded in 1923, it plays …`
_LEAST_UNDER_HEADING = 3  # facts of a theme, for a heading of its own
LEAST_REPEATED = 4  # characters of a value that another one holds, from which the two are a repetition
_COMPARED = 0.5  # how often a comparison follows some facts
_QUOTING, _TALKING = 0.5, 0.3  # of the pages about an entity, those that quote people, and those that have small talk


class ProseWriter:
    """Writes about one entity on one page."""

    def __init__(self, page: Page, subject: Subject, *, linked: bool = True, among_others: bool = False) -> None:
        """Write about `subject`, its name `linked` the first time; `among_others` if the page is about another."""
        self.page, self.subject = page, subject
        self._chooser = WordingChooser(page, subject)
        self._sentences = SentenceWriter(self._chooser, linked=linked, among_others=among_others)
        if not among_others:
            if not page.others:
                self._sentences.call_by_name()
            page.others.add((subject.type, subject.row))
        self.words = self._chooser.words
        """The phrasebook's wordings for entities of this type; None where it has none."""
        self._uniform = page.draws.uniform
        self.remaining: dict[str, Value] = dict(self._chooser.values)
        """What is not told yet, by column."""
        self._comparisons = {one.attribute.key: one for one in subject.comparisons}

    # ---- facts

    def lead(self, without: Collection[str] = ()) -> bool:
        """Say what it is, with some of what is known; return whether the phrasebook has words for that.

        The facts in `without` are left out where there are words that do so.
        """
        leads = self.words.leads if self.words else ()
        known = self._untold_above_zero()
        wording = self._chooser.pick(leads, known - set(without)) if without else None
        wording = wording or self._chooser.pick(leads, known)
        if wording is not None:
            self._say(wording)
        return wording is not None

    def introduce(self) -> bool:
        """Say what it is, by its name, in a sentence that the page has not used; return whether there is such a one."""
        used = self.page.used
        leads = tuple(one for one in self.words.named_leads if one.entry not in used) if self.words else ()
        wording = self._chooser.pick(leads, self._untold_above_zero())
        if wording is not None:
            self._say(wording)
        return wording is not None

    def _untold_above_zero(self) -> Set[str]:
        """Return the columns still to be told whose value is not 0: an article does not begin with `0 towns`."""
        return {key for key, value in self.remaining.items() if value.text[:1] != "0"}

    def tell(self, keys: Iterable[str] | None = None, voice: Voice = "sentences") -> None:
        """Write sentences for the facts in `keys` that the page has not stated yet; by default for all of those."""
        self._tell_facts(list(self.remaining) if keys is None else keys, voice)
        if self._comparisons and (keys is None or self._uniform() < _COMPARED):
            self.compare(list(self._comparisons)[: None if keys is None else 1])

    def _tell_facts(self, keys: Iterable[str], voice: Voice = "sentences") -> None:
        wanted = list(keys)
        for place, key in enumerate(wanted):
            if key not in self.remaining:
                continue
            by_predicate = self._tell_some(key, wanted, place + 1, voice)
            if voice == "sentences":
                for told in by_predicate:
                    self._tell_of_referenced(told)
                if self._sentences.n_sentences >= _MOST_SENTENCES and self._remain(wanted[place + 1 :]) > 2:
                    self.end_paragraph()

    def compare(self, keys: Iterable[str]) -> None:
        """Write the facts of `keys` that are stated relative to others: `It opened three years after Sandvik Park.`"""
        for key in keys:
            one = self._comparisons.pop(key, None)
            if one is None:
                continue
            slots: dict[str, Any] = dict(comparison_slots(one, self.page.language, self.subject.pronoun))
            slots["other"] = self._sentences.named(one.other)
            wording = self._chooser.pick_for_row(comparing(self._chooser.of_column(key), one), slots, self.subject.type)
            if wording is not None:
                self._begin_predicate(wording, slots)
                self._sentences.end()

    def compare_with(self, other: ProseWriter) -> None:
        """Say how a fact that is told differs from what the page has told of `other`; nothing where none can be."""
        told = [key for key in self._chooser.values if key not in self.remaining and key not in other.remaining]
        untrue = self.page.phrases.untrue if self.page.phrases is not None else frozenset()
        used = self.page.used
        for key in self.page.draws.shuffled([key for key in told if f"compared {key}" not in used]):
            attribute = next(one for one in self.subject.attributes if one.key == key)
            theirs, space = other._chooser.values.get(key), self._sentences.space
            labels = self._chooser.of_column(key).labels
            one = compared(attribute, self._chooser.values[key], theirs, other.subject.name.text, space, labels)
            if one is not None and not {self._chooser.values[key].code, theirs and theirs.code} & untrue:
                self._comparisons[key] = one
                self.compare([key])
                used.add(f"compared {key}")
                return

    def tell_alone(self, key: str) -> list[str]:
        """Tell one fact in a sentence of its own; return it if a predicate tells it."""
        own = self._chooser.of_column(key)
        return self._tell_one(own.whole, own, key)

    def tell_in_one_sentence(self, keys: Sequence[str]) -> None:
        """Tell one or two facts in one sentence: the first of `keys` that have a predicate, which names the entity."""
        predicable = (key for key in keys if self._chooser.can_pick(self._chooser.of_column(key).says))
        named = list(islice(predicable, 2)) or keys
        if len(named) > 1:
            self._tell_two(*named[:2])
        else:
            own = self._chooser.of_column(named[0])
            self._tell_one(own.says, own, named[0])

    def tell_by_theme(self, level: int | None = None) -> None:
        """Tell all that remains, theme by theme.

        Where a level of headings is given, a theme of few facts has none: it is told before the first.
        """
        themes = [(theme, *self._untold(theme.facts)) for theme in self._ordered_themes()]
        if level is not None:
            for _, keys, compared in themes:
                if len(keys) + len(compared) < _LEAST_UNDER_HEADING:
                    self._tell_facts(keys)
                    self.compare(compared)
            self.end_paragraph()
        for theme, *_ in themes:
            keys, compared = self._untold(theme.facts)
            if not keys and not compared:
                continue
            if level is not None and theme.titles:
                self.page.heading(self._title(theme), level=level)
            opening = self._chooser.pick_spaced(theme.openings)
            if opening is not None and self._uniform() < 0.7:
                self._say(opening)
            half = len(keys) // 2 if len(keys) > 3 else len(keys)
            self._tell_facts(keys[:half])
            self.compare(compared)
            self.filler(0.8)
            self._end_theme(level)
            if keys[half:]:
                self._tell_facts([key for key in keys[half:] if key in self.remaining])
                self.filler(0.8)
                self._end_theme(level)
        if self.remaining or self._comparisons:
            self.tell()
        self.end_paragraph()

    def _remain(self, keys: Iterable[str]) -> int:
        """Return how many facts of some columns remain to be told."""
        return sum(key in self.remaining for key in keys)

    def _untold(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return those of some columns whose facts remain to be told, and those to be told relative to others."""
        wanted = list(keys)
        return [key for key in wanted if key in self.remaining], [key for key in wanted if key in self._comparisons]

    def _title(self, theme: ThemeWordings) -> str:
        """Draw the heading of a theme: one that no relation of the entity has, where there is such."""
        taken = {relation.title for relation in self.subject.relations}
        titles = [title for title in map(capitalised, theme.titles) if title not in taken]
        return self.page.draws.pick(titles or [capitalised(theme.titles[0])])

    def _end_theme(self, level: int | None) -> None:
        """End the paragraph, unless it is short and no heading follows."""
        if level is not None or self._sentences.n_sentences >= _LEAST_SENTENCES:
            self.end_paragraph()

    def _ordered_themes(self) -> Sequence[ThemeWordings]:
        themes = list(self.words.themes) if self.words else []
        return themes[:1] + self.page.draws.shuffled(themes[1:]) if len(themes) > 2 else themes

    @property
    def n_sentences(self) -> int:
        """How many sentences about the entity the paragraph has."""
        return self._sentences.n_sentences

    def end_paragraph(self) -> None:
        """End the paragraph; the next one names the entity again."""
        self._sentences.end_paragraph()

    # ---- texts without facts

    def filler(self, chance: float = 1.0) -> None:
        """Say something of it that states nothing, with a probability of `chance`, where the page has such a thing."""
        if self.words is not None and self._uniform() < chance:
            fillers = self.words.fillers
            if self._sentences.is_unnamed:
                fillers = tuple(one for one in fillers if one.refers)
            self._say_spaced(fillers)

    def chatter(self, chance: float = 1.0) -> None:
        """Write a sentence of small talk about the entity, with a probability of `chance`."""
        if self.words is not None and self._uniform() < chance:
            self._say_spaced(self.words.chatter, _TALKING)

    def n_chatter(self) -> int:
        """Return how many sentences of small talk this page has left."""
        if self.words is None:
            return 0
        return len({one.entry for one in self._chooser.spaced(self.words.chatter, _TALKING)})

    def has_quotes(self) -> bool:
        """Return whether the page has something left that somebody says of it."""
        return self.words is not None and bool(self._chooser.spaced(self.words.quotes, _QUOTING))

    def _say_spaced(self, options: Wordings, share: float = 1.0) -> None:
        wording = self._chooser.pick_spaced(options, share)
        if wording is not None:
            self._say(wording)

    def say_one_of(self, options: Wordings) -> None:
        """Say one of some texts that state nothing; nothing where there are none."""
        wording = self._chooser.pick(options)
        if wording is not None:
            self._say(wording)

    def quote(self) -> tuple[str, str] | None:
        """Return what somebody says of it, without facts, and who: `a steward at the ground`."""
        phrases = self.page.phrases
        if self.words is None or phrases is None or not self.words.quotes or not phrases.voices:
            return None
        wording = self._chooser.pick_spaced(self.words.quotes, _QUOTING)
        if wording is None:
            return None
        text = "".join(one if isinstance(one, str) else one.text for one in self._sentences.filled(wording))
        return text, self.page.pick_new(phrases.voices)

    def quote_in_sentence(self, chance: float = 1.0) -> None:
        """Write what somebody says of it as a sentence, with a probability of `chance`."""
        if self.page.draws.chance(chance) and (quoted := self.quote()) is not None:
            self.page.say(quotation(self.page, *quoted))
            self._sentences.n_sentences += 1

    def question_of(self, key: str, *, named: bool = False) -> list[str | Value] | None:
        """Return the question that the fact of a column answers, in parts to write; None without one in the phrasebook.

        With `named`, the sentence before has named the entity, and a pronoun may stand for it.
        """
        wording = self._chooser.pick(self._chooser.of_column(key).asks)
        if wording is None:
            return None
        if named:
            self._sentences.note_name()
        else:
            self._sentences.avoid_pronoun()
        return self._sentences.filled(wording)

    # ---- rows of relations

    def head(self, title: str, level: int) -> None:
        """Write the heading of a relation's rows, once: matches at home and away stand under one."""
        mark = f"{self.subject.type} {self.subject.row} {title}"
        if mark not in self.page.used:
            self.page.used.add(mark)
            new_heading(self.page, title, level)

    def has_wordings_for(self, relation: RelatedRows) -> bool:
        """Return whether the phrasebook has wordings for the rows of a relation."""
        return self.page.phrases is not None and relation.key in self.page.phrases.relations

    def tell_rows(self, relation: RelatedRows, rows: Sequence[tuple[Value | None, ...]] | None = None) -> bool:
        """Write some sentences for each row of a relation; return False if the phrasebook has none for it."""
        phrases = self.page.phrases
        own = phrases.relations.get(relation.key) if phrases is not None else None
        if own is None:
            return False
        if relation.attributes[0].key == "target":
            naming, options = own.naming_target, own.source
        else:
            naming, options = own.naming_source, own.target
        keys = [attribute.key for attribute in relation.attributes]
        for number, row in enumerate(relation.rows if rows is None else rows):
            values = {key: value for key, value in zip(keys, row, strict=True) if value is not None}
            if not values:
                continue
            wording = self._chooser.pick_for_row(naming, values, relation.key)
            wording = wording or self._chooser.pick_for_row(options, values, relation.key)
            if wording is not None:
                self._sentences.write(wording, values, relation.key)
            told = wording.tells if wording is not None else frozenset[str]()
            rest = [attribute for attribute in relation.attributes if attribute.key not in told]
            tell_columns(self._chooser, self._sentences, own, relation.key, rest, values, options)
            if number < _MOST_OTHERS and self._uniform() < _OTHER_END:
                self._tell_of_other(relation.other(number), {value.text for value in values.values()})
            if self._sentences.n_sentences >= _LEAST_SENTENCES:
                self.end_paragraph()
        self.end_paragraph()
        return True

    # ---- other entities

    def _tell_of_referenced(self, key: str) -> None:
        """Tell something of what a fact refers to, at times: `The ground opened in 1931.`"""
        other = self.subject.other(key)
        if other is not None and self._uniform() < _OTHER:
            self._tell_of_other(other)

    def _tell_of_other(self, other: Subject | None, told: Collection[str] = ()) -> None:
        """Tell something of another entity in a sentence; nothing where no more is known than what is `told`."""
        if other is None or (other.type, other.row) in self.page.others:
            return
        if (other.type, other.row) == (self.subject.type, self.subject.row):
            return
        writer = ProseWriter(self.page, other, linked=False, among_others=True)
        predicable = [
            key
            for key, value in writer.remaining.items()
            if value.text not in told and writer._chooser.of_column(key).says
        ]
        if predicable:
            self.page.others.add((other.type, other.row))
            writer.tell_in_one_sentence(self.page.draws.sampled(predicable, self.page.draws.integer(1, 2)))
            self._sentences.note_sentence_about(other)

    # ---- sentences of one or more facts

    def _tell_some(self, key: str, wanted: Sequence[str], after: int, voice: Voice) -> list[str]:
        """Tell a fact, perhaps with others that are wanted from place `after` on; return those told by predicates."""
        own = self._chooser.of_column(key)
        if voice == "talk" and own.talk:
            fresh = any(one.entry not in self.page.used for one in own.talk)
            wording = self._chooser.pick(own.talk) if fresh or self._uniform() < _TALK_AGAIN else None
            if wording is not None:
                self._say(wording)
                self.remaining.pop(key, None)
                return []
        if self.words and voice == "sentences":
            used = self.page.used
            stories = tuple(one for one in self.words.stories.get(key, ()) if one.entry not in used)
            if self._sentences.needs_name:
                stories = tuple(one for one in stories if one.refers)
            if stories and self._uniform() < _STORY:
                story = self._chooser.pick(stories, set(self.remaining))
                if story is not None:
                    self._say(story)
                    return []
            pair = bool(own.says) and self._uniform() < _PAIR
            aside = bool(own.asides) and self._uniform() < _ASIDE[self.page.language]
            if pair or aside:
                for second in wanted[after:]:
                    if (
                        second in self.remaining
                        and self._chooser.of_column(second).says
                        and self._chooser.share_theme(key, second)
                        and not self._repeat(key, second)
                    ):
                        return self._tell_two(key, second) if pair else self._tell_with_aside(key, second)
        return self._tell_one(own.whole, own, key)

    def _tell_one(self, options: Wordings, own: AttributeWordings, key: str) -> list[str]:
        if self._sentences.needs_name:
            options = own.naming
        wording = self._chooser.pick(options) or self._chooser.pick(own.whole)
        if wording is None:
            return self._tell_by_label(key)
        if wording not in own.says:
            self._say(wording)
            self.remaining.pop(key, None)
            return []
        self._begin_predicate(wording)
        self._sentences.end()
        return self._mark_told([key])

    def _repeat(self, key: str, second: str) -> bool:
        """Return whether two facts should not stand in one sentence: both are 0, or one is the year of the other."""
        one, other = self._chooser.values[key].text, self._chooser.values[second].text
        return one == other == "0" or is_part(one, other) or is_part(other, one)

    def _tell_two(self, key: str, second: str) -> list[str]:
        """Tell two facts by two predicates: `It was founded in 1923 and plays at Sandvik Park.`"""
        first = self._chooser.pick(self._chooser.of_column(key).says)
        other = self._chooser.pick(self._chooser.of_column(second).says)
        if first is None or other is None:
            return self.tell_alone(key)
        self._begin_predicate(first)
        if not _differ(first, other):
            other = self._chooser.pick(
                tuple(one for one in self._chooser.of_column(second).says if _differ(first, one))
            )
        if other is None:
            self._sentences.end()  # not "causes 1,120 new cases and causes 43 deaths"
            return self._mark_told([key])
        self._sentences.add_text("，" if self._sentences.is_chinese else ", and " if _has_comma(first) else " and ")
        self._sentences.add(other)
        self._sentences.end()
        return self._mark_told([key, second])

    def _begin_predicate(self, predicate: Wording, values: Mapping[str, Any] | None = None) -> None:
        self._sentences.begin()
        self._sentences.add_subject(predicate)
        self._sentences.add_text(self._sentences.space)
        self._sentences.add(predicate, values)

    def _tell_with_aside(self, key: str, second: str) -> list[str]:
        """Write two facts in one sentence, the first as an aside: `Founded in 1923, the club plays at Sandvik Park.`"""
        aside = self._chooser.pick(self._chooser.of_column(key).asides)
        if aside is None:
            return self.tell_alone(key)
        says = tuple(one for one in self._chooser.of_column(second).says if one.words.isdisjoint(aside.words))
        predicate = self._chooser.pick(says)  # not "born in 1965, the player was born in Velm"
        if predicate is None:
            return self.tell_alone(key)
        sentences, comma = self._sentences, "" if self._sentences.is_chinese else ", "
        sentences.begin()
        if sentences.is_chinese or (self._uniform() < _ASIDE_FIRST and not _is_relative(aside)):
            sentences.add(aside)
            sentences.add_text(comma)
            sentences.add_subject(aside, predicate, in_full=sentences.is_chinese)
            sentences.add_text(sentences.space)
        else:
            sentences.add_subject(aside, in_full=True)
            sentences.add_text(comma)
            sentences.add(aside)
            sentences.add_text(comma)
        sentences.add(predicate)
        sentences.end()
        return self._mark_told([key, second])

    def _tell_by_label(self, key: str) -> list[str]:
        attribute = next(one for one in self.subject.attributes if one.key == key)
        tell_by_label(self.page, self.subject, Fact(attribute, self.remaining[key]))
        self._sentences.n_sentences += 1
        return self._mark_told([key])

    def _say(self, wording: Wording) -> None:
        """Write a wording as a sentence, and mark its facts as told."""
        self._sentences.write(wording)
        for key in wording.tells:
            self.remaining.pop(key, None)

    def _mark_told(self, keys: list[str]) -> list[str]:
        for key in keys:
            self.remaining.pop(key, None)
        return keys


def is_part(year: str, date: str) -> bool:
    """Return whether a longer text holds a text of four characters or more, as a date holds its year."""
    return len(year) >= LEAST_REPEATED and year != date and year in date


def _differ(predicate: Wording, other: Wording) -> bool:
    """Return whether one sentence can have both predicates: they share neither the verb nor a word of four letters."""
    verb = predicate.opening[:1]
    return (not verb or other.opening[:1] != verb) and predicate.words.isdisjoint(other.words)


def _has_comma(wording: Wording) -> bool:
    return any(isinstance(part, str) and "," in part for part in wording.parts)


def _is_relative(wording: Wording) -> bool:
    first = wording.parts[0]
    return isinstance(first, str) and _RELATIVE.match(first) is not None
