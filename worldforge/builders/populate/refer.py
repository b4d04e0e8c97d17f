"""Columns that refer to entities of another type, within what each of those can take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from worldforge.builders.populate.draft import Draft
from worldforge.builders.populate.exchange import place
from worldforge.builders.populate.offenders import describe_rows
from worldforge.builders.populate.references import Limits, Popularity
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError
from worldforge.schema.spec import Attribute
from worldforge.world.ids import rows_of

_MOST_ROWS = 2**31 - 1
_MORE_ROOM = "raise `capacity`, or the count of the target's type"


def referring(draft: Draft, table: str, column: str, attribute: Attribute, target: str) -> Referring | Descending:
    """Rank the targets of a column by popularity."""
    popularity = Popularity.draw(
        draft.stream(table, column), draft.spec.n_entities(target), attribute.distribution, attribute.exponent
    )
    if attribute.acyclic:
        return Descending(draft.ids(target), popularity)
    capacity = None if attribute.capacity is None else min(attribute.capacity, _MOST_ROWS)
    return Referring(draft, table, column, target, capacity, popularity)


@dataclass(frozen=True)
class Referring:
    """Refers to entities of another type, within their capacity; an entity does not refer to itself."""

    draft: Draft
    table: str
    column: str
    target: str
    capacity: int | None
    popularity: Popularity

    def draw(self, stream: Stream, rows: Rows) -> pa.Array:
        """Draw ids of the target's type. What other rows hold already takes up room."""
        n_targets = len(self.popularity.order)
        barred = rows if self.target == self.table else None
        chosen = place(stream, rows, self.popularity, Limits(room=self._room(rows, n_targets), barred=barred))
        lost = rows[chosen == n_targets]
        if len(lost):
            shown = describe_rows(self.draft, self.table, lost, [])
            said = f"{len(lost)} of {len(rows)} rows find no `{self.target}` that is free"
            raise InputError(f"{self.table}.{self.column}: {said}:\n{shown}", _MORE_ROOM)
        return self.draft.ids(self.target).take(pa.array(chosen))

    def _room(self, rows: Rows, n_targets: int) -> Rows | None:
        """Count how many of `rows` each target may take, beside the other rows that hold it already."""
        if self.capacity is None:
            return None
        if len(rows) > n_targets * self.capacity:
            raise InputError(
                f"{self.table}.{self.column}: {len(rows)} rows refer to {n_targets} × `{self.target}`, "
                f"which have room for {n_targets * self.capacity}",
                _MORE_ROOM,
            )
        standing, taken = self.draft.column(self.table, self.column), np.zeros(n_targets, np.int64)
        if standing is not None:
            held = rows_of(standing).copy()
            held[rows] = -1
            taken = np.bincount(held[held >= 0], minlength=n_targets)
        return self.capacity - taken


@dataclass(frozen=True)
class Descending:
    """Refers to entities of the column's own type that rank before the row's own: no way leads back.

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
