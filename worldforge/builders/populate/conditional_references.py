"""Draw references under a condition: each row goes down its own list of the entities that meet `where`.

Equalities and bounds on whole numbers, numbers and days are answered by sorting partners once: what a row may have lies
in one run of them. What is left of the condition is asked of pairs, in blocks, until each row has found a partner or
has tried every one in its run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from worldforge.builders.populate.draft_tables import DraftTables, Flags, flags_of
from worldforge.builders.populate.reference_targets import (
    BY_POPULARITY,
    GOLDEN,
    Popularity,
    TargetLimits,
    defer_acceptance,
    stride,
)
from worldforge.core.arrays import Integers
from worldforge.core.chance import Rows, Stream
from worldforge.schema.expressions import Expression, path_column, substitute
from worldforge.schema.reference_conditions import Comparison, PartnerCondition

_MOST_PAIRS = 1 << 20  # asked about at once
_MOST_SEARCHED = 4096  # targets looked at for one row that takes another's place
_ORDERED = (pa.types.is_integer, pa.types.is_floating, pa.types.is_date, pa.types.is_decimal)


class CandidatePartners:
    """The entities that a reference may point at, sorted by the values that its condition compares.

    `order` lists those that meet what is said of partners alone, such that those of one row lie together, and `weights`
    adds up their popularity from 0. `rest` are the parts of the condition that are asked of pairs. With `before` a
    partner must come before the row in the order of popularity, `rank`, so that no chain of references comes back.
    """

    def __init__(
        self, draft: DraftTables, condition: PartnerCondition, popularity: Popularity, before: bool = False
    ) -> None:
        self.draft, self.condition, self.before = draft, condition, before
        self.n_targets = len(popularity.order)
        self.rank = np.empty(self.n_targets, np.int64)
        self.rank[popularity.order] = np.arange(self.n_targets)
        equal = [one for one in condition.comparisons if one.operator == "="]
        self._equalities = [(one, self.values(one.partner).unique().drop_null()) for one in equal]
        self._bounds = self._shared_bounds()
        left = [one for one in condition.comparisons if one.operator != "=" and one not in self._bounds]
        self.rest = [*condition.rest, *(one.part for one in left)]
        self._steps = np.unique(_numbers(self.values(self._bounds[0].partner))) if self._bounds else np.zeros(1)
        self.order, self._keys = self._sort()
        weight = np.empty(self.n_targets)
        weight[popularity.order] = np.diff(np.r_[0.0, popularity.edges])
        self.weights = np.r_[0.0, np.cumsum(weight[self.order])]

    @property
    def alike(self) -> bool:
        """Whether rows that share one partner share all of them, so that exchanging partners helps nobody."""
        return not (self.rest or self._bounds) and self.condition.row_table != self.condition.target_type

    def of(self, stream: Stream, rows: Rows, referring: Rows) -> PartnerChoices:
        """Find the range of partners of each row; `referring` are their rows in the condition's table."""
        low, high = self._ranges(referring)
        return PartnerChoices(self, referring, low, high, stream.uniform(rows))

    def values(self, one: Expression, rows: Rows | None = None) -> pa.Array:
        """Evaluate an expression over one side, or give that side's ids; `rows` are any, in any order."""
        if one.paths == ((),):
            ids = self.draft.ids(one.table)
            return ids if rows is None else ids.take(pa.array(rows))
        if rows is None:
            return self.draft.evaluate(one.table, {"value": one})["value"]
        chosen, places = np.unique(rows, return_inverse=True)
        return self.draft.evaluate(one.table, {"value": one}, chosen)["value"].take(pa.array(places))

    def _shared_bounds(self) -> list[Comparison]:
        """Return the comparisons that partners are sorted by: all of one side, the one that most bounds are about."""
        ordered = [
            one
            for one in self.condition.comparisons
            if one.operator != "=" and any(is_ordered(self.values(one.partner).type) for is_ordered in _ORDERED)
        ]
        texts = [one.partner.tree.sql() for one in ordered]
        best = max(texts, key=texts.count, default="")
        return [one for one, text in zip(ordered, texts, strict=True) if text == best]

    def _sort(self) -> tuple[Integers, Integers]:
        """Sort the partners that any row may have by what they are compared by; return them and their keys."""
        keys, usable = np.zeros(self.n_targets, np.int64), np.ones(self.n_targets, bool)
        for one in self.condition.partners:
            usable &= flags_of(self.values(one))
        for compared, options in self._equalities:
            code = _codes(self.values(compared.partner), options)
            keys, usable = keys * (len(options) + 1) + code, usable & (code >= 0)
        keys = keys * (len(self._steps) + 1)
        if self._bounds:
            values = _numbers(self.values(self._bounds[0].partner))
            usable &= ~np.isnan(values)
            keys += np.searchsorted(self._steps, values)
        chosen = np.flatnonzero(usable)
        order = chosen[np.argsort(keys[chosen], kind="stable")]
        return order, keys[order]

    def _ranges(self, rows: Rows) -> tuple[Integers, Integers]:
        """Return where in `order` the partners of each row begin and end."""
        group, known = np.zeros(len(rows), np.int64), np.ones(len(rows), bool)
        for one, options in self._equalities:
            code = _codes(self.values(one.row, rows), options)
            group, known = group * (len(options) + 1) + code, known & (code >= 0)
        for condition in self.condition.rows:
            known &= flags_of(self.values(condition, rows))
        first, last = np.zeros(len(rows), np.int64), np.full(len(rows), len(self._steps))
        for one in self._bounds:
            values = _numbers(self.values(one.row, rows))
            known &= ~np.isnan(values)
            side = "left" if one.operator in ("<", ">=") else "right"
            cut = np.searchsorted(self._steps, values, side=side)  # type: ignore[call-overload]
            first, last = (first, np.minimum(last, cut)) if "<" in one.operator else (np.maximum(first, cut), last)
        base = group * (len(self._steps) + 1)
        low, high = np.searchsorted(self._keys, base + first), np.searchsorted(self._keys, base + last)
        return low, np.where(known, np.maximum(low, high), low)


@dataclass(frozen=True)
class PartnerChoices:
    """The partners of some rows: a range of the sorted partners for each row, from `low` to before `high`."""

    partners: CandidatePartners
    rows: Rows
    low: Integers
    high: Integers
    share: npt.NDArray[np.float64]
    _columns: dict[tuple[bool, tuple[str, ...]], pa.Array] = field(default_factory=dict)

    def draw(self, limits: TargetLimits) -> Integers:
        """Draw a partner for each row, within the limits; `n_targets` for a row that finds none.

        A row that finds all its partners taken may send another on to a partner that is free (an augmenting path).
        """
        room, n_targets = limits.room, self.partners.n_targets
        worst = np.full(n_targets, len(self.rows))

        def search(rows: Integers, place: Integers) -> tuple[Integers, Integers]:
            return self._next_partner(rows, place, worst)

        def note(chosen: Integers) -> None:
            """Record the last row that each full partner holds; it accepts no later row."""
            if room is not None:
                held = np.flatnonzero(chosen < n_targets)
                full = np.bincount(chosen[held], minlength=n_targets) >= room
                worst[:] = len(self.rows)
                last = np.full(n_targets, -1)
                np.maximum.at(last, chosen[held], held)
                worst[full] = last[full]

        chosen = defer_acceptance(search, len(self.rows), n_targets, limits, note)
        if room is None or limits.owners is not None or self.partners.alike:
            return chosen
        return self._exchange(chosen, room)

    def partners_of(self, row: int) -> Integers:
        """List all partners of a row."""
        places = self.partners.order[self.low[row] : self.high[row]]
        return places[self.meets(np.full(len(places), row), places)]

    def explain(self, row: int) -> tuple[str, str]:
        """Explain why a row found no partner: how many targets meet each part of the condition, and a hint."""
        partners, target = self.partners, self.partners.condition.target_type
        if len(self.partners_of(row)):
            return " and is free", f"raise `capacity`, or the count of `{target}`"
        every = np.arange(partners.n_targets)
        counts = [int(self.holds([part], np.full(len(every), row), every).sum()) for part in partners.condition.parts]
        parts = [f"`{_part_text(part)}` for {n}" for part, n in zip(partners.condition.parts, counts, strict=True)]
        why = f"; of the first row's, {', '.join(parts)} of {len(every)} × `{target}`"
        if partners.condition.row_table == target:
            why += ", itself included"
        return why, f"loosen `where`, let some `{target}` meet it, or leave such rows empty with `optional: true`"

    def meets(self, rows: Integers, targets: Integers) -> Flags:
        """Return which pairs of a row and a partner in its range meet the rest of the condition."""
        partners, own = self.partners, self.rows[rows]
        found = np.ones(len(rows), bool)
        if partners.before:
            found &= partners.rank[targets] < partners.rank[own]
        elif partners.condition.row_table == partners.condition.target_type:
            found &= targets != own
        if partners.rest and found.any():
            known = np.flatnonzero(found)
            found[known] = self.holds(partners.rest, rows[known], targets[known])
        return found

    def holds(self, parts: Sequence[Expression], rows: Integers, targets: Integers) -> Flags:
        """Return for which pairs some parts of the condition are all true."""
        sides = self.partners.condition.sides
        paths = dict.fromkeys(path for part in parts for path in part.paths)
        columns = {}
        for path in paths:
            is_partner, steps = sides[path]
            columns[".".join(path)] = self._column(is_partner, steps, rows, targets)
        return self.partners.draft.evaluate_pairs(parts, columns)

    def _column(self, is_partner: bool, steps: tuple[str, ...], rows: Integers, targets: Integers) -> pa.Array:
        """Evaluate a path of one side for pairs of a row and a target."""
        if (is_partner, steps) not in self._columns:
            condition = self.partners.condition
            table = condition.target_type if is_partner else condition.row_table
            path = Expression(".".join(steps), table, (steps,), False, path_column(steps))
            self._columns[is_partner, steps] = self.partners.values(path, None if is_partner else self.rows)
        return self._columns[is_partner, steps].take(pa.array(targets if is_partner else rows))

    def _next_partner(self, rows: Integers, place: Integers, worst: Integers) -> tuple[Integers, Integers]:
        """Go down the lists of `rows` from `place` on, to the next partner that a row may have and get."""
        found, place = np.full(len(rows), self.partners.n_targets), place.copy()
        size = self.high - self.low
        waiting, width = np.arange(len(rows)), 1
        while True:
            left = BY_POPULARITY + size[rows[waiting]] - place[waiting]
            waiting = waiting[(left > 0) & (size[rows[waiting]] > 0)]
            if not len(waiting):
                return found, place
            for block in np.array_split(waiting, -(-len(waiting) * width // _MOST_PAIRS)):
                self._try_places(rows, place, worst, block, width, found)
            waiting, width = waiting[found[waiting] == self.partners.n_targets], min(4 * width, _MOST_PAIRS)

    def _try_places(
        self, rows: Integers, place: Integers, worst: Integers, block: Integers, width: int, found: Integers
    ) -> None:
        """Look at the next `width` places of some lists; note the first that will do in `found`, and go on to it."""
        size = self.high - self.low
        steps = np.minimum(BY_POPULARITY + size[rows[block]] - place[block], width)
        which = np.repeat(block, steps)
        places = place[which] + np.arange(len(which)) - np.repeat(np.cumsum(steps) - steps, steps)
        targets = self._partner_at(rows[which], places)
        free = np.flatnonzero(worst[targets] >= rows[which])
        fits = free[self.meets(rows[which[free]], targets[free])]
        first = fits[np.unique(which[fits], return_index=True)[1]]
        place[block] += steps
        found[which[first]], place[which[first]] = targets[first], places[first]

    def _partner_at(self, rows: Integers, place: Integers) -> Integers:
        """Return the partner at a place of a row's list: first by popularity, then every partner in turn."""
        low, size = self.low[rows], (self.high - self.low)[rows]
        weights, shifted = self.partners.weights, (self.share[rows] + place * GOLDEN) % 1.0
        weight = weights[low] + shifted * (weights[low + size] - weights[low])
        by_weight = np.clip(np.searchsorted(weights, weight, side="right") - 1, low, low + size - 1)
        sizes, of = np.unique(size, return_inverse=True)
        strides = np.array([stride(int(one)) for one in sizes], np.int64)[of]
        in_turn = low + (np.floor(self.share[rows] * size).astype(np.int64) + place * strides) % size
        return self.partners.order[np.where(place < BY_POPULARITY, by_weight, in_turn)]

    def _exchange(self, chosen: Integers, room: Integers) -> Integers:
        """Let rows without a free partner take the place of others that can go elsewhere."""
        n_targets = self.partners.n_targets
        free = room - np.bincount(chosen, minlength=n_targets + 1)[:n_targets]
        for row in np.flatnonzero((chosen == n_targets) & (self.high > self.low)).tolist():
            moves, end = self._augmenting_path(row, chosen, free)
            free[[] if end is None else [end]] -= 1
            while end is not None:
                moved = moves[end]
                left, chosen[moved] = int(chosen[moved]), end
                end = None if moved == row else left
        return chosen

    def _augmenting_path(self, row: int, chosen: Integers, free: Integers) -> tuple[dict[int, int], int | None]:
        """Find the shortest augmenting path to a free partner: which row moves to each partner on it, and its end."""
        moves: dict[int, int] = {}
        queue = [row]
        while queue and len(moves) < _MOST_SEARCHED:
            one = queue.pop(0)
            for target in self.partners_of(one).tolist():
                if target not in moves:
                    moves[target] = one
                    if free[target] > 0:
                        return moves, target
                    queue += np.flatnonzero(chosen == target).tolist()
        return moves, None


def _part_text(part: Expression) -> str:
    """Write a part of a condition as its author would, without the quotes of its names."""
    names = {".".join(path): exp.Column(this=exp.Identifier(this=".".join(path))) for path in part.paths}
    return substitute(part.tree, names).sql("duckdb", comments=False).lower()


def _codes(values: pa.Array, options: pa.Array) -> Integers:
    """Number values by their place among `options`, -1 for others and null."""
    found = pc.index_in(values.cast(options.type), value_set=options)
    codes: Integers = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def _numbers(values: pa.Array) -> npt.NDArray[np.float64]:
    """Write numbers and days as numbers, NaN for null."""
    plain = values.cast(pa.int32()) if pa.types.is_date(values.type) else values
    numbers: npt.NDArray[np.float64] = plain.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return numbers
