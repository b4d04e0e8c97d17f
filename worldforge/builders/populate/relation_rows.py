"""Draw the rows of a relation: the targets of each source, the meetings of a round robin, and the order of a series."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.populate.column_drawers import drawer_of
from worldforge.builders.populate.conditional_references import CandidatePartners
from worldforge.builders.populate.constraint_redraw import Rule, redraw_until_kept, replace_rows
from worldforge.builders.populate.draft_tables import DraftTables, describe_rows
from worldforge.builders.populate.reference_targets import Popularity, TargetLimits, exchange_targets, place_rows
from worldforge.core.arrays import Integers, rank_in_group
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError
from worldforge.schema.column_dependencies import series_orders
from worldforge.schema.column_paths import PREVIOUS
from worldforge.schema.expressions import compile_expression
from worldforge.schema.reference_conditions import PartnerCondition, partner_condition
from worldforge.schema.spec import Pairs, Relation
from worldforge.world.stable_ids import rows_of

_MOST_ROWS = 2**31 - 1


def draw_relation(draft: DraftTables, name: str) -> None:
    """Draw a relation's rows, ordered by source, and open its table with `id`, `source` and `target`.

    Raises InputError where its cardinalities cannot hold.
    """
    relation = draft.spec.relations[name]
    if relation.pairs is not None:
        _draw_pairs(draft, name, relation, relation.pairs)
        return
    sources, targets = _draw_ends(draft, name, relation)
    _open(draft, name, relation, sources, targets)
    if relation.series is not None:
        order_series(draft, name)


def _draw_pairs(draft: DraftTables, name: str, relation: Relation, pairs: Pairs) -> None:
    groups = groups_of(draft, relation.source, pairs)
    n_rows = count_meetings(groups, pairs.legs)
    if n_rows > _MOST_ROWS:
        hint = "split them into smaller groups with `within`, or lower `legs`"
        raise InputError(f"{name}: {n_rows:,} rows are more than a table can have", hint)
    met = draw_meetings(draft.stream(name, "target"), groups, pairs.legs)
    _open(draft, name, relation, met.sources, met.targets)
    draft.put(name, "round", pa.array(met.rounds))


def _open(draft: DraftTables, name: str, relation: Relation, sources: Integers, targets: Integers) -> None:
    draft.open(name, len(sources))
    draft.put(name, "source", draft.ids(relation.source).take(sources))
    draft.put(name, "target", draft.ids(relation.target).take(targets))


def _draw_ends(draft: DraftTables, name: str, relation: Relation) -> tuple[Integers, Integers]:
    """Draw the row numbers of sources, ascending, and of targets."""
    stream = draft.stream(name, "target")
    n_targets = draft.spec.n_entities(relation.target)
    assert relation.per_source is not None
    n_others = n_targets - (relation.source == relation.target)
    low, high = relation.per_source.low, relation.per_source.high
    most = max(low, min(high, n_others) if relation.distinct or not n_others else high)
    counts = stream.child("count").integers(draft.rows(relation.source), low, most)
    if counts.sum() > _MOST_ROWS:
        raise InputError(f"{name}: {counts.sum():,} rows are more than a table can have", "lower `per_source`")
    sources = np.repeat(draft.rows(relation.source), counts)
    condition = partner_condition(draft.spec, name, "target")
    if condition is not None:
        return _draw_partners(draft, name, condition, sources, low)
    if relation.series is not None and relation.distinct and low == n_others:
        targets = rank_in_group(sources)  # each has all there are: nothing is left to chance, nor the order
        return sources, targets + (targets >= sources) if relation.source == relation.target else targets
    return sources, _draw_targets(stream, name, relation, n_targets, sources)


def _draw_partners(
    draft: DraftTables, name: str, condition: PartnerCondition, sources: Integers, low: int
) -> tuple[Integers, Integers]:
    """Draw targets that meet a condition; a source may get fewer than drawn, at least `low`."""
    relation, stream = draft.spec.relations[name], draft.stream(name, "target")
    n_targets = draft.spec.n_entities(relation.target)
    popularity = Popularity.draw(stream, n_targets, relation.distribution, relation.exponent)
    limits = TargetLimits(
        room=None if relation.per_target is None else np.full(n_targets, min(relation.per_target.high, _MOST_ROWS)),
        owners=sources if relation.distinct else None,
    )
    choices = CandidatePartners(draft, condition, popularity).of(
        stream, np.arange(len(sources), dtype=np.int64), sources
    )
    targets = choices.draw(limits)
    found = targets < n_targets
    n_found = np.bincount(sources[found], minlength=len(draft.rows(relation.source)))
    short = np.flatnonzero(n_found < low)
    if len(short):
        row = int(np.flatnonzero(~found & (sources == short[0]))[0])
        paths = [path[1:] or ("name",) for path in condition.sides if path[0] == "source"]
        shown = describe_rows(draft, relation.source, short, paths)
        detail = (
            f"{name}: {len(short)} of {len(n_found)} × `{relation.source}` find fewer than {low} × `{relation.target}`"
        )
        message = f"{detail} that meet `{relation.where}`{choices.explain(row)[0]}:\n{shown}"
        raise InputError(message, "lower `per_source.low`, loosen `where`, or raise `per_target.high`")
    return sources[found], targets[found]


def _draw_targets(stream: Stream, name: str, relation: Relation, n_targets: int, sources: Integers) -> Integers:
    low, high = (relation.per_target.low, relation.per_target.high) if relation.per_target else (0, None)
    limits = TargetLimits(
        room=None if high is None else np.full(n_targets, min(high, _MOST_ROWS)),
        owners=sources if relation.distinct else None,
        barred=sources if relation.source == relation.target else None,
    )
    popularity = Popularity.draw(stream, n_targets, relation.distribution, relation.exponent)
    targets = place_rows(stream, np.arange(len(sources), dtype=np.int64), popularity, limits)
    lost = int((targets == n_targets).sum())
    if lost:
        raise InputError(
            f"{name}: {lost} of {len(sources)} rows find no `{relation.target}` that is free",
            "raise `per_target.high`, or lower `per_source`",
        )
    return _raise_to_low(stream, name, relation, low, targets, limits, n_targets)


def _raise_to_low(
    stream: Stream, name: str, relation: Relation, low: int, targets: Integers, limits: TargetLimits, n_targets: int
) -> Integers:
    """Move rows from targets that have more than `low` to those that have fewer."""
    needy = np.repeat(np.arange(n_targets), np.maximum(low - np.bincount(targets, minlength=n_targets), 0))
    spare = np.flatnonzero(rank_in_group(targets) >= low) if len(needy) else needy
    spare = spare[np.argsort(stream.child("spare").bits(spare), kind="stable")]
    targets, _, needy = exchange_targets(stream.child("spare"), targets, spare, needy, n_targets, limits)
    if len(needy):
        raise InputError(
            f"{name}: {len(needy)} rows are missing to give every `{relation.target}` its `per_target.low` of {low}",
            "lower `per_target.low`, or raise `per_source`",
        )
    return targets


class Meetings(NamedTuple):
    """Rows of a relation, ordered by source, then round: the row numbers of the two that meet, and rounds from 1."""

    sources: Integers
    targets: Integers
    rounds: Integers


def groups_of(draft: DraftTables, type_name: str, pairs: Pairs) -> Integers:
    """Return the group number of each entity of a type; -1 for none."""
    if pairs.within is None:
        return np.zeros(len(draft.rows(type_name)), np.int64)
    path = compile_expression(pairs.within, type_name, draft.spec)
    return rows_of(draft.evaluate(type_name, {"within": path})["within"])


def count_meetings(groups: Integers, legs: int) -> int:
    """Return how many rows there are when all of each group meet one another `legs` times."""
    sizes = np.bincount(groups[groups >= 0])
    return int(legs * (sizes * (sizes - 1) // 2).sum())


def draw_meetings(stream: Stream, groups: Integers, legs: int) -> Meetings:
    """Let all of each group meet one another `legs` times, sides changed from leg to leg.

    Where each stands in the circle of its group is drawn by chance; `groups` is one number an entity, -1 for none.
    """
    entities = np.flatnonzero(groups >= 0)
    circle = entities[np.lexsort((stream.child("order").bits(entities), groups[entities]))]
    group = groups[circle]
    size, place = np.bincount(group)[group], rank_in_group(group)
    one = np.repeat(np.arange(len(circle)), size - 1 - place)  # each meets those that stand after it
    other = one + 1 + rank_in_group(one)
    n_rounds = (size[one] - 1) | 1
    rounds = _round_of(place[one], place[other], n_rounds)
    begins = _has_first_side(place[one], place[other], rounds, n_rounds)
    sources, targets = np.where(begins, one, other), np.where(begins, other, one)
    odd = np.arange(legs) % 2 == 1
    home = circle[np.where(odd[:, None], targets, sources)].ravel()
    away = circle[np.where(odd[:, None], sources, targets)].ravel()
    numbers = (np.arange(legs)[:, None] * n_rounds + rounds + 1).ravel()
    order = np.lexsort((numbers, home))
    return Meetings(home[order], away[order], numbers[order])


def _round_of(one: Integers, other: Integers, n_rounds: Integers) -> Integers:
    """Return the round, from 0, in which two places meet; `other` may be the one that stands still."""
    half = (n_rounds + 1) // 2  # the inverse of 2
    return np.where(other == n_rounds, one, (one + other) * half % n_rounds)


def _has_first_side(one: Integers, other: Integers, rounds: Integers, n_rounds: Integers) -> npt.NDArray[np.bool_]:
    """Return whether the first of two places is the source: at an odd distance from the round's number."""
    odd: npt.NDArray[np.bool_] = np.where(other == n_rounds, rounds, (one - rounds) % n_rounds) % 2 == 1
    return odd


def order_series(draft: DraftTables, name: str) -> None:
    """Order the rows of each source, and add the columns `position` and `previous`.

    An owner's rows come in the order of what the spec orders them by; else, where a target is met once, as the entities
    at the other end do.
    """
    relation, held = draft.spec.relations[name], draft.column(name, "target")
    sources, targets, keys = rows_of(draft.column(name, "source")), rows_of(held), _order_of(draft, name)
    met_once = targets if relation.distinct else np.zeros_like(targets)
    moved = np.lexsort((met_once, keys if relation.series == "source" else np.zeros_like(keys), sources))
    draft.put(name, "target", held.take(pa.array(moved)))
    _put_positions(draft, name, rows_of(draft.column(name, str(relation.series))), keys[moved])


def _order_of(draft: DraftTables, name: str) -> Integers:
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


def _ranks(values: pa.Array, descending: bool) -> Integers:
    column = values.cast(pa.int8()) if pa.types.is_boolean(values.type) else values
    order = "descending" if descending else "ascending"
    ranks: Integers = pc.rank(column, order, tiebreaker="dense").to_numpy().astype(np.int64)
    return ranks


def _put_positions(draft: DraftTables, relation: str, owners: Integers, keys: Integers) -> None:
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
        for column, draw in drawers.items():
            values = draw(draft.stream(relation, column), rows)
            draft.put(relation, column, replace_rows(draft.column(relation, column), rows, values))
            own = [rule for rule in rules if (rule.table, rule.redrawn) == (relation, column)]
            redraw_until_kept(draft, relation, column, draw, own, rows)


def _by_position(draft: DraftTables, relation: str) -> Iterator[Rows]:
    """Yield the first rows of all owners (ascending), then the second rows, and so on."""
    positions = draft.column(relation, "position").to_numpy()
    order = np.argsort(positions, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(positions)[1:-1])) if len(order) else ()
