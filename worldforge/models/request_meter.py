"""Counts what models are asked, and how many requests are under way: how full an engine's batch is.

models = ModelPool(meter=meter)
meter.load                                   # what all models of the pool have done until now
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Protocol, runtime_checkable

from worldforge.models.chat import Reply, Request, Usage
from worldforge.models.model import Model, identity_of


@runtime_checkable
class BatchingModel(Protocol):
    """A model that takes a bounded number of requests at once; the others wait."""

    @property
    def at_once(self) -> int:
        """How many requests an engine's batch, or the connections to a server, have room for."""


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
        self._model = model
        self._at_once = model.at_once if isinstance(model, BatchingModel) else None
        self._usage = Usage()
        self._n_requests = self._under_way = self._most = 0

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def identity(self) -> str:
        """The model's identity."""
        return identity_of(self._model)

    @property
    def context_tokens(self) -> int:
        """How many tokens a prompt and its reply may have together."""
        return self._model.context_tokens

    @property
    def load(self) -> ModelLoad:
        """What the model has done until now."""
        return ModelLoad(self._n_requests, self._usage, *self._split(self._under_way), *self._split(self._most))

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

    def count_tokens(self, text: str) -> int:
        """Return how many tokens `text` has."""
        return self._model.count_tokens(text)

    def _split(self, under_way: int) -> tuple[int, int]:
        """Return how many of the requests run, and how many wait."""
        running = under_way if self._at_once is None else min(under_way, self._at_once)
        return running, under_way - running
