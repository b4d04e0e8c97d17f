"""Draw columns that refer to entities of another type, within the capacity of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from worldforge.builders.populate.conditional_references import CandidatePartners, PartnerChoices
from worldforge.builders.populate.draft_tables import DraftTables, describe_rows
from worldforge.builders.populate.reference_targets import Popularity, TargetLimits, place_rows
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError
from worldforge.schema.reference_conditions import partner_condition
from worldforge.schema.spec import Attribute
from worldforge.world.stable_ids import rows_of

_MOST_ROWS = 2**31 - 1
_MORE_ROOM = "raise `capacity`, or the count of the target's type"


def reference_drawer(
    draft: DraftTables, table: str, column: str, attribute: Attribute, target: str
) -> ReferenceDrawer | ParentDrawer | ConditionalReferenceDrawer:
    """Return the drawer of a reference column."""
    popularity = Popularity.draw(
        draft.stream(table, column), draft.spec.n_entities(target), attribute.distribution, attribute.exponent
    )
    condition = partner_condition(draft.spec, table, column)
    if condition is not None:
        partners = CandidatePartners(draft, condition, popularity, before=attribute.acyclic)
        return ConditionalReferenceDrawer(draft, table, column, attribute, partners)
    if attribute.acyclic:
        return ParentDrawer(draft.ids(target), popularity)
    capacity = None if attribute.capacity is None else min(attribute.capacity, _MOST_ROWS)
    return ReferenceDrawer(draft, table, column, target, capacity, popularity)


@dataclass(frozen=True)
class ReferenceDrawer:
    """Refer to entities of another type, within their capacity; an entity does not refer to itself."""

    draft: DraftTables
    table: str
    column: str
    target: str
    capacity: int | None
    popularity: Popularity

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw ids of the target's type. What other rows hold already takes up room."""
        barred = rows if self.target == self.table else None
        n_targets, room = len(self.popularity.order), None
        if self.capacity is not None:
            room = _room(self.draft, self.table, self.column, rows, self.capacity, n_targets)
        chosen = place_rows(stream, rows, self.popularity, TargetLimits(room=room, barred=barred))
        lost = rows[chosen == len(self.popularity.order)]
        if len(lost):
            shown = describe_rows(self.draft, self.table, lost, [])
            said = f"{len(lost)} of {len(rows)} rows find no `{self.target}` that is free"
            raise InputError(f"{self.table}.{self.column}: {said}:\n{shown}", _MORE_ROOM)
        return self.draft.ids(self.target).take(pa.array(chosen))


def _room(draft: DraftTables, table: str, column: str, rows: Rows, capacity: int, n_targets: int) -> Rows:
    """Count how many of `rows` each target may take, beside the other rows that hold it already."""
    standing, taken = draft.column(table, column), np.zeros(n_targets, np.int64)
    if standing is not None:
        held = rows_of(standing).copy()
        held[rows] = -1
        taken = np.bincount(held[held >= 0], minlength=n_targets)
    return capacity - taken


@dataclass(frozen=True)
class ConditionalReferenceDrawer:
    """Refer to entities that meet a condition, within their capacity.

    With `acyclic`, to those alone that rank before the row's own, and to none where none of these meets it.
    """

    draft: DraftTables
    table: str
    column: str
    attribute: Attribute
    partners: CandidatePartners

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw ids of the target's type. Raises InputError that shows the rows which find none, and why."""
        n_targets, capacity = self.partners.n_targets, self.attribute.capacity
        room = None
        if capacity is not None:
            room = _room(self.draft, self.table, self.column, rows, min(capacity, _MOST_ROWS), n_targets)
        choices = self.partners.of(stream, rows, rows)
        chosen = choices.draw(TargetLimits(room=room))
        lost = np.flatnonzero(chosen == n_targets)
        if len(lost) and not (self.attribute.optional or self.attribute.acyclic):
            raise self._unmet(choices, rows, lost)
        return self.draft.ids(self.partners.condition.target_type).take(pa.array(chosen, mask=chosen == n_targets))

    def _unmet(self, choices: PartnerChoices, rows: Rows, lost: Rows) -> InputError:
        target = self.partners.condition.target_type
        paths = [path for path in self.partners.condition.sides if path[0] != self.column]
        shown = describe_rows(self.draft, self.table, rows[lost], paths)
        said = f"{self.table}.{self.column}: {len(lost)} of {len(rows)} rows find no `{target}`"
        why, hint = choices.explain(int(lost[0]))
        return InputError(f"{said} that meets `{self.attribute.where}`{why}:\n{shown}", hint)


@dataclass(frozen=True)
class ParentDrawer:
    """Refer to entities of the column's own type that rank before the row's own, so that there are no cycles.

    The one of the highest rank refers to none.
    """

    ids: pa.Array
    popularity: Popularity

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw ids: among those of higher rank, each as likely as its popularity says."""
        order, edges = self.popularity.order, self.popularity.edges
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        own = rank[rows]
        before = np.r_[0.0, edges][own]  # the weight of all that rank before the row
        chosen = np.minimum(np.searchsorted(edges, stream.uniform(rows) * before, side="right"), own - 1)
        return self.ids.take(pa.array(order[np.maximum(chosen, 0)], mask=own == 0))
