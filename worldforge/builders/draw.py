"""How a column is drawn by chance: from a generator, or as references to another type. A drawer draws any of its rows.

drawer = drawer_of(draft, "club", "founded")
drawer.draw(stream, rows)               values for these rows of the table, null where the spec leaves them empty
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.draft import Draft
from worldforge.builders.offenders import describe_rows
from worldforge.builders.references import Limits, Popularity, choose_slots, choose_targets
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError, RowsError
from worldforge.core.imports import load
from worldforge.schema.dependencies import compile_parameters
from worldforge.schema.expressions import Expression
from worldforge.schema.paths import drawn_columns
from worldforge.schema.spec import Attribute, Name
from worldforge.world.ids import rows_of


class Drawer(Protocol):
    """Draws values of one column."""

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw a value for each of `rows` (ascending). Raises InputError that shows the rows it cannot."""


def drawer_of(draft: Draft, table: str, column: str) -> Drawer:
    """Return the drawer of a name, an attribute, or a column of a relation."""
    if table in draft.spec.types and column == "name":
        return _generated(draft, table, column, draft.spec.types[table].name)
    attribute = drawn_columns(draft.spec, table)[column]
    inner = (
        _generated(draft, table, column, attribute)
        if attribute.references is None
        else _referring(draft, table, column, attribute, attribute.references)
    )
    return Sparse(inner, attribute.missing) if attribute.missing else inner


@dataclass(frozen=True)
class Sparse:
    """Leaves a share of the rows empty."""

    inner: Drawer
    missing: float

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw values for the rows that are not left empty."""
        present = stream.child("missing").uniform(rows) >= self.missing
        return spread_out(self.inner.draw(stream, rows[present]), present)


@dataclass(frozen=True)
class Generated:
    """Calls a generator, with plain parameters and with columns of one value a row of the table.

    A row for which a parameter is null gets none.
    """

    draft: Draft
    table: str
    column: str
    generator: str
    function: Callable[..., Any]
    plain: Mapping[str, Any]
    expressions: Mapping[str, Expression]
    columns: Mapping[str, pa.Array]

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw values from the generator."""
        given = {name: column.take(pa.array(rows)) for name, column in self.columns.items()}
        known = np.ones(len(rows), bool)
        for column in given.values():
            known &= column.is_valid().to_numpy(zero_copy_only=False)
        given = {name: column.filter(pa.array(known)) for name, column in given.items()}
        return spread_out(self._call(stream, rows[known], given), known)

    def _call(self, stream: Stream, rows: Rows, given: Mapping[str, pa.Array]) -> pa.Array:
        where = f"{self.table}.{self.column}: "
        try:
            values = self.function(stream, rows, **self.plain, **given)
        except RowsError as error:
            paths = [path for expression in self.expressions.values() for path in expression.paths]
            shown = describe_rows(self.draft, self.table, rows[error.rows], paths)
            raise InputError(f"{where}{error.message}:\n{shown}", error.hint) from error
        except InputError as error:
            raise InputError(where + error.message, error.hint) from error
        except Exception as error:  # a spec's own generator may fail in any way
            raise InputError(f"{where}`{self.generator}` failed: {type(error).__name__}: {error}") from error
        return self._checked(values, len(rows))

    def _checked(self, values: Any, n_rows: int) -> pa.Array:
        kind = self.draft.kind(self.table, self.column)
        column = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        if not isinstance(column, pa.Array) or column.type != kind or len(column) != n_rows:
            got = f"{len(column)} × {column.type}" if isinstance(column, pa.Array) else type(values).__name__
            raise InputError(f"{self.table}.{self.column}: `{self.generator}` gave {got} for {n_rows} × {kind}")
        return column


@dataclass(frozen=True)
class Referring:
    """Refers to entities of another type, within their capacity; an entity does not refer to itself."""

    draft: Draft
    table: str
    column: str
    target: str
    uniform: bool
    capacity: int | None
    popularity: Popularity

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw ids of the target's type. What other rows hold already takes up room."""
        n_targets = len(self.popularity.order)
        standing = self.draft.column(self.table, self.column)
        room = self._room(standing, rows, n_targets)
        if self.capacity and self.uniform and standing is None and self.target != self.table:
            chosen = choose_slots(stream, len(rows), n_targets, self.capacity)
        else:
            limits = Limits(room=room, barred=rows if self.target == self.table else None)
            chosen = self._choose(stream, rows, limits)
        return self.draft.ids(self.target).take(pa.array(chosen))

    def _room(self, standing: pa.Array | None, rows: Rows, n_targets: int) -> Rows | None:
        if self.capacity is None:
            return None
        if len(rows) > n_targets * self.capacity:
            raise InputError(
                f"{self.table}.{self.column}: {len(rows)} rows refer to {n_targets} × `{self.target}`, "
                f"which have room for {n_targets * self.capacity}",
                "raise `capacity` or the count of the target's type",
            )
        taken = np.zeros(n_targets, np.int64)
        if standing is not None:
            held = rows_of(standing).copy()
            held[rows] = -1
            taken = np.bincount(held[held >= 0], minlength=n_targets)
        return self.capacity - taken

    def _choose(self, stream: Stream, rows: Rows, limits: Limits) -> Rows:
        try:
            return choose_targets(stream, rows, self.popularity, limits)
        except RowsError as error:
            shown = describe_rows(self.draft, self.table, rows[error.rows], [])
            raise InputError(
                f"{self.table}.{self.column}: {error.message}:\n{shown}",
                "raise `capacity` or the count of the target's type",
            ) from error


def spread_out(values: pa.Array, present: Any) -> pa.Array:
    """Put values into the rows where `present` holds, null into the others."""
    if present.all():
        return values
    place = np.cumsum(present) - 1
    return values.take(pa.array(place, mask=~present))


def replaced(column: pa.Array, rows: Rows, values: pa.Array) -> pa.Array:
    """Return the column with `values` in the place of those of `rows` (ascending)."""
    mask = np.zeros(len(column), bool)
    mask[rows] = True
    return pc.replace_with_mask(column, pa.array(mask), values)


def _generated(draft: Draft, table: str, column: str, source: Attribute | Name) -> Generated:
    generator = source.generator or ""
    expressions = compile_parameters(draft.spec, table, source.params)
    plain = {name: value for name, value in source.params.items() if name not in expressions}
    columns = draft.evaluate(table, expressions)
    function = load(generator, draft.code_from)
    return Generated(draft, table, column, generator, function, plain, expressions, columns)


def _referring(draft: Draft, table: str, column: str, attribute: Attribute, target: str) -> Referring:
    popularity = Popularity.draw(
        draft.stream(table, column), draft.spec.n_entities(target), attribute.distribution, attribute.exponent
    )
    uniform = attribute.distribution == "uniform"
    return Referring(draft, table, column, target, uniform, attribute.capacity, popularity)
