"""What a family draws with, what it gives, and conditions that follow one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from worldforge.builders.tasks.condition_masks import ConditionMasks
from worldforge.builders.tasks.condition_sampling import Dice, Rows, pick_condition
from worldforge.builders.tasks.type_views import Subset, TypeView
from worldforge.core.chance import Stream
from worldforge.schema.section import Language, Range
from worldforge.schema.tasks import TaskFamily
from worldforge.world.question_labels import LinkLabels
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import (
    AnyOf,
    Condition,
    DescribedTerm,
    GivenEntities,
    NoneOf,
    RelatedTerm,
    Shape,
    Term,
    Terms,
)

_ORDER = (GivenEntities, Condition, RelatedTerm, DescribedTerm, AnyOf, NoneOf)


@dataclass(frozen=True, slots=True)
class FamilyInput:
    """One candidate in the making: the type it is about, what refers to it, the draws, how much is wanted, the
    language of the tables."""

    view: TypeView
    links: Sequence[LinkLabels]
    views: Mapping[str, TypeView]
    masks: ConditionMasks
    family: TaskFamily
    dice: Dice
    stream: Stream
    wanted: Range
    columns: Range
    language: Language


@dataclass(frozen=True, slots=True)
class DrawnTask:
    """What a family has drawn: terms, the rows that answer, facts needed beside those that show the terms to hold.

    `columns` are there where the answer's rows are groups of those rows: the group's, then computed ones, unnamed yet.
    """

    terms: Terms
    rows: Subset
    facts: Sequence[str] = ()
    shape: Shape = field(default_factory=Shape)
    columns: Sequence[TaskColumn] = ()


def order_terms(terms: Sequence[Term]) -> Terms:
    """Put terms in the order in which they are worded: plain ones first."""
    return tuple(sorted(terms, key=lambda term: _ORDER.index(type(term))))


def draw_conditions(
    drawing: FamilyInput, n: int, last: Range, rows: Rows = None, used: Sequence[str] = ()
) -> tuple[list[Condition], Rows] | None:
    """Draw `n` conditions one after the other, the first over a reference as often as the family says.

    The last leaves as many rows as `last` says, those before it at least as many.
    """
    view, dice = drawing.view, drawing.dice
    conditions: list[Condition] = []
    through = dice.happens(drawing.family.through) and not used
    for left in range(n - 1, -1, -1):
        n_rows = view.n_rows if rows is None else len(rows)
        wanted = Range(low=last.low, high=last.high if left == 0 else max(n_rows, last.low))
        taken = {*used, *(condition.path for condition in conditions)}
        picked = pick_condition(view, dice, rows, taken, wanted, refer=through and not conditions)
        if picked is None:
            return None
        conditions.append(picked[0])
        rows = picked[1]
    return conditions, rows
