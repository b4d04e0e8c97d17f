"""Combines a trajectory's reward components into one number, by a recipe. Only views store that number.

# recipe.yaml: a component and its weight, or its weight, unit and bounds
item_f1: 1.0
format_score: 0.1
n_pages_opened: {weight: 0.05, cap: 1}
n_completion_tokens: {weight: -0.1, per: 10000, cap: 1}

reward(read_recipe("recipe.yaml"), row)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, create_model

from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.schema.document import read_document
from worldforge.schema.problems import SpecError
from worldforge.schema.shape_errors import validate_document
from worldforge.schema.spec_section import Section
from worldforge.schema.spec_sources import read_text

_MOST = 1e6
COMPONENTS = (
    *("item_f1", "item_precision", "item_recall", "row_f1", "row_precision", "row_recall", "row_order", "success"),
    *("coverage", "efficiency", "format_score", "n_steps", "n_tool_calls", "n_tool_errors", "n_redundant_calls"),
    *("n_pages_opened", "n_answer_characters", "n_prompt_tokens", "n_completion_tokens"),
)
"""The components that a recipe may weigh: columns of a trajectory. docs/rewards.md says what each is."""


class RewardTerm(Section):
    """The contribution of a component: `weight` times its value in units of `per`, clipped to [`floor`, `cap`]."""

    _errors = (
        (lambda one: None not in (one.floor, one.cap) and one.floor > one.cap,
         "floor ({one.floor:g}) is above cap ({one.cap:g})"),
    )  # fmt: skip

    weight: float = Field(ge=-_MOST, le=_MOST, allow_inf_nan=False, description="What one unit adds to the reward.")
    per: float = Field(default=1.0, ge=1 / _MOST, le=_MOST * _MOST, description="What counts as one unit.")
    floor: float | None = Field(default=None, allow_inf_nan=False, description="Least number of units that counts.")
    cap: float | None = Field(default=None, allow_inf_nan=False, description="Largest number of units that counts.")

    def of(self, value: float) -> float:
        """Return what a component of this value adds."""
        units = value / self.per
        if self.cap is not None:
            units = min(units, self.cap)
        if self.floor is not None:
            units = max(units, self.floor)
        return self.weight * units


@dataclass(frozen=True)
class Recipe:
    """The terms that add up to a reward, by component: by column of a trajectory."""

    terms: Mapping[str, RewardTerm]

    @property
    def columns(self) -> list[str]:
        """The columns of a trajectory that the reward is made of."""
        return list(self.terms)

    def to_json(self) -> dict[str, dict[str, float]]:
        """Return the recipe as JSON values, for a manifest: what is as by default is left out."""
        return {name: term.model_dump(exclude_defaults=True) for name, term in self.terms.items()}

    @property
    def digest(self) -> str:
        """A SHA-256 over what the recipe says; a number written otherwise (`1`, `1.0`) changes nothing."""
        return value_digest(self.to_json())


DEFAULT = Recipe(
    {
        "item_f1": RewardTerm(weight=1.0),
        "format_score": RewardTerm(weight=0.1),
        "n_pages_opened": RewardTerm(weight=0.05, cap=1.0),
        "n_completion_tokens": RewardTerm(weight=-0.1, per=10_000.0, cap=1.0),
    }
)
"""After WideSeek-R1 (arXiv 2602.04634): item F1, a little for form and for opening a page, a little off for length."""

_FIELDS: dict[str, Any] = dict.fromkeys(COMPONENTS, (RewardTerm | None, None))
_RecipeFile = create_model("_RecipeFile", __base__=Section, **_FIELDS)


def read_recipe(path: str | Path) -> Recipe:
    """Read a recipe from a YAML file. Raises SpecError with every problem and its place, InputError without a file."""
    document, problems = read_document(read_text(Path(path)), str(path))
    if not isinstance(document.data, dict):
        problems.append(document.problem((), "a recipe is a mapping of components to weights", "`item_f1: 1.0`"))
        raise SpecError(problems)
    for name, term in document.data.items():
        if term is None and name in COMPONENTS and not any(problem.path == name for problem in problems):
            hint = f"`{name}: 1.0`"
            problems.append(document.problem((name,), "must be a weight, or a mapping", hint, key=True))
        elif not isinstance(term, dict | list):  # `item_f1: 1.0` is short for `item_f1: {weight: 1.0}`
            document.data[name] = {"weight": term}
            document.positions[name, "weight"] = document.positions[name,]
    read, faults = validate_document(document, _RecipeFile)
    problems += [fault.problem for fault in faults if fault.path or not problems]
    terms = {name: term for name in COMPONENTS if (term := getattr(read, name, None)) is not None}
    if not terms and not problems:
        problems.append(document.problem((), "a recipe weighs at least one component", "`item_f1: 1.0`"))
    if problems:
        raise SpecError(sorted(problems, key=lambda problem: (problem.line, problem.column)))
    return Recipe(terms)


def reward(recipe: Recipe, row: Mapping[str, Any]) -> float:
    """Return the reward of a trajectory, a finite number. `row` has at least the recipe's `columns`.

    Raises InputError where it lacks one: it was written before that component was.
    """
    terms = recipe.terms
    missing = [name for name in terms if row.get(name) is None]
    if missing:
        raise InputError(
            f"a trajectory has no `{missing[0]}`: an older version wrote it", "`worldforge rescore WORLD` adds it"
        )
    return math.fsum(term.of(float(row[name])) for name, term in terms.items())
