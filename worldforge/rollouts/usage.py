"""Usage of episodes (calls, tokens, drafts), summed while they run, for progress and budgets."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, fields

from worldforge.agents.agent import Action
from worldforge.core.progress import Progress
from worldforge.environments.session import Observation


@dataclass(slots=True)
class EpisodeUsage:
    """Counts that add up. `agent_tokens` and `world_tokens` are tokens read and written by the two models.

    `n_worded` counts the observations that a model was asked to word; `n_stored` of them came from the store,
    `n_fallbacks` were worded by the engine after all, and `n_refused` drafts were refused. `unavailable` counts those
    for which the model did not answer, by reason; they are no fallbacks. `endings` counts episodes by how they ended,
    `seconds` is the sum of their durations; the first began at `began`, the last ended at `ended` (system time).
    """

    n_episodes: int = 0
    n_failed: int = 0
    n_tool_calls: int = 0
    agent_tokens: int = 0
    world_tokens: int = 0
    completion_tokens: int = 0
    n_worded: int = 0
    n_stored: int = 0
    n_fallbacks: int = 0
    n_refused: int = 0
    unavailable: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    began: float = math.inf
    ended: float = 0.0

    @property
    def tokens(self) -> int:
        """All tokens, read and written, of both models."""
        return self.agent_tokens + self.world_tokens

    def count_action(self, action: Action) -> None:
        """Count an agent's turn."""
        self.agent_tokens += action.usage.prompt + action.usage.completion
        self.completion_tokens += action.usage.completion

    def count_observation(self, seen: Observation) -> None:
        """Count a tool call and the usage of wording its observation."""
        self.n_tool_calls += 1
        text = seen.rendering
        self.world_tokens += text.prompt_tokens + text.completion_tokens
        self.completion_tokens += text.completion_tokens
        self.n_worded += bool(text.source != "engine")
        self.n_stored += text.stored
        self.n_fallbacks += text.source == "fallback" and text.verdict != "unavailable"
        if text.verdict == "unavailable":
            self.unavailable[text.failure] += 1
        self.n_refused += len(text.refused)

    def add(self, other: EpisodeUsage) -> None:
        """Add another's counts to these."""
        began, ended = min(self.began, other.began), max(self.ended, other.ended)
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))
        self.began, self.ended = began, ended

    def show(self, progress: Progress) -> None:
        """Count these on a progress, for metrics and logs."""
        for ending, n in self.endings.items():
            progress.count("episodes", n, ending)
        for what in ("tool_calls", "worded", "stored", "fallbacks", "refused"):
            progress.count(what, getattr(self, f"n_{what}"))
        progress.count("unavailable", self.unavailable.total())
        progress.count("tokens", self.agent_tokens, "agent")
        progress.count("tokens", self.world_tokens, "world_model")
        progress.count("tokens_written", self.completion_tokens)
