"""Order the rows of a series, and draw columns that depend on the previous row.

Columns that need one another that way are drawn together, position by position: all first rows, column by column, then
all second rows. What a constraint has drawn again at a position is settled before the next column is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.column_drawers import drawer_of
from worldforge.builders.populate.constraint_redraw import Rule, redraw_until_kept, replace_rows
from worldforge.builders.populate.draft_tables import DraftTables
from worldforge.core.chance import Rows
from worldforge.core.groups import Indices, rank_in_group
from worldforge.schema.column_dependencies import series_orders
from worldforge.schema.column_paths import PREVIOUS
from worldforge.world.stable_ids import rows_of


def order_series(draft: DraftTables, name: str) -> None:
    """Order the rows of each source, and add the columns `position` and `previous`.

    An owner's rows come in the order of what the spec orders them by; else, where a target is met once, as the entities
    at the other end do.
    """
    relation, held = draft.spec.relations[name], draft.column(name, "target")
    assert held is not None
    sources, targets, keys = _owners(draft, name, "source"), rows_of(held), _order_of(draft, name)
    met_once = targets if relation.distinct else np.zeros_like(targets)
    moved = np.lexsort((met_once, keys if relation.series == "source" else np.zeros_like(keys), sources))
    draft.put(name, "target", held.take(pa.array(moved)))
    _put_positions(draft, name, _owners(draft, name, str(relation.series)), keys[moved])


def _owners(draft: DraftTables, relation: str, end: str) -> Indices:
    held = draft.column(relation, end)
    assert held is not None
    return rows_of(held)


def _order_of(draft: DraftTables, name: str) -> Indices:
    """Rank the rows of a relation by the order of its series, null last; all equal where it has none."""
    orders = series_orders(draft.spec, name)
    values = draft.evaluate(name, {f"by_{place}": term for place, term in enumerate(orders.terms)}).values()
    ranks = [_ranks(one, falling) for one, falling in zip(values, orders.descending, strict=True)]
    if draft.spec.relations[name].order is None:
        counted = [place for place, one in enumerate(values) if not pa.types.is_string(one.type)]
        ranks = [ranks[counted[0]]] if len(counted) == 1 else []
    found = np.zeros(len(draft.rows(name)), np.int64)
    for rank in ranks:
        found = np.unique(found * (int(rank.max(initial=0)) + 1) + rank, return_inverse=True)[1]
    return found


def _ranks(values: pa.Array, descending: bool) -> Indices:
    column = values.cast(pa.int8()) if pa.types.is_boolean(values.type) else values
    order = "descending" if descending else "ascending"
    ranks: Indices = pc.rank(column, order, tiebreaker="dense").to_numpy().astype(np.int64)
    return ranks


def _put_positions(draft: DraftTables, relation: str, owners: Indices, keys: Indices) -> None:
    order = np.lexsort((keys, owners))
    position = np.empty(len(owners), np.int64)
    position[order] = rank_in_group(owners[order])
    before = np.empty(len(owners), np.int64)
    before[order] = np.r_[np.zeros(1, np.int64), order[:-1]][: len(order)]
    draft.put(relation, "position", pa.array(position + 1))
    draft.put(relation, PREVIOUS, draft.ids(relation).take(pa.array(before, mask=position == 0)))


def draw_series(draft: DraftTables, relation: str, columns: Sequence[str], rules: Sequence[Rule]) -> None:
    """Draw columns of a relation that depend on one another through `previous`, position by position.

    Raises InputError as drawers and `redraw_until_kept` do.
    """
    for column in columns:
        draft.put(relation, column, pa.nulls(len(draft.rows(relation)), draft.kind(relation, column)))
    drawers = {column: drawer_of(draft, relation, column) for column in columns}
    for rows in _by_position(draft, relation):
        for column, drawer in drawers.items():
            values = drawer.draw(draft.stream(relation, column), rows)
            draft.put(relation, column, replace_rows(draft.column(relation, column), rows, values))
            own = [rule for rule in rules if (rule.table, rule.redrawn) == (relation, column)]
            redraw_until_kept(draft, relation, column, drawer, own, rows)


def _by_position(draft: DraftTables, relation: str) -> Iterator[Rows]:
    """Yield the first rows of all owners (ascending), then the second rows, and so on."""
    held = draft.column(relation, "position")
    assert held is not None
    positions = held.to_numpy()
    order = np.argsort(positions, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(positions)[1:-1])) if len(order) else ()
