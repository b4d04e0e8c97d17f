"""A family of tasks is one file with a draw function and a `Family`, shipped in `families/` or a spec's own.

    def draw(given: FamilyInput) -> DrawnTask | None: ...
    FAMILY = Family(draw, frames="filter")

A spec names a shipped family by its file, `family: ranking`, and its own as `family: my_tasks:FAMILY`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from worldforge.builders.tasks import families
from worldforge.builders.tasks.condition_sampling import Dice, pick_condition, pick_values
from worldforge.builders.tasks.table_view import Subset, TableView
from worldforge.builders.tasks.term_evaluator import TermEvaluator
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.imports import is_own, load
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language, Range
from worldforge.schema.task_section import TaskFamily
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
    leaves,
)

_SEVERAL_VALUES = 0.3  # of wide tasks end with several values of one column
_TRIES = 4  # of one condition that is to leave so many rows as a ladder asks for
_ORDER = (GivenEntities, Condition, RelatedTerm, DescribedTerm, AnyOf, NoneOf)


@dataclass(frozen=True, slots=True)
class FamilyInput:
    """One candidate in the making: the type it is about, what refers to it, the draws, how much is wanted, the
    language of the tables."""

    view: TableView
    links: Sequence[LinkLabels]
    views: Mapping[str, TableView]
    evaluator: TermEvaluator
    family: TaskFamily
    dice: Dice
    stream: Stream
    wanted: Range
    columns: Range
    language: Language


@dataclass(frozen=True, slots=True)
class DrawnTask:
    """A drawn task: terms, the rows that answer, facts needed beside those that prove the terms.

    `columns` are there where a family draws them itself, unnamed yet; where the answer's rows are groups of those rows,
    the group's, then computed ones. Where `shape` asks for the rows of a relation, `rows` are those. `keys` are the
    columns that tell rows apart.
    """

    terms: Terms
    rows: Subset
    facts: Sequence[str] = ()
    shape: Shape = field(default_factory=Shape)
    columns: Sequence[TaskColumn] = ()
    keys: Sequence[str] = ("name",)


Openings = Mapping[str, Sequence[str]]
"""By voice, first sentences of questions with the slots `{plural}` or `{label}`, and `{conditions}`."""


@dataclass(frozen=True, slots=True)
class Family:
    """A family of tasks: how a candidate is drawn, and how its question opens.

    `draw` returns None where the draws lead to no task of the wanted size. `frames` names the openings of a shipped
    family, or gives `Openings` by language (`en`, `zh`). `over_relations` says whether terms need rows of relations,
    and `rows_of_sources` whether the answer's rows are those: of types at which relations begin; `names_sites`
    that columns are figures as named sites give them (`TableView.site_figures`).
    """

    draw: Callable[[FamilyInput], DrawnTask | None]
    frames: str | Mapping[str, Openings]
    over_relations: bool = False
    names_sites: bool = False
    rows_of_sources: bool = False

    def __call__(self, given: FamilyInput) -> DrawnTask | None:
        """Draw a candidate."""
        return self.draw(given)

    def frames_in(self, language: str) -> str | Openings:
        """Return the openings in a language, or the name of shipped ones. Raises InputError where there are none."""
        if isinstance(self.frames, str):
            return self.frames
        if not self.frames.get(language):
            raise InputError(f"the task family has no openings in `{language}`", "add them to `frames` of its `Family`")
        return self.frames[language]


def load_family(name: str, code_from: Path | None = None) -> Family:
    """Return the family that a spec names: a shipped one, or `module:FAMILY` from the folder `code_from`.

    Raises InputError for a name that does not exist, and for code that was not allowed.
    """
    found = load(name, code_from) if is_own(name) else import_module(f"{families.__name__}.{name}").FAMILY
    if not isinstance(found, Family):
        raise InputError(f"`{name}` is no task family", "name an object made with `Family(draw, frames=...)`")
    return found


def relations_for_tasks(spec: WorldSpec) -> list[str]:
    """List the relations that tasks of the spec may ask about: all, or none where no family asks about any."""
    names = {family.family for family in spec.tasks.values()}
    asks = any(is_own(name) or load_family(name).over_relations for name in names)
    return list(spec.relations) if asks else []


def order_terms(terms: Sequence[Term]) -> Terms:
    """Order terms as they are worded: plain ones first."""
    return tuple(sorted(terms, key=lambda term: _ORDER.index(type(term))))


def draw_conditions(
    drawing: FamilyInput,
    n: int,
    last: Range,
    rows: Subset | None = None,
    used: Sequence[str] = (),
    *,
    alternatives: bool = True,
) -> tuple[list[Condition | AnyOf], Subset] | None:
    """Draw `n` conditions one after the other, the first over a reference as often as the family says.

    They narrow `rows`, by default all. The last leaves as many rows as `last` says, those before it at least as many.
    In a family with `cells` the last may be several values of one column, where `alternatives` may be.
    """
    view, dice = drawing.view, drawing.dice
    rows = view.everyone if rows is None else rows
    conditions: list[Condition | AnyOf] = []
    through = dice.happens(drawing.family.through) and not used
    for left in range(n - 1, -1, -1):
        wanted = Range(low=last.low, high=last.high if left == 0 else max(len(rows), last.low))
        taken, refer = {*used, *paths_of(conditions)}, through and not conditions
        for _ in range(_TRIES if drawing.family.cells is not None else 1):
            several = alternatives and left == 0 and drawing.family.cells is not None and dice.happens(_SEVERAL_VALUES)
            pick = pick_values if several else pick_condition
            if (picked := pick(view, dice, rows, taken, wanted, refer=refer)) is not None:
                break
        if picked is None:
            return None
        conditions.append(picked[0])
        rows = picked[1]
    return conditions, rows


def paths_of(terms: Sequence[Term]) -> set[str]:
    """Return the paths of the columns that conditions are on."""
    return {condition.path for condition in leaves(terms)}


def fixed_paths(terms: Sequence[Term]) -> set[str]:
    """Return the paths of the columns that have one value under conditions."""
    return {term.path for term in terms if isinstance(term, Condition) and term.operator == "="}
