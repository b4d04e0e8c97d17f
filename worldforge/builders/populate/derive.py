"""Derived columns: computed from others by SQL, row by row or over the rows that point at an entity."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.draft import Draft
from worldforge.core.errors import InputError
from worldforge.schema.expressions import Aggregate, compile_derived

_DECIMALS = 6  # what a page writes out: a table holds no more


def derive(draft: Draft, table: str, column: str) -> pa.Array:
    """Compute a derived column. Numbers keep six decimals; what is no number (a division by 0) is missing.

    Raises InputError where an expression fails, or gives what the column's kind cannot hold.
    """
    compiled = compile_derived(draft.spec, table, column)
    if isinstance(compiled, Aggregate):
        values = draft.aggregate(table, column, compiled)
    else:
        values = draft.evaluate(table, {column: compiled})[column]
    kind = draft.kind(table, column)
    try:
        values = values.cast(kind, safe=not pa.types.is_date(kind))
    except pa.ArrowException as error:
        raise InputError(f"{table}.{column}: its values are {values.type}, not {kind}: {error}") from error
    return _tidied(values) if pa.types.is_floating(kind) else values


def _tidied(numbers: pa.Array) -> pa.Array:
    rounded = pc.add(pc.round(numbers, _DECIMALS), 0.0)  # adding 0 turns -0.0 into 0.0
    return pc.if_else(pc.is_finite(rounded), rounded, pa.scalar(None, pa.float64()))
