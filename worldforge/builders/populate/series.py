"""Series: the rows of one owner come one after another, and a column may follow from the row before.

Columns that need one another that way are drawn together, position by position: all first rows, column by column, then
all second rows. What a constraint has drawn again at a position is settled before the next column is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from worldforge.builders.populate.constraints import Rule, replaced, settle
from worldforge.builders.populate.draft import Draft
from worldforge.builders.populate.draw import drawer_of
from worldforge.core.chance import Rows
from worldforge.core.groups import Indices, rank_in_group
from worldforge.schema.paths import PREVIOUS


def put_positions(draft: Draft, relation: str, owners: Indices) -> None:
    """Put the columns `position` and `previous` into a relation; `owners` holds one number a row."""
    position = rank_in_group(owners)
    order = np.argsort(owners, kind="stable")
    before = np.empty(len(owners), np.int64)
    before[order] = np.r_[np.zeros(1, np.int64), order[:-1]][: len(order)]
    draft.put(relation, "position", pa.array(position + 1))
    draft.put(relation, PREVIOUS, draft.ids(relation).take(pa.array(before, mask=position == 0)))


def draw_series(draft: Draft, relation: str, columns: Sequence[str], rules: Sequence[Rule]) -> None:
    """Draw columns of a relation that need one another through `previous`, each after what it needs of its own row.

    Raises InputError as drawers and `settle` do.
    """
    for column in columns:
        draft.put(relation, column, pa.nulls(len(draft.rows(relation)), draft.kind(relation, column)))
    drawers = {column: drawer_of(draft, relation, column) for column in columns}
    for rows in _by_position(draft, relation):
        for column, drawer in drawers.items():
            values = drawer.draw(draft.stream(relation, column), rows)
            draft.put(relation, column, replaced(draft.column(relation, column), rows, values))
            own = [rule for rule in rules if (rule.table, rule.redrawn) == (relation, column)]
            settle(draft, relation, column, drawer, own, rows)


def _by_position(draft: Draft, relation: str) -> Iterator[Rows]:
    """Give the first rows of all owners (ascending), then the second rows, and so on."""
    held = draft.column(relation, "position")
    assert held is not None
    positions = held.to_numpy()
    order = np.argsort(positions, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(positions)[1:-1])) if len(order) else ()
