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

_TWO = 0.4  # of the near duplicates, those that differ in two attributes
_TRIES = 4  # draws of a value that is not the model's
_LAST_WORDS = r"^\S+"


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """The `rows` (ascending) of a type that are near duplicates, and the row that each copies."""

    rows: Rows
    originals: Rows


def near_duplicates_of(draft: DraftTables, table: str) -> NearDuplicates:
    """Draw which entities of a type are near duplicates, and the original of each; no original is a duplicate."""
    stream, rows = draft.stream(table, "distractors"), draft.rows(table)
    chosen = stream.uniform(rows) < draft.spec.types[table].distractors
    duplicates, others = rows[chosen], rows[~chosen]
    if not len(others):
        return NearDuplicates(others, others)
    place = np.floor(stream.child("model").uniform(duplicates) * len(others)).astype(np.int64)
    return NearDuplicates(duplicates, others[place])


def copy_column_from_originals(draft: DraftTables, table: str, column: str, draw: Draw, rules: Sequence[Rule]) -> None:
    """Copy a column from originals to their near duplicates, except to those that are to differ in it.

    `rules` are those that draw the column again. Raises InputError where it cannot be drawn so that they hold.
    """
    shared = shared_attributes(draft.spec, table)
    if column not in shared:
        return
    near = near_duplicates_of(draft, table)
    differs = _differs(draft, table, shared.index(column), len(shared), near)
    taken = ~differs & _drawn_alike(draft, table, column, near)
    standing = draft.column(table, column)
    originals = standing.take(pa.array(near.originals))
    draft.put(table, column, replace_rows(standing, near.rows[taken], originals.filter(pa.array(taken))))
    _keep_apart(draft, table, column, draw, NearDuplicates(near.rows[differs], near.originals[differs]))
    redraw_until_kept(draft, table, column, draw, rules, draft.rows(table))


def copy_name_endings(draft: DraftTables, table: str) -> None:
    """Give near duplicates their own first word and the rest of the original's name.

    Names that are made of other columns are alike where those are; one word, or a name that another has, stays.
    """
    name, spec = draft.spec.types[table].name, draft.spec
    if compile_parameters(spec, table, name.params) or spec.names_part is not None:
        return
    near, names = near_duplicates_of(draft, table), draft.column(table, "name")
    own, originals = names.take(pa.array(near.rows)), names.take(pa.array(near.originals))
    rest = pc.replace_substring_regex(originals, _LAST_WORDS, "")
    new = pc.binary_join_element_wise(pc.replace_substring_regex(own, r" .*$", ""), rest, "")
    fits = pc.and_(pc.match_substring(own, " "), pc.match_substring(originals, " "))
    fits = pc.and_(fits, pc.invert(pc.match_substring_regex(new, r"^(The|An?) |^\S+ (&|of|and) ")))
    free = flags_of(pc.and_(fits, pc.invert(pc.is_in(new, value_set=names))))
    _, first = np.unique(new.to_numpy(zero_copy_only=False).astype(str), return_index=True)
    once = np.zeros(len(new), np.bool_)
    once[first] = True
    chosen = free & once
    draft.put(table, "name", replace_rows(names, near.rows[chosen], new.filter(pa.array(chosen))))


def _differs(draft: DraftTables, table: str, place: int, n_shared: int, near: NearDuplicates) -> Flags:
    """Draw which near duplicates differ in the shared attribute at `place`: each differs in one or two."""
    stream = draft.stream(table, "distractors").child("differs")
    first, second = (stream.child(part).integers(near.rows, 0, n_shared - 1) for part in ("first", "second"))
    two = stream.child("two").uniform(near.rows) < _TWO
    differs: Flags = (first == place) | (two & (second == place))
    return differs


def _drawn_alike(draft: DraftTables, table: str, column: str, near: NearDuplicates) -> Flags:
    """Return which near duplicates have the same generator parameters as their originals."""
    parameters = compile_parameters(draft.spec, table, draft.spec.types[table].attributes[column].params)
    alike = np.ones(len(near.rows), np.bool_)
    for given in draft.evaluate(table, parameters).values():
        alike &= flags_of(pc.equal(given.take(pa.array(near.rows)), given.take(pa.array(near.originals))))
    return alike


def _keep_apart(draft: DraftTables, table: str, column: str, draw: Draw, near: NearDuplicates) -> None:
    """Redraw the values that should differ from the original's and do not."""
    stream = draft.stream(table, column).child("distractors")
    for attempt in range(_TRIES):
        standing = draft.column(table, column)
        same = pc.equal(standing.take(pa.array(near.rows)), standing.take(pa.array(near.originals)))
        again = near.rows[flags_of(same)]
        if not len(again):
            return
        draft.put(table, column, replace_rows(standing, again, draw(stream.child(attempt), again)))
