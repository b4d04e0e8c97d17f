"""How a world model did: counts over observations, which add up, and the rates that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of drafts by verdict, of rendered observations by how they came about, and what an observation cost.

    0 where there was nothing to count. `refused_otherwise` are drafts out of form, incomplete or truncated;
    `fallback` (all drafts refused), `unavailable` (the model did not answer) and `stored` are shares of the
    observations that a model was to word; tokens and seconds are of all observations, a step each.
    """

    leaking: float
    contradicting: float
    hallucinated: float
    refused_otherwise: float
    fallback: float
    unavailable: float
    stored: float
    drafts_per_rendering: float
    prompt_tokens_per_step: float
    completion_tokens_per_step: float
    seconds_per_step: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts over observations. `n_rendered` are those that a model was to word, `verdicts` the guard's on drafts."""

    n_observations: int = 0
    n_rendered: int = 0
    n_stored: int = 0
    n_fallbacks: int = 0
    n_drafts: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    verdicts: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Counts) -> Counts:
        sums = {one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)[:-1]}
        return Counts(**sums, verdicts=dict(Counter(self.verdicts) + Counter(other.verdicts)))

    def rates(self) -> Rates:
        """Return shares and means."""
        drafts, rendered, steps = max(self.n_drafts, 1), max(self.n_rendered, 1), max(self.n_observations, 1)
        judged = Counter(self.verdicts)
        otherwise = sum(judged[kind] for kind in ("malformed", "incomplete", "truncated"))
        return Rates(
            leaking=judged["leaking"] / drafts,
            contradicting=judged["contradicting"] / drafts,
            hallucinated=judged["hallucinated"] / drafts,
            refused_otherwise=otherwise / drafts,
            fallback=(self.n_fallbacks - judged["unavailable"]) / rendered,
            unavailable=judged["unavailable"] / rendered,
            stored=self.n_stored / rendered,
            drafts_per_rendering=self.n_drafts / rendered,
            prompt_tokens_per_step=self.prompt_tokens / steps,
            completion_tokens_per_step=self.completion_tokens / steps,
            seconds_per_step=self.seconds / steps,
        )
