"""One sitting over a run: takes finished episodes to the ledger, shows how it goes, minds the budget."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from worldforge.core.progress import Progress
from worldforge.models.meter import Load
from worldforge.rollouts.ledger import Ledger
from worldforge.rollouts.spent import Loads, Spent


@dataclass(frozen=True, slots=True)
class Budget:
    """What one sitting may take: seconds, and tokens read and written by all models. None: no limit."""

    time_s: float | None = None
    tokens: int | None = None


class Sitting:
    """A `Watch` over the episodes played in one sitting."""

    def __init__(self, ledger: Ledger, n_missing: int, budget: Budget, progress: Progress) -> None:
        self.spent = Spent()
        self._ledger, self._n_missing, self._budget, self._progress = ledger, n_missing, budget, progress
        self._started = time.perf_counter()

    @property
    def wall_s(self) -> float:
        """Seconds since the sitting began."""
        return time.perf_counter() - self._started

    def finished(self, index: int, line: bytes, spent: Spent) -> None:
        """Put an episode on record, and show where the run stands."""
        self._ledger.record(index, line)
        before = self.spent.loads.total
        self.spent.add(spent)
        spent.report(self._progress)
        self._count(before)
        self._progress.advance()
        self._progress.note(self._standing())

    def going(self, loads: Loads) -> None:
        """Show how models are loaded while episodes are under way."""
        before = self.spent.loads.total
        self.spent.loads += loads
        self._count(before)
        if self.spent.loads.total.n_requests:
            self._progress.note(self._standing())

    def note(self, words: str) -> None:
        """Show what is being made ready."""
        self._progress.note(words)

    @property
    def models(self) -> dict[str, Any]:
        """What models did, for the record; shares are 0 where there was nothing."""
        load = self.spent.loads.total
        return {
            "n_requests": load.n_requests,
            "prompt_tokens": load.usage.prompt,
            "cached_tokens": load.usage.cached,
            "completion_tokens": load.usage.completion,
            "prefix_cache_hits": load.usage.cached / max(load.usage.prompt, 1),
            "prompt_tokens_per_s": load.usage.prompt / self.wall_s,
            "completion_tokens_per_s": load.usage.completion / self.wall_s,
            "most_running": load.most_running,
            "most_waiting": load.most_waiting,
        }

    def _count(self, before: Load) -> None:
        """Count on the progress what models have done since `before`."""
        load = self.spent.loads.total
        if load == before:
            return
        self._progress.count("requests", load.n_requests - before.n_requests)
        for name in ("prompt", "cached", "completion"):
            more = getattr(load.usage, name) - getattr(before.usage, name)
            self._progress.count("model_tokens", more, name)
        self._progress.count("under_way", load.n_running - before.n_running, "running")
        self._progress.count("under_way", load.n_waiting - before.n_waiting, "waiting")

    def stopping(self) -> bool:
        """Say whether the budget is spent."""
        late = self._budget.time_s is not None and self.wall_s >= self._budget.time_s
        return late or (self._budget.tokens is not None and self.spent.tokens >= self._budget.tokens)

    def _expected(self, tokens: int) -> str:
        """Return tokens until now, and how many all episodes may come to: those that are under way count in full."""
        done = self.spent.n_episodes
        return _short(tokens) + (f" of about {_short(tokens * self._n_missing / done)}" if done else "")

    def _standing(self) -> str:
        spent = self.spent
        told = [f"{spent.n_tool_calls / self.wall_s:,.0f} steps/s"]
        load = spent.loads.total
        if load.n_requests:
            told.append(f"{load.n_running:,} requests running, {load.n_waiting:,} waiting")
            told.append(f"{load.usage.completion / self.wall_s:,.0f} tokens/s written")
            told.append(f"{self._expected(load.usage.prompt)} tokens read")
            told.append(f"{load.usage.cached / max(load.usage.prompt, 1):.0%} from the prefix cache")
            told.append(f"{self._expected(load.usage.completion)} written")
        if spent.n_worded:
            told.append(f"{spent.n_stored / spent.n_worded:.0%} stored")
            told.append(f"{spent.n_fallbacks / spent.n_worded:.0%} fallback")
            told.append(f"{spent.n_refused:,} drafts refused")
        if spent.unavailable:
            told.append(f"{spent.unavailable.total():,} unavailable")
        if spent.n_failed:
            told.append(f"{spent.n_failed:,} failed")
        return ", ".join(told)


def _short(n: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= size:
            return f"{n / size:.1f}{unit}"
    return f"{n:.0f}"
