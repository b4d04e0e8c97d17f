"""The settings of a selection: filters, how many trajectories of a task, their order.

    Selection(success=True, pass_rate=Bounds(min=0.1, max=0.9), best_of=2, order="curriculum")

Steps are taken in the order of the fields; what none of them names stays. The default takes all as it was played.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from worldforge.datasets.selection.where_condition import compile_where
from worldforge.rollouts.scores import FRACTIONS, SUCCESSES

Score = Literal["item_f1", "row_f1", "coverage", "efficiency", "compat_item_f1", "compat_row_f1"]
Order = Literal["played", "curriculum", "shuffled"]
Hardness = Literal["pass_rate", "n_cells", "n_tool_calls"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Bounds(_Part):
    """From `min` to `max`, both included; either may be left open."""

    min: float | None = None
    max: float | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min ({self.min:g}) is above max ({self.max:g})")
        return self


class Selection(_Part):
    """Which trajectories, how many of each task, in which order.

    A field a step, in the order in which steps are taken; each is one option of `export` as well.
    """

    runs: list[str] = Field(
        default_factory=list,
        description="Names of runs, in the order of their rows; none named, all that are finished.",
    )
    agents: list[str] = Field(default_factory=list, description="Agents, as runs name them; none named, all.")
    endings: list[str] = Field(default_factory=list, description="`answered`, `step_limit`, `token_limit`, `failed`.")
    controls: list[str] = Field(
        default_factory=list, description="Controls of which a run's plan has one; `none` for runs without any."
    )
    success: bool | None = Field(default=None, description="Only perfect tables, or only the others.")
    any_outcome: bool = Field(
        default=False, description="Views that are imitated (`sft` …) take failures too, where nothing else says so."
    )
    item_f1: Bounds = Bounds()
    coverage: Bounds = Bounds()
    efficiency: Bounds = Bounds()
    n_steps: Bounds = Bounds()
    n_tool_calls: Bounds = Bounds()
    n_tool_errors: Bounds = Bounds()
    where: str = Field(
        default="", description="An expression over a trajectory's columns of numbers and text, `run`, `pass_rate`, "
        "`n_cells` (cells of the gold table)."
    )  # fmt: skip
    pass_rate: Bounds = Field(
        default=Bounds(), description="Share of a task's finished trajectories, before any filter, that succeeded."
    )
    accept: float | None = Field(
        default=None, description="Rejection sampling: the score, by `accept_by`, from which a trajectory is taken."
    )
    accept_by: Score = "item_f1"
    max_tokens: int | None = Field(default=None, ge=1, description="Most tokens of a conversation, by `tokenizer`.")
    dedupe: float | None = Field(
        default=None, gt=0, le=1, description="Similarity from which two trajectories are near-duplicates: 0.8."
    )
    best_of: int | None = Field(default=None, ge=1, description="How many of each task are kept: the best.")
    per_task: int | None = Field(default=None, ge=1, description="How many of each task are kept, drawn by chance.")
    order: Order = "played"
    curriculum_by: Hardness = Field(default="pass_rate", description="With `order: curriculum`: what is hard.")
    limit: int | None = Field(default=None, ge=1, description="How many are kept in all, in that order.")
    tokenizer: str = Field(
        default="",
        description="What counts tokens, into the column `n_tokens`: a tokenizer.json, a folder, a Hub name.",
    )
    seed: int = Field(default=0, ge=0, lt=2**63, description="Seed of what is drawn by chance.")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.max_tokens is not None and not self.tokenizer:
            raise ValueError("`max_tokens` needs `tokenizer`: tokens are counted with a tokenizer that is named")
        if self.best_of is not None and self.per_task is not None:
            raise ValueError("`best_of` and `per_task` both say how many of a task are kept: give one")
        if self.any_outcome and self.success is not None:
            raise ValueError("`any_outcome` and `success` contradict each other: give one")
        return self

    def as_data(self) -> dict[str, Any]:
        """Write what differs from the default as JSON values; `Selection.model_validate` reads it back."""
        return self.model_dump(mode="json", exclude_defaults=True)


def for_imitation(selection: Selection) -> Selection:
    """Return the selection for views that are imitated: as given where it names outcomes, else successes alone."""
    return selection if names_outcomes(selection) else selection.model_copy(update={"success": True})


def names_outcomes(selection: Selection) -> bool:
    """Return whether a selection names outcomes: by success, by a score, or any."""
    read = set(compile_where(selection.where).columns) if selection.where else set()
    named = selection.any_outcome or selection.success is not None or selection.accept is not None
    return named or selection.item_f1 != Bounds() or bool(read & {*SUCCESSES, *FRACTIONS})
