"""What a spec says of its tasks: families of questions, how many, and how hard."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from worldforge.core.imports import shipped_families
from worldforge.schema.spec_section import Identifier, Language, Range, Section, Share

MeasureName = Literal["count", "sum", "mean", "min", "max"]
LogicWord = Literal["and", "or", "not", "between"]
GROUPING = ("aggregate", "top_per_group")
"""The families that group entities."""
ROWS = ("relation_rows", "rows_by_time")
"""The families that ask for the rows of relations."""
_OWN_COLUMNS = ("aggregate", "by_site", "joined_lists", *ROWS)


class SearcherGate(Section):
    """What the searcher, which knows only what it has seen, must reach for a task to be kept."""

    max_steps: int = Field(
        default=1000,
        ge=0,
        description="Tool calls that it has for a task. 0: it does not play, and tasks lack the columns `searcher_…`.",
    )
    item_f1: Share = Field(default=0.95, description="Least item F1 that it must reach; 0 measures and keeps all.")


class Gates(Section):
    """The shortcuts that a task may leave open: pages, clues and guesses that make a wide question a narrow one."""

    page_share: Share = Field(default=1.0, description="Most of a gold table's facts that one page may state, a share.")
    guess: Share = Field(
        default=1.0, description="Most item F1 that a guess may reach which has read the question and no page."
    )
    single_clue: bool = Field(default=True, description="Whether one condition of several may select the answer alone.")
    searcher: SearcherGate = SearcherGate()


class Split(Section):
    """Tasks for training and tasks for evaluation, about different entities."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("by",)

    evaluation: float = Field(gt=0, lt=1, description="Share of entities and of tasks that are for evaluation.")
    by: Identifier | None = Field(
        default=None,
        description="The type that is split; what refers to it, over other types too, goes with it. "
        "Default: each entity by itself.",
    )


class Groups(Section):
    """How entities are grouped, and what is computed of each group, or how many of each are asked for."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("measures", "by", "of", "members", "first")
    _errors = (
        (lambda one: len(set(one.measures)) < len(one.measures), "`measures` names one twice"),
        (lambda one: one.first.low < 2, "first.low must be at least 2"),
    )

    measures: list[MeasureName] = Field(
        default=["count", "sum", "mean", "min", "max"],
        min_length=1,
        description="What is computed of each group. `sum` is of whole numbers, `mean` of numbers, `min` and `max` of "
        "years and dates as well.",
    )
    by: list[Identifier] | None = Field(
        default=None, min_length=1, description="The columns to group by. Default: any that may be."
    )
    of: list[Identifier] | None = Field(
        default=None,
        min_length=1,
        description="The columns to compute of. Default: any, but sums of what adds up by its name.",
    )
    members: Range = Field(
        default=Range(low=6, high=60),
        description="Of `aggregate`: how many entities there are in all groups together; the family's `rows` are the "
        "groups.",
    )
    first: Range = Field(
        default=Range(low=2, high=5),
        description="Of `top_per_group`: how many come first in each group; the family's `rows` are these of all "
        "groups.",
    )

    @property
    def are_compared(self) -> bool:
        """Whether nothing is said of what is computed of groups."""
        return all(map(self.has_default, ("measures", "of", "members")))


class Cells(Section):
    """A ladder of table sizes: a step for each task, from `low` to `high` cells."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = ("mean",)
    _errors = (
        (lambda one: one.low > one.high, "low ({one.low}) is above high ({one.high})"),
        (lambda one: one.mean is not None and not one.low <= one.mean <= one.high, "`mean` lies from low to high"),
    )

    low: int = Field(ge=1, description="The least.")
    high: int = Field(ge=1, description="The most.")
    mean: int | None = Field(
        default=None, description="Mean of the steps. Default: that of steps at equal ratios, as on a log scale."
    )


class TaskFamily(Section):
    """A family of questions, how many, and how hard."""

    _omitted_defaults: ClassVar[tuple[str, ...]] = (
        "cells",
        "paths",
        "include",
        "logic",
        "language",
        "groups",
        "params",
    )
    _errors = (
        (lambda one: one.rows.low < 1, "rows.low must be at least 1"),
        (lambda one: one.columns.low < 1, "columns.low must be at least 1"),
        (lambda one: one.conditions.low < 1, "conditions.low must be at least 1"),
        (lambda one: one.cells is not None and not one.has_default("rows"), "give one of `rows` and `cells`"),
        (lambda one: one.cells is not None and (one.cells.low < one.columns.low or one.cells.high > 4096),
         "cells lie from {one.columns.low}, the fewest columns, to 4096"),
        (lambda one: one.family != "filter" and not one.has_default("logic"), "`logic` belongs to the family `filter`"),
        (lambda one: one.family not in GROUPING and not one.has_default("groups"),
         "`groups` belongs to the families `aggregate` and `top_per_group`"),
        (lambda one: one.family == "top_per_group" and not one.groups.are_compared,
         "`measures`, `of` and `members` belong to the groups of the family `aggregate`"),
        (lambda one: one.family == "aggregate" and not one.groups.has_default("first"),
         "`first` belongs to the groups of the family `top_per_group`"),
        (lambda one: one.family == "top_per_group" and one.columns.high < 3,
         "columns.high must be at least 3: the entity, its group, and what is compared"),
        (lambda one: one.family in _OWN_COLUMNS and not one.has_default("include"),
         f"`include` does not belong to the families {', '.join(f'`{one}`' for one in _OWN_COLUMNS)}"),
        (lambda one: one.family == "by_site" and one.columns.high < 3,
         "columns.high must be at least 3: the name, and the figure of either site"),
        (lambda one: one.family == "joined_lists" and one.columns.high < 4,
         "columns.high must be at least 4: the names of both lists, and a column of each"),
        (lambda one: one.family == "joined_lists" and one.conditions.high < 2,
         "conditions.high must be at least 2: one on each list"),
        (lambda one: len(one.include) + 1 > one.columns.high, "columns.high leaves no room for what `include` names"),
        (lambda one: one.family == "aggregate" and one.columns.low < 2,
         "columns.low must be at least 2: the group, and what is computed of it"),
        (lambda one: one.family == "aggregate" and one.groups.members.high < 2 * one.least_rows,
         "{one.groups.members.high} members are too few for {one.least_rows} groups of two and more"),
    )  # fmt: skip

    family: str = Field(
        description="A shipped family, such as `ranking`, or `module:FAMILY`, an object of your own code.",
        examples=shipped_families(),
    )
    about: list[Identifier] | Literal["all"] = Field(default="all", description="The types that are asked about.")
    count: int = Field(ge=1, le=1_000_000, description="How many tasks.")
    rows: Range = Field(default=Range(low=3, high=20), description="Rows of the gold table.")
    columns: Range = Field(default=Range(low=2, high=4), description="Its columns, the name among them.")
    cells: Cells | None = Field(
        default=None,
        description="In the place of `rows`: how many cells gold tables have, 4 to 4096; a ladder over the tasks of "
        "the family, at equal ratios. Wider tables have more columns. A step too high for the world is taken lower.",
    )
    paths: Share = Field(
        default=0.0,
        description="Share of the columns beside the name that lead through one or two references: `town.region`.",
    )
    include: list[Identifier] = Field(
        default_factory=list,
        description="Columns that each answer has, where the type asked about has them: `website`. `columns` counts "
        "them.",
    )
    conditions: Range = Field(default=Range(low=1, high=2), description="Conditions of a question.")
    through: Share = Field(default=0.5, description="Share of tasks with at least one condition over a reference.")
    logic: list[LogicWord] = Field(
        default=["and", "or", "not", "between"],
        min_length=1,
        description="Of `filter`: the forms that its conditions take, one a task.",
    )
    groups: Groups = Field(default=Groups(), description="Of `aggregate` and `top_per_group`: what the groups are.")
    params: dict[str, Any] = Field(
        default_factory=dict, description="Of a family of your own: what its draw function reads in `family.params`."
    )
    language: Language | Literal["both"] | None = Field(
        default=None,
        description="What questions are worded in; `both`: in each of the world's languages by turns. "
        "Default: the first of them.",
    )

    @property
    def least_rows(self) -> int:
        """The fewest rows that a table may have."""
        return self.rows.low if self.cells is None else max(1, self.cells.low // self.columns.high)
