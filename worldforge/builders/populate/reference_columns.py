"""Draw columns that refer to entities of another type, within the capacity of each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa

from worldforge.builders.populate.conditional_references import CandidatePartners
from worldforge.builders.populate.draft_tables import DraftTables, describe_rows
from worldforge.builders.populate.reference_targets import Popularity, TargetLimits, place_rows
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError
from worldforge.schema.reference_conditions import partner_condition
from worldforge.schema.spec import Attribute
from worldforge.world.stable_ids import rows_of

_MOST_ROWS = 2**31 - 1


def reference_drawer(
    draft: DraftTables, table: str, column: str, attribute: Attribute, target: str
) -> Callable[[Stream, Rows], pa.Array]:
    """Return the function that draws a reference column."""
    popularity = Popularity.draw(
        draft.stream(table, column), draft.spec.n_entities(target), attribute.distribution, attribute.exponent
    )
    condition = partner_condition(draft.spec, table, column)
    if condition is not None:
        partners = CandidatePartners(draft, condition, popularity, before=attribute.acyclic)
        return partial(_draw_meeting, draft, table, column, attribute, partners)
    if attribute.acyclic:
        return partial(draw_parents, draft.ids(target), popularity)
    return partial(_draw_free, draft, table, column, attribute, popularity)


def _draw_free(
    draft: DraftTables,
    table: str,
    column: str,
    attribute: Attribute,
    popularity: Popularity,
    stream: Stream,
    rows: Rows,
) -> pa.Array:
    """Refer to entities of another type, within their capacity; an entity does not refer to itself."""
    target, n_targets = str(attribute.references), len(popularity.order)
    room = _room(draft, table, column, rows, attribute.capacity, n_targets)
    barred = rows if target == table else None
    chosen = place_rows(stream, rows, popularity, TargetLimits(room=room, barred=barred))
    lost = rows[chosen == n_targets]
    if len(lost):
        shown = describe_rows(draft, table, lost, [])
        message = f"{table}.{column}: {len(lost)} of {len(rows)} rows find no `{target}` that is free:\n{shown}"
        raise InputError(message, "raise `capacity`, or the count of the target's type")
    return draft.ids(target).take(pa.array(chosen))


def _room(draft: DraftTables, table: str, column: str, rows: Rows, capacity: int | None, n_targets: int) -> Rows | None:
    """Count how many of `rows` each target may take, beside other rows that hold it; None for no limit."""
    if capacity is None:
        return None
    taken = np.zeros(n_targets, np.int64)
    if draft.has(table, column):
        held = rows_of(draft.column(table, column)).copy()
        held[rows] = -1
        taken = np.bincount(held[held >= 0], minlength=n_targets)
    return min(capacity, _MOST_ROWS) - taken


def _draw_meeting(
    draft: DraftTables,
    table: str,
    column: str,
    attribute: Attribute,
    partners: CandidatePartners,
    stream: Stream,
    rows: Rows,
) -> pa.Array:
    """Refer to entities that meet a condition, within their capacity.

    With `acyclic`, to those alone that rank before the row's own, and to none where none of these meets it.
    """
    target, n_targets = partners.condition.target_type, partners.n_targets
    room = _room(draft, table, column, rows, attribute.capacity, n_targets)
    choices = partners.of(stream, rows, rows)
    chosen = choices.draw(TargetLimits(room=room))
    lost = np.flatnonzero(chosen == n_targets)
    if len(lost) and not (attribute.optional or attribute.acyclic):
        paths = [path for path in partners.condition.sides if path[0] != column]
        shown = describe_rows(draft, table, rows[lost], paths)
        why, hint = choices.explain(int(lost[0]))
        message = f"{len(lost)} of {len(rows)} rows find no `{target}` that meets `{attribute.where}`{why}"
        raise InputError(f"{table}.{column}: {message}:\n{shown}", hint)
    return draft.ids(target).take(pa.array(chosen, mask=chosen == n_targets))


def draw_parents(ids: pa.Array, popularity: Popularity, stream: Stream, rows: Rows) -> pa.Array:
    """Refer to entities of the column's own type that rank before the row's own, so that there are no cycles.

    Among those of higher rank each is as likely as its popularity says; the one of the highest rank refers to none.
    """
    order, edges = popularity.order, popularity.edges
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    own = rank[rows]
    before = np.r_[0.0, edges][own]  # the weight of all that rank before the row
    chosen = np.minimum(np.searchsorted(edges, stream.uniform(rows) * before, side="right"), own - 1)
    return ids.take(pa.array(order[np.maximum(chosen, 0)], mask=own == 0))
