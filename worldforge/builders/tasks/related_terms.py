"""Terms over rows of other tables that refer to the entities: of relations (with time windows) or of other types."""

from __future__ import annotations

import datetime

import numpy as np

from worldforge.builders.tasks.condition_sampling import Rows, pick_condition
from worldforge.builders.tasks.round_bounds import bound_below, bound_text
from worldforge.builders.tasks.task_family import FamilyInput
from worldforge.builders.tasks.type_views import Subset
from worldforge.core.columns import ValueKind
from worldforge.schema.spec_section import Range
from worldforge.world.question_labels import LinkLabels
from worldforge.world.task_terms import AnyOf, Condition, RelatedTerm, Term, Terms

_LONGEST_YEARS = 5  # of a time window
_ORDERED = ("integer", "year", "number", "date")


def pick_related(drawing: FamilyInput, rows: Rows, wanted: Range) -> tuple[RelatedTerm, Subset] | None:
    """Draw a term over another table that leaves as many of `rows` as are wanted; None where the draw fails."""
    links = drawing.links
    if not links:
        return None
    link = links[drawing.dice.below(len(links))]
    where = _over_relation(drawing, link, wanted) if link.end else _over_type(drawing, link, wanted)
    if where is None:
        return None
    term = RelatedTerm(link.table, link.column, where)
    left = np.flatnonzero(drawing.masks.holds(drawing.view.name, (term,)))
    left = left if rows is None else np.intersect1d(left, rows)
    n_before = drawing.view.n_rows if rows is None else len(rows)
    if not wanted.low <= len(left) <= wanted.high or len(left) == n_before:
        return None
    stated = drawing.masks.prove(drawing.view.name, (term,), left)[1]
    return (term, left) if stated.all() else None


def pick_term(
    drawing: FamilyInput, rows: Rows, wanted: Range, used: str
) -> tuple[Condition | RelatedTerm, Subset] | None:
    """Draw one term that leaves as many rows as are wanted: over another table where there is one, half of the time."""
    if drawing.links and drawing.dice.happens(0.5):
        return pick_related(drawing, rows, wanted)
    refer = drawing.dice.happens(drawing.family.through)
    return pick_condition(drawing.view, drawing.dice, rows, (used,), wanted, refer=refer)


def _over_type(drawing: FamilyInput, link: LinkLabels, wanted: Range) -> Terms | None:
    """Draw a condition on the entities of another type that refer here."""
    view = drawing.views[link.table]
    low = min(wanted.low, view.n_rows)
    refer = drawing.dice.happens(0.3)
    picked = pick_condition(view, drawing.dice, None, (link.column,), Range(low=low, high=view.n_rows), refer=refer)
    return None if picked is None or picked[0].path.startswith(f"{link.column}.") else (picked[0],)


def _over_relation(drawing: FamilyInput, link: LinkLabels, wanted: Range) -> Terms | None:
    """Draw whom the relation is with, when, or how much: one of them at least."""
    masks, dice = drawing.masks, drawing.dice
    owners, others = masks.targets(link.table, link.column), masks.targets(link.table, link.end)
    if len(np.unique(owners * (others.max(initial=0) + 1) + others)) < len(owners):
        return None  # an edge of the graph stands for one row
    where: list[Term] = []
    chosen = np.arange(len(owners))
    named = dice.happens(0.7)
    if named:
        counts = np.bincount(others, minlength=1)
        options = np.flatnonzero(counts >= wanted.low)
        if not len(options):
            return None
        other = int(options[dice.below(len(options))])
        target = masks.tables[str(masks.columns[link.table][link.end].references)]
        id_, name = (target[column][other].as_py() for column in ("id", "name"))
        where.append(Condition(link.end, "=", id_, name, "text"))
        chosen = np.flatnonzero(others == other)
    narrowing = dice.share()
    if named and narrowing < 0.25:
        return tuple(where)
    narrow = _window if link.begin and narrowing < 0.8 else _bound
    more = narrow(drawing, link, chosen, wanted)
    return None if more is None else (*where, *more)


def _window(drawing: FamilyInput, link: LinkLabels, chosen: Subset, wanted: Range) -> Terms | None:
    """Draw a time at which, or between two of which, a period was in force: from its begin, up to before its end."""
    begins = drawing.masks.numbers(link.table, link.begin)[chosen]
    begins = begins[~np.isnan(begins)]
    if not len(begins):
        return None
    kind = drawing.masks.columns[link.table][link.begin].kind
    first = _year(float(begins[drawing.dice.below(len(begins))]), kind) + drawing.dice.below(2)
    latest = _year(float(begins.max()), kind)
    first = min(first, latest)
    last = min(latest, first + (drawing.dice.below(_LONGEST_YEARS + 1) if drawing.dice.happens(0.5) else 0))
    (low, low_written), (high, high_written) = (_day_or_year(year, kind) for year in (first, last))
    over = Condition(link.until, ">", low, low_written, kind)
    begun = Condition(link.begin, "<=", high, high_written, kind)
    return begun, AnyOf(((Condition(link.until, "missing", "", "", kind),), (over,)))


def _year(value: float, kind: ValueKind) -> int:
    return (datetime.date(1970, 1, 1) + datetime.timedelta(int(value))).year if kind == "date" else int(value)


def _day_or_year(year: int, kind: ValueKind) -> tuple[str, str]:
    if kind != "date":
        return str(year), str(year)
    return bound_text(float((datetime.date(year, 1, 1) - datetime.date(1970, 1, 1)).days), kind)


def _bound(drawing: FamilyInput, link: LinkLabels, chosen: Subset, wanted: Range) -> Terms | None:
    """Draw a bound on a column of the relation that leaves as many of its rows as entities are wanted."""
    masks, dice = drawing.masks, drawing.dice
    without = (link.begin, link.until, "position", "round")
    held = masks.columns[link.table].values()
    columns = [c for c in held if c.kind in _ORDERED and not c.rank and c.name not in without]
    if not columns:
        return None
    column = columns[dice.below(len(columns))]
    values = masks.numbers(link.table, column.name)[chosen]
    values = np.sort(values[~np.isnan(values)])
    above = dice.happens(0.5)
    n_kept = dice.within(Range(low=wanted.low, high=max(wanted.low, min(wanted.high, len(values) - 1))))
    cut = len(values) - n_kept if above else n_kept
    if not 0 < cut < len(values) or values[cut - 1] == values[cut]:
        return None
    bound = bound_below(float(values[cut - 1]), float(values[cut]), column.kind, keep_above=above)
    if bound is None:
        return None
    value, written = bound_text(bound, column.kind)
    return (Condition(column.name, ">" if above else "<", value, written, column.kind),)
