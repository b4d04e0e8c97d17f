"""Build the tables of a world, column by column in order of dependency.

    tables = populate(spec, Progress())
    tables["club"]              id, name, aliases, then attributes and derived columns in the order of the spec
    tables["plays_for"]         id, source, target, what is built in, then the relation's own columns

Every drawn column has a stream of chance of its own, keyed by type and column, and each row its place in it: another
attribute, another type, or more rows change nothing that was there. (References do depend on how many targets there
are, and a name or a bound on what it is made from.)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.column_drawers import drawer_of
from worldforge.builders.populate.constraint_redraw import Rule, check_rules, redraw_until_kept, rules_of
from worldforge.builders.populate.draft_tables import DraftTables, describe_rows
from worldforge.builders.populate.homonyms_and_aliases import (
    assign_homonyms,
    draw_aliases,
    name_sources_with_homonyms,
)
from worldforge.builders.populate.near_duplicate_entities import copy_column_from_originals, copy_name_endings
from worldforge.builders.populate.relation_rows import draw_relation, draw_series
from worldforge.core.arrays import rank_in_group
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.schema.column_dependencies import creation_steps
from worldforge.schema.column_paths import declared_at, derived_columns, errors_at, names_of
from worldforge.schema.expressions import Expression, compile_derived, decimals_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.value_text import as_held


def populate(spec: WorldSpec, progress: Progress, code_from: Path | None = None) -> dict[str, pa.Table]:
    """Make every table of a world, by type and relation, as it lies on disk.

    `code_from` is the folder a spec's own generators are imported from. Raises InputError, with the rows at fault,
    where bounds, capacities, cardinalities or constraints cannot hold.
    """
    steps, rules = creation_steps(spec), rules_of(spec)
    draft = DraftTables(spec, code_from)
    progress.start("populate", len(steps))
    for step in steps:
        table, column = step.nodes[0]
        with errors_at(spec, declared_at(spec, table, column)):
            if step.in_series:
                draw_series(draft, table, [column for _, column in step.nodes], rules)
            else:
                _make(draft, table, column, rules)
        progress.advance()
    check_rules(draft, rules)
    return {table: _finished(draft, table) for table in (*spec.types, *spec.relations)}


def _make(draft: DraftTables, table: str, column: str, rules: Sequence[Rule]) -> None:
    if table in draft.spec.relations and column == "target":
        draw_relation(draft, table)
    elif column in derived_columns(draft.spec, table):
        draft.put(table, column, derive_column(draft, table, column))
    else:
        draw = drawer_of(draft, table, column)
        draft.put(table, column, draw(draft.stream(table, column), draft.rows(table)))
        own = [rule for rule in rules if (rule.table, rule.redrawn) == (table, column)]
        redraw_until_kept(draft, table, column, draw, own, draft.rows(table))
        if table in draft.spec.types and draft.spec.types[table].distractors:
            if column == "name":
                copy_name_endings(draft, table)
            else:
                copy_column_from_originals(draft, table, column, draw, own)
    if column == "name" and table in draft.spec.types:
        _check_names(draft, table)
        if draft.spec.types[table].name.namesakes:
            assign_homonyms(draft, table)


def _check_names(draft: DraftTables, table: str) -> None:
    """Raise InputError where a name is missing or repeated."""
    names = draft.column(table, "name")
    codes = pc.fill_null(names.dictionary_encode().indices, -1).to_numpy(zero_copy_only=False)
    for wrong, problem in ((codes < 0, "have no name"), (rank_in_group(codes) > 0, "bear the name of an earlier row")):
        if wrong.any():
            rows = draft.rows(table)[wrong]
            shown = describe_rows(draft, table, rows, [("name",)])
            alike = name_sources_with_homonyms(draft.spec, table)
            hint = f"; `{alike[0]}`, out of whose names these are made, has namesakes" if alike else ""
            raise InputError(
                f"{table}.name: {len(rows)} of {len(wrong)} rows {problem}:\n{shown}",
                f"every entity needs a name of its own{hint}",
            )


def _finished(draft: DraftTables, table: str) -> pa.Table:
    columns = names_of(draft.spec, table)
    if table in draft.spec.types:
        draft.put(table, "aliases", draw_aliases(draft, table))
        columns = [columns[0], "aliases", *columns[1:]]
    return draft.finished(table, columns)


def derive_column(draft: DraftTables, table: str, column: str) -> pa.Array:
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
