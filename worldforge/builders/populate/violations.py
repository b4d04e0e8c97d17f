"""Rows shown to a person: which they are, and what they hold in the columns that matter."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from worldforge.builders.populate.draft_tables import DraftTables
from worldforge.core.chance import Rows
from worldforge.schema.expressions import compile_expression

_SHOWN = 5


def describe_rows(
    draft: DraftTables, table: str, rows: Rows, paths: Sequence[tuple[str, ...]], notes: Sequence[str] = ()
) -> str:
    """Describe the first of `rows`, a line each: `  club/0031: founded = 1903, town.chartered = 1911`.

    `notes` stand at the ends of the lines, one a row.
    """
    first = rows[:_SHOWN]
    names = list(dict.fromkeys(".".join(path) for path in paths))
    values = draft.evaluate(table, {name: compile_expression(name, table, draft.spec) for name in names}, first)
    lines = []
    for place, row in enumerate(draft.ids(table).take(pa.array(first)).to_pylist()):
        held = ", ".join(f"{name} = {_written(values[name][place])}" for name in names)
        note = notes[place] if notes else ""
        lines.append(f"  {row}: {held}{note}" if held else f"  {row}{note}")
    return "\n".join([*lines, "  …"] if len(rows) > _SHOWN else lines)


def _written(value: pa.Scalar) -> str:
    return "missing" if not value.is_valid else str(value.as_py())
