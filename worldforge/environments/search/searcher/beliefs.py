"""What a searcher holds to be so: facts with their sources, names, rows of relations, and where pages disagree."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from worldforge.environments.search.searcher.page_reading import PageReader, Reading, ReadStatement, Source
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.value_text import added

_ENDS = ("source", "target")
_DISAGREE = 2  # pages, or values, of which one at least differs
_FIRST_DAY = datetime.date.min
Rule = Literal["date", "authority", "majority"]


class Known(NamedTuple):
    """The value of a fact as it is believed; of a reference the id of an entity. `written` is how a table writes it."""

    value: Any
    written: str


@dataclass(frozen=True, slots=True)
class News:
    """What one reading added: facts that were not known or are contested now, entities that were not named.

    `confirmed` are facts that were doubtful, of which it says what was believed; `resolved` those that other pages gave
    relative to one that is known now, by that one.
    """

    facts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    resolved: tuple[tuple[str, str], ...] = ()


class Beliefs:
    """The beliefs of one episode. `rule` is how the question says that disagreement is to be settled, if it does.

    `contested` are the facts on which pages disagreed. `names` has the name of each entity met, `links` the addresses
    by the words of the links that lead there; `rows`
    the rows of relations read, by relation, end and the entity there; `referring` the entities of a type that refer to
    one, by type, column and that entity; `references` the columns of each table that hold references, and to what.
    """

    def __init__(self, spec: WorldSpec, reader: PageReader, rule: Rule | None) -> None:
        self._spec, self._reader, self._rule = spec, reader, rule
        self._stated: dict[str, list[tuple[ReadStatement, Source]]] = {}
        self._settled: dict[str, Known | None] = {}
        self._waiting: dict[str, dict[str, None]] = {}
        self.contested: set[str] = set()
        self.names: dict[str, str] = {}
        self.of_type: dict[str, dict[str, None]] = {name: {} for name in spec.types}
        self.rows: dict[tuple[str, str, str], dict[str, None]] = {}
        self.referring: dict[tuple[str, str, str], dict[str, None]] = {}
        self._ends: dict[str, dict[str, str]] = {}
        self.references: Mapping[str, Mapping[str, str]] = {
            name: references_of(spec, name) for name in (*spec.types, *spec.relations)
        }

    def take(self, reading: Reading) -> News:
        """Note what a page states. Repeats count as further sources."""
        names = [entity for entity in reading.names if entity not in self.names]
        for entity in names:
            self.know(entity, reading.names[entity])
        changed: dict[str, None] = {}
        contested: list[str] = []
        confirmed: list[str] = []
        resolved: dict[str, str] = {}
        for statement in reading.statements:
            before, doubtful = self.known(statement.fact), self.is_doubtful(statement.fact)
            waiting = [] if before is not None else self._unknown_by(statement.fact)
            if self._add(statement, reading):
                self._forget(statement.fact)
                if before is None:
                    changed[statement.fact] = None
                    resolved |= {one: statement.fact for one in waiting if self.known(one) is not None}
                elif not statement.relative_to and before.value != statement.value:
                    contested.append(statement.fact)
                    self.contested.add(statement.fact)
                    changed[statement.fact] = None
                elif doubtful and not statement.relative_to:
                    confirmed.append(statement.fact)
        fresh = tuple((one, other) for one, other in resolved.items() if one not in changed)
        return News(tuple(changed), tuple(names), tuple(contested), tuple(confirmed), fresh)

    def _unknown_by(self, fact: str) -> list[str]:
        """Return the unknown facts that were stated relative to one."""
        return [one for one in self._waiting.get(fact, ()) if self.known(one) is None]

    def know(self, entity: str, name: str) -> None:
        """Note what an entity is called."""
        self.names[entity] = name
        self.of_type[entity.partition("/")[0]][entity] = None

    def withdraw(self, statement: ReadStatement, page: int) -> None:
        """Take back what was noted from a page."""
        kept = [one for one in self.sources(statement.fact) if one[0] != statement or one[1].page != page]
        self._stated[statement.fact] = kept
        self._forget(statement.fact)

    def known(self, fact: str) -> Known | None:
        """Return what is believed of a fact; None where nothing was read that says it."""
        if fact not in self._stated:
            return None
        if fact not in self._settled:
            self._settled[fact] = self._settle(fact)
        return self._settled[fact]

    def sources(self, fact: str) -> list[tuple[ReadStatement, Source]]:
        """Return the statements of a fact, in the order in which they were read."""
        return self._stated.get(fact, [])

    def is_doubtful(self, fact: str) -> bool:
        """Return whether pages disagree on a fact, and those read may not be the ones that settle it by the rule.

        By authority and by date, only two were read, none of the site that counts most; else, as many say one thing
        as another.
        """
        if fact not in self.contested:
            return False
        pages: dict[str, set[int]] = {}
        for one, source in self._direct(fact):
            pages.setdefault(repr(one.value), set()).add(source.page)
        if len(pages) < _DISAGREE:
            return False
        if self._rule not in ("authority", "date"):
            most, second, *_ = sorted(map(len, pages.values()), reverse=True)
            return most == second
        most_authority = max(source.authority for _, source in self._direct(fact))
        few = sum(map(len, pages.values())) <= _DISAGREE
        return few and (self._rule == "date" or most_authority < self._reader.most_authority)

    def outweighs(self, fact: str, value: Any, other: Any) -> bool:
        """Return whether the question's rule alone decides for one value against another: by date, site or number."""
        direct = self._known_directly(fact)
        first, second = (
            max(self._weight(one, direct)[0] for one in direct if one[0].value == each) for each in (value, other)
        )
        return bool(first > second)

    def _direct(self, fact: str) -> list[tuple[ReadStatement, Source]]:
        """Return the statements of a fact that give its value itself."""
        return [one for one in self.sources(fact) if not one[0].relative_to]

    def _known_directly(self, fact: str) -> list[tuple[Known, Source]]:
        return [(Known(one.value, one.written), source) for one, source in self._direct(fact)]

    def ends(self, row: str) -> list[str]:
        """Return the entities at the ends of a relation's row, as far as a page that tells of the row names them."""
        return list(self._ends.get(row, {}).values())

    def value_of(self, table: str, row: str, column: str) -> Known | None:
        """Return what is believed of a column; of a relation's end, once its row was read on a page that names it."""
        known = self.known(f"{row}#{column}")
        if known is None and table in self._spec.relations and column in self._ends.get(row, ()):
            end = self._ends[row][column]
            return Known(end, self.names[end])
        return known

    def _add(self, statement: ReadStatement, reading: Reading) -> bool:
        """Note a statement; say whether it was not noted from this page before."""
        stated = self._stated.setdefault(statement.fact, [])
        row, _, column = statement.fact.partition("#")
        table = row.partition("/")[0]
        if table in self._spec.relations:
            self._add_ends(table, row, reading.names)
        page = reading.source.page
        if any(other.page == page and one == statement for one, other in stated):
            return False
        stated.append((statement, reading.source))
        if statement.relative_to:
            self._waiting.setdefault(statement.relative_to, {})[statement.fact] = None
        if column in self.references[table] and isinstance(statement.value, str):
            self.referring.setdefault((table, column, statement.value), {})[row] = None
        return True

    def _add_ends(self, table: str, row: str, named: Mapping[str, str]) -> None:
        """Note at which ends of a row the entities stand that the page names: whom it is of, nobody else can know."""
        for column in _ENDS:
            end = self._reader.end_of_row(row, column)
            if end in named:
                self._ends.setdefault(row, {})[column] = end
                self.rows.setdefault((table, column, end), {})[row] = None

    def _forget(self, fact: str) -> None:
        """Drop what was settled of a fact, and of those stated relative to it."""
        self._settled.pop(fact, None)
        for other in self._waiting.get(fact, ()):
            if other in self._settled:
                self._forget(other)

    def missing_for(self, fact: str) -> Iterator[str]:
        """Yield the facts that an unknown one is stated relative to: to know them is to know it."""
        yield from (one.relative_to for one, _ in self.sources(fact) if one.relative_to)

    def _settle(self, fact: str) -> Known | None:
        self._settled[fact] = None  # what is relative to itself stays unknown
        direct = self._known_directly(fact)
        if not direct:
            return next((found for one, _ in self.sources(fact) if (found := self._related(one))), None)
        first = direct[0][0]
        if all(known == first for known, _ in direct):
            return first
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

    def _related(self, statement: ReadStatement) -> Known | None:
        other = self.known(statement.relative_to)
        if other is None:
            return None
        if statement.difference is None:
            return other
        value = added(other.value, statement.difference)
        return None if value is None else Known(value, self._reader.plain(statement.fact, value))
