"""A phrasebook as one world uses it: a part of its wordings, chosen by the world's seed and ready to be filled.

    phrases.types["club"].attributes["founded"].says[0].parts      ("was founded in ", Slot("founded", "fact"))

Another seed chooses others, so that an agent cannot learn the wordings of one world by heart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from worldforge.core.chance import Draws, Stream
from worldforge.schema.phrasebook import (
    AttributePhrases,
    Book,
    DocumentForm,
    Entry,
    RelationPhrases,
    Sentences,
    TypePhrases,
    expanded,
)
from worldforge.schema.spec_section import Language
from worldforge.world.comparison_phrases import Way, comparison_texts
from worldforge.world.wording import Slot, Wording, Wordings, wording

_SHARE, _LEAST, _PER_ENTRY = 0.25, 1, 3
_ROWS_SHARE = 0.35
"""Of the sentences that tell rows of relations: pages tell many rows one after another."""
_ENOUGH = 10
"""Entries that a world uses of a list of which the share would be more; of very long lists it uses `_SHARE`."""
_SHORT_LEADS_SHARE = 0.5
"""Share of the leads with one fact or none that a world uses."""
_TOGETHER_SHARE = 0.4
"""Share of `together` that a world uses. With fewer, some columns would be in none of the sentences."""
_REPORT_PARTS = ("headlines", "before", "during", "after", "quotes")
_CONDITIONS_SHARE, _LEAST_CONDITIONS = 0.5, 3
"""Of the conditions under which there are sentences."""
_ONE = np.arange(1)


@dataclass(frozen=True, slots=True)
class AttributeWordings:
    """How one column is spoken of: see `schema.phrasebook.AttributePhrases`."""

    labels: tuple[str, ...] = ()
    says: Wordings = ()
    asides: Wordings = ()
    sentences: Wordings = ()
    whole: Wordings = ()
    """Those of `sentences` and `says`."""
    naming: Wordings = ()
    """Those of `whole` that name what they tell of."""
    talk: Wordings = ()
    asks: Wordings = ()
    same: Wordings = ()
    """Predicates that state it relative to another entity's, with slots of `world.comparison_phrases` as facts."""
    later: Wordings = ()
    earlier: Wordings = ()
    more: Wordings = ()
    less: Wordings = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By value as written, how running text may put it."""


NO_WORDINGS = AttributeWordings()


@dataclass(frozen=True, slots=True)
class ThemeWordings:
    """Attributes that are told together."""

    facts: tuple[str, ...]
    titles: tuple[str, ...]
    openings: Wordings


@dataclass(frozen=True, slots=True)
class TypeWordings:
    """How entities of a type are spoken of."""

    nouns: tuple[str, ...]
    the: str
    before_name: str
    around_name: str
    """The marks that enclose a name in a sentence, such as `《》`; empty for none."""
    pronoun: str
    leads: Wordings
    named_leads: Wordings
    """Those of `leads` that have the name."""
    fillers: Wordings
    quotes: Wordings
    chatter: Wordings
    themes: tuple[ThemeWordings, ...]
    theme_of: Mapping[str, int]
    """By column, the index in `themes` of the theme that has it."""
    attributes: Mapping[str, AttributeWordings]
    stories: Mapping[str, Wordings]
    """By column, the sentences over several columns that state it."""
    zero_columns: tuple[str, ...]
    """The columns for whose 0 there are words: `has no pupils`."""


@dataclass(frozen=True, slots=True)
class ReportWordings:
    """What reports on a row of a relation say beside its stories, in the order of events."""

    headlines: Wordings = ()
    before: Wordings = ()
    during: Wordings = ()
    after: Wordings = ()
    quotes: Wordings = ()
    without: frozenset[str] = field(default=frozenset(), kw_only=True)
    """The columns that reports tell only where a story does."""


@dataclass(frozen=True, slots=True)
class RelationWordings:
    """How the rows of a relation are told: on pages about its source or its target, and from outside."""

    columns: Mapping[str, AttributeWordings]
    source: Wordings
    target: Wordings
    naming_target: Wordings
    """Those of `source` that name the target."""
    naming_source: Wordings
    together: Wordings
    """Those of two or more columns of a row that has been introduced."""
    stories: Wordings
    report: ReportWordings = ReportWordings()


@dataclass(frozen=True, slots=True)
class PartWordings:
    """A part of a document."""

    headings: tuple[str, ...]
    texts: Wordings
    facts: tuple[str, ...] | None
    """None for all that are left."""
    voice: str
    rows: str | None
    most: int


@dataclass(frozen=True, slots=True)
class DocumentWordings:
    """A form of document."""

    about: str
    titles: tuple[str, ...]
    parts: tuple[PartWordings, ...]


class ComputedExpression(NamedTuple):
    """An expression over the rows of a table: the columns that it reads, and its value in each row."""

    reads: frozenset[str]
    values: Sequence[Any]
    reads_years: bool = False
    """Whether it reads years or dates: its numbers may be years, and are written without separators."""
    of_today: bool = False
    """Whether it has the year of the world's today in it: it holds on pages of that year alone."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """All wordings that pages of one language use in a world."""

    language: str
    voices: tuple[str, ...] = ()
    types: Mapping[str, TypeWordings] = field(default_factory=dict)
    relations: Mapping[str, RelationWordings] = field(default_factory=dict)
    documents: Mapping[str, DocumentWordings] = field(default_factory=dict)
    computed: Mapping[tuple[str, str], ComputedExpression] = field(default_factory=dict)
    """By table and expression: conditions, and numbers that wordings compute."""
    worded: Mapping[int, int] = field(default_factory=dict)
    """By the code of a value, the code under which a wording of it stands."""
    spacing: Mapping[str, int] = field(default_factory=dict)
    """By type and relation: a sentence without facts may stand on one in so many of the pages about it."""
    restated: frozenset[int] = frozenset()
    """The codes under which wordings of values stand."""
    spelled: frozenset[int] = frozenset()
    """The codes of counts, the small ones of which running text writes as words."""
    untrue: frozenset[int] = frozenset()
    """The codes of values that are not what the tables say: nothing is computed beside those."""


def phrases_of(book: Book, seed: int) -> Phrases:
    """Choose a world's part of a book."""
    chooser = _Chooser(Stream(seed).child("phrases", book.language), book.language)
    return Phrases(
        language=book.language,
        voices=tuple(chooser.texts("voices", book.voices)),
        types={name: _type(chooser, name, own) for name, own in book.types.items()},
        relations={name: _relation(chooser, name, own) for name, own in book.relations.items()},
        documents={name: _document(chooser, name, own) for name, own in book.documents.items()},
    )


def expressions_of(book: Book) -> Iterator[tuple[str, str]]:
    """List the expressions that a book computes: the table, and the expression."""
    for name, own in book.types.items():
        yield from ((name, text) for text in _computed(own.stories))
    for name, rows in book.relations.items():
        for entries in (
            rows.source,
            rows.target,
            rows.together,
            rows.stories,
            *(getattr(rows.report, part) for part in _REPORT_PARTS),
        ):
            yield from ((name, text) for text in _computed(entries))


def _computed(entries: Sentences) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, Entry):
            yield from filter(None, (entry.when, *entry.let.values()))


def _naming(facts: Set[str], column: str) -> str:
    """Return the group of a sentence by its facts: `column alone`, `column` with others, or "" without it."""
    if not column or column not in facts:
        return ""
    return column if len(facts) > 1 else f"{column} alone"


class _Chooser:
    """Chooses by keyed chance which entries of a list a world uses, and which of the texts that each allows."""

    def __init__(self, stream: Stream, language: Language) -> None:
        self._stream, self.language = stream, language

    def texts(self, path: str, texts: Sequence[str], share: float = _SHARE, least: int = _LEAST) -> list[str]:
        """Choose among texts: a share of them, `least` at least, each with a few of its expansions."""
        return [one for one, _ in self._chosen(path, texts, share, least)]

    def _chosen(self, path: str, texts: Sequence[str], share: float, least: int) -> list[tuple[str, str]]:
        draws: Draws = self._stream.child(path).draws(_ONE)[0]
        n = max(_n_used(len(texts), share), min(least, len(texts)))
        return [
            (one, text) for text in draws.shuffled(texts)[:n] for one in draws.shuffled(expanded(text))[:_PER_ENTRY]
        ]

    def forms(self, path: str, phrases: AttributePhrases, share: float) -> tuple[list[tuple[str, str]], ...]:
        """Choose among the predicates and the sentences of a column together; one at least, and one of worded values.

        One of each is a predicate, where the book has such.

        Return the predicates and the sentences, each as an expansion and the text that allows it.
        """
        groups = (phrases.says, phrases.sentences)
        draws: Draws = self._stream.child(f"{path}/forms").draws(_ONE)[0]
        found: tuple[list[tuple[str, str]], ...] = ([], [])
        for worded in (False, True):
            every = [(group, one) for group, own in enumerate(groups) for one in own if ("{worded}" in one) == worded]
            chosen = draws.sampled(every, max(_n_used(len(every), share), 1))
            predicates = [one for one in every if one[0] == 0]
            if predicates and all(group != 0 for group, _ in chosen):  # an entity is named by a predicate alone
                chosen = [*chosen[: None if worded else -1], draws.pick(predicates)]
            for group, text in chosen:
                found[group].extend((one, text) for one in draws.shuffled(expanded(text))[:_PER_ENTRY])
        return found

    def uses(self, path: str, n: int) -> bool:
        """Decide whether a world uses a list of `n` texts at all: a short one would be the same in most worlds."""
        return n > 1 or self._stream.child(f"{path}/used").draws(_ONE)[0].chance(0.5)

    def wordings(
        self,
        path: str,
        texts: Sequence[str],
        value: str = "",
        share: float = _SHARE,
        least: int = _LEAST,
        entry: Entry | None = None,
    ) -> Wordings:
        """Choose among texts, and read them; `entry` is what they hold under."""
        when, let = (entry.when, entry.let) if entry is not None else ("", None)
        return tuple(wording(one, value, when, let, text) for one, text in self._chosen(path, texts, share, least))

    def entries(self, path: str, entries: Sentences, share: float = _SHARE, naming: str = "") -> Wordings:
        """Choose among sentences and conditions, of each condition some.

        Two sentences state the column `naming` and two that alone, where there are such.
        """
        plain = [entry for entry in entries if isinstance(entry, str)]
        stated = [wording(expanded(entry)[0]).facts if naming else frozenset[str]() for entry in plain]
        found = list[Wording]()
        for group, least in (("", _LEAST), (naming, 2), (f"{naming} alone", 2)):
            own = [entry for entry, facts in zip(plain, stated, strict=True) if _naming(facts, naming) == group]
            found += self.wordings(f"{path}/{group}", own, share=share, least=least)
        conditional = [entry for entry in entries if isinstance(entry, Entry)]
        draws: Draws = self._stream.child(f"{path}/conditions").draws(_ONE)[0]
        n = max(_LEAST_CONDITIONS, round(_CONDITIONS_SHARE * len(conditional)))
        for number in draws.sampled(range(len(conditional)), n):
            found += self.wordings(f"{path}/{number}", conditional[number].say, share=share, entry=conditional[number])
        return tuple(found)


def _n_used(n: int, share: float) -> int:
    """Return how many of `n` texts a world uses: a share, but at most `_ENOUGH` or `_SHARE` of them; all for 1."""
    return n if share == 1 else min(round(share * n), max(_ENOUGH, round(_SHARE * n)))


def _attributes(
    chooser: _Chooser, path: str, own: Mapping[str, AttributePhrases], share: float = _SHARE
) -> dict[str, AttributeWordings]:
    return {key: _attribute(chooser, f"{path}/{key}", key, phrases, share) for key, phrases in own.items()}


def _attribute(chooser: _Chooser, path: str, key: str, phrases: AttributePhrases, share: float) -> AttributeWordings:
    def chosen(group: str, value: str = key) -> Wordings:
        plain: list[str] = []
        worded: list[str] = []
        for text in getattr(phrases, group):
            (worded if "{worded}" in text else plain).append(text)
        found = chooser.wordings(f"{path}/{group}", plain, value, share) if plain else ()
        return found + (chooser.wordings(f"{path}/{group}/worded", worded, value, share) if worded else ())

    def compared(way: Way) -> Wordings:
        texts = chooser.texts(f"{path}/{way}", comparison_texts(chooser.language, phrases, way), share, least=3)
        return tuple(map(wording, texts))

    says, sentences = (
        tuple(wording(one, key, entry=text) for one, text in own) for own in chooser.forms(path, phrases, share)
    )
    return AttributeWordings(
        labels=tuple(chooser.texts(f"{path}/labels", phrases.labels, 1.0)),
        says=says,
        asides=chosen("asides") if chooser.uses(f"{path}/asides", len(phrases.asides)) else (),
        sentences=sentences,
        whole=sentences + says,
        naming=tuple(one for one in sentences if one.refers) + says,
        talk=chosen("talk"),
        asks=chosen("asks", ""),
        same=compared("same"),
        later=compared("later"),
        earlier=compared("earlier"),
        more=compared("more"),
        less=compared("less"),
        values={
            value: tuple(one for text in texts for one in expanded(text)) for value, texts in phrases.values.items()
        },
    )


def _all(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(one for text in texts for one in expanded(text))


def _type(chooser: _Chooser, name: str, own: TypePhrases) -> TypeWordings:
    path = f"types/{name}"
    by_key: dict[str, list[Wording]] = {}
    for story in chooser.entries(f"{path}/stories", own.stories):
        for key in story.facts:
            by_key.setdefault(key, []).append(story)
    leads, attributes = _leads(chooser, f"{path}/leads", own.leads), _attributes(chooser, path, own.attributes)
    return TypeWordings(
        nouns=tuple(chooser.texts(f"{path}/nouns", own.nouns, share=0.5)),
        the=own.the,
        before_name=own.before_name,
        around_name=own.around_name,
        pronoun=own.pronoun,
        leads=leads,
        named_leads=tuple(
            one for one in leads if any(isinstance(part, Slot) and part.name == "name" for part in one.parts)
        ),
        fillers=chooser.wordings(f"{path}/fillers", own.fillers, share=0.3),
        quotes=chooser.wordings(f"{path}/quotes", own.quotes, share=0.3),
        chatter=chooser.wordings(f"{path}/chatter", own.chatter, share=0.3),
        themes=tuple(
            ThemeWordings(
                tuple(theme.facts),
                tuple(chooser.texts(f"{path}/themes/{number}/titles", theme.titles, least=2)),
                chooser.wordings(f"{path}/themes/{number}/openings", theme.openings, share=0.3),
            )
            for number, theme in enumerate(own.themes)
        ),
        theme_of={key: number for number, theme in enumerate(own.themes) for key in theme.facts},
        attributes=attributes,
        stories={key: tuple(stories) for key, stories in by_key.items()},
        zero_columns=tuple(
            key
            for key, words in attributes.items()
            if any(value.startswith("0") for value in words.values) and any(one.worded for one in words.whole)
        ),
    )


def _leads(chooser: _Chooser, path: str, texts: Sequence[str]) -> Wordings:
    """Choose leads: a larger share of those with one fact or none, so that some fit where little is known."""
    stated = [len(wording(expanded(text)[0]).facts) for text in texts]
    short, long = (
        [text for text, n in zip(texts, stated, strict=True) if (n > 1) == is_long] for is_long in (False, True)
    )
    return chooser.wordings(f"{path}/short", short, share=_SHORT_LEADS_SHARE) + chooser.wordings(path, long)


def _relation(chooser: _Chooser, name: str, own: RelationPhrases) -> RelationWordings:
    path = f"relations/{name}"
    source = chooser.entries(f"{path}/source", own.source, _ROWS_SHARE, "target")
    target = chooser.entries(f"{path}/target", own.target, _ROWS_SHARE, "source")
    return RelationWordings(
        columns=_attributes(chooser, path, own.columns, _ROWS_SHARE),
        source=source,
        target=target,
        naming_target=tuple(one for one in source if "target" in one.facts),
        naming_source=tuple(one for one in target if "source" in one.facts),
        together=chooser.entries(f"{path}/together", own.together, _TOGETHER_SHARE),
        stories=chooser.entries(f"{path}/stories", own.stories, _ROWS_SHARE),
        report=ReportWordings(
            *(
                chooser.entries(f"{path}/report/{part}", getattr(own.report, part), _ROWS_SHARE)
                for part in _REPORT_PARTS
            ),
            without=frozenset(own.report.without),
        ),
    )


def _document(chooser: _Chooser, name: str, form: DocumentForm) -> DocumentWordings:
    path = f"documents/{name}"
    return DocumentWordings(
        form.about,
        tuple(chooser.texts(f"{path}/titles", form.titles)),
        tuple(
            PartWordings(
                headings=tuple(chooser.texts(f"{path}/{number}/headings", part.heading, least=2)),
                texts=chooser.wordings(f"{path}/{number}/texts", part.text, share=0.3),
                facts=None if part.facts == "rest" else tuple(part.facts),
                voice=part.voice,
                rows=part.rows,
                most=part.most,
            )
            for number, part in enumerate(form.parts)
        ),
    )
