"""Tables, their columns and how they refer to one another.

    names_of(spec, "club")                                   ["name", "town", "founded", "age"]
    references_of(spec, "plays_for")                         {"source": "player", "target": "club"}
    follow(spec, "club", ("town", "region", "area"))         hops club.town, town.region; ends at region.area

Structure alone is known here: not what a column holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.document import Document, KeyPath, Place
from worldforge.schema.problems import SpecError
from worldforge.schema.spec import Attribute, Derived, WorldSpec

PREVIOUS = "previous"
"""The column of a relation with `series` that refers to its owner's row before."""


class UnknownColumnError(InputError):
    """A path that leads nowhere: `table` has no column `column`, or `column` is no reference to follow further."""

    def __init__(self, message: str, hint: str = "", table: str = "", column: str = "") -> None:
        super().__init__(message, hint)
        self.table = table
        self.column = column

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.hint, self.table, self.column)


@dataclass(frozen=True, slots=True)
class Route:
    """The columns (table, column) that a dotted path leads along: references, then the column that it ends at."""

    columns: tuple[tuple[str, str], ...]

    @property
    def table(self) -> str:
        """The table of the last column."""
        return self.columns[-1][0]

    @property
    def column(self) -> str:
        """The last column."""
        return self.columns[-1][1]


def drawn_columns(spec: WorldSpec, table: str) -> Mapping[str, Attribute]:
    """Return what is drawn by chance in a type (its attributes) or a relation (its own columns)."""
    if table in spec.types:
        return spec.types[table].attributes
    if table in spec.relations:
        return spec.relations[table].columns
    raise InputError(f"unknown table `{table}`", did_you_mean(table, [*spec.types, *spec.relations]))


def derived_columns(spec: WorldSpec, table: str) -> Mapping[str, Derived]:
    """Return what is computed in a type; a relation computes nothing."""
    return spec.types[table].derived if table in spec.types else {}


def all_drawn(spec: WorldSpec) -> Iterator[tuple[KeyPath, Attribute]]:
    """Go through all drawn columns, each with its path: `("types", "club", "attributes", "founded")`."""
    for name, entity_type in spec.types.items():
        yield from ((("types", name, "attributes", key), one) for key, one in entity_type.attributes.items())
    for name, relation in spec.relations.items():
        yield from ((("relations", name, "columns", key), one) for key, one in relation.columns.items())


def built_in_columns(spec: WorldSpec, table: str) -> list[str]:
    """List what a table holds without asking, beside ids, names and ends: `round`, or `position` and `previous`."""
    relation = spec.relations.get(table)
    if relation is None:
        return []
    return [*(["round"] if relation.pairs else []), *(["position", PREVIOUS] if relation.series else [])]


def names_of(spec: WorldSpec, table: str) -> list[str]:
    """List the columns of a type or relation that an expression may name, in the order of the spec."""
    drawn = list(drawn_columns(spec, table))
    if table in spec.types:
        return ["name", *drawn, *spec.types[table].derived]
    return ["source", "target", *built_in_columns(spec, table), *drawn]


def references_of(spec: WorldSpec, table: str) -> dict[str, str]:
    """Return the columns of a type or relation that hold references, and the types they refer to.

    `previous`, of a relation with `series`, refers to that relation itself: to no type.
    """
    drawn = drawn_columns(spec, table)
    references = {name: attribute.references for name, attribute in drawn.items() if attribute.references}
    if table in spec.types:
        return references
    relation = spec.relations[table]
    own = {PREVIOUS: table} if relation.series else {}
    return {"source": relation.source, "target": relation.target, **own, **references}


def follow(spec: WorldSpec, table: str, path: Sequence[str]) -> Route:
    """Follow a path of column names from `table`. Raises UnknownColumnError where it leads nowhere."""
    columns: list[tuple[str, str]] = []
    for column in path:
        if columns:
            around, reference = columns[-1]
            target = references_of(spec, around).get(reference)
            if target is None:
                message = f"`{reference}` of `{around}` is no reference: nothing follows it"
                raise UnknownColumnError(message, table=around, column=reference)
            table = target
        if column not in drawn_columns(spec, table) and column not in (names := names_of(spec, table)):
            raise UnknownColumnError(f"`{table}` has no column `{column}`", did_you_mean(column, names), table, column)
        columns.append((table, column))
    return Route(tuple(columns))


def record_places(spec: WorldSpec, document: Document) -> WorldSpec:
    """Return the spec with the places of its columns, tables, constraints and kinds of page, as `document` has them."""
    columns = [(table, name) for table in (*spec.types, *spec.relations) for name in _columns(spec, table)]
    paths = [declared_at(spec, *column) for column in columns]
    paths += [("relations", name) for name in spec.relations]
    paths += [("constraints", number) for number in range(len(spec.constraints))]
    paths += [("pages", key) for key in spec.pages]
    spec.places.update({path: document.place(path, key=True) for path in paths})
    return spec


def declared_at(spec: WorldSpec, table: str, column: str) -> KeyPath:
    """Return the path of the key that declares a column."""
    if table in spec.relations:
        return ("relations", table) if column == "target" else ("relations", table, "columns", column)
    if column == "name":
        return ("types", table, "name")
    return ("types", table, "derived" if column in spec.types[table].derived else "attributes", column)


@contextmanager
def errors_at(spec: WorldSpec, path: KeyPath) -> Iterator[None]:
    """Give the input errors raised inside the place of `path`, where the spec was read from a file."""
    try:
        yield
    except SpecError:
        raise
    except InputError as error:
        place: Place | None = spec.places.get(path)
        if place is None:
            raise
        raise SpecError([place.problem(path, error.message, error.hint)]) from error


def _columns(spec: WorldSpec, table: str) -> list[str]:
    own = [*drawn_columns(spec, table), *derived_columns(spec, table)]
    return ["name", *own] if table in spec.types else own
