"""What the rest of a run would take, by episodes of it that were measured: tokens, seconds, GPU hours.

Time is told as a range. At most it takes as long as if the rest were played at the pace of the sample, with as few
episodes at once; at least, as if the pace grew in proportion to the episodes at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldforge.core.errors import PartialError
from worldforge.models.model_address import ModelAddress
from worldforge.models.openai_server import CONCURRENCY
from worldforge.rollouts.config import read_json
from worldforge.rollouts.run import SAMPLE

_BUSY = 0.25  # of the episodes that could be under way: fewer were, so that what limits the pace is no waiting


@dataclass(frozen=True, slots=True)
class EpisodeSample:
    """Episodes that were measured: `seconds` are those of each added up, `wall_s` from the first's start to the end.

    `n_at_once` might have been under way together. Tokens are those of all models.
    """

    n_episodes: int
    n_at_once: int
    seconds: float
    wall_s: float
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class RolloutEstimate:
    """Where a run stands, and what its `n_left` episodes would take with `n_at_once` under way.

    `n_gpus` are those of all its models; None where a server does not say (`?gpus=8` in its address does). Figures are
    None without a sample; those of time are the least and the most.
    """

    run: str
    folder: Path
    agent: str
    world_model: str
    n_episodes: int
    n_left: int
    n_workers: int
    n_at_once: int
    n_gpus: int | None
    sample: EpisodeSample | None
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: tuple[float, float] | None
    gpu_hours: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A run that is to be played: by which models, with how many episodes at once."""

    folder: Path
    agent: str
    world_model: str
    n_episodes: int
    n_workers: int
    concurrency: int
    gpus_per_worker: int

    @property
    def n_at_once(self) -> int:
        """How many episodes may be under way: as many as workers hold, or as servers take requests."""
        limits = [_most_requests(address, self.n_workers) for address in self._addresses]
        return min([self.concurrency * self.n_workers, *(limit for limit in limits if limit is not None)])

    @property
    def n_gpus(self) -> int | None:
        """How many GPUs the models of all workers take, and those of servers; None where a server does not say."""
        servers = {one.endpoints or one.model: one.settings.gpus for one in self._addresses if one.backend == "openai"}
        if None in servers.values():
            return None
        return self.gpus_per_worker * self.n_workers + sum(n or 0 for n in servers.values())

    @property
    def _addresses(self) -> list[ModelAddress]:
        return [ModelAddress.parse(text) for text in (self.agent, self.world_model) if text]

    def estimate(self, n_left: int, sample: EpisodeSample | None) -> RolloutEstimate:
        """Estimate what `n_left` episodes take, by a sample."""
        known: dict[str, Any] = dict.fromkeys(("prompt_tokens", "completion_tokens", "seconds", "gpu_hours"))
        if sample is not None:
            share, n_gpus = n_left / sample.n_episodes, self.n_gpus
            least, most = seconds = _seconds(sample, n_left, min(self.n_at_once, max(1, n_left)))
            known |= {
                "prompt_tokens": round(sample.prompt_tokens * share),
                "completion_tokens": round(sample.completion_tokens * share),
                "seconds": seconds,
                "gpu_hours": None if n_gpus is None else (least * n_gpus / 3600, most * n_gpus / 3600),
            }
        return RolloutEstimate(
            run=self.folder.name,
            folder=self.folder,
            agent=self.agent,
            world_model=self.world_model,
            n_episodes=self.n_episodes,
            n_left=n_left,
            n_workers=self.n_workers,
            n_at_once=self.n_at_once,
            n_gpus=self.n_gpus,
            sample=sample,
            **known,
        )


class UnfinishedRunError(PartialError):
    """A budget was spent before all episodes were played; `estimate` says what the rest would take."""

    def __init__(self, estimate: RolloutEstimate) -> None:
        n_played = estimate.n_episodes - estimate.n_left
        super().__init__(
            f"the budget is spent: {n_played:,} of {estimate.n_episodes:,} episodes are played",
            "the same command goes on from here; `--dry-run` says what the rest would take",
        )
        self.estimate = estimate


def spread(n: int, most: int | None) -> list[int]:
    """Return the places of at most `most` of `n` items, as far apart as can be."""
    if most is None or most >= n:
        return list(range(n))
    return [at * n // most for at in range(most)]


def read_sample(folder: Path) -> EpisodeSample | None:
    """Return the sample of the run in `folder` that was measured last; None where there is none."""
    try:
        return EpisodeSample(**(read_json(folder / SAMPLE) or {}))
    except TypeError:
        return None


def _seconds(sample: EpisodeSample, n_left: int, n_at_once: int) -> tuple[float, float]:
    most = sample.wall_s * n_left / sample.n_episodes
    waits = sample.seconds / max(sample.wall_s, 1e-9) >= _BUSY * sample.n_at_once
    return (most * min(1.0, sample.n_at_once / n_at_once) if waits else most), most


def _most_requests(address: ModelAddress, n_workers: int) -> int | None:
    """Return how many requests a model takes at once; None where it is not known before it is loaded."""
    if address.backend != "openai":
        return None
    return address.settings.concurrency or CONCURRENCY * n_workers * max(1, len(address.endpoints))
