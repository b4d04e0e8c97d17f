"""The reward function that verl calls (0.9): item F1 of the last answer, and what else the strict scorer says of it.

reward.custom_reward_function.path=pkg://worldforge.serving.verl_reward
reward.custom_reward_function.name=compute_score
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldforge.serving.answer_reward import final_answer, measures


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    **_more: Any,
) -> dict[str, float]:
    """Score a response of verl's: `solution_str` is all of it, decoded, turns and tool texts together.

    `score` is the reward, item F1; `acc` is what verl's validation reports: whether the table is perfect. Beside
    them stand `reward.MEASURES`. Raises InputError where `ground_truth` is not that of a row of `rl_verl`.
    """
    scored = measures(final_answer(solution_str), ground_truth)
    return {"score": scored["item_f1"], "acc": scored["success"], **scored}
