"""Terms over rows of other tables that refer to the entities: of relations (with time windows) or of other types."""

from __future__ import annotations

import datetime

import numpy as np

from worldforge.builders.tasks.condition_sampling import pick_bound, pick_condition, pick_value
from worldforge.builders.tasks.round_bounds import bound_text
from worldforge.builders.tasks.table_view import Subset, TableView
from worldforge.builders.tasks.task_family import FamilyInput
from worldforge.core.columns import ValueKind
from worldforge.schema.spec_section import Range
from worldforge.world.question_labels import LinkLabels
from worldforge.world.task_terms import AnyOf, Condition, RelatedTerm, Term, Terms

_LONGEST_YEARS = 5  # of a time window


def pick_related(drawing: FamilyInput, rows: Subset, wanted: Range) -> tuple[RelatedTerm, Subset] | None:
    """Draw a term over another table that leaves as many of `rows` as are wanted; None where the draw fails."""
    links = drawing.links
    if not links:
        return None
    link = links[drawing.dice.below(len(links))]
    where = _over_relation(drawing, link, wanted) if link.end else _over_type(drawing, link, wanted)
    if where is None:
        return None
    term = RelatedTerm(link.table, link.column, where)
    left = np.intersect1d(drawing.evaluator.rows(drawing.view.name, (term,)), rows)
    if not wanted.low <= len(left) <= wanted.high or len(left) == len(rows):
        return None
    stated = drawing.evaluator.prove(drawing.view.name, (term,), left)[1]
    return (term, left) if stated.all() else None


def pick_term(
    drawing: FamilyInput, rows: Subset, wanted: Range, used: str
) -> tuple[Condition | RelatedTerm, Subset] | None:
    """Draw one term that leaves as many rows as are wanted: over another table where there is one, half of the time."""
    if drawing.links and drawing.dice.happens(0.5):
        return pick_related(drawing, rows, wanted)
    refer = drawing.dice.happens(drawing.family.through)
    return pick_condition(drawing.view, drawing.dice, rows, (used,), wanted, refer=refer)


def _over_type(drawing: FamilyInput, link: LinkLabels, wanted: Range) -> Terms | None:
    """Draw a condition on the entities of another type that refer here."""
    view = drawing.views[link.table]
    wanted = Range(low=min(wanted.low, view.n_rows), high=view.n_rows)
    refer = drawing.dice.happens(0.3)
    picked = pick_condition(view, drawing.dice, view.everyone, (link.column,), wanted, refer=refer)
    return None if picked is None or picked[0].path.startswith(f"{link.column}.") else (picked[0],)


def _over_relation(drawing: FamilyInput, link: LinkLabels, wanted: Range) -> Terms | None:
    """Draw whom the relation is with, when, or how much: one of them at least."""
    view, dice = drawing.views[link.table], drawing.dice
    owners, others = view.column(link.column).codes, view.column(link.end).codes
    if len(np.unique(owners * (others.max(initial=0) + 1) + others)) < len(owners):
        return None  # an edge of the graph stands for one row
    where: list[Term] = []
    chosen = view.everyone
    named = dice.happens(0.7)
    if named:
        picked = pick_value(view.column(link.end), dice, chosen, Range(low=wanted.low, high=len(others) + wanted.low))
        if picked is None:
            return None
        where.append(picked[0])
        chosen = picked[1]
    narrowing = dice.share()
    if named and narrowing < 0.25:
        return tuple(where)
    narrow = _window if link.begin and narrowing < 0.8 else _bound
    more = narrow(drawing, view, link, chosen, wanted)
    return None if more is None else (*where, *more)


def _window(drawing: FamilyInput, view: TableView, link: LinkLabels, chosen: Subset, _: Range) -> Terms | None:
    """Draw a time at which, or between two of which, a period was in force: from its begin, up to before its end."""
    begins = view.column(link.begin).numbers[chosen]
    begins = begins[~np.isnan(begins)]
    if not len(begins):
        return None
    kind = view.column(link.begin).column.kind
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


def _bound(drawing: FamilyInput, view: TableView, link: LinkLabels, chosen: Subset, wanted: Range) -> Terms | None:
    """Draw a bound on a column of the relation that leaves as many of its rows as entities are wanted."""
    without = (link.begin, link.until, "position", "round")
    columns = [one for one in view.columns if one.ordered and one.path not in without]
    if not columns:
        return None
    picked = pick_bound(columns[drawing.dice.below(len(columns))], drawing.dice, chosen, wanted)
    return None if picked is None else (picked[0],)
