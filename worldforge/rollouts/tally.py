"""Counts and mean scores of trajectories, computed for each shard and summed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from worldforge.rollouts.scores import COMPONENTS, FRACTIONS, SUCCESSES
from worldforge.world_model.rates import Counts, Rates

_COUNTS = ("n_tool_calls", "n_tool_errors", "n_pages_opened", "n_prompt_tokens", "n_completion_tokens")
_TOTALS = ("n_episodes", "n_failed", *_COUNTS, "n_altered")
_MEANS = (*FRACTIONS, *SUCCESSES, *COMPONENTS)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over trajectories. `scores` are means, coverage and efficiency among them; 0 without trajectories.

    `n_altered` counts facts that observations showed wrongly, `controls` how often each control changed an observation;
    `wording` counts the observations that a world model was asked to word, `rates` are shares and means of those.
    """

    n_episodes: int
    n_failed: int
    n_tool_calls: int
    n_tool_errors: int
    n_pages_opened: int
    n_prompt_tokens: int
    n_completion_tokens: int
    n_altered: int
    controls: dict[str, int]
    wording: Counts
    rates: Rates
    scores: dict[str, float]


def count_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Count trajectories, as JSON values that `tally` adds up."""
    seen = [one for row in rows for part in (row, *row["sub_agents"]) for one in part["observations"]]
    return {
        "n_episodes": len(rows),
        "n_failed": sum(row["ending"] == "failed" for row in rows),
        **{name: sum(row[name] for row in rows) for name in _COUNTS},
        "n_altered": sum(len(one["altered"]) for one in seen),
        "controls": dict(sorted(Counter(name for one in seen for name in one["controls"]).items())),
        "wording": asdict(_count_worded(seen)),
        "sums": {name: math.fsum(row[name] for row in rows) for name in _MEANS},
    }


def tally(counts: Iterable[Mapping[str, Any]]) -> Tally:
    """Add up the counts of several shards, in their order."""
    parts = list(counts)
    total = {name: sum(part[name] for part in parts) for name in _TOTALS}
    controls = sum((Counter(part["controls"]) for part in parts), Counter[str]())
    worded = sum((Counts(**part["wording"]) for part in parts), Counts())
    means = {name: math.fsum(part["sums"][name] for part in parts) / max(1, total["n_episodes"]) for name in _MEANS}
    return Tally(**total, controls=dict(sorted(controls.items())), wording=worded, rates=worded.rates(), scores=means)


def _count_worded(seen: Sequence[Mapping[str, Any]]) -> Counts:
    """Count observations by how they were worded. The verdict on a stored text was counted when it was drafted."""
    worded = [one for one in seen if one["source"] != "engine"]
    drafted = [one for one in worded if not one["stored"] or one["n_drafts"]]
    return Counts(
        n_observations=len(seen),
        n_rendered=len(worded),
        n_stored=sum(one["stored"] for one in worded),
        n_fallbacks=sum(one["source"] == "fallback" for one in worded),
        n_drafts=sum(one["n_drafts"] for one in drafted),
        prompt_tokens=sum(one["prompt_tokens"] for one in drafted),
        completion_tokens=sum(one["completion_tokens"] for one in drafted),
        seconds=sum(one["seconds"] for one in drafted),
        verdicts=dict(sorted(Counter(word for one in drafted for word in (*one["refused"], one["verdict"])).items())),
    )
