"""Derived columns: computed from others by SQL, row by row, over the rows that point at an entity, or by rank."""

from __future__ import annotations

import pyarrow as pa

from worldforge.builders.populate.draft_tables import DraftTables
from worldforge.core.errors import InputError
from worldforge.schema.expressions import Expression, compile_derived, decimals_of
from worldforge.world.value_text import as_held


def derive(draft: DraftTables, table: str, column: str) -> pa.Array:
    """Compute a derived column: numbers with six decimals, means and quotients with two.

    What is no number (a division by 0) is missing.

    Raises InputError where an expression fails, or gives what the column's kind cannot hold.
    """
    compiled = compile_derived(draft.spec, table, column)
    if isinstance(compiled, Expression):
        values = draft.evaluate(table, {column: compiled})[column]
    else:
        values = draft.compute(table, column, compiled)
    kind = draft.kind(table, column)
    try:
        return as_held(values, kind, decimals_of(compiled))
    except pa.ArrowException as error:
        raise InputError(f"{table}.{column}: its values are {values.type}, not {kind}: {error}") from error
