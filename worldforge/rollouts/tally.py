"""What trajectories come to: how many, how many failed, what they took, their mean scores, how models worded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.rollouts.scores import COMPONENTS, FRACTIONS, SUCCESSES
from worldforge.world_model.rates import Counts, Rates

_COUNTS = ("n_tool_calls", "n_tool_errors", "n_pages_opened", "n_prompt_tokens", "n_completion_tokens")
_MEANS = (*FRACTIONS, *SUCCESSES, *COMPONENTS)
COLUMNS = ["ending", "observations", "sub_agents", *_COUNTS, *_MEANS]
"""The columns of `TRAJECTORIES` that a tally reads."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over trajectories. `scores` are means, coverage and efficiency among them; of none at all they are 0.

    `n_altered` counts the facts that observations showed otherwise than they are, `controls` how often each control
    touched one; `wording` counts what a world model was to word, `rates` are what follows.
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


def tally(tables: Iterable[pa.Table]) -> Tally:
    """Count the rows of tables with `COLUMNS`, one table at a time."""
    total: Counter[str] = Counter()
    sums: dict[str, list[float]] = {name: [] for name in _MEANS}
    controls: Counter[str] = Counter()
    worded = Counts()
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
            worded += _worded(seen)
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
        wording=worded,
        rates=worded.rates(),
        scores={name: math.fsum(parts) / n_episodes for name, parts in sums.items()},
    )


def _observations(table: pa.Table) -> list[pa.StructArray]:
    """Return the observations of a table's agents, and those of their sub-agents."""
    own = table["observations"].combine_chunks().flatten()
    return [own, _flat(table["sub_agents"].combine_chunks().flatten(), "observations")]


def _flat(rows: pa.StructArray, name: str) -> pa.Array:
    return pc.struct_field(rows, name).flatten()


def _worded(seen: pa.StructArray) -> Counts:
    """Count how observations were worded. The verdict on a text from the store was counted when it was drafted."""
    asked = seen.filter(pc.not_equal(pc.struct_field(seen, "source"), "engine"))
    stored, n_drafts = pc.struct_field(asked, "stored"), pc.struct_field(asked, "n_drafts")
    drafted = asked.filter(pc.or_(pc.invert(stored), pc.greater(n_drafts, 0)))
    judged = [*_flat(drafted, "refused").to_pylist(), *pc.struct_field(drafted, "verdict").to_pylist()]

    def total(rows: pa.StructArray, name: str) -> Any:
        return pc.sum(pc.struct_field(rows, name), min_count=0).as_py()

    return Counts(
        n_observations=len(seen),
        n_rendered=len(asked),
        n_stored=total(asked, "stored"),
        n_fallbacks=pc.sum(pc.equal(pc.struct_field(asked, "source"), "fallback"), min_count=0).as_py(),
        n_drafts=total(drafted, "n_drafts"),
        prompt_tokens=total(drafted, "prompt_tokens"),
        completion_tokens=total(drafted, "completion_tokens"),
        seconds=total(drafted, "seconds"),
        verdicts=dict(sorted(Counter(judged).items())),
    )
