"""Phrasebooks as files: how pages and questions put what a spec's types, attributes and relations hold.

    phrases/sports.en.yaml      the English book of specs with `phrases: sports`

A book has wordings by type, attribute and relation. A text in it has slots in braces, and choices in brackets:
"{it} [was founded|came into being] in {founded}." `world.phrases` says what each slot becomes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from worldforge.core.files import value_digest
from worldforge.schema.document import read_document
from worldforge.schema.problems import SpecError
from worldforge.schema.shape_errors import validate_document
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Identifier, Language, Section
from worldforge.schema.spec_sources import read_text

Text = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Texts = list[Text]
SLOT = re.compile(r"\{([a-z][a-z0-9_]*)(?:\?([^{}|]*)\|([^{}|]*)|:([a-z]+))?\}")
"""A slot: `{founded}`, `{goals?goal|goals}` (by whether goals are 1), `{place:ordinal}`, or `{years:words}`."""
REFERENCES = ("it", "its", "him", "name", "noun")
"""Slots for what a text is about: subject, possessive, object, its name, a noun for it."""
FORMS = ("words", "ordinal")
Marks = Annotated[str, StringConstraints(pattern=r"^(..)?$")]


class Entry(Section):
    """Texts that may be used where a condition holds, with whole numbers computed from columns."""

    when: str = Field(default="", description="An expression over the row's columns that must be true.")
    let: dict[Identifier, str] = Field(default={}, description="Whole numbers, by slot, computed from columns.")
    say: Texts = Field(min_length=1, description="The sentences; one of them is used.")


Sentences = list[Text | Entry]


class AttributePhrases(Section):
    """How one column is spoken of. `{value}` stands for its value, `{worded}` for one of `values`.

    A field a key of the phrasebook: each has entries of one form.
    """

    labels: Texts = Field(default=[], description="What it is called in tables and questions.")
    says: Texts = Field(default=[], description="Predicates: `was founded in {value}`.")
    asides: Texts = Field(default=[], description="What can stand between commas after a name: `founded in {value}`.")
    sentences: Texts = Field(default=[], description="Whole sentences.")
    talk: Texts = Field(default=[], description="Whole sentences as people speak.")
    asks: Texts = Field(default=[], description="Questions that the fact answers.")
    same: Texts = Field(
        default=[], description="Predicates for the same value as another has: `was born in the same town as {other}`."
    )
    later: Texts = Field(
        default=[],
        description="Predicates for a later year or date: `opened {time} after {other}`; of years also "
        "`{years:words} {years?year|years}`.",
    )
    earlier: Texts = Field(default=[], description="The same for an earlier one.")
    more: Texts = Field(default=[], description="The same for a larger number: `seats {n} more than {other}`.")
    less: Texts = Field(default=[], description="The same for a smaller number.")
    which: Texts | dict[str, Texts] = Field(default=[], description="Conditions in a question, after a plural.")
    which_referred: Texts = Field(
        default=[], description="Of a reference, what is true of its target: `in which {some} was born`."
    )
    over: Texts = Field(default=[], description="The same, for more or later than a value.")
    under: Texts = Field(default=[], description="The same, for less or earlier than a value.")
    most: Texts = Field(default=[], description="Superlatives: `youngest`.")
    least: Texts = Field(default=[], description="The other way round: `oldest`.")
    values: dict[str, Texts] = Field(default={}, description="Wordings of each of its values.")
    around: Marks = Field(
        default="",
        description="Two marks around its values in sentences, where they are names but no references: `《》`.",
    )


class Theme(Section):
    """Attributes that are told together in a paragraph."""

    facts: list[Identifier] = Field(description="The attributes; each stands in one theme at most.")
    titles: Texts = Field(default=[], description="Headings of the paragraph.")
    openings: Texts = Field(default=[], description="Sentences that the paragraph may begin with; they state nothing.")


class TypePhrases(Section):
    """How entities of one type are spoken of."""

    nouns: Texts = Field(min_length=1, description="What `the …` may call it.")
    the: str = Field(default="", description="What stands before a noun; default: `the` or 该.")
    before_name: str = Field(default="", description="What stands before a name in a sentence: `the` March of Velm.")
    around_name: Marks = Field(
        default="", description="Two marks around a name in sentences, also where other types refer to it: `《》`."
    )
    pronoun: Literal["it", "he", "she", "person"] = Field(default="it", description="`person`: he or she, by entity.")
    leads: Texts = Field(default=[], description="First sentences, which say what `{name}` is; they may state facts.")
    fillers: Texts = Field(default=[], description="Sentences that state no fact, and fit every entity of the type.")
    quotes: Texts = Field(default=[], description="What somebody says of it, without a fact and without a full stop.")
    chatter: Texts = Field(default=[], description="Sentences of forum posts without a fact.")
    reasons: Texts = Field(
        default=[], description="Why somebody asks about several of them: sentences that a question may begin with."
    )
    themes: list[Theme] = Field(default=[], description="Which attributes are told together.")
    attributes: dict[Identifier, AttributePhrases] = Field(default={}, description="Phrases of each attribute.")
    stories: Sentences = Field(
        default=[], description="Sentences over two or more attributes; their keys are the slots: `{founded}`."
    )


class ReportPhrases(Section):
    """What reports on a row say beside its stories: sentences that fit the row, in the order of events."""

    headlines: Sentences = Field(default=[], description="Titles, with `{source}` and `{target}` at most.")
    before: Sentences = Field(default=[], description="Sentences on what came before; they may state columns.")
    during: Sentences = Field(default=[], description="Sentences on how it went.")
    after: Sentences = Field(default=[], description="Sentences on what came after.")
    quotes: Sentences = Field(default=[], description="What somebody says of it, without a fact and without a stop.")
    without: list[Identifier] = Field(default=[], description="Columns that reports tell only where a story does.")


class RelationPhrases(Section):
    """How the rows of one relation are told: on pages about either end, and from outside."""

    columns: dict[Identifier, AttributePhrases] = Field(
        default={}, description="Phrases of each column, once the row has been introduced."
    )
    rows: str = Field(
        default="",
        description="What the rows of one source are called in a question, several of them: `former clubs`. "
        "Default: the relation's `title`, up to a comma; none where source and target are of one type.",
    )
    which_source: Texts = Field(default=[], description="Conditions on sources, in a question: `that fly to {target}`.")
    which_target: Texts = Field(default=[], description="Conditions on targets: `served by {source}`.")
    source: Sentences = Field(
        default=[], description="One row on a page about its source: `{it}` is the source, `{target}` the other end."
    )
    target: Sentences = Field(default=[], description="The same on a page about its target, with `{source}`.")
    together: Sentences = Field(
        default=[],
        description="Two or more columns of a row that has been introduced: `It was round {round}, on {day}.`",
    )
    stories: Sentences = Field(default=[], description="One row told from outside, with `{source}` and `{target}`.")
    report: ReportPhrases = Field(default=ReportPhrases(), description="What `pages.report` says of a row besides.")


class DocumentPart(Section):
    """A part of a document: a heading, a text, facts or rows that are told."""

    heading: Texts = Field(default=[], description="Headings, of which one is used.")
    text: Texts = Field(default=[], description="Paragraphs that state nothing, of which one is used.")
    facts: list[Identifier] | Literal["rest"] = Field(
        default=[], description="The attributes told here; `rest` takes what no part has told."
    )
    voice: Literal["sentences", "talk"] = Field(default="sentences", description="Which entries tell them.")
    rows: Identifier | None = Field(default=None, description="A relation whose rows are told one by one.")
    most: int = Field(default=8, ge=1, le=500, description="The most rows.")


class DocumentForm(Section):
    """A form of document that a topic has: a programme, a ruling, a recipe card."""

    about: Identifier = Field(description="The type of entity that it is about.")
    site: Texts = Field(default=[], description="What sites of such documents are called.")
    titles: Texts = Field(min_length=1, description="Titles, with `{name}` at most.")
    parts: list[DocumentPart] = Field(min_length=1, description="Its parts, in order.")


class Book(Section):
    """A phrasebook as its file has it."""

    language: Language = Field(description="The language that it is in.")
    voices: Texts = Field(default=[], description="Who is quoted, without a name: `a steward at the ground`.")
    reasons: Texts = Field(default=[], description="Why somebody may ask about entities of any of its types.")
    types: dict[Identifier, TypePhrases] = Field(default={}, description="Phrases of each type.")
    relations: dict[Identifier, RelationPhrases] = Field(default={}, description="Phrases of each relation.")
    documents: dict[Identifier, DocumentForm] = Field(
        default={}, description="Forms of document; `pages.document` writes them by `params: {form: NAME}`."
    )


def book_file(name: str, language: Language, beside: Path | None) -> Path | None:
    """Find a book: in the folder `phrases/` of `beside`, else among the shipped ones; None where there is none."""
    shipped = Path(__file__).parents[2] / "world_schemas"
    for folder in ([beside] if beside is not None else []) + [shipped]:
        path = folder / "phrases" / f"{name}.{language}.yaml"
        if path.is_file():
            return path
    return None


def read_book(path: Path) -> Book:
    """Read a phrasebook. Raises SpecError with every fault of its shape, InputError where it cannot be read."""
    return _read_book(read_text(path), str(path))


@lru_cache(16)
def _read_book(text: str, file: str) -> Book:
    """Read a phrasebook of that text, once a process."""
    document, problems = read_document(text, file)
    book, faults = validate_document(document, Book)
    if book is None or problems:
        raise SpecError([*problems, *(fault.problem for fault in faults)])
    return book


def value_wordings(book: Book) -> dict[str, dict[str, str]]:
    """Return by column (`hotel.breakfast`) what each wording of a value stands for, also where it begins a sentence."""
    columns = {f"{name}.{key}": one for name, own in book.types.items() for key, one in own.attributes.items()}
    columns |= {f"{name}.{key}": one for name, own in book.relations.items() for key, one in own.columns.items()}
    return {
        column: {
            text: value
            for value, texts in one.values.items()
            for entry in texts
            for wording in expanded(entry)
            for text in (wording, wording[:1].upper() + wording[1:])
        }
        for column, one in columns.items()
        if one.values
    }


def book_digests(spec: WorldSpec) -> dict[str, str]:
    """Return the digest of each phrasebook of a spec."""
    return {f"phrases.{language}": value_digest(book.model_dump(mode="json")) for language, book in spec.books.items()}


_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_BAR = re.compile(r"\|(?![^{}]*\})")  # not within a slot
MOST_EXPANSIONS = 96


@lru_cache(1 << 13)
def expanded(text: str) -> tuple[str, ...]:
    """Return every text that the choices of `text` allow, the first branches first; at most `MOST_EXPANSIONS`."""
    texts, last = [""], 0
    for match in _CHOICE.finditer(text):
        before, branches = text[last : match.start()], _BAR.split(match[1])
        texts = [f"{one}{before}{branch}" for one in texts for branch in branches][:MOST_EXPANSIONS]
        last = match.end()
    return tuple(_tidy(one + text[last:]) for one in texts)


_GAPS, _GAP_BEFORE_STOP = re.compile(r"  +"), re.compile(r" +(?=[.,;:?!])")


def _tidy(text: str) -> str:
    """Close the gaps that empty branches leave."""
    return _GAP_BEFORE_STOP.sub("", _GAPS.sub(" ", text)).strip()
