"""What holds between the rows of a table: columns shared by no two, periods that do not overlap, no way back.

Of rows that do not go together the first one stands; the others are at fault. A row at fault is shown beside the one
it does not go with.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.draft_tables import DraftTables
from worldforge.core.chance import Rows
from worldforge.core.groups import Indices, first_in_group
from worldforge.schema.cross_row_constraints import column_expression, columns_between, written
from worldforge.schema.expressions import inline_derived
from worldforge.schema.spec import Constraint
from worldforge.world.stable_ids import rows_of

_NONE = -1
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RowFaults:
    """Rows at fault (ascending), and beside each the row that it does not go with, -1 where there is none."""

    rows: Indices
    beside: Indices


@dataclass(frozen=True, slots=True)
class RowConstraint:
    """A constraint between the rows of a table, and the column that is drawn again where it fails, if one is named."""

    constraint: Constraint

    @property
    def text(self) -> str:
        """The constraint as it was written."""
        return written(self.constraint)

    @property
    def table(self) -> str:
        """The table it is about."""
        return self.constraint.on

    @property
    def redrawn(self) -> str | None:
        """The column that is drawn again."""
        return self.constraint.redraw

    @property
    def paths(self) -> list[tuple[str, ...]]:
        """The columns that it reads."""
        return [(name,) for name in columns_between(self.constraint).values()]

    def faults(self, draft: DraftTables, rows: Rows) -> RowFaults:
        """Find which of `rows` (ascending) are at fault; rows that are not among them stand as they are."""
        movable = np.zeros(len(draft.rows(self.table)), bool)
        movable[rows] = True
        if self.constraint.unique is not None:
            choices = [
                [self._values(draft, name) for name in ([one] if isinstance(one, str) else one)]
                for one in self.constraint.unique
            ]
            return sharing(choices, movable)
        if self.constraint.exclusive is not None:
            period = self.constraint.exclusive
            owners, begins, ends = (self._values(draft, name) for name in (period.per, period.begin, period.end))
            return overlapping(owners, begins, ends, movable, earlier=self.redrawn == period.end)
        turning = coming_back(rows_of(self._values(draft, str(self.constraint.acyclic))))
        return RowFaults(turning, np.full(len(turning), _NONE))

    def _values(self, draft: DraftTables, name: str) -> pa.Array:
        """Return a column; a derived one that is not there yet is computed from what is."""
        standing = draft.column(self.table, name)
        if standing is not None:
            return standing
        expression = inline_derived(column_expression(name, self.table, draft.spec), draft.spec)
        return draft.evaluate(self.table, {name: expression})[name]


def sharing(choices: Sequence[Sequence[pa.Array]], movable: Flags) -> RowFaults:
    """Find rows that share with another what `choices` hold: of each list, the values of any one of its columns.

    Rows where one of them is null share nothing. The first row stands: a row that is not `movable` before one that is.
    """
    n_rows = len(movable)
    encoded = [_codes(columns) for columns in choices]
    drawn = list(itertools.product(*encoded))
    keys = np.zeros(n_rows * len(drawn), np.int64)
    filled = np.ones(len(keys), bool)
    for place, columns in enumerate(encoded):
        codes = np.concatenate([combination[place] for combination in drawn])
        filled &= codes >= 0
        keys = np.unique(keys * (max(int(one.max(initial=0)) for one in columns) + 1) + codes, return_inverse=True)[1]
    rows = np.tile(np.arange(n_rows), len(drawn))[filled]
    order = np.lexsort((rows, movable[rows]))
    rows, keys = rows[order], keys[filled][order]
    holders = rows[first_in_group(keys)]
    return _faults(rows, holders, (rows != holders) & movable[rows])


def overlapping(owners: pa.Array, begins: pa.Array, ends: pa.Array, movable: Flags, *, earlier: bool) -> RowFaults:
    """Find rows whose period overlaps another's of their owner, or ends before it begins; null never ends.

    Of two that overlap the one that begins later is at fault, or with `earlier` the other; where that one is not
    `movable`, its partner is.
    """
    owner = _codes([owners])[0]
    begin, end = _codes_in_order(begins, ends)
    rows = np.flatnonzero((owner >= 0) & (begin >= 0))
    rows = rows[np.lexsort((end[rows], begin[rows], owner[rows]))]
    owner, begin, end = owner[rows], begin[rows], end[rows]
    width = int(end.max(initial=0)) + 1
    reach = np.maximum.accumulate(owner * width + end)[:-1]
    follows = np.r_[False, owner[1:] * width + begin[1:] < reach][: len(rows)]
    is_last = np.r_[owner[1:] != owner[:-1], True][: len(rows)]
    followed = ~is_last & (end > np.roll(begin, -1))
    backwards = end < begin
    before, after = np.full(len(rows), _NONE), np.full(len(rows), _NONE)
    before[1:] = rows[_last_to_reach(owner * width + end)]
    after[:-1] = rows[1:]
    preferred, beside = (followed, after) if earlier else (follows, before)
    other, beside_other = (follows, before) if earlier else (followed, after)
    found = (preferred | backwards) & movable[rows]
    if not found.any():
        found, preferred, beside = other & movable[rows], other, beside_other
    return _faults(rows, np.where(preferred, beside, _NONE), found)


def coming_back(references: Indices) -> Indices:
    """Find the rows that come back to themselves when each is followed to the row it refers to, -1 for none."""
    n_rows = len(references)
    reached = np.r_[references, n_rows]
    reached[reached < 0] = n_rows
    for _ in range(n_rows.bit_length()):
        reached = reached[reached]
    return np.unique(reached[reached < n_rows])


def _faults(rows: Indices, beside: Indices, found: Flags) -> RowFaults:
    """Gather the rows `found`, each once, in order."""
    faulty, first = np.unique(rows[found], return_index=True)
    return RowFaults(faulty, beside[found][first])


def _last_to_reach(reach: Indices) -> Indices:
    """Tell for each place but the first which place before it has the greatest value, the last of several."""
    highest = np.maximum.accumulate(reach)
    return np.maximum.accumulate(np.where(reach == highest, np.arange(len(reach)), 0))[:-1]


def _codes(columns: Sequence[pa.Array]) -> list[Indices]:
    """Number the values of some columns alike: equal numbers for equal values, -1 for null."""
    together = pa.concat_arrays([column.cast(columns[0].type) for column in columns])
    codes = pc.fill_null(together.dictionary_encode().indices, _NONE).to_numpy(zero_copy_only=False).astype(np.int64)
    return np.split(codes, len(columns))


def _codes_in_order(begins: pa.Array, ends: pa.Array) -> tuple[Indices, Indices]:
    """Number the ends of periods by their order; a begin that is null is -1, an end that is null comes last."""
    kind = begins.type if begins.type == ends.type else pa.float64()
    together = pa.chunked_array([begins.cast(kind), ends.cast(kind)])
    ranks = pc.rank(together, sort_keys="ascending", tiebreaker="dense")
    ranks = ranks.to_numpy().astype(np.int64)
    begin, end = np.split(ranks, [len(begins)])
    begin[begins.is_null().to_numpy(zero_copy_only=False)] = _NONE
    end[ends.is_null().to_numpy(zero_copy_only=False)] = int(ranks.max(initial=0)) + 1
    return begin, end
