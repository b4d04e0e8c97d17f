"""Where the parts of a loaded spec are written, so that an error of a build names the line that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from worldforge.core.errors import InputError
from worldforge.schema.column_paths import derived_columns, drawn_columns
from worldforge.schema.problems import SpecError
from worldforge.schema.spec import WorldSpec
from worldforge.schema.yaml_tree import Path, Place, TreeNode


def record_places(spec: WorldSpec, tree: TreeNode) -> WorldSpec:
    """Return the spec with the places of its columns, tables, constraints and kinds of page, as `tree` has them."""
    columns = [(table, name) for table in (*spec.types, *spec.relations) for name in _columns(spec, table)]
    paths = [declared_at(spec, *column) for column in columns]
    paths += [("relations", name) for name in spec.relations]
    paths += [("constraints", number) for number in range(len(spec.constraints))]
    paths += [("pages", key) for key in spec.pages]
    spec.places.update({path: tree.key_place(path) for path in paths})
    return spec


def declared_at(spec: WorldSpec, table: str, column: str) -> Path:
    """Return the path of the key that declares a column."""
    if table in spec.relations:
        return ("relations", table) if column == "target" else ("relations", table, "columns", column)
    if column == "name":
        return ("types", table, "name")
    return ("types", table, "derived" if column in spec.types[table].derived else "attributes", column)


@contextmanager
def errors_at(spec: WorldSpec, path: Path) -> Iterator[None]:
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
