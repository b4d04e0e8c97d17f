"""Read what an observation states: facts with their values, the names of entities, links.

The reader is perfect, and reads nothing that is not shown: it takes the statements of those stretches of pages that the
observation disclosed, as the world's mentions give them, and leaves out what a control hid. It cannot tell a mistake
from a truth: what a page states wrongly is read as it stands.

    reader = PageReader(world)
    reading = reader.read(observation)
    reading.statements[0]        ReadStatement("club/0031#founded", value=1911, written="1911", …)
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from worldforge.environments.disclosure import Disclosure, stands_in
from worldforge.environments.session import Observation
from worldforge.schema.column_paths import references_of
from worldforge.schema.web_section import authority_of
from worldforge.world.parquet_reader import row_range
from worldforge.world.site_figures import by_site, of_table, page_sites
from worldforge.world.stable_ids import entity_id, rows_of, split_fact
from worldforge.world.table_files import RELATIVE, TOTAL, TRUE_STANCES
from worldforge.world.value_formats import ValueFormats
from worldforge.world.value_text import as_written, kind_of, read_value
from worldforge.world.world import World

LINK = re.compile(r"\[([^\]\n]*)\]\((https?://[^)\s]+)\)")
_COLUMNS = ["fact", "start", "end", "stance", "value", "relative_to", "difference"]
_ENDS = ("source", "target")
_LISTS = ("pages.directory", "pages.statistics")  # which name, beside what the list is of, its entities alone
_PAGES_HELD = 4096  # episodes of a world open the same pages


@dataclass(frozen=True, slots=True)
class Source:
    """Where a statement was read: the page's row and title, its date, and how much its site's word counts."""

    page: int
    title: str
    published: datetime.date | None
    authority: float


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """What a page states of a fact: its value (an entity's id for a reference), and as a table would write it.

    With `relative_to` the value is that fact's plus `difference`, or the same where that is None, and `value` is None.
    `shown` is the value as the page writes it.
    """

    fact: str
    value: Any
    written: str
    relative_to: str = ""
    difference: float | None = None
    shown: str = field(default="", compare=False)


class _Group(NamedTuple):
    """What a list's entities have in common: their type, and what stands at the end of a path of references."""

    about: str
    path: str
    value: str
    written: str


@dataclass
class Reading:
    """What one observation of a page states.

    `names` are the entities that it names, by id; `links` the anchors and addresses of its links, in order.
    """

    source: Source
    statements: list[ReadStatement] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    links: list[tuple[str, str]] = field(default_factory=list)


class PageReader:
    """Reads pages of one world for any number of episodes."""

    def __init__(self, world: World) -> None:
        self._world, self._spec = world, world.spec
        self._mentions = world.stored("mentions.parquet")
        self._pages = world.stored("pages.parquet").select(["title", "kind", "published"])
        self._starts = np.searchsorted(rows_of(self._mentions["page"]), np.arange(self._pages.num_rows + 1))
        self._forms = ValueFormats.of_world(world)
        self._sites = page_sites(world)
        self._references = {
            name: references_of(self._spec, name) for name in (*self._spec.types, *self._spec.relations)
        }
        self._of_page = lru_cache(maxsize=_PAGES_HELD)(self._stated_on)
        self._held = lru_cache(maxsize=_PAGES_HELD)(self._read)

    def read(self, observation: Observation) -> Sequence[Reading]:
        """Return what an observation states, page by page; what is not shown in its text is left out."""
        altered = tuple((was.fact, was.shown) for was in observation.altered)
        return self._held(observation.text, tuple(observation.disclosed), altered)

    def _read(
        self, text: str, disclosed: Sequence[Disclosure], altered: Sequence[tuple[str, str]]
    ) -> Sequence[Reading]:
        readings: dict[int, Reading] = {}
        shown_as = dict(altered)
        for part in disclosed:
            reading = readings.setdefault(part.page, Reading(self._source(part.page)))
            for start, end, value, statement in self._of_page(part.page):
                if part.start <= start and end <= part.end and stands_in(value, text):
                    shown = shown_as.get(statement.fact)
                    reading.statements.append(
                        statement if shown is None else self._altered(part.page, statement.fact, shown)
                    )
        for reading in readings.values():
            reading.names = self._names(reading, text)
            reading.statements += self._implied(reading, text)
            reading.links = LINK.findall(text)
        return tuple(readings.values())

    def _implied(self, reading: Reading, text: str) -> list[ReadStatement]:
        """Return what a list says of all that it names by its title: of each of the `Towns of Velmar` where it lies.

        A list by a path, `town.region` of clubs, says what stands at its end: `club/0031#town.region`.
        """
        group = self._group_of(reading.source.page)
        if group is None or reading.source.title not in text:
            return []
        members = [entity for entity in reading.names if entity.partition("/")[0] == group.about]
        return [ReadStatement(f"{entity}#{group.path}", group.value, group.written) for entity in members]

    @cache  # noqa: B019
    def _group_of(self, page: int) -> _Group | None:
        """Return what those have in common that a page lists; None where it is no list by references."""
        kind = self._spec.pages.get(self._pages["kind"][page].as_py())
        if kind is None or kind.generator not in _LISTS or kind.by is None:
            return None
        target: str | None = kind.about
        for step in kind.by.split("."):
            target = self._references[target].get(step) if target else None
        title = self._pages["title"][page].as_py()
        for _, _, value, statement in self._of_page(page):
            table, row, column = split_fact(statement.fact)
            if table == target and column == "name" and value in title:
                return _Group(kind.about, kind.by, entity_id(table, row), value)
        return None

    def with_site_figures(self, reading: Reading, asked: Mapping[str, Collection[str]]) -> Reading:
        """Add to a reading what its site says of the figures that are `asked` of sites: by table and column, the sites.

        `{"club#capacity": ("herald", "own")}`: that a page of the herald gives a club's capacity is a statement of
        `club/0031#capacity@herald` too.
        """
        if not asked or self._sites is None:
            return reading
        found = []
        for one in reading.statements:
            entity, _, column = one.fact.partition("#")
            wanted = asked.get(f"{entity.partition('/')[0]}#{column}", ())
            if wanted and not one.relative_to:
                site = self._sites.name_of(reading.source.page, entity)
                found += [replace(one, fact=f"{entity}#{by_site(column, site)}")] if site in wanted else []
        return replace(reading, statements=[*reading.statements, *found]) if found else reading

    def host_of(self, site: str) -> str:
        """Return the host of a site by its key; empty where each entity has one of its own."""
        known = {} if self._sites is None else dict(zip(self._sites.names, self._sites.hosts, strict=True))
        return known.get(site, "")

    def end_of_row(self, row: str, end: str) -> str:
        """Return the entity at an end of a relation's row: at the `source` of `match/0012`."""
        table, _, number = row.partition("/")
        return str(self._cells(table, end)[int(number)])

    def plain(self, fact: str, value: Any) -> str:
        """Write a value of a fact's column as a table does."""
        table, _, column = split_fact(of_table(fact))
        return self._written(table, column, value)

    def read_plain(self, fact: str, written: str) -> Any:
        """Read a value of a fact's column as a table writes it; a text that is none comes back as it is."""
        table, _, column = split_fact(of_table(fact))
        return read_value(written, kind_of(self._table(table).schema.field(column).type))

    def name(self, entity: str) -> str:
        """Return the name of an entity whose id was read."""
        table, _, row = entity.partition("/")
        return str(self._cells(table, "name")[int(row)])

    def other_names(self, entity: str) -> Sequence[str]:
        """Return the other names of an entity whose id was read."""
        table, _, row = entity.partition("/")
        return self._aliases(table)[int(row)] or ()

    def entity_called(self, type_name: str, name: str) -> str:
        """Return the entity of a type that a text calls so; empty where there is none."""
        return self._by_name(type_name).get(name, "")

    def read_cell(self, table: str, path: str, text: str) -> Any:
        """Read a cell of another's table, of the column at the end of a path: of a reference the entity's id.

        None where it is no value of such a column.
        """
        *steps, column = of_table(path).split(".")
        for step in steps:
            table = self._references[table][step]
        if target := self._references[table].get(column):
            return self.entity_called(target, text) or text
        return read_value(text, kind_of(self._table(table).schema.field(column).type))

    def _source(self, page: int) -> Source:
        title, kind, published = (self._pages[name][page].as_py() for name in self._pages.column_names)
        return Source(page, title, published, self._authorities[kind])

    @cached_property
    def most_authority(self) -> float:
        """How much the word of the site counts that counts most."""
        return max(self._authorities.values(), default=0.0)

    @cached_property
    def _authorities(self) -> Mapping[str, float]:
        kinds = self._pages["kind"].unique().to_pylist()
        return {kind: authority_of(self._spec, kind) if kind in self._spec.pages else 0.0 for kind in kinds}

    def _stated_on(self, page: int) -> list[tuple[int, int, str, ReadStatement]]:
        first, end = int(self._starts[page]), int(self._starts[page + 1])
        rows = row_range(self._mentions, first, end - first, _COLUMNS)
        return [
            (start, stop, value, self._statement(page, fact, stance, value, other, difference))
            for fact, start, stop, stance, value, other, difference in zip(
                *(rows[name].to_pylist() for name in _COLUMNS), strict=True
            )
            if stance != TOTAL
        ]

    def _statement(
        self, page: int, fact: str, stance: str, value: str, other: str | None, difference: float | None
    ) -> ReadStatement:
        if stance == RELATIVE and other:
            return ReadStatement(fact, None, "", other, difference)
        if stance not in TRUE_STANCES:
            return self._altered(page, fact, value)
        table, row, column = split_fact(fact)
        if column in self._references[table]:
            return ReadStatement(fact, self._cells(table, column)[row], value, shown=value)
        return ReadStatement(fact, self._cells(table, column)[row], self._plain(table, column)[row], shown=value)

    def _altered(self, page: int, fact: str, shown: str) -> ReadStatement:
        """Read a value that is not the table's from its text."""
        table, _, column = split_fact(fact)
        target = self._references[table].get(column)
        if target is not None:
            return ReadStatement(fact, self._by_name(target).get(shown, shown), shown, shown=shown)
        form = self._forms.of(self._pages["kind"][page].as_py(), table, column)
        if form is not None:
            return ReadStatement(fact, form.read(shown), form.plainly(shown), shown=shown)
        kind = kind_of(self._table(table).schema.field(column).type)
        return ReadStatement(fact, read_value(shown, kind), shown, shown=shown)

    def _names(self, reading: Reading, text: str) -> dict[str, str]:
        """Return the entities that are named in a text, of those that it states facts of or refers to."""
        met: dict[str, None] = {}
        for statement in reading.statements:
            table, row, column = split_fact(statement.fact)
            for entity in self._entities(table, row):
                met[entity] = None
            if column in self._references[table] and isinstance(statement.value, str):
                met[statement.value] = None
            if statement.relative_to:
                met[statement.relative_to.partition("#")[0]] = None
        names = {}
        for entity in met:
            if entity.partition("/")[0] in self._spec.types and entity.partition("/")[2].isdigit():
                shown = next((name for name in self._called(entity) if name in text), "")
                if shown:
                    names[entity] = shown
        return names

    def _called(self, entity: str) -> Iterator[str]:
        yield self.name(entity)
        yield from self.other_names(entity)

    def _entities(self, table: str, row: int) -> list[str]:
        if table in self._spec.types:
            return [entity_id(table, row)]
        return [str(self._cells(table, end)[row]) for end in _ENDS]

    def _table(self, name: str) -> pa.Table:
        return self._world.entities(name) if name in self._spec.types else self._world.relation(name)

    @cache  # noqa: B019 (a reader lives as long as its world)
    def _cells(self, table: str, column: str) -> list[Any]:
        cells: list[Any] = self._table(table)[column].to_pylist()
        return cells

    @cache  # noqa: B019
    def _written(self, table: str, column: str, value: Any) -> str:
        held = self._table(table).schema.field(column).type
        return str(as_written(pa.array([value], held), kind_of(held), self._spec.languages[0])[0])

    @cache  # noqa: B019
    def _plain(self, table: str, column: str) -> list[str]:
        cells = self._table(table)[column].combine_chunks()
        written: list[str] = as_written(cells, kind_of(cells.type), self._spec.languages[0]).to_pylist()
        return written

    @cache  # noqa: B019
    def _aliases(self, type_name: str) -> list[Sequence[str]]:
        aliases: list[Sequence[str]] = self._table(type_name)["aliases"].to_pylist()
        return aliases

    @cache  # noqa: B019
    def _by_name(self, type_name: str) -> Mapping[str, str]:
        return {
            name: entity_id(type_name, row)
            for row, own in enumerate(zip(self._cells(type_name, "name"), self._aliases(type_name), strict=True))
            for name in (own[0], *(own[1] or ()))
        }
