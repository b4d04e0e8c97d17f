"""What trajectories come to: how many, how many failed, what they took, their mean scores, how models worded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.rollouts.scores import FRACTIONS, SUCCESSES

_COUNTS = ("n_tool_calls", "n_tool_errors", "n_pages_opened", "n_prompt_tokens", "n_completion_tokens")
COLUMNS = ["ending", "observations", "sub_agents", *_COUNTS, *FRACTIONS, *SUCCESSES]
"""The columns of `TRAJECTORIES` that a tally reads."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How the observations of a run were worded, where a model was to word them.

    `leak_rate`, `contradiction_rate`, `hallucination_rate` and `malformed_rate` are shares of all drafts that the guard
    judged so; `refusal_rate` is the share refused for any reason. `fallback_rate` and `store_hit_rate` are shares of
    `n_worded`, the observations that a model was to word. `tokens_per_step` and `seconds_per_step` are the model's,
    over all tool calls.
    """

    n_worded: int = 0
    n_drafts: int = 0
    refusal_rate: float = 0.0
    leak_rate: float = 0.0
    contradiction_rate: float = 0.0
    hallucination_rate: float = 0.0
    malformed_rate: float = 0.0
    fallback_rate: float = 0.0
    store_hit_rate: float = 0.0
    tokens_per_step: float = 0.0
    seconds_per_step: float = 0.0
    verdicts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over trajectories. `scores` are means, a failed episode counting 0; of none at all they are 0.

    `n_altered` counts the facts that observations showed otherwise than they are, `controls` how often each control
    touched one.
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
    wording: Wording
    scores: dict[str, float]


def tally(tables: Iterable[pa.Table]) -> Tally:
    """Count the rows of tables with `COLUMNS`, one table at a time."""
    total: Counter[str] = Counter()
    sums: dict[str, list[float]] = {name: [] for name in (*FRACTIONS, *SUCCESSES)}
    controls: Counter[str] = Counter()
    worded = _Worded()
    for table in tables:
        total["n_episodes"] += table.num_rows
        total["n_failed"] += pc.sum(pc.equal(table["ending"], "failed"), min_count=0).as_py()
        for name in _COUNTS:
            total[name] += pc.sum(table[name], min_count=0).as_py()
        for name, parts in sums.items():
            parts.append(math.fsum(table[name].to_pylist()))
        for seen in _observations(table):
            total["n_altered"] += len(_flat(seen, "altered"))
            controls.update(_flat(seen, "controls").to_pylist())
            worded.add(seen)
    n_episodes = max(1, total["n_episodes"])
    return Tally(
        n_episodes=total["n_episodes"],
        n_failed=total["n_failed"],
        n_tool_calls=total["n_tool_calls"],
        n_tool_errors=total["n_tool_errors"],
        n_pages_opened=total["n_pages_opened"],
        n_prompt_tokens=total["n_prompt_tokens"],
        n_completion_tokens=total["n_completion_tokens"],
        n_altered=total["n_altered"],
        controls=dict(sorted(controls.items())),
        wording=worded.rates(total["n_tool_calls"]),
        scores={name: math.fsum(parts) / n_episodes for name, parts in sums.items()},
    )


def _observations(table: pa.Table) -> list[pa.StructArray]:
    """Return the observations of a table's agents, and those of their sub-agents."""
    own = table["observations"].combine_chunks().flatten()
    return [own, _flat(table["sub_agents"].combine_chunks().flatten(), "observations")]


def _flat(rows: pa.StructArray, name: str) -> pa.Array:
    return pc.struct_field(rows, name).flatten()


class _Worded:
    """Counts over what a model was to word."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._verdicts: Counter[str] = Counter()
        self._seconds = 0.0

    def add(self, seen: pa.StructArray) -> None:
        asked = seen.filter(pc.not_equal(pc.struct_field(seen, "source"), "engine"))
        drafted = asked.filter(pc.invert(pc.struct_field(asked, "stored")))
        sources = pc.struct_field(asked, "source")
        self._counts["n_worded"] += len(asked)
        self._counts["n_stored"] += len(asked) - len(drafted)
        self._counts["n_fallbacks"] += pc.sum(pc.equal(sources, "fallback"), min_count=0).as_py()
        for name in ("n_drafts", "prompt_tokens", "completion_tokens"):
            self._counts[name] += pc.sum(pc.struct_field(drafted, name), min_count=0).as_py()
        self._seconds += pc.sum(pc.struct_field(drafted, "seconds"), min_count=0).as_py()
        self._verdicts.update(_flat(drafted, "refused").to_pylist())
        self._verdicts.update(pc.struct_field(drafted, "verdict").to_pylist())

    def rates(self, n_tool_calls: int) -> Wording:
        counts, verdicts = self._counts, self._verdicts
        drafts, worded = max(1, counts["n_drafts"]), max(1, counts["n_worded"])
        return Wording(
            n_worded=counts["n_worded"],
            n_drafts=counts["n_drafts"],
            refusal_rate=(sum(verdicts.values()) - verdicts["clean"]) / drafts,
            leak_rate=verdicts["leaking"] / drafts,
            contradiction_rate=verdicts["contradicting"] / drafts,
            hallucination_rate=verdicts["hallucinated"] / drafts,
            malformed_rate=verdicts["malformed"] / drafts,
            fallback_rate=counts["n_fallbacks"] / worded,
            store_hit_rate=counts["n_stored"] / worded,
            tokens_per_step=(counts["prompt_tokens"] + counts["completion_tokens"]) / max(1, n_tool_calls),
            seconds_per_step=self._seconds / max(1, n_tool_calls),
            verdicts=dict(sorted(verdicts.items())),
        )
