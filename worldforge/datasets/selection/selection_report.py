"""The report of a selection: how many rows each step removed and left, and pass@k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter

Counts = npt.NDArray[np.int64]
N_BINS = 10


@dataclass(frozen=True, slots=True)
class SelectionStep:
    """One step: the option's `name` and value (`asked`), the rows that it removed and left."""

    name: str
    asked: str
    n_removed: int
    n_left: int


@dataclass(frozen=True, slots=True)
class PassAt:
    """pass@k: the mean over the `n_tasks` that were tried at least `k` times."""

    k: int
    value: float
    n_tasks: int


@dataclass(frozen=True, slots=True)
class TokenizerRecord:
    """Which tokenizer counted: its name, a SHA-256 over its JSON form and chat template, whether it has a template."""

    name: str
    sha256: str
    has_template: bool


@dataclass(frozen=True, slots=True)
class SelectionReport:
    """What a selection did. Rows found, less what the steps removed, are the rows left.

    `trials` has the numbers of the trials that are left of each run. `pass_at` are over all that was found;
    `near_duplicates` names the library that looked for them and its version.
    """

    n_found: int
    steps: tuple[SelectionStep, ...]
    n_left: int
    pass_at: tuple[PassAt, ...] = ()
    tokenizer: TokenizerRecord | None = None
    near_duplicates: str = ""
    trials: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def as_data(self) -> Mapping[str, Any]:
        """Write the report as JSON values, what does not apply left out."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "")}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Read what `as_data` wrote."""
        return TypeAdapter(cls).validate_python(data)


@dataclass(frozen=True, slots=True)
class Histograms:
    """Histograms of scores and lengths of the selected rows.

    `shares` has, for `item_f1` and `coverage`, the rows in `N_BINS` bins of equal width from 0, and last those at 1;
    `n_steps` the rows by number of steps.
    """

    n_rows: int = 0
    shares: Mapping[str, Sequence[int]] = field(default_factory=dict)
    n_steps: Mapping[int, int] = field(default_factory=dict)


def pass_at_k(n_tried: Counts, n_passed: Counts, k: int) -> npt.NDArray[np.float64]:
    """Estimate, for each task, the chance that one of `k` attempts succeeds, from `n_tried` of which `n_passed` did.

    1 − C(n − c, k) / C(n, k), written as a product so that no number grows large: the unbiased estimator of Chen et
    al., "Evaluating Large Language Models Trained on Code" (2021, arXiv 2107.03374), section 2.1. Needs n >= k.
    """
    failing = (n_tried - n_passed)[:, None] - np.arange(k)
    tried = n_tried[:, None] - np.arange(k)
    return 1.0 - np.prod(np.maximum(failing, 0) / tried, axis=1)


def pass_at_all_k(n_tried: Counts, n_passed: Counts) -> tuple[PassAt, ...]:
    """Estimate pass@1, pass@2, pass@4 … as far as some task was tried so often, each a mean over such tasks."""
    estimates = []
    k = 1
    while (enough := n_tried >= k).any():
        mean = float(np.mean(pass_at_k(n_tried[enough], n_passed[enough], k)))
        estimates.append(PassAt(k, mean, int(enough.sum())))
        k *= 2
    return tuple(estimates)
