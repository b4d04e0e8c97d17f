"""Draw columns at random: names and values from generators, references to other types, missing values.

drawer = drawer_of(draft, "club", "founded")
drawer.draw(stream, rows)               values for these rows of the table, null where the spec leaves them empty
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.draft_tables import DraftTables, describe_rows
from worldforge.builders.populate.reference_columns import reference_drawer
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError, RowsError
from worldforge.core.imports import is_own, load
from worldforge.schema.column_dependencies import compile_parameters, draws_a_name
from worldforge.schema.column_paths import drawn_columns, follow
from worldforge.schema.expression_sql import query_columns
from worldforge.schema.expressions import Expression
from worldforge.schema.spec import Attribute, Name
from worldforge.schema.strategy_section import NamesPart


class Drawer(Protocol):
    """Draws values of one column."""

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw a value for each of `rows` (ascending). Raises InputError that shows the rows it cannot."""


def drawer_of(draft: DraftTables, table: str, column: str) -> Drawer:
    """Return the drawer of a name, an attribute, or a column of a relation."""
    if table in draft.spec.types and column == "name":
        return _parted(generator_drawer(draft, table, column, draft.spec.types[table].name))
    attribute = drawn_columns(draft.spec, table)[column]
    drawer: Drawer
    if attribute.references is None:
        drawer = _parted(generator_drawer(draft, table, column, attribute))
    else:
        drawer = reference_drawer(draft, table, column, attribute, attribute.references)
    return MissingDrawer(drawer, attribute.missing) if attribute.missing else drawer


def _parted(drawer: GeneratorDrawer) -> Drawer:
    """Restrict drawn names to the spec's `names_part`, if it has one."""
    spec = drawer.draft.spec
    if spec.names_part is None or not draws_a_name(spec, drawer.table, drawer.column):
        return drawer
    return PartitionDrawer(drawer, spec.names_part)


@dataclass(frozen=True)
class MissingDrawer:
    """Leave a share of the rows empty."""

    inner: Drawer
    missing: float

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw values for the rows that are not left empty."""
        present = stream.child("missing").uniform(rows) >= self.missing
        return scatter(self.inner.draw(stream, rows[present]), present)


_SAMPLE = 1000  # rows that a spec's own generator draws twice


def generator_drawer(draft: DraftTables, table: str, column: str, source: Attribute | Name) -> GeneratorDrawer:
    """Find the generator of a column, and compile those of its parameters that are expressions."""
    generator = source.generator or ""
    expressions = compile_parameters(draft.spec, table, source.params)
    plain = {name: value for name, value in source.params.items() if name not in expressions}
    function = load(generator, draft.code_from)
    return GeneratorDrawer(draft, table, column, generator, function, plain, expressions)


@dataclass(frozen=True)
class GeneratorDrawer:
    """Call a generator, with plain parameters and with columns of one value a row.

    A row for which a parameter is null gets none.
    """

    draft: DraftTables
    table: str
    column: str
    generator: str
    function: Callable[..., Any]
    plain: Mapping[str, Any]
    expressions: Mapping[str, Expression]

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw values from the generator."""
        given = self.draft.evaluate(self.table, self.expressions, rows)
        known = np.ones(len(rows), bool)
        for column in given.values():
            known &= column.is_valid().to_numpy(zero_copy_only=False)
        given = {name: column.filter(pa.array(known)) for name, column in given.items()}
        values = self._call(stream, rows[known], given)
        if is_own(self.generator):
            self._check_repeatable(stream, rows[known], given, values)
        return scatter(values, known)

    def _check_repeatable(self, stream: Stream, rows: Rows, given: Mapping[str, pa.Array], values: pa.Array) -> None:
        """Draw twice, at most a sample of the rows. Raises InputError where the values differ."""
        if len(rows) > _SAMPLE:
            rows, given = rows[:_SAMPLE], {name: column[:_SAMPLE] for name, column in given.items()}
            values = self._call(stream, rows, given)
        again = self._call(stream, rows, given)
        same = pc.or_kleene(pc.equal(values, again), pc.and_(values.is_null(), again.is_null()))
        if pa.types.is_floating(values.type):
            same = pc.or_kleene(same, pc.and_(pc.is_nan(values), pc.is_nan(again)))
        same = pc.fill_null(same, False)
        if not pc.all(same, min_count=0).as_py():
            row = int(pc.index(same, False).as_py())
            raise InputError(
                f"{self.table}.{self.column}: `{self.generator}` gave other values when it was asked again: "
                f"row {rows[row]} is `{values[row]}`, then `{again[row]}`",
                "draw from `stream` alone, without `random`, the clock, or anything kept between calls",
            )

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


def scatter(values: pa.Array, present: npt.NDArray[np.bool_]) -> pa.Array:
    """Put values into the rows where `present` holds, null into the others."""
    if present.all():
        return values
    return values.take(pa.array(np.cumsum(present) - 1, mask=~present))


_ATTEMPTS = 32  # for each part: a row of a large space of names is left without one once in e to the 32 times
_KIND_OF_PLACE = r"(\p{Han}{2,})[省市县镇州]$"

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PartitionDrawer:
    """Draw only names that belong to one part."""

    inner: GeneratorDrawer
    part: NamesPart

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw names. Raises InputError where the part has too few of them."""
        names = self.inner.draw(stream, rows)
        kept = in_part(self.part, names) | self._held(names, rows)
        for attempt in range(1, _ATTEMPTS * self.part.of + 1):
            waiting = np.flatnonzero(~kept)
            if not len(waiting):
                return names
            drawn = self.inner.draw(stream.child("part", attempt), rows[waiting])
            there = pc.is_in(drawn, value_set=names.filter(pa.array(kept))).to_numpy(zero_copy_only=False)
            fits = in_part(self.part, drawn) & ~there
            found = np.zeros(len(names), np.bool_)
            found[waiting[fits]] = True
            names = pc.replace_with_mask(names, pa.array(found), drawn.filter(pa.array(fits)))
            kept |= found
        where, n_left = f"{self.inner.table}.{self.inner.column}", int((~kept).sum())
        if n_left:
            said = f"{where}: part {self.part.take} of {self.part.of} has no name for {n_left} of {len(rows)} rows"
            raise InputError(said, "lower the count, or `names_part.of`: this sort of name is a small one")
        return names

    def _held(self, names: pa.Array, rows: Rows) -> Flags:
        """Return which names may be of any part: nulls, and names that contain the drawn name of a parameter."""
        held: Flags = names.is_null().to_numpy(zero_copy_only=False)
        hosts = {name: one for name, one in self.inner.expressions.items() if self._is_drawn(one)}
        for host in self.inner.draft.evaluate(self.inner.table, hosts, rows).values():
            if pa.types.is_string(host.type):
                held |= _ask("coalesce(contains(one, other), false)", names, host)
        return held

    def _is_drawn(self, expression: Expression) -> bool:
        spec = self.inner.draft.spec
        routes = [follow(spec, self.inner.table, path) for path in expression.paths]
        return any(draws_a_name(spec, route.table, route.column) for route in routes)


def in_part(part: NamesPart, names: pa.Array) -> Flags:
    """Return which names belong to a part; null belongs to none."""
    return _ask(f"coalesce(md5_number_lower(one) % {part.of} = {part.take}, false)", names)


def name_key(names: pa.Array) -> pa.Array:
    """Normalize names without case, accents and spaces, so that confusable names are equal."""
    return pc.replace_substring_regex(pc.utf8_normalize(pc.utf8_lower(names), "NFKD"), r"[\s*`\p{Mn}]+", "")


def _ask(sql: str, *names: pa.Array) -> Flags:
    """Evaluate SQL over the keys of names, `one` and `other`, without the suffix of a Chinese place (安溪市)."""
    keys = [pc.replace_substring_regex(name_key(column), _KIND_OF_PLACE, r"\1") for column in names]
    columns = {**dict(zip(("one", "other"), keys, strict=False)), "place": np.arange(len(names[0]))}
    found: Flags = query_columns(f"SELECT {sql} AS holds FROM asked ORDER BY place", columns)["holds"].to_numpy()
    return found
