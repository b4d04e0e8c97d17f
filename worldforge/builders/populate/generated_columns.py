"""Columns from generators: the function a spec names, called on whole columns, held to what it says it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.draft_tables import DraftTables
from worldforge.builders.populate.violations import describe_rows
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError, RowsError
from worldforge.core.imports import is_own, load
from worldforge.schema.column_dependencies import compile_parameters
from worldforge.schema.expressions import Expression
from worldforge.schema.spec import Attribute, Name

_SAMPLE = 1000  # rows that a spec's own generator draws twice


def generated(draft: DraftTables, table: str, column: str, source: Attribute | Name) -> GeneratorDrawer:
    """Find the generator of a column, and compile those of its parameters that are expressions."""
    generator = source.generator or ""
    expressions = compile_parameters(draft.spec, table, source.params)
    plain = {name: value for name, value in source.params.items() if name not in expressions}
    function = load(generator, draft.code_from)
    return GeneratorDrawer(draft, table, column, generator, function, plain, expressions)


@dataclass(frozen=True)
class GeneratorDrawer:
    """Calls a generator, with plain parameters and with columns of one value a row of the table.

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
        return spread_out(values, known)

    def _check_repeatable(self, stream: Stream, rows: Rows, given: Mapping[str, pa.Array], values: pa.Array) -> None:
        """Draw again, of many rows a sample twice. Raises InputError where the values differ."""
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


def spread_out(values: pa.Array, present: npt.NDArray[np.bool_]) -> pa.Array:
    """Put values into the rows where `present` holds, null into the others."""
    if present.all():
        return values
    return values.take(pa.array(np.cumsum(present) - 1, mask=~present))
