"""How often tasks are done: the share of a task's trajectories that succeed, and pass@k over tasks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from worldforge.datasets.selection.selection_report import PassAt

Counts = npt.NDArray[np.int64]


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
