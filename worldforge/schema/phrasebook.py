"""Phrasebooks as files: how pages and questions put what a spec's types, attributes and relations hold.

    phrases/sports.en.yaml      the English book of specs with `phrases: sports`

A book has wordings by type, attribute and relation. A text in it has slots in braces, and choices in brackets:
"{it} [was founded|came into being] in {founded}." `world.phrases` says what each slot becomes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.column_paths import names_of
from worldforge.schema.document import read_document
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expressions import compile_expression
from worldforge.schema.problems import Problem, SpecError
from worldforge.schema.shape_errors import validate_document
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Identifier, Language, Section
from worldforge.schema.spec_sources import read_text

Text = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Texts = list[Text]
SLOT = re.compile(r"\{([a-z][a-z0-9_]*)(?:\?([^{}|]*)\|([^{}|]*)|:([a-z]+))?\}")
"""A slot: `{founded}`, `{goals?goal|goals}` (by whether goals are 1), `{years:words}` or `{years:ordinal}`."""
REFERENCES = ("it", "its", "him", "name", "noun")
"""Slots for what a text is about: subject, possessive, object, its name, a noun for it."""
FORMS = ("words", "ordinal")


class Entry(Section):
    """Texts that may be used where a condition holds, with whole numbers computed from columns."""

    when: str = Field(default="", description="An expression over the row's columns that must be true.")
    let: dict[Identifier, str] = Field(default={}, description="Whole numbers, by slot, computed from columns.")
    say: Texts = Field(min_length=1, description="The sentences; one of them is used.")


Sentences = list[Text | Entry]


class AttributePhrases(Section):
    """How one column is spoken of. `{value}` stands for its value, `{worded}` for one of `values`."""

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
        default=[], description="Predicates for a later year: `opened {years:words} {years?year|years} after {other}`."
    )
    earlier: Texts = Field(default=[], description="The same for an earlier year.")
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
    pronoun: Literal["it", "he", "she", "person"] = Field(default="it", description="`person`: he or she, by entity.")
    leads: Texts = Field(default=[], description="First sentences, which say what `{name}` is; they may state facts.")
    fillers: Texts = Field(default=[], description="Sentences that state no fact, and fit every entity of the type.")
    quotes: Texts = Field(default=[], description="What somebody says of it, without a fact and without a full stop.")
    chatter: Texts = Field(default=[], description="Sentences of forum posts without a fact.")
    themes: list[Theme] = Field(default=[], description="Which attributes are told together.")
    attributes: dict[Identifier, AttributePhrases] = Field(default={}, description="Phrases of each attribute.")
    stories: Sentences = Field(
        default=[], description="Sentences over two or more attributes; their keys are the slots: `{founded}`."
    )


class RelationPhrases(Section):
    """How the rows of one relation are told: on pages about either end, and from outside."""

    columns: dict[Identifier, AttributePhrases] = Field(
        default={}, description="Phrases of each column, once the row has been introduced."
    )
    which_source: Texts = Field(default=[], description="Conditions on sources, in a question: `that fly to {target}`.")
    which_target: Texts = Field(default=[], description="Conditions on targets: `served by {source}`.")
    source: Sentences = Field(
        default=[], description="One row on a page about its source: `{it}` is the source, `{target}` the other end."
    )
    target: Sentences = Field(default=[], description="The same on a page about its target, with `{source}`.")
    stories: Sentences = Field(default=[], description="One row told from outside, with `{source}` and `{target}`.")


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
    document, problems = read_document(read_text(path), str(path))
    book, faults = validate_document(document, Book)
    if book is None or problems:
        raise SpecError([*problems, *(fault.problem for fault in faults)])
    return book


def load_books(spec: WorldSpec, beside: Path | None) -> WorldSpec:
    """Give a spec its phrasebooks, of the languages that it is in. Raises SpecError where one of them is wrong.

    They are looked for in the folder `phrases/` of `beside`, and among the shipped ones.
    """
    if not spec.phrases:
        return spec
    problems: list[Problem] = []
    for language in spec.languages:
        path = book_file(spec.phrases, language, beside)
        if path is not None:
            spec.books[language] = read_book(path)
            problems += check_book(spec, spec.books[language], path)
    if problems:
        raise SpecError(problems)
    if not spec.books:
        where = (beside or Path()) / "phrases" / f"{spec.phrases}.{spec.languages[0]}.yaml"
        raise InputError(f"phrases: there is no phrasebook `{spec.phrases}`", f"write one: {where}")
    found = {language: value_wordings(book) for language, book in spec.books.items()}
    return spec.model_copy(update={"value_wordings": {language: own for language, own in found.items() if own}})


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


def check_book(spec: WorldSpec, book: Book, path: Path) -> list[Problem]:
    """Return what in a book does not fit the spec: unknown types and columns, slots that nothing fills."""
    return [
        Problem(file=str(path), line=1, column=1, path=where, message=message, hint=hint)
        for where, message, hint in _faults(spec, book)
    ]


_Fault = tuple[str, str, str]


def _faults(spec: WorldSpec, book: Book) -> Iterator[_Fault]:
    yield from _unknown(("types",), book.types, spec.types)
    yield from _unknown(("relations",), book.relations, spec.relations)
    for name, phrases in book.types.items():
        if name in spec.types:
            yield from _type_faults(spec, name, phrases)
    for name, rows in book.relations.items():
        if name in spec.relations:
            yield from _relation_faults(spec, name, rows)
    for name, form in book.documents.items():
        where: tuple[object, ...] = ("documents", name)
        if form.about not in spec.types:
            yield _fault((*where, "about"), f"`{form.about}` is no type", did_you_mean(form.about, spec.types))
            continue
        yield from _text_faults((*where, "titles"), form.titles, {"name"})
        for number, part in enumerate(form.parts):
            yield from _part_faults(spec, (*where, "parts", number), form.about, part)


def _part_faults(spec: WorldSpec, where: tuple[object, ...], about: str, part: DocumentPart) -> Iterator[_Fault]:
    if part.facts != "rest":
        yield from _unknown((*where, "facts"), part.facts, names_of(spec, about))
    if part.rows is not None and not any(
        name == part.rows and about in (relation.source, relation.target) for name, relation in spec.relations.items()
    ):
        yield _fault((*where, "rows"), f"`{part.rows}` is no relation of `{about}`", "")
    for key in ("heading", "text"):
        yield from _text_faults((*where, key), getattr(part, key), set(REFERENCES))


def _type_faults(spec: WorldSpec, name: str, phrases: TypePhrases) -> Iterator[_Fault]:
    where = ("types", name)
    columns = set(names_of(spec, name)) - {"name"}
    yield from _unknown((*where, "attributes"), phrases.attributes, columns)
    plain = set(REFERENCES)
    yield from _text_faults((*where, "leads"), phrases.leads, plain | columns)
    for key in ("nouns", "quotes", "chatter", "fillers"):
        yield from _text_faults((*where, key), getattr(phrases, key), plain)
    placed: set[str] = set()
    for number, theme in enumerate(phrases.themes):
        yield from _unknown((*where, "themes", number, "facts"), theme.facts, columns)
        for key in placed & set(theme.facts):
            yield _fault((*where, "themes", number), f"`{key}` stands in two themes", "leave it in one")
        placed |= set(theme.facts)
        for key in ("titles", "openings"):
            yield from _text_faults((*where, "themes", number, key), getattr(theme, key), plain)
    for key, attribute in phrases.attributes.items():
        yield from _attribute_faults((*where, "attributes", key), attribute, plain)
    yield from _entry_faults(spec, name, (*where, "stories"), phrases.stories, plain | columns)


def _relation_faults(spec: WorldSpec, name: str, phrases: RelationPhrases) -> Iterator[_Fault]:
    where = ("relations", name)
    columns = set(names_of(spec, name))
    yield from _unknown((*where, "columns"), phrases.columns, columns)
    for key, attribute in phrases.columns.items():
        yield from _attribute_faults((*where, "columns", key), attribute, set())
    for end, other in (("source", "target"), ("target", "source")):
        texts = getattr(phrases, f"which_{end}")
        yield from _text_faults((*where, f"which_{end}"), texts, {other}, needed={other})
    yield from _entry_faults(spec, name, (*where, "source"), phrases.source, set(REFERENCES) | columns - {"source"})
    yield from _entry_faults(spec, name, (*where, "target"), phrases.target, set(REFERENCES) | columns - {"target"})
    yield from _entry_faults(spec, name, (*where, "stories"), phrases.stories, columns)


def _attribute_faults(where: tuple[object, ...], phrases: AttributePhrases, slots: set[str]) -> Iterator[_Fault]:
    one_of = {"value", "worded"} if phrases.values else {"value"}
    for key in ("says", "asides", "sentences", "talk"):
        yield from _text_faults((*where, key), getattr(phrases, key), slots | one_of, needed=one_of)
    yield from _text_faults((*where, "asks"), phrases.asks, slots)
    yield from _text_faults((*where, "same"), phrases.same, {"other"}, needed={"other"})
    for key in ("later", "earlier"):
        yield from _text_faults((*where, key), getattr(phrases, key), {"other", "years"}, needed={"other"})
    for key in ("more", "less"):
        yield from _text_faults((*where, key), getattr(phrases, key), {"other", "n"}, needed={"other"})
    for key in ("over", "under"):
        yield from _text_faults((*where, key), getattr(phrases, key), {"value"}, needed={"value"})
    if isinstance(phrases.which, dict):
        for value, texts in phrases.which.items():
            yield from _text_faults((*where, "which", value), texts, set())
    else:
        yield from _text_faults((*where, "which"), phrases.which, {"value"}, needed={"value"})
    yield from _text_faults((*where, "which_referred"), phrases.which_referred, {"some"}, needed={"some"})
    for key in ("labels", "most", "least"):
        yield from _text_faults((*where, key), getattr(phrases, key), set())
    meaning: dict[str, str] = {}
    for value, texts in phrases.values.items():
        yield from _text_faults((*where, "values", value), texts, set())
        for text in (one for entry in texts for one in expanded(entry)):
            if meaning.setdefault(text, value) != value:
                yield _fault((*where, "values", value), f"`{text}` stands for `{meaning[text]}` as well", "say which")


def _entry_faults(
    spec: WorldSpec, table: str, where: tuple[object, ...], entries: Sentences, slots: set[str]
) -> Iterator[_Fault]:
    for number, entry in enumerate(entries):
        if isinstance(entry, str):
            yield from _text_faults((*where, number), [entry], slots)
            continue
        for key, expression in ({"when": entry.when} if entry.when else {} | entry.let).items():
            try:
                compile_expression(expression, table, spec)
            except ExpressionError as error:
                yield _fault((*where, number, key), f"`{expression}`: {error}", "")
        yield from _text_faults((*where, number, "say"), entry.say, slots | set(entry.let))


def _text_faults(
    where: tuple[object, ...], texts: list[str], slots: set[str], needed: set[str] | None = None
) -> Iterator[_Fault]:
    """Find faults of texts: slots that are not among `slots`, stray brackets, none of the `needed` slots."""
    for number, text in enumerate(texts):
        for one in expanded(text):
            left = SLOT.sub("", one)
            if any(mark in left for mark in "{}[]|"):
                yield _fault((*where, number), f"`{text}` has a stray brace, bracket or bar", "choices do not nest")
                break
            found = [match[1] for match in SLOT.finditer(one) if not match[2] and not match[3]]
            named = {match[1] for match in SLOT.finditer(one)}
            if unknown := sorted(named - slots):
                hint = did_you_mean(unknown[0], slots) or f"there is {', '.join(sorted(slots))}"
                yield _fault((*where, number), f"`{text}` has an unknown slot `{unknown[0]}`", hint)
                break
            if needed is not None and sum(name in needed for name in found) != 1:
                slot = "value" if "value" in needed else min(needed)
                yield _fault((*where, number), f"`{text}` must have `{{{slot}}}` once", f"write `{{{slot}}}` in it")
                break
            repeated = [name for name in found if name not in REFERENCES and found.count(name) > 1]
            if repeated:
                yield _fault((*where, number), f"`{text}` has `{repeated[0]}` twice", "state a fact once")
                break


def _unknown(where: tuple[object, ...], keys: Any, known: Any) -> Iterator[_Fault]:
    for key in keys:
        if key not in known:
            hint = did_you_mean(key, known) or f"there is {', '.join(sorted(known))}"
            yield _fault((*where, key), f"`{key}` is unknown here", hint)


def _fault(where: tuple[object, ...], message: str, hint: str) -> _Fault:
    return ".".join(str(step) for step in where), message, hint


_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_BAR = re.compile(r"\|(?![^{}]*\})")  # not within a slot
MOST_EXPANSIONS = 96


def expanded(text: str) -> list[str]:
    """Return every text that the choices of `text` allow, the first branches first; at most `MOST_EXPANSIONS`."""
    texts, last = [""], 0
    for match in _CHOICE.finditer(text):
        before, branches = text[last : match.start()], _BAR.split(match[1])
        texts = [f"{one}{before}{branch}" for one in texts for branch in branches][:MOST_EXPANSIONS]
        last = match.end()
    return [_tidy(one + text[last:]) for one in texts]


def _tidy(text: str) -> str:
    """Close the gaps that empty branches leave."""
    return re.sub(r" +([.,;:?!])", r"\1", re.sub(r"  +", " ", text)).strip()
