"""Counts what models are asked and how many requests are under way, and reports it each second.

meter = RequestMeter()
async with ModelPool(meter=meter) as models, reporting(meter, progress) as shown:
    shown.start("judge", 400)          # ... and `shown.advance()` as answers come
    # 64 requests running, 200 waiting, 1,800 tokens/s written, 1.2M of about 4.8M tokens read, …
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any

from worldforge.core.progress import Progress, ProgressGroup
from worldforge.models.chat import Reply, Request, Usage
from worldforge.models.model import Model, identity_of

EVERY_S = 1.0
"""Seconds between two reports."""


@dataclass(frozen=True, slots=True)
class ModelLoad:
    """What models have done, together. `n_running` and `n_waiting` requests are under way, `most_*` were at a time.

    `usage` is that of the requests that were answered.
    """

    n_requests: int = 0
    usage: Usage = field(default_factory=Usage)
    n_running: int = 0
    n_waiting: int = 0
    most_running: int = 0
    most_waiting: int = 0

    def __add__(self, other: ModelLoad) -> ModelLoad:
        return ModelLoad(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def since(self, before: ModelLoad) -> ModelLoad:
        """Return what was done after `before`; what is under way stays."""
        return replace(self, n_requests=self.n_requests - before.n_requests, usage=self.usage - before.usage)


class RequestMeter:
    """Counts the requests to any number of models."""

    def __init__(self) -> None:
        self._metered: list[MeteredModel] = []

    @property
    def load(self) -> ModelLoad:
        """What the models have done until now."""
        return sum((one.load for one in self._metered), ModelLoad())

    def over(self, model: Model) -> MeteredModel:
        """Return a model whose requests are counted here."""
        self._metered.append(MeteredModel(model))
        return self._metered[-1]


class MeteredModel:
    """A model whose requests are counted."""

    def __init__(self, model: Model) -> None:
        self.name, self.identity, self.context_tokens = model.name, identity_of(model), model.context_tokens
        self.count_tokens = model.count_tokens
        self._model = model
        self._at_once: int | None = getattr(model, "at_once", None)
        self._usage = Usage()
        self._n_requests = self._under_way = self._most = 0

    @property
    def load(self) -> ModelLoad:
        """What the model has done until now."""
        running, most = (n if self._at_once is None else min(n, self._at_once) for n in (self._under_way, self._most))
        waiting, most_waiting = self._under_way - running, self._most - most
        return ModelLoad(self._n_requests, self._usage, running, waiting, most, most_waiting)

    async def reply(self, request: Request) -> Reply:
        """Let the model answer, and count it."""
        self._under_way += 1
        self._most = max(self._most, self._under_way)
        try:
            reply = await self._model.reply(request)
        finally:
            self._under_way -= 1
        self._n_requests += 1
        self._usage += reply.usage
        return reply


def describe_load(load: ModelLoad, seconds: float, done: int = 0, total: int | None = None) -> list[str]:
    """Say what models have done in `seconds`, and what `total` items may come to by the `done` ones.

    Empty where no model was asked.
    """
    if not load.n_requests and not load.n_running:
        return []
    expected = total / done if done and total else 0.0
    return [
        f"{load.n_running:,} requests running, {load.n_waiting:,} waiting",
        f"{load.usage.completion / max(seconds, 1e-9):,.0f} tokens/s written",
        f"{_projected(load.usage.prompt, expected)} tokens read",
        f"{load.usage.cached / max(load.usage.prompt, 1):.0%} from the prefix cache",
        f"{_projected(load.usage.completion, expected)} written",
    ]


def count_load(progress: Progress, before: ModelLoad, now: ModelLoad) -> None:
    """Count on a progress what models have done since `before`."""
    if now == before:
        return
    progress.count("requests", now.n_requests - before.n_requests)
    for name in ("prompt", "cached", "completion"):
        progress.count("model_tokens", getattr(now.usage, name) - getattr(before.usage, name), name)
    progress.count("under_way", now.n_running - before.n_running, "running")
    progress.count("under_way", now.n_waiting - before.n_waiting, "waiting")


def load_record(load: ModelLoad, seconds: float) -> dict[str, Any]:
    """Return what models did in `seconds`, for a record; shares are 0 where there was nothing."""
    return {
        "n_requests": load.n_requests,
        "prompt_tokens": load.usage.prompt,
        "cached_tokens": load.usage.cached,
        "completion_tokens": load.usage.completion,
        "prefix_cache_hits": load.usage.cached / max(load.usage.prompt, 1),
        "prompt_tokens_per_s": load.usage.prompt / seconds,
        "completion_tokens_per_s": load.usage.completion / seconds,
        "most_running": load.most_running,
        "most_waiting": load.most_waiting,
    }


@asynccontextmanager
async def repeating(report: Callable[[], None], every_s: float) -> AsyncIterator[None]:
    """Call `report` every `every_s` seconds while the block runs."""

    async def repeat() -> None:
        while True:
            await asyncio.sleep(every_s)
            report()

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        task.cancel()


@asynccontextmanager
async def reporting(meter: RequestMeter, progress: Progress) -> AsyncIterator[Progress]:
    """Report the models of `meter` while the block runs, beside what the block tells the progress that this gives."""
    shown = _LoadProgress(meter, progress)
    async with repeating(shown.report, EVERY_S):
        try:
            yield shown
        finally:
            shown.report()


class _LoadProgress(ProgressGroup):
    """A progress that adds to each stage what models do in it."""

    def __init__(self, meter: RequestMeter, progress: Progress) -> None:
        super().__init__(progress)
        self._meter, self._counted = meter, meter.load
        self._open(None)

    def _open(self, total: int | None) -> None:
        self._done, self._total, self._began, self._before = 0, total, time.perf_counter(), self._meter.load

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Open a stage: tokens are counted from here."""
        self.report()
        self._open(total)
        super().start(stage, total, why)

    def advance(self, items: int = 1) -> None:
        """Count items as done."""
        self._done += items
        super().advance(items)

    def report(self) -> None:
        """Show what models have done in this stage, and count what is new."""
        load = self._meter.load
        count_load(self, self._counted, load)
        self._counted = load
        words = describe_load(load.since(self._before), time.perf_counter() - self._began, self._done, self._total)
        if words:
            self.note(", ".join(words))


def _projected(tokens: int, expected: float) -> str:
    """Return a number of tokens, and how many they may come to: `expected` times as many, where that is known."""
    return _short(tokens) + (f" of about {_short(tokens * expected)}" if expected else "")


def _short(n: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= size:
            return f"{n / size:.1f}{unit}"
    return f"{n:.0f}"
