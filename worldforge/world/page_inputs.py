"""What the function of a page kind may state: entities, lists, pages to copy, and the values of their facts."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from worldforge.core.columns import ValueKind
from worldforge.world.marked_text import MarkedText

NO_FACT = -1
"""The code of a value that states no fact."""
NAVIGATION = -2
"""The code of a link between the parts of a list or a table: it always holds the current address."""


ListsBy = Literal["", "values", "figures"]
"""How a kind of page lists entities: once, by each column's values, or ranked by figures."""


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
    lists_by: ListsBy = ""
    """Whether such pages list all entities of a type by each of some columns: `{column}` in their heading."""
    site_map: bool = False
    """Whether such pages are the map of their site, and about no entity."""
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
    is_amount: bool = True
    """Whether its numbers say how much: no places in an order, no line or fleet numbers."""

    @property
    def is_figure(self) -> bool:
        """Whether a table sets it to the right."""
        return self.kind in ("integer", "number", "year")


class Fact(NamedTuple):
    """A value of an attribute."""

    attribute: PageAttribute
    value: Value


class FactComparison(NamedTuple):
    """A fact that is stated relative to the same attribute of another entity of the type."""

    attribute: PageAttribute
    other: Value
    """The name of the other entity; writing it states the fact."""
    difference: float | None
    """How much more the value is (less, below 0), of years how many later, of dates how many days; None: the same."""
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
    """With some facts that may be stated of them, the column among these where it may."""


@dataclass(slots=True)
class Subject:
    """An entity, and what a page may state about it.

    Its fields are flat: page functions, the user's own among them, read them by name.
    """

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
    comparisons: tuple[FactComparison, ...] = ()
    """The facts that may be stated only relative to other entities'."""
    addresses: tuple[Fact, ...] = ()
    """Where its own sites are, as pages of its kind may state: they stand in none of its attributes."""
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
    history: Callable[[], tuple[RelatedRows, ...]] = tuple
    """Return the rows of relations that it has, the first of them; `relations` are those that a kind is to state."""

    @property
    def facts(self) -> list[Fact]:
        """What may be stated, in the order of the spec."""
        pairs = zip(self.attributes, self.values, strict=True)
        return [Fact(attribute, value) for attribute, value in pairs if value is not None]


@dataclass(frozen=True, slots=True)
class Event:
    """A row of a relation that has a page of its own, and what that page may state."""

    key: str
    """The relation: `match`."""
    title: str
    """What its rows are called together: `Matches`."""
    attributes: tuple[PageAttribute, ...]
    """Both ends (`source`, `target`), then the relation's own columns."""
    values: tuple[Value | None, ...]
    """One value an attribute, None where it is missing or not stated."""
    is_retold: bool
    """Whether the page looks back at it; others are written within days, or within the year where it has no day."""
    other: Callable[[str], Subject | None]
    """Return what an end or another column refers to, with some facts that may be stated of it."""
    earlier: Callable[[], list[dict[str, Value]]]
    """Return rows of the same source that came before, the latest first, by column as far as they may be stated."""
    alongside: Callable[[], list[dict[str, Value]]]
    """Return rows of other sources of about the same time."""

    @property
    def known(self) -> dict[str, Value]:
        """What may be stated, by column."""
        pairs = zip(self.attributes, self.values, strict=True)
        return {attribute.key: value for attribute, value in pairs if value is not None}


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
    by: PageAttribute | None = None
    """The column that the list is by, in whose order the items stand; their values are of it alone, if it is open."""
    first: int = 1
    """The place of the first item in the list."""
    totals: Sequence[Value | None] = ()
    """For each attribute the sum over the whole list, None where it has none; empty where the list has no totals."""


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
class MapSection:
    """The pages of one kind, as the map of their site has them."""

    plural: str
    """What entities of their type are called: `football clubs`."""
    sort: str
    """The name of the function that writes them: `interview`."""
    is_list: bool
    """Whether they are lists, each called by its own heading."""
    n_pages: int
    links: Sequence[Value]
    """Links to them; empty where they stand on pages of their own."""
    first: Value | None
    """The link to the first of those pages."""


@dataclass(frozen=True, slots=True)
class SiteMap:
    """A page of the map of a site: its root, with all sections, or a page of the links of one."""

    sections: Sequence[MapSection]
    root: Value | None
    """The link to the root; None on the root itself."""
    number: int
    """Which page of its section it is, from 1."""
    of: int
    previous: Value | None
    next: Value | None


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A page as its site had it years ago."""

    write: Callable[[Any], None]
    """Writes it on a `Page`, by the function of its kind."""
    archive: str
    """What the site is called that keeps the copy."""
    live: Value
    """The link to the page as it is today, called by its address."""


@dataclass(frozen=True, slots=True)
class Original:
    """A page that is to stand again on another site."""

    title: str
    text: MarkedText
    published: datetime.date
    site: str
