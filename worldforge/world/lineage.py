"""Where a thing comes from: from a gold cell to its fact, from a fact to the pages and spans that state it.

explain(world, "task/list-0003")      the query, and for each gold cell its facts and where they are stated
explain(world, "club/0031")           the entity's row
explain(world, "club/0031#founded")   the value, how it came to be, and where it is stated
explain(world, "page/000418")         the page and all that it states
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from worldforge.core.errors import InputError
from worldforge.world.computed import facts_of
from worldforge.world.evidence import Evidence
from worldforge.world.ids import entity_id, split_fact
from worldforge.world.task import Task
from worldforge.world.world import World

_CONTEXT = 40  # characters shown on either side of a span


@dataclass(frozen=True, slots=True)
class Statement:
    """A place where a page states a fact: `text[start:end]`, with what stands around it."""

    page: str
    url: str
    start: int
    end: int
    stance: str
    before: str
    value: str
    after: str


@dataclass(frozen=True, slots=True)
class FactLineage:
    """A fact: its value in the table, how the spec says it comes to be, and who states it."""

    fact: str
    value: str
    origin: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class CellLineage:
    """A cell of a gold table, and the fact it is; where it is computed, all facts that it is computed from."""

    row: int
    column: str
    gold: str
    facts: tuple[FactLineage, ...]


@dataclass(frozen=True, slots=True)
class TaskLineage:
    """A task, from wording and query to the pages behind each gold cell."""

    task: Task
    cells: tuple[CellLineage, ...]


@dataclass(frozen=True, slots=True)
class EntityLineage:
    """An entity's or a relation row's cells."""

    id: str
    cells: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PageLineage:
    """A page and the facts that it states."""

    id: str
    url: str
    title: str
    kind: str
    authority: float
    facts: tuple[tuple[str, Statement], ...]


def explain(world: World, id_: str) -> TaskLineage | EntityLineage | FactLineage | PageLineage:
    """Trace what `id_` names. Raises InputError where it names nothing in this world."""
    if id_.startswith("task/"):
        return _explain_task(world, id_)
    if id_.startswith("page/"):
        return _explain_page(world, id_)
    if "#" in id_:
        return _Facts(world).lineage(id_)
    table, row, _ = split_fact(f"{id_}#id")
    return EntityLineage(id_, _row_of(world, table, row, id_))


class _Facts:
    """Looks up facts of one world, its mentions indexed once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._evidence = Evidence(world.mentions)

    def lineage(self, fact: str) -> FactLineage:
        table, row, column = split_fact(fact)
        cells = _row_of(self._world, table, row, fact)
        if column not in cells:
            raise InputError(f"`{table}` has no column `{column}`", f"it has {', '.join(cells)}")
        statements = tuple(_statement(self._world, mention) for mention in self._evidence.of(fact).tolist())
        return FactLineage(fact, str(cells[column]), _origin(self._world, table, column), statements)


def _explain_task(world: World, id_: str) -> TaskLineage:
    task = next((task for task in world.tasks if task.id == id_), None)
    if task is None:
        raise InputError(f"{world.name} has no {id_}", f"it has {', '.join(t.id for t in world.tasks[:3])}, …")
    facts = _Facts(world)
    cells = [
        CellLineage(row, label, gold, tuple(map(facts.lineage, facts_of(fact))))
        for row, (golds, row_facts) in enumerate(zip(task.gold, task.facts, strict=True))
        for label, gold, fact in zip(task.labels, golds, row_facts, strict=True)
    ]
    return TaskLineage(task, tuple(cells))


def _explain_page(world: World, id_: str) -> PageLineage:
    number = id_.removeprefix("page/")
    if not number.isdecimal() or int(number) >= world.pages.num_rows:
        raise InputError(
            f"{world.name} has no {id_}", f"its pages are page/000000 to page/{world.pages.num_rows - 1:06d}"
        )
    page = {name: world.pages[name][int(number)].as_py() for name in ("id", "url", "title", "kind", "authority")}
    chosen = [row for row, found in enumerate(world.mentions["page"].to_pylist()) if found == page["id"]]
    facts = tuple((world.mentions["fact"][row].as_py(), _statement(world, row)) for row in chosen)
    return PageLineage(facts=facts, **page)


def _statement(world: World, mention: int) -> Statement:
    row = {name: world.mentions[name][mention].as_py() for name in world.mentions.column_names}
    number = int(row["page"].removeprefix("page/"))
    text = world.pages["text"][number].as_py()
    before = text[max(0, row["start"] - _CONTEXT) : row["start"]].rpartition("\n")[2]
    after = text[row["end"] : row["end"] + _CONTEXT].partition("\n")[0]
    url = world.pages["url"][number].as_py()
    return Statement(row["page"], url, row["start"], row["end"], row["stance"], before, row["value"], after)


def _row_of(world: World, table: str, row: int, asked: str) -> dict[str, Any]:
    tables = world.tables()
    if table not in tables or row >= tables[table].num_rows or entity_id(table, row) != asked.partition("#")[0]:
        raise InputError(f"{world.name} has no {asked}", f"it has {', '.join(f'{name}/0000' for name in tables)}, …")
    found: dict[str, Any] = tables[table].slice(row, 1).to_pylist()[0]
    return found


def _origin(world: World, table: str, column: str) -> str:
    """Say in words how the spec makes a column."""
    spec = world.spec
    drawn = spec.types[table].attributes if table in spec.types else spec.relations[table].columns
    if column in drawn:
        attribute = drawn[column]
        return f"drawn by {attribute.generator}" if attribute.generator else f"drawn among {attribute.references}"
    if table in spec.types and column in spec.types[table].derived:
        derived = spec.types[table].derived[column]
        if derived.rank is not None:
            return f"derived: rank by {derived.rank}" + (f", within {derived.within}" if derived.within else "")
        over = f" over {derived.over}" if derived.over else ""
        return f"derived: {derived.sql}{over}"
    return "the entity's name" if column == "name" else "the relation itself"
