"""Draw columns at random: names and values from generators, references to other types, missing values.

draw = drawer_of(draft, "club", "founded")
draw(stream, rows)               values for these rows of the table, null where the spec leaves them empty
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.draft_tables import DraftTables, Flags, describe_rows, flags_of
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

Draw: TypeAlias = Callable[[Stream, Rows], pa.Array]
"""Draws a value of one column for each of some rows (ascending). Raises InputError that shows the rows it cannot."""


def drawer_of(draft: DraftTables, table: str, column: str) -> Draw:
    """Return the function that draws a name, an attribute, or a column of a relation."""
    if table in draft.spec.types and column == "name":
        return _generator_drawer(draft, table, column, draft.spec.types[table].name)
    attribute = drawn_columns(draft.spec, table)[column]
    draw = (
        _generator_drawer(draft, table, column, attribute)
        if attribute.references is None
        else reference_drawer(draft, table, column, attribute, attribute.references)
    )

    def draw_with_gaps(stream: Stream, rows: Rows) -> pa.Array:
        present = stream.child("missing").uniform(rows) >= attribute.missing
        return scatter(draw(stream, rows[present]), present)

    return draw_with_gaps if attribute.missing else draw


_SAMPLE = 1000  # rows that a spec's own generator draws twice


def _generator_drawer(draft: DraftTables, table: str, column: str, source: Attribute | Name) -> Draw:
    """Find the generator of a column; restrict drawn names to the spec's `names_part`, if it has one."""
    generator = source.generator or ""
    expressions = compile_parameters(draft.spec, table, source.params)
    plain = {name: value for name, value in source.params.items() if name not in expressions}
    function = load(generator, draft.code_from)
    found = GeneratedColumn(draft, table, column, generator, function, plain, expressions)
    part = draft.spec.names_part
    if part is None or not draws_a_name(draft.spec, table, column):
        return found.draw
    return lambda stream, rows: found.draw_in_part(part, stream, rows)


_ATTEMPTS = 32  # for each part: a row of a large space of names is left without one once in e to the 32 times


@dataclass(frozen=True)
class GeneratedColumn:
    """A column from a generator, which is called with plain parameters and with columns of one value a row.

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

    def draw_in_part(self, part: NamesPart, stream: Stream, rows: Rows) -> pa.Array:
        """Draw only names that belong to one part. Raises InputError where the part has too few of them."""
        names = self.draw(stream, rows)
        kept = in_part(part, names) | self._fixed(names, rows)
        for attempt in range(1, _ATTEMPTS * part.of + 1):
            waiting = np.flatnonzero(~kept)
            if not len(waiting):
                return names
            drawn = self.draw(stream.child("part", attempt), rows[waiting])
            taken = flags_of(pc.is_in(drawn, value_set=names.filter(pa.array(kept))))
            fits = in_part(part, drawn) & ~taken
            found = np.zeros(len(names), np.bool_)
            found[waiting[fits]] = True
            names = pc.replace_with_mask(names, pa.array(found), drawn.filter(pa.array(fits)))
            kept |= found
        n_left = int((~kept).sum())
        if n_left:
            message = f"part {part.take} of {part.of} has no name for {n_left} of {len(rows)} rows"
            hint = "lower the count, or `names_part.of`: this sort of name is a small one"
            raise InputError(f"{self.table}.{self.column}: {message}", hint)
        return names

    def _fixed(self, names: pa.Array, rows: Rows) -> Flags:
        """Return which names may be of any part: nulls, and names that contain the drawn name of a parameter."""
        fixed = flags_of(names.is_null())
        hosts = {name: one for name, one in self.expressions.items() if self._reads_a_drawn_name(one)}
        for host in self.draft.evaluate(self.table, hosts, rows).values():
            if pa.types.is_string(host.type):
                fixed |= _evaluate_on_keys("coalesce(contains(one, other), false)", names, host)
        return fixed

    def _reads_a_drawn_name(self, expression: Expression) -> bool:
        spec = self.draft.spec
        routes = [follow(spec, self.table, path) for path in expression.paths]
        return any(draws_a_name(spec, route.table, route.column) for route in routes)

    def _check_repeatable(self, stream: Stream, rows: Rows, given: Mapping[str, pa.Array], values: pa.Array) -> None:
        """Draw twice, at most a sample of the rows. Raises InputError where the values differ."""
        if len(rows) > _SAMPLE:
            rows, given = rows[:_SAMPLE], {name: column[:_SAMPLE] for name, column in given.items()}
            values = self._call(stream, rows, given)
        again = self._call(stream, rows, given)
        same = pc.or_kleene(pc.equal(values, again), pc.and_(values.is_null(), again.is_null()))
        if pa.types.is_floating(values.type):
            same = pc.or_kleene(same, pc.and_(pc.is_nan(values), pc.is_nan(again)))
        differs = np.flatnonzero(~flags_of(same))
        if len(differs):
            row = int(differs[0])
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
        kind = self.draft.kind(self.table, self.column)
        column = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        if not isinstance(column, pa.Array) or column.type != kind or len(column) != len(rows):
            got = f"{len(column)} × {column.type}" if isinstance(column, pa.Array) else type(values).__name__
            raise InputError(f"{where}`{self.generator}` gave {got} for {len(rows)} × {kind}")
        return column


def scatter(values: pa.Array, present: Flags) -> pa.Array:
    """Put values into the rows where `present` holds, null into the others."""
    if present.all():
        return values
    return values.take(pa.array(np.cumsum(present) - 1, mask=~present))


_KIND_OF_PLACE = r"(\p{Han}{2,})[省市县镇州]$"


def in_part(part: NamesPart, names: pa.Array) -> Flags:
    """Return which names belong to a part; null belongs to none."""
    return _evaluate_on_keys(f"coalesce(md5_number_lower(one) % {part.of} = {part.take}, false)", names)


def name_key(names: pa.Array) -> pa.Array:
    """Normalize names without case, accents and spaces, so that confusable names are equal."""
    return pc.replace_substring_regex(pc.utf8_normalize(pc.utf8_lower(names), "NFKD"), r"[\s*`\p{Mn}]+", "")


def _evaluate_on_keys(sql: str, *names: pa.Array) -> Flags:
    """Evaluate SQL over the keys of names, `one` and `other`, without the suffix of a Chinese place (安溪市)."""
    keys = [pc.replace_substring_regex(name_key(column), _KIND_OF_PLACE, r"\1") for column in names]
    columns = {**dict(zip(("one", "other"), keys, strict=False)), "place": np.arange(len(names[0]))}
    found: Flags = query_columns(f"SELECT {sql} AS holds FROM rows_read ORDER BY place", columns)["holds"].to_numpy()
    return found
