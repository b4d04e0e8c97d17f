"""One sitting over a run: takes finished episodes to the ledger, shows how it goes, minds the budget."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

from worldforge.core.progress import Progress
from worldforge.models.request_meter import ModelLoad, count_load, describe_load, load_record
from worldforge.rollouts.ledger import Ledger
from worldforge.rollouts.spent import Loads, Spent


@dataclass(frozen=True, slots=True)
class Budget:
    """What one sitting may take: seconds, tokens read and written by all models, episodes. None: no limit.

    So many `episodes` are spread evenly over those that are left; with 0 nothing is played, and nothing written.
    """

    time_s: float | None = None
    tokens: int | None = None
    episodes: int | None = None


class Sitting:
    """A `Watch` over the episodes played in one sitting."""

    def __init__(self, ledger: Ledger, n_missing: int, budget: Budget, progress: Progress) -> None:
        self.spent = Spent()
        self._ledger, self._n_missing, self._budget, self._progress = ledger, n_missing, budget, progress
        self._started = self._ended = time.perf_counter()
        self._first_began = math.inf

    @property
    def playing_s(self) -> float:
        """Seconds from the start of the first episode to the end of the last: models are loaded before."""
        return max(0.0, self._ended - self._first_began)

    @property
    def wall_s(self) -> float:
        """Seconds since the sitting began."""
        return time.perf_counter() - self._started

    def finished(self, index: int, line: bytes, spent: Spent) -> None:
        """Put an episode on record, and show where the run stands."""
        self._ended = time.perf_counter()
        self._first_began = min(self._first_began, self._ended - spent.seconds)
        self._ledger.record(index, line)
        before = self.spent.loads.total
        self.spent.add(spent)
        spent.report(self._progress)
        count_load(self._progress, before, self.spent.loads.total)
        self._progress.advance()
        self._progress.note(self._standing())

    def going(self, loads: Loads) -> None:
        """Show how models are loaded while episodes are under way."""
        before = self.spent.loads.total
        self.spent.loads += loads
        count_load(self._progress, before, self.spent.loads.total)
        if self.spent.loads.total != ModelLoad():
            self._progress.note(self._standing())

    def note(self, words: str) -> None:
        """Show what is being made ready."""
        self._progress.note(words)

    @property
    def models(self) -> dict[str, Any]:
        """What models did, for the record; shares are 0 where there was nothing."""
        return load_record(self.spent.loads.total, self.wall_s)

    def stopping(self) -> bool:
        """Say whether the budget is spent."""
        late = self._budget.time_s is not None and self.wall_s >= self._budget.time_s
        return late or (self._budget.tokens is not None and self.spent.tokens >= self._budget.tokens)

    def _standing(self) -> str:
        spent = self.spent
        told = [f"{spent.n_tool_calls / self.wall_s:,.0f} steps/s"]
        told += describe_load(spent.loads.total, self.wall_s, spent.n_episodes, self._n_missing)
        if spent.n_worded:
            told.append(f"{spent.n_stored / spent.n_worded:.0%} stored")
            told.append(f"{spent.n_fallbacks / spent.n_worded:.0%} fallback")
            told.append(f"{spent.n_refused:,} drafts refused")
        if spent.unavailable:
            told.append(f"{spent.unavailable.total():,} unavailable")
        if spent.n_failed:
            told.append(f"{spent.n_failed:,} failed")
        return ", ".join(told)
