"""Monitors a running rollout: sums the workers' reports, shows progress, checks the time budget."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from worldforge.core.progress import Progress
from worldforge.models.request_meter import ModelLoad, count_load, describe_load, load_record
from worldforge.rollouts.usage import EpisodeUsage

_SHOW_S = 0.2  # seconds between two updates of what is shown


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
