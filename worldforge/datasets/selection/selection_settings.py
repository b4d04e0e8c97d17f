"""The settings of a selection: filters, how many trajectories of a task, their order.

    Selection(success=True, pass_rate=Bounds(min=0.1, max=0.9), best_of=2, order="curriculum")
    compile_where("item_f1 >= 0.5 and n_steps < 30 and agent like 'qwen%'")

Steps are taken in the order of the fields; what none of them names stays. The default takes all as it was played.

`where` is a condition on one trajectory, in the language of a spec's expressions: no statement, no subquery, no
function that reads a file, the clock or chance. DuckDB gets what is written from the tree that was read, not the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import pyarrow as pa
from pydantic import ConfigDict, Field

from worldforge.core.columns import ValueKind
from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.rollouts.scores import FRACTIONS, SUCCESSES
from worldforge.rollouts.trajectory import TRAJECTORIES
from worldforge.schema.expression_grammar import ExpressionError, read_tokens
from worldforge.schema.expression_sql import bind
from worldforge.schema.expressions import compile_expression
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Section

Score = Literal["item_f1", "row_f1", "coverage", "efficiency", "compat_item_f1", "compat_row_f1"]
Order = Literal["played", "curriculum", "shuffled"]
Hardness = Literal["searcher_calls", "pass_rate", "n_cells", "n_tool_calls"]


class Bounds(Section):
    """From `min` to `max`, both included; either may be left open."""

    model_config = ConfigDict(allow_inf_nan=False)
    _errors = (
        (lambda one: None not in (one.min, one.max) and one.min > one.max,
         "min ({one.min:g}) is above max ({one.max:g})"),
    )  # fmt: skip

    min: float | None = None
    max: float | None = None


class Selection(Section):
    """Which trajectories, how many of each task, in which order.

    A field a step, in the order in which steps are taken; each is one option of `export` as well.
    """

    model_config = ConfigDict(allow_inf_nan=False)
    _errors = (
        (lambda one: one.max_tokens is not None and not one.tokenizer,
         "`max_tokens` needs `tokenizer`: tokens are counted with a tokenizer that is named"),
        (lambda one: None not in (one.best_of, one.per_task),
         "`best_of` and `per_task` both say how many of a task are kept: give one"),
        (lambda one: one.any_outcome and one.success is not None,
         "`any_outcome` and `success` contradict each other: give one"),
    )  # fmt: skip

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
    clairvoyant: bool | None = Field(
        default=None,
        description="Only trajectories of agents that knew what they had not been shown (oracles), or only the others. "
        "Views that are imitated take only the others unless this says otherwise.",
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
    curriculum_by: Hardness = Field(
        default="searcher_calls",
        description="With `order: curriculum`: what is hard. Where it is not known or equal, a lower pass rate is.",
    )
    limit: int | None = Field(default=None, ge=1, description="How many are kept in all, in that order.")
    tokenizer: str = Field(
        default="",
        description="What counts tokens, into the column `n_tokens`: a tokenizer.json, a folder, a Hub name.",
    )
    seed: int = Field(default=0, ge=0, lt=2**63, description="Seed of what is drawn by chance.")

    def as_data(self) -> dict[str, Any]:
        """Write what differs from the default as JSON values; `Selection.model_validate` reads it back."""
        return self.model_dump(mode="json", exclude_defaults=True)


def for_imitation(selection: Selection) -> Selection:
    """Return the selection for views that are imitated: successes of agents that knew no more than they were shown.

    What it says of outcomes and of clairvoyance stands.
    """
    outcomes = {} if names_outcomes(selection) else {"success": True}
    agents = {"clairvoyant": False} if selection.clairvoyant is None else {}
    return selection.model_copy(update=outcomes | agents)


def names_outcomes(selection: Selection) -> bool:
    """Return whether a selection names outcomes: by success, by a score, or any."""
    read = set(compile_where(selection.where).columns) if selection.where else set()
    named = selection.any_outcome or selection.success is not None or selection.accept is not None
    return named or selection.item_f1 != Bounds() or bool(read & {*SUCCESSES, *FRACTIONS})


RUN, PASS_RATE, N_CELLS, SEARCHER_CALLS, SIDE = "run", "pass_rate", "n_cells", "searcher_calls", "side"
_TABLE = "trajectory"
_HELD: dict[pa.DataType, ValueKind] = {
    pa.string(): "text",
    pa.int32(): "integer",
    pa.int64(): "integer",
    pa.float64(): "number",
    pa.bool_(): "boolean",
}
KINDS: dict[str, ValueKind] = {
    **{field.name: _HELD[field.type] for field in TRAJECTORIES if field.type in _HELD},
    RUN: "text",
    PASS_RATE: "number",
    N_CELLS: "integer",
    SEARCHER_CALLS: "integer",
    SIDE: "text",
}
"""What a condition may read: a trajectory's columns of one value each, and what is known of its run and task."""


@dataclass(frozen=True, slots=True)
class WhereCondition:
    """A checked condition: the `columns` it reads, and its `sql` for DuckDB over a table that has them."""

    columns: tuple[str, ...]
    sql: str


def compile_where(text: str) -> WhereCondition:
    """Check and compile a condition. Raises InputError if it does not parse, is not allowed, or is not a condition."""
    try:
        for column in read_tokens(text, aggregates=False)[1]:
            _check_column(".".join(column.path), column.quoted)
        expression = compile_expression(text, _TABLE, _columns_as_spec())
        kind = bind(expression, {path: KINDS[path[0]] for path in expression.paths})
    except ExpressionError as error:
        raise InputError(f"where `{text}`: {error.message}", error.hint) from error
    if kind != "boolean":
        raise InputError(f"where `{text}`: it is no condition", "compare something: `item_f1 >= 0.5`")
    columns = tuple(name for (name,) in expression.paths)
    return WhereCondition(columns, expression.tree.sql("duckdb", comments=False))


def _check_column(name: str, quoted: bool) -> None:
    if name in KINDS:
        return
    hint = "text is written in single quotes" if quoted else did_you_mean(name, KINDS)
    if name in TRAJECTORIES.names:
        hint = "a condition reads columns of one number or text each"
    raise ExpressionError(f"there is no column `{name}` to choose by", hint)


@cache
def _columns_as_spec() -> WorldSpec:
    """Return a spec with the columns as the attributes of a type, to check expressions against."""
    attributes = {name: {"generator": "values.any"} for name in KINDS}
    kind = {"count": 1, "name": {"generator": "names.any"}, "attributes": attributes}
    return WorldSpec.model_validate({"name": _TABLE, "types": {_TABLE: kind}})
