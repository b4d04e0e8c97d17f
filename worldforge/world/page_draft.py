"""What a page generator is given and what it gives back.

    def encyclopedia(stream: Stream, subjects: Subjects, *, …) -> Annotated[Draft, Layout(path="/wiki/{name}")]
    def directory(stream: Stream, listing: Listing, *, …) -> Annotated[Draft, Layout(…)]
    def reprint(stream: Stream, originals: Originals, *, …) -> Annotated[Draft, Layout(…)]
    def continued(stream: Stream, parts: Continued) -> Draft

The second parameter's annotation says what one page is about: `Subjects` an entity, `ListingPages` a run of entities,
`OriginalPages` a page of another site, `ContinuedPages` a later part of a page. The return annotation, a `Layout`, says
how such pages stand on the web. Keyword-only parameters are what a spec's `params` may give.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from worldforge.core.columns import ValueKind
from worldforge.world.passages import Passages, Positions


@dataclass(frozen=True, slots=True)
class Layout:
    """How pages of one sort stand on the web; the default suits any page."""

    path: str = "/{kind}/{name}"
    """The address below the host: `{kind}` is the kind's key, `{name}` the name of what the page is about."""
    site: str = "Pages"
    """What the site is called, after the world's name, where the spec gives none."""
    own_host: bool = False
    """Whether every entity has such a page on a host of its own."""
    article: bool = False
    """Whether what refers to an entity links to such a page."""
    relations: bool = True
    """Whether such a page shows the rows of relations that it is given, as tables or otherwise."""
    languages: tuple[str, ...] = ("en", "zh")
    """What such pages can be written in."""
    heading: str = "{plural}{of_group}"
    """What a list is called: `Football clubs of Ostren`; `{of_group}` is empty where one list holds all."""
    shared: bool = False
    """Whether each list holds the entities that share one name, by which it is called: `{group}` in its heading."""
    continued: str = "pages.continued"
    """The generator of the pages on which their tables go on, where a spec cuts them into parts."""
    introduces: bool = False
    """Whether such a page says by which other names its subject is known (`Subjects.also`)."""


@dataclass(frozen=True, slots=True)
class PageColumn:
    """A column as pages state it, one passage a row; nothing where the value is missing or is to be left out."""

    key: str
    label: str
    unit: str
    kind: ValueKind
    sentences: tuple[str, ...]
    refers: bool
    bare: Passages
    """The value as written, marked as its fact."""
    value: Passages
    """The same with its unit, and linked to the article of what it refers to."""


@dataclass(frozen=True, slots=True)
class RelatedRows:
    """The rows of a relation that each subject has: subject i's are offsets[i] to offsets[i + 1]."""

    key: str
    title: str
    offsets: Positions
    columns: tuple[PageColumn, ...]
    """The other side first, then the relation's own columns; one passage a row of the relation."""
    more: Passages | None = None
    """The link to the page on which a subject's rows go on, which is to stand below them; None where pages are whole.
    """


@dataclass(frozen=True, slots=True)
class Subjects:
    """n entities of one type, and what may be said of them."""

    rows: Positions
    """Row numbers in the type's table, by which chance is drawn."""
    label: str
    plural: str
    names: Passages
    """Marked as the fact that it is the entity's name."""
    titles: Passages
    """What articles on them are headed: their names, and what tells apart who shares one: `Velmar (Ostren)`."""
    called: Passages
    """What a text calls them: their names, or at times an alias, marked likewise."""
    linked_names: Passages
    """The same as `called`, linked to the entity's article where it has one; `titles` on pages of shared names."""
    also: Passages
    """Their aliases, marked and put in a row: `VR and The Rovers`; nothing where an entity has none."""
    columns: tuple[PageColumn, ...]
    relations: tuple[RelatedRows, ...]
    elsewhere: Callable[[], tuple[Passages, ...]]
    """Gives links to like subjects and to lists that the subject stands in; nothing where there is none.

    They are written when they are asked for: most kinds of pages have no room for them.
    """
    site: str
    as_of: datetime.date
    published: pa.Array | None = None
    """The pages' days of publication (date32), where they are settled before a page is written."""
    not_before: Positions | None = None
    """The day of the latest thing that each page may tell of (days from 1970-01-01): it is published then or later."""
    original: Passages | None = None
    """Their names, marked, where `names` has them in another script; nothing for the others."""
    language: str = "en"
    """What the page is to be written in; labels, units and values are in it already."""


@dataclass(frozen=True, slots=True)
class ContinuedPages:
    """n pages on which the tables of pages about entities go on."""

    subjects: Subjects
    """What they are about, with the rows of relations that are to stand here, and nothing else of its own."""
    number: Positions
    """Which part of its subject's pages each is, from 2."""
    of: Positions
    previous: Passages
    next: Passages


@dataclass(frozen=True, slots=True)
class ListingPages:
    """n pages of lists: page i lists the items offsets[i] to offsets[i + 1], in the order given."""

    rows: Positions
    """Page numbers within the kind, by which chance is drawn."""
    headings: Passages
    number: Positions
    """Which page of its list each is, from 1."""
    of: Positions
    """How many pages its list has."""
    previous: Passages
    next: Passages
    offsets: Positions
    items: Subjects
    site: str
    as_of: datetime.date
    published: pa.Array | None = None
    """The pages' days of publication (date32), where they are settled before a page is written."""
    not_before: Positions | None = None
    """The day of the latest thing that each page may tell of (days from 1970-01-01): it is published then or later."""


@dataclass(frozen=True, slots=True)
class OriginalPages:
    """n pages that are to stand again on another site: their titles, texts with all that they state, days."""

    rows: Positions
    """Numbers of the copies within their kind, by which chance is drawn."""
    titles: pa.Array
    text: Passages
    published: pa.Array
    first_site: str
    """What the site that they stand on is called."""
    site: str
    """What the site of the copies is called."""
    as_of: datetime.date
    language: str = "en"
    """What they are written in."""


@dataclass(frozen=True, slots=True)
class PageDraft:
    """n pages as written: titles (string), texts in Markdown that say what they state, days of publication (date32)."""

    title: pa.Array
    text: Passages
    published: pa.Array
