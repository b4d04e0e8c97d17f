"""A gold table: the rows of the right answer, and the rules by which columns are compared.

    gold = GoldTable(
        columns=("Club", "Founded"),
        rows=(("Velmar Rovers", "1911"), ("Torvik City", "1898")),
        keys=("Club",),
        evaluation={
            "unique_columns": ["club"],
            "required": ["club", "founded"],
            "eval_pipeline": {
                "club": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
                "founded": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0},
            },
        },
        aliases={"Club": {"The Rovers": "Velmar Rovers"}},
    )

`evaluation` is WideSearch's own object (arXiv 2508.07999). It names columns in lower case and without spaces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, get_args

from worldforge.core.errors import InputError
from worldforge.world.task import Task

Preprocess = Literal["norm_str", "extract_number", "norm_date"]
Metric = Literal["exact_match", "number_near", "date_near", "in_match", "url_match", "llm_judge"]


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """How one column is compared. `tolerance` is `number_near`'s share of gold, `criterion` the words for a judge."""

    name: str
    is_key: bool
    preprocess: tuple[Preprocess, ...]
    metrics: tuple[Metric, ...]
    tolerance: Decimal
    criterion: str


@dataclass(frozen=True, slots=True)
class GoldTable:
    """What a task's answer must hold; see the module for an example.

    `columns` and `keys` are labels as the question gives them, `rows` have one cell a column. `aliases` maps other
    names to the gold's own, by column. Equal tables are equal keys, so that what follows from one is worked out once
    for all answers. Raises InputError where the parts do not fit together.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: tuple[str, ...]
    evaluation: Mapping[str, Any] = field(compare=False)  # `rules` says all of it
    aliases: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    rules: tuple[ColumnRule, ...] = field(init=False, repr=False)
    """One a column, in the order of `columns`."""
    ordered: bool = field(init=False, repr=False)
    """Whether the order of the rows counts: what `evaluation` says of `row_order`."""

    def __post_init__(self) -> None:
        names = [column_name(column) for column in self.columns]
        keys = [column_name(key) for key in self.keys]
        self._check(names, keys)
        object.__setattr__(self, "ordered", self.evaluation.get("row_order") is True)
        object.__setattr__(self, "rules", tuple(_rule(name, name in keys, self.evaluation) for name in names))

    def _check(self, names: Sequence[str], keys: Sequence[str]) -> None:
        evaluation = self.evaluation
        if len(set(names)) != len(names):
            raise InputError(f"gold table: two columns are called the same: {', '.join(self.columns)}")
        if not self.rows or any(len(row) != len(names) for row in self.rows):
            raise InputError(f"gold table: it needs rows, each of {len(names)} cells")
        if names != [column_name(name) for name in evaluation["required"]]:
            raise InputError(f"gold table: its columns are {names}, but `required` says {evaluation['required']}")
        if not keys or set(keys) != {column_name(name) for name in evaluation["unique_columns"]}:
            raise InputError(f"gold table: its keys are {keys}, but `unique_columns` says otherwise")
        if unknown := {*keys, *map(column_name, self.aliases)} - set(names):
            raise InputError(f"gold table: no column is called {', '.join(sorted(unknown))}")


def column_name(label: str) -> str:
    """Write a column's label as the benchmark compares it: no space around, lower case, no space within."""
    return label.strip().lower().replace(" ", "")


def _rule(name: str, is_key: bool, evaluation: Mapping[str, Any]) -> ColumnRule:
    pipelines = {column_name(column): pipeline for column, pipeline in evaluation["eval_pipeline"].items()}
    if name not in pipelines and not is_key:
        raise InputError(f"gold table: `eval_pipeline` has no entry for column `{name}`")
    pipeline = pipelines.get(name, {})
    preprocess, metrics = tuple(pipeline.get("preprocess", ())), tuple(pipeline.get("metric", ()))
    if unknown := [step for step in preprocess if step not in get_args(Preprocess)]:
        raise InputError(f"gold table: column `{name}`: unknown preprocess `{unknown[0]}`")
    if unknown := [metric for metric in metrics if metric not in get_args(Metric)]:
        raise InputError(f"gold table: column `{name}`: unknown metric `{unknown[0]}`")
    criterion = pipeline.get("criterion")
    tolerance = _tolerance(name, criterion) if "number_near" in metrics else Decimal(0)
    return ColumnRule(name, is_key, preprocess, metrics, tolerance, str(criterion))


def _tolerance(name: str, criterion: object) -> Decimal:
    if isinstance(criterion, int | float) and criterion >= 0:
        return Decimal(str(criterion))
    raise InputError(f"gold table: column `{name}`: the criterion of number_near is a share of gold, not `{criterion}`")


def gold_of(task: Task) -> GoldTable:
    """Give a task's gold table as the scorers take it, with other words for values where `evaluation` has such."""
    return GoldTable(tuple(task.labels), task.gold, task.keys, task.evaluation, synonyms_of_columns(task))


def synonyms_of_columns(task: Task) -> dict[str, dict[str, str]]:
    """Return by column the values that other words stand for, as a task's evaluation has them."""
    known = task.evaluation.get("synonyms", {})
    return {label: dict(known[column_name(label)]) for label in task.labels if column_name(label) in known}
