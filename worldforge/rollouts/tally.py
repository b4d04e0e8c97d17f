"""Counts and mean scores of trajectories, computed for each shard and summed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.rollouts.scores import COMPONENTS, FRACTIONS, SUCCESSES
from worldforge.world_model.rates import Counts, Rates

_COUNTS = ("n_tool_calls", "n_tool_errors", "n_pages_opened", "n_prompt_tokens", "n_completion_tokens")
_TOTALS = ("n_episodes", "n_failed", *_COUNTS, "n_altered")
_MEANS = (*FRACTIONS, *SUCCESSES, *COMPONENTS)
COLUMNS = ["ending", "observations", "sub_agents", *_COUNTS, *_MEANS]
"""The columns of `TRAJECTORIES` that `count_rows` reads."""


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


def count_rows(table: pa.Table) -> dict[str, Any]:
    """Count the rows of a table with `COLUMNS`, as JSON values that `tally` adds up."""
    controls: Counter[str] = Counter()
    n_altered, worded = 0, Counts()
    for seen in _observations(table):
        n_altered += len(_flat(seen, "altered"))
        controls.update(_flat(seen, "controls").to_pylist())
        worded += _worded(seen)
    return {
        "n_episodes": table.num_rows,
        "n_failed": pc.sum(pc.equal(table["ending"], "failed"), min_count=0).as_py(),
        **{name: pc.sum(table[name], min_count=0).as_py() for name in _COUNTS},
        "n_altered": n_altered,
        "controls": dict(sorted(controls.items())),
        "wording": asdict(worded),
        "sums": {name: math.fsum(table[name].to_pylist()) for name in _MEANS},
    }


def tally(counts: Iterable[Mapping[str, Any]]) -> Tally:
    """Add up what `count_rows` has counted in several tables, in their order."""
    total: Counter[str] = Counter()
    controls: Counter[str] = Counter()
    sums: dict[str, list[float]] = {name: [] for name in _MEANS}
    worded = Counts()
    for part in counts:
        total.update({name: part[name] for name in _TOTALS})
        controls.update(part["controls"])
        worded += Counts(**part["wording"])
        for name, values in sums.items():
            values.append(part["sums"][name])
    return Tally(
        **{name: total[name] for name in _TOTALS},
        controls=dict(sorted(controls.items())),
        wording=worded,
        rates=worded.rates(),
        scores={name: math.fsum(values) / max(1, total["n_episodes"]) for name, values in sums.items()},
    )


def _observations(table: pa.Table) -> list[pa.StructArray]:
    """Return the observations of a table's agents, and those of their sub-agents."""
    own = table["observations"].combine_chunks().flatten()
    return [own, _flat(table["sub_agents"].combine_chunks().flatten(), "observations")]


def _flat(rows: pa.StructArray, name: str) -> pa.Array:
    return pc.struct_field(rows, name).flatten()


def _worded(seen: pa.StructArray) -> Counts:
    """Count observations by how they were worded. The verdict on a stored text was counted when it was drafted."""
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
