"""Monitor a running rollout: sum what episodes use (calls, tokens, drafts), show progress, check the time budget."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from worldforge.agents.episode import AgentTurn
from worldforge.core.progress import Progress
from worldforge.models.request_meter import ModelLoad, count_load, describe_load, load_record

_SHOW_S = 0.2  # seconds between two updates of what is shown


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

    def count_turn(self, turn: AgentTurn) -> None:
        """Count an agent's turn, its tool calls, and the wording of their observations."""
        tokens = turn.action.usage
        self.agent_tokens += tokens.prompt + tokens.completion
        self.completion_tokens += tokens.completion
        self.n_tool_calls += len(turn.observations)
        for text in [seen.rendering for seen in turn.observations]:
            self.world_tokens += text.prompt_tokens + text.completion_tokens
            self.completion_tokens += text.completion_tokens
            self.n_worded += text.source != "engine"
            self.n_stored += text.stored
            self.n_fallbacks += text.source == "fallback" and text.verdict != "unavailable"
            self.n_refused += len(text.refused)
            if text.verdict == "unavailable":
                self.unavailable[text.failure] += 1

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


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one call of `rollout`: seconds, tokens read and written by all models, episodes. None: no limit.

    So many `episodes` are spread evenly over those that are left; with 0 nothing is played, and nothing written.
    """

    time_s: float | None = None
    tokens: int | None = None
    episodes: int | None = None


class RunMonitor:
    """Sums the reports of a run's workers; `n_missing` episodes are to be played."""

    def __init__(self, n_missing: int, budget: Budget, progress: Progress) -> None:
        self.usage, self.load = EpisodeUsage(), ModelLoad()
        self.deadline = None if budget.time_s is None else time.time() + budget.time_s
        self._n_missing, self._progress = n_missing, progress
        self._loads: dict[str, ModelLoad] = {}
        self._started, self._shown = time.perf_counter(), 0.0

    @property
    def playing_s(self) -> float:
        """Seconds from the start of the first episode to the end of the last, without loading models."""
        return max(0.0, self.usage.ended - self.usage.began)

    @property
    def wall_s(self) -> float:
        """Seconds since the monitor was made."""
        return time.perf_counter() - self._started

    @property
    def models(self) -> dict[str, Any]:
        """The models' load, as it is written to run.json."""
        return load_record(self.load, self.wall_s)

    @property
    def is_late(self) -> bool:
        """Whether the time budget is spent."""
        return self.deadline is not None and time.time() >= self.deadline

    def add(self, usage: EpisodeUsage, process: str, load: ModelLoad) -> None:
        """Add a worker's usage since its last report, and set the total load of its models."""
        self.usage.add(usage)
        usage.show(self._progress)
        self._progress.advance(usage.n_episodes)
        self._loads[process] = load
        if time.perf_counter() >= self._shown + _SHOW_S:
            self.show()

    def show(self) -> None:
        """Update the progress display."""
        self._shown = time.perf_counter()
        before, self.load = self.load, sum(self._loads.values(), ModelLoad())
        count_load(self._progress, before, self.load)
        if self.usage.n_episodes or self.load != ModelLoad():
            self._progress.note(self._status())

    def note(self, words: str) -> None:
        """Show what is being prepared."""
        self._progress.note(words)

    def _status(self) -> str:
        usage = self.usage
        parts = [f"{usage.n_tool_calls / self.wall_s:,.0f} steps/s"]
        parts += describe_load(self.load, self.wall_s, usage.n_episodes, self._n_missing)
        if usage.n_worded:
            parts.append(f"{usage.n_stored / usage.n_worded:.0%} stored")
            parts.append(f"{usage.n_fallbacks / usage.n_worded:.0%} fallback")
            parts.append(f"{usage.n_refused:,} drafts refused")
        if usage.unavailable:
            parts.append(f"{usage.unavailable.total():,} unavailable")
        if usage.n_failed:
            parts.append(f"{usage.n_failed:,} failed")
        return ", ".join(parts)
