"""What the function of a page kind is given: a page to write on, and what that page may state.

    def notice(page: Page, subject: Subject) -> Annotated[None, Layout(path="/notices/{name}", site="Notices")]:
        page.heading("Notice: {name}", name=subject.name)
        for fact in subject.facts:
            page.say("The {label} is {value}.", label=fact.attribute.label, value=fact.value)

The second parameter's annotation says what one page is about: `Subject` an entity, `Listing` a run of entities,
`Original` a page of another site, `Continuation` a later part of a page. The return annotation, a `Layout`, says how
such pages stand on the web. Keyword-only parameters are what a spec's `params` may give.

Texts are Markdown. A `Value` that is written leaves a mark: where it stands in the text, and which fact it states.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from worldforge.core.chance import Draws
from worldforge.core.columns import ValueKind
from worldforge.core.errors import InputError
from worldforge.world.marked_text import MarkedText
from worldforge.world.phrases import Phrases

_SLOT = re.compile(r"\{([a-z_]+)\}")
NO_FACT = -1
"""The code of a value that states no fact."""
NAVIGATION = -2
"""The code of a link between the parts of a list or a table: it always holds the current address."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How pages of one kind stand on the web; the default suits any page."""

    path: str = "/{kind}/{name}"
    """The address below the host: `{kind}` is the kind's key, `{name}` the name of what the page is about."""
    site: str = "Pages"
    """What the site is called, after the world's name, where the spec gives none."""
    max_age: int = 365
    """Pages are published at most so many days before the world's today."""
    own_host: bool = False
    """Whether every entity has such a page on a host of its own."""
    article: bool = False
    """Whether references to an entity link to such a page."""
    relations: bool = True
    """Whether such a page shows the rows of relations that it is given, as tables or otherwise."""
    languages: tuple[str, ...] = ("en", "zh")
    """The languages that such pages can be written in."""
    heading: str = "{plural}{of_group}"
    """What a list is called: `Football clubs of Ostren`; `{of_group}` is empty where one list holds all."""
    shared: bool = False
    """Whether each list holds the entities that share one name, by which it is called: `{group}` in its heading."""
    continued: str = "pages.continued"
    """The generator of the pages on which their tables go on, where a spec cuts them into parts."""
    tabular: bool = False
    """Whether its facts stand in tables or lists: such pages state only the columns that may stand there."""
    long: bool = False
    """Whether such a page is a document of over 1,500 words: some facts stand in those alone."""
    introduces: bool = False
    """Whether such a page gives the aliases of its subject (`Subject.aliases`)."""


class Value(NamedTuple):
    """A text that a page may write, the fact that it states, and the page that it links to."""

    text: str
    code: int = NO_FACT
    """The code of the column (or of its version), NO_FACT or NAVIGATION."""
    row: int = -1
    """The row of that column's table."""
    suffix: str = ""
    """Written after the text, and no part of the fact: a unit (` km²`), or what tells homonyms apart (` (Ostren)`)."""
    target: int = -1
    """The number of the page that it links to; -1 for none."""
    also: tuple[tuple[int, int], ...] = ()
    """Code and row of further facts that it states, in a merged cell."""

    @property
    def bare(self) -> Value:
        """The same without its suffix and its link."""
        return self._replace(suffix="", target=-1)

    def merged(self, others: Iterable[Value]) -> Value:
        """Let the value stand for others of the same text as well."""
        return self._replace(also=tuple((other.code, other.row) for other in others))


Text = str | Value | Sequence["str | Value"]
"""What can be written into a slot."""


@dataclass(frozen=True, slots=True)
class PageAttribute:
    """A column as pages of a kind state it: its label, unit and sentences are in their language."""

    key: str
    label: str
    unit: str
    kind: ValueKind
    sentences: tuple[str, ...]
    refers: bool
    """Whether its values name entities."""
    is_open: bool = True
    """Whether it may stand in tables and lists, not only in prose."""

    @property
    def is_figure(self) -> bool:
        """Whether a table sets it to the right."""
        return self.kind in ("integer", "number", "year")


class Fact(NamedTuple):
    """A value of an attribute."""

    attribute: PageAttribute
    value: Value


class Comparison(NamedTuple):
    """An attribute whose value is stated beside that of another entity of the same type."""

    attribute: PageAttribute
    other: Value
    """The name of the other entity; writing it states the fact."""
    difference: int | None
    """How much more the value is (less, below 0), of years how many later; None where both have the same value."""
    label: str
    """What the attribute is called in running text."""
    unit: str
    """The unit of the difference, with what stands before it: ` km`."""
    noun: str
    """What the value is: `town` of a reference to a town; empty for others."""


@dataclass(frozen=True, slots=True)
class RelatedRows:
    """The rows of a relation that a subject has."""

    key: str
    title: str
    attributes: tuple[PageAttribute, ...]
    """The other side first, then the relation's own columns."""
    rows: Sequence[tuple[Value | None, ...]]
    """One value an attribute, None where it is missing or not stated."""
    next: Value | None = None
    """The link to the page on which the rows go on; it must stand below them."""
    other: Callable[[int], Subject | None] = lambda _place: None
    """Return the other side of the row at a place, with some facts that may be stated of it."""


class Referrers(NamedTuple):
    """Entities of one type whose column names an entity, in the order of the table."""

    column: str
    plural: str
    """What entities of the type are called: `battles`."""
    entities: Sequence[Subject]
    """With some facts that may be stated of them; the column is not among these."""


@dataclass(slots=True)
class Subject:
    """An entity, and what a page may state about it."""

    row: int
    label: str
    """What it is: `football club`."""
    plural: str
    name: Value
    title: Value
    """Its name, with what tells it from entities of the same name: `Velmar (Ostren)`."""
    called: Value
    """What a text calls it: its name, or at times an alias."""
    linked_name: Value
    """The same, linked to the entity's article where it has one; the linked title on pages of shared names."""
    original: Value | None
    """Its name, where `name` is an alias in the page's own script."""
    aliases: Sequence[str | Value]
    """Its aliases, joined for a sentence: `VR and The Rovers`; empty where it has none."""
    attributes: tuple[PageAttribute, ...]
    values: tuple[Value | None, ...]
    """One value an attribute, None where it is missing or not stated."""
    relations: tuple[RelatedRows, ...]
    see_also: Callable[[], list[Value]]
    """Return links to similar entities, and to lists that the subject stands in."""
    other_pages: Callable[[], list[Value]] = list
    """Return links to pages of other kinds about the subject, each called by its site."""
    comparisons: tuple[Comparison, ...] = ()
    """What may be stated beside other entities alone."""
    type: str = ""
    """The key of its type: `club`."""
    pronoun: str = "it"
    """`it`, `he` or `she`."""
    other: Callable[[str], Subject | None] = lambda _key: None
    """Return what a column refers to, with some facts that may be stated of it."""
    similar: Callable[[], list[Subject]] = list
    """Return similar entities, with some facts that may be stated of them."""
    referrers: Callable[[], list[Referrers]] = list
    """Return what refers to it, with some facts that may be stated of each."""

    @property
    def facts(self) -> list[Fact]:
        """What may be stated, in the order of the spec."""
        pairs = zip(self.attributes, self.values, strict=True)
        return [Fact(attribute, value) for attribute, value in pairs if value is not None]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a list of entities."""

    heading: str
    """What the list is called, with `{group}` where a group's name stands: `Football clubs of {group}`."""
    group: Value | None
    number: int
    """Which page of its list it is, from 1."""
    of: int
    """How many pages its list has."""
    previous: Value | None
    next: Value | None
    attributes: tuple[PageAttribute, ...]
    label: str
    plural: str
    items: Sequence[Subject]


@dataclass(frozen=True, slots=True)
class Continuation:
    """A page on which the tables of a page about an entity go on."""

    subject: Subject
    """With the rows of relations that are to stand here, and no values of its own."""
    number: int
    """Which part of its subject's pages it is, from 2."""
    of: int
    previous: Value | None
    next: Value | None


@dataclass(frozen=True, slots=True)
class Original:
    """A page that is to stand again on another site."""

    title: str
    text: MarkedText
    published: datetime.date
    site: str


class Page:
    """A page that is being written.

    `say` puts sentences into paragraphs: what parts one from the next is added, in English a space.
    """

    __slots__ = (
        "_address", "_in_paragraph", "as_of", "draws", "language", "more", "not_before", "number", "others", "phrases",
        "published", "seed", "site", "text", "title", "used",
    )  # fmt: skip

    def __init__(
        self,
        *,
        site: str,
        language: str,
        published: datetime.date,
        as_of: datetime.date,
        draws: Draws,
        number: int = 0,
        not_before: datetime.date | None = None,
        address: Callable[[int, int, bool], tuple[str, bool]] = lambda source, target, moves: ("", False),
        phrases: Phrases | None = None,
        more: Sequence[Value] = (),
        seed: int = 0,
    ) -> None:
        self.site = site
        self.language = language
        self.published = published
        self.as_of = as_of
        self.draws = draws
        """The page's own randomness; nothing else may be random."""
        self.number = number
        self.not_before = not_before
        """The day of the latest thing that the page tells of; None where it tells of none."""
        self.phrases = phrases
        """The phrasebook of the page's language; None where the spec has none."""
        self.more = more
        """Links to more pages of its site; a page that leaves them out may leave others without a link to them."""
        self.seed = seed
        """The world's seed, by which wordings are chosen that all its pages share; `draws` is for all else."""
        self.others: set[tuple[str, int]] = set()
        """Other entities of which the page has told something: type and row."""
        self.used: set[str] = set()
        """The entries of the phrasebook that the page has used: it uses others as long as there are some."""
        self.title = ""
        """What the page is called; set by the first heading."""
        self.text = MarkedText()
        self._address = address
        self._in_paragraph = False

    def write(self, *parts: Text | None) -> None:
        """Write parts as they are, one after the other; None writes nothing."""
        self._write(parts)

    def fill(self, template: str, **slots: Text | None) -> bool:
        """Write a template with its `{slots}` filled; write nothing and return False where one of them is None.

        Only `{name}` is special. Raises InputError for a slot that is not given.
        """
        texts, names = _cut(template)
        if not names:
            self.text.pieces.append(template)
            return True
        if None in slots.values() and any(slots.get(name, "") is None for name in names):
            return False
        try:
            self._write([slots[part] if place % 2 else part for place, part in enumerate(texts)])
        except KeyError as error:
            known = ", ".join(f"{{{known}}}" for known in slots)
            raise InputError(f"`{template}` has an unknown slot `{{{error.args[0]}}}`", f"there is {known}") from None
        return True

    def heading(self, template: str, level: int = 1, **slots: Text | None) -> None:
        """Write a heading; the first one is the page's title, unless that is set."""
        self._begin_block()
        self.text.write("#" * level + " ")
        place = len(self.text.pieces)
        self.fill(template, **slots)
        self.title = self.title or "".join(self.text.pieces[place:])
        self.text.write("\n\n")

    def say(self, template: str, **slots: Text | None) -> bool:
        """Add a sentence to the paragraph. Return False, and add nothing, where one of its slots is None."""
        if not template or (None in slots.values() and any(slots.get(name, "") is None for name in _cut(template)[1])):
            return False
        self.begin_sentence()
        return self.fill(template, **slots)

    def say_parts(self, parts: Iterable[Text]) -> None:
        """Add a sentence that is given in parts to the paragraph."""
        self.begin_sentence()
        self._write(parts)

    @property
    def in_paragraph(self) -> bool:
        """Whether a sentence stands before the next one in its paragraph."""
        return self._in_paragraph

    def end_paragraph(self) -> None:
        """End the paragraph, if one has begun."""
        if self._in_paragraph:
            self.text.write("\n\n")
        self._in_paragraph = False

    def end_line(self) -> None:
        """End the paragraph without an empty line after it: an item of a list."""
        self._in_paragraph = False
        self.text.write("\n")

    def line(self, template: str, **slots: Text | None) -> bool:
        """Write a template as a line of its own."""
        self.end_paragraph()
        if not self.fill(template, **slots):
            return False
        self.text.write("\n")
        return True

    def table(self, headings: Sequence[str], rows: Iterable[Sequence[Text | None]], right: Sequence[bool] = ()) -> None:
        """Write a Markdown table and an empty line; `right` says which columns are set to the right.

        An empty cell holds a dash.
        """
        self._begin_block()
        aligned = [*right, *[False] * (len(headings) - len(right))]
        self.text.write(f"| {' | '.join(headings)} |\n|{'|'.join('---:' if one else ':---' for one in aligned)}|\n")
        for row in rows:
            cells: list[Text] = []
            for cell in row:
                cells += [" | ", "–" if cell is None else cell]
            cells[0] = "| "
            self._write([*cells, " |\n"])
        self.text.write("\n")

    def begin_sentence(self) -> None:
        """Part what is written next from the sentence before it in the paragraph, or begin a paragraph."""
        if not self._in_paragraph:
            self._begin_block()
            self._in_paragraph = True
        elif self.language != "zh":
            self.text.pieces.append(" ")

    def _begin_block(self) -> None:
        """End what stands before with an empty line, if a line has ended there."""
        self.end_paragraph()
        pieces = self.text.pieces
        if pieces and pieces[-1][-1:] == "\n" and "".join(pieces[-2:])[-2:] != "\n\n":
            pieces.append("\n")

    def _write(self, parts: Iterable[Text | None]) -> None:
        """Write parts and mark what they state."""
        append = self.text.pieces.append
        for part in parts:
            if isinstance(part, str):
                append(part)
            elif isinstance(part, Value):
                self.write_value(part)
            elif part is not None:
                self._write(part)

    def write_value(self, value: Value) -> None:
        """Write a value as it is, with its mark and its link."""
        words, code, row, suffix, target, also = value
        text = self.text
        pieces = text.pieces
        if target >= 0:
            url, gone = self._address(self.number, target, code != NAVIGATION)
            pieces.append("[")
        place = len(pieces)
        pieces.append(words)
        if suffix:
            pieces.append(suffix)
        if target >= 0:
            text.linked += (place, len(pieces), -1 if gone else target)
            pieces.append(f"]({url})")
        if code >= 0:
            text.marked += (place, place + 1, code, row)
            for fact in also:
                text.marked += (place, place + 1, *fact)


@lru_cache(maxsize=65536)
def _cut(template: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Cut a template at its slots: texts and names of slots in turn, and the names alone."""
    pieces = tuple(_SLOT.split(template))
    return pieces, pieces[1::2]
