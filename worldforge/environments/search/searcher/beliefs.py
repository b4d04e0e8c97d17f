"""What a searcher holds to be so: facts with their sources, names, rows of relations, and where pages disagree."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from worldforge.environments.search.searcher.page_reading import PageReader, Reading, Source, Statement
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.stable_ids import entity_id, split_fact
from worldforge.world.value_text import added

_ENDS = ("source", "target")
_FIRST_DAY = datetime.date.min
Rule = Literal["date", "authority", "majority"]


class Known(NamedTuple):
    """The value of a fact as it is believed; of a reference the id of an entity. `written` is how a table writes it."""

    value: Any
    written: str


@dataclass(frozen=True, slots=True)
class News:
    """What one reading added: facts that were not known or are contested now, entities that were not named."""

    facts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()


class Beliefs:
    """The beliefs of one episode. `rule` is how the question says that disagreement is to be settled, if it does.

    `names` has the name of each entity met, `links` the addresses by the words of the links that lead there; `rows`
    the rows of relations read, by relation, end and the entity there; `referring` the entities of a type that refer to
    one, by type, column and that entity.
    """

    def __init__(self, spec: WorldSpec, reader: PageReader, rule: Rule | None) -> None:
        self._spec, self._reader, self._rule = spec, reader, rule
        self._stated: dict[str, list[tuple[Statement, Source]]] = {}
        self._settled: dict[str, Known | None] = {}
        self._waiting: dict[str, set[str]] = {}
        self.names: dict[str, str] = {}
        self.of_type: dict[str, dict[str, None]] = {name: {} for name in spec.types}
        self.rows: dict[tuple[str, str, str], dict[str, None]] = {}
        self.referring: dict[tuple[str, str, str], dict[str, None]] = {}
        self.columns_of: dict[str, set[str]] = {}
        self._references: Mapping[str, Mapping[str, str]] = {
            name: references_of(spec, name) for name in (*spec.types, *spec.relations)
        }

    def take(self, reading: Reading) -> News:
        """Note what a page states. Repeats count as further sources."""
        names = [entity for entity in reading.names if entity not in self.names]
        self.names.update({entity: reading.names[entity] for entity in names})
        for entity in names:
            self.of_type[entity.partition("/")[0]][entity] = None
        changed: dict[str, None] = {}
        contested: list[str] = []
        for statement in reading.statements:
            if self._add(statement, reading.source):
                before = self.known(statement.fact)
                self._forget(statement.fact)
                if before is None:
                    changed[statement.fact] = None
                elif not statement.relative_to and before.value != statement.value:
                    contested.append(statement.fact)
                    changed[statement.fact] = None
        return News(tuple(changed), tuple(names), tuple(contested))

    def known(self, fact: str) -> Known | None:
        """Return what is believed of a fact; None where nothing was read that says it."""
        if fact not in self._settled:
            self._settled[fact] = self._settle(fact)
        return self._settled[fact]

    def sources(self, fact: str) -> list[tuple[Statement, Source]]:
        """Return the statements of a fact, in the order in which they were read."""
        return self._stated.get(fact, [])

    def is_contested(self, fact: str) -> bool:
        """Return whether pages read state different values of a fact."""
        return len({repr(one.value) for one, _ in self.sources(fact) if not one.relative_to}) > 1

    def ends(self, row: str) -> list[str]:
        """Return the named entities at the ends of a relation's row that was read."""
        return [end for column in _ENDS if (end := self._end(row, column)) in self.names]

    def _end(self, row: str, column: str) -> str:
        return self._reader.end_of_row(f"{row}#{column}")

    def value_of(self, table: str, row: str, column: str) -> Known | None:
        """Return what is believed of a column; of a relation's end, once its row was read on a page that names it."""
        known = self.known(f"{row}#{column}")
        if known is None and table in self._spec.relations and column in _ENDS and row in self.columns_of:
            end = self._end(row, column)
            return Known(end, self.names[end]) if end in self.names else None
        return known

    def _add(self, statement: Statement, source: Source) -> bool:
        """Note a statement; say whether it was not noted from this page before."""
        stated = self._stated.setdefault(statement.fact, [])
        if any(one == statement and other.page == source.page for one, other in stated):
            return False
        stated.append((statement, source))
        table, number, column = split_fact(statement.fact)
        row = entity_id(table, number)
        self.columns_of.setdefault(row, set()).add(column)
        if statement.relative_to:
            self._waiting.setdefault(statement.relative_to, set()).add(statement.fact)
        if table in self._spec.relations:
            for end in _ENDS:
                self.rows.setdefault((table, end, self._end(row, end)), {})[row] = None
        if column in self._references[table] and isinstance(statement.value, str):
            self.referring.setdefault((table, column, statement.value), {})[row] = None
        return True

    def _forget(self, fact: str) -> None:
        """Drop what was settled of a fact, and of those stated relative to it."""
        self._settled.pop(fact, None)
        for other in self._waiting.get(fact, ()):
            if other in self._settled:
                self._forget(other)

    def waiting_on(self, fact: str) -> Iterator[str]:
        """Yield the facts that are stated relative to this one."""
        yield from self._waiting.get(fact, ())

    def missing_for(self, fact: str) -> Iterator[str]:
        """Yield the facts that an unknown one is stated relative to: to know them is to know it."""
        yield from (one.relative_to for one, _ in self.sources(fact) if one.relative_to)

    def _settle(self, fact: str) -> Known | None:
        self._settled[fact] = None  # what is relative to itself stays unknown
        direct = [(Known(one.value, one.written), source) for one, source in self.sources(fact) if not one.relative_to]
        if not direct:
            return next((found for one, _ in self.sources(fact) if (found := self._related(one))), None)
        return max(enumerate(direct), key=lambda one: (*self._weight(one[1], direct), -one[0]))[1][0]

    def _weight(self, one: tuple[Known, Source], among: list[tuple[Known, Source]]) -> tuple[Any, ...]:
        known, source = one
        n_pages = len({other.page for same, other in among if same.value == known.value})
        published = source.published or _FIRST_DAY
        match self._rule:
            case "date":
                return (published, n_pages)
            case "authority":
                return (source.authority, published, n_pages)
            case _:
                return (n_pages, published)

    def _related(self, statement: Statement) -> Known | None:
        other = self.known(statement.relative_to)
        if other is None:
            return None
        if statement.difference is None:
            return other
        value = added(other.value, statement.difference)
        return None if value is None else Known(value, self._reader.plain(statement.fact, value))
