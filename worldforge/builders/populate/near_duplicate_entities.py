"""Make near duplicates: entities that differ from another of their type in one or two values and the name.

They are drawn as all others are, and then take over what their model has: what is left of their own is what tells the
two apart. A value is taken over only where it could have been drawn: where parameters that are expressions come out
alike for both. What breaks a constraint is drawn again as in any other row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.column_drawers import Draw
from worldforge.builders.populate.constraint_redraw import Rule, redraw_until_kept, replace_rows
from worldforge.builders.populate.draft_tables import DraftTables, Flags, flags_of
from worldforge.core.chance import Rows
from worldforge.schema.column_dependencies import compile_parameters, shared_attributes

_TWO = 0.4  # of the twins, those that differ in two attributes
_TRIES = 4  # draws of a value that is not the model's
_LAST_WORDS = r"^\S+"


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """The `rows` (ascending) of a type that are near duplicates, and the row that each copies."""

    rows: Rows
    models: Rows


def near_duplicates_of(draft: DraftTables, table: str) -> NearDuplicates:
    """Draw which entities of a type are near duplicates, and the original of each; no original is a duplicate."""
    stream, rows = draft.stream(table, "distractors"), draft.rows(table)
    chosen = stream.uniform(rows) < draft.spec.types[table].distractors
    twins, others = rows[chosen], rows[~chosen]
    if not len(others):
        return NearDuplicates(others, others)
    place = np.floor(stream.child("model").uniform(twins) * len(others)).astype(np.int64)
    return NearDuplicates(twins, others[place])


def copy_column_from_models(draft: DraftTables, table: str, column: str, draw: Draw, rules: Sequence[Rule]) -> None:
    """Copy a column from originals to their near duplicates, except to those that are to differ in it.

    `rules` are those that draw the column again. Raises InputError where it cannot be drawn so that they hold.
    """
    shared = shared_attributes(draft.spec, table)
    if column not in shared:
        return
    twins = near_duplicates_of(draft, table)
    differs = _differs(draft, table, shared.index(column), len(shared), twins)
    taken = ~differs & _drawn_alike(draft, table, column, twins)
    standing = draft.column(table, column)
    models = standing.take(pa.array(twins.models))
    draft.put(table, column, replace_rows(standing, twins.rows[taken], models.filter(pa.array(taken))))
    _keep_apart(draft, table, column, draw, NearDuplicates(twins.rows[differs], twins.models[differs]))
    redraw_until_kept(draft, table, column, draw, rules, draft.rows(table))


def copy_name_endings(draft: DraftTables, table: str) -> None:
    """Give near duplicates their own first word and the rest of the original's name.

    Names that are made of other columns are alike where those are; one word, or a name that another has, stays.
    """
    name, spec = draft.spec.types[table].name, draft.spec
    if compile_parameters(spec, table, name.params) or spec.names_part is not None:
        return
    twins, names = near_duplicates_of(draft, table), draft.column(table, "name")
    own, models = names.take(pa.array(twins.rows)), names.take(pa.array(twins.models))
    rest = pc.replace_substring_regex(models, _LAST_WORDS, "")
    new = pc.binary_join_element_wise(pc.replace_substring_regex(own, r" .*$", ""), rest, "")
    fits = pc.and_(pc.match_substring(own, " "), pc.match_substring(models, " "))
    free = flags_of(pc.and_(fits, pc.invert(pc.is_in(new, value_set=names))))
    _, first = np.unique(new.to_numpy(zero_copy_only=False).astype(str), return_index=True)
    once = np.zeros(len(new), np.bool_)
    once[first] = True
    chosen = free & once
    draft.put(table, "name", replace_rows(names, twins.rows[chosen], new.filter(pa.array(chosen))))


def _differs(draft: DraftTables, table: str, place: int, n_shared: int, twins: NearDuplicates) -> Flags:
    """Draw which near duplicates differ in the shared attribute at `place`: each differs in one or two."""
    stream = draft.stream(table, "distractors").child("differs")
    first, second = (stream.child(part).integers(twins.rows, 0, n_shared - 1) for part in ("first", "second"))
    two = stream.child("two").uniform(twins.rows) < _TWO
    differs: Flags = (first == place) | (two & (second == place))
    return differs


def _drawn_alike(draft: DraftTables, table: str, column: str, twins: NearDuplicates) -> Flags:
    """Return which near duplicates have the same generator parameters as their originals."""
    parameters = compile_parameters(draft.spec, table, draft.spec.types[table].attributes[column].params)
    alike = np.ones(len(twins.rows), np.bool_)
    for given in draft.evaluate(table, parameters).values():
        alike &= flags_of(pc.equal(given.take(pa.array(twins.rows)), given.take(pa.array(twins.models))))
    return alike


def _keep_apart(draft: DraftTables, table: str, column: str, draw: Draw, twins: NearDuplicates) -> None:
    """Redraw the values that should differ from the original's and do not."""
    stream = draft.stream(table, column).child("distractors")
    for attempt in range(_TRIES):
        standing = draft.column(table, column)
        same = pc.equal(standing.take(pa.array(twins.rows)), standing.take(pa.array(twins.models)))
        again = twins.rows[flags_of(same)]
        if not len(again):
            return
        draft.put(table, column, replace_rows(standing, again, draw(stream.child(attempt), again)))
