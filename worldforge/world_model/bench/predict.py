"""Ask a model for the next observation of each row, many at once; stored answers are not asked for again.

with Store(path) as store:
    predictions = await predict(rows, SampledModel(model, sampling), store, n_samples=4)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from worldforge.core.files import value_digest
from worldforge.core.progress import Progress
from worldforge.core.store import TextStore
from worldforge.models.chat import Message, Request, Sampling
from worldforge.models.model import Model, ModelError
from worldforge.world_model.bench.rows import Row, messages_of
from worldforge.world_model.prompt import CONTEXT_TOKENS
from worldforge.world_model.turns import NEXT_TURN, read_observation, write_observation

_SEED_DIGITS = 7  # hexadecimal, of a request's digest: a seed that every engine takes
Result = TypeVar("Result")
CONCURRENCY = 64
"""Requests under way at once where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class SampledModel:
    """A model and how it is asked. `identity` is a digest of what its words depend on."""

    model: Model
    identity: str
    sampling: Sampling = field(default_factory=Sampling)
    thinking: bool | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model wrote for the row of that id, the `sample`-th time (from 0). `error` says why there is none."""

    id: int | str
    sample: int
    text: str
    finish: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    error: str = ""

    @property
    def observation(self) -> str:
        """The observation that was predicted: without reasoning and tags; empty where there is none."""
        return read_observation(self.text)


def predict_engine(rows: Sequence[Row], n_samples: int) -> list[Prediction]:
    """Predict what the engine words: the truth, which is the most that can be reached."""
    return [Prediction(row.id, sample, write_observation(row.target)) for row in rows for sample in range(n_samples)]


async def predict(
    rows: Sequence[Row],
    asked: SampledModel,
    store: TextStore,
    *,
    n_samples: int = 1,
    concurrency: int = CONCURRENCY,
    progress: Progress | None = None,
) -> list[Prediction]:
    """Ask for `n_samples` predictions of each row, at most `concurrency` at once; in the order of rows, then samples.

    What comes is kept in `store` as it comes. A request that fails leaves nothing there, and is a prediction with an
    `error`: asking again asks for those alone.
    """
    limit = asked.model.context_tokens or CONTEXT_TOKENS
    most_tokens = min(asked.sampling.max_tokens, limit // 2)

    async def one(row: Row, sample: int) -> Prediction:
        messages = messages_of(row, asked.model, limit - most_tokens)
        key = _key(asked, messages, sample)
        prediction = _stored(store, key, row, sample)
        if prediction is None:
            prediction = await _ask(asked, messages, key, row, sample, most_tokens)
            if not prediction.error:
                prediction = _keep(store, key, prediction)
        return prediction

    jobs = [partial(one, row, sample) for row in rows for sample in range(n_samples)]
    return await run_bounded(jobs, concurrency, progress)


async def run_bounded(
    jobs: Sequence[Callable[[], Awaitable[Result]]], concurrency: int, progress: Progress | None
) -> list[Result]:
    """Run jobs, at most `concurrency` at once; return their results in order, and count each as it ends."""
    at_once = asyncio.Semaphore(concurrency)

    async def run(job: Callable[[], Awaitable[Result]]) -> Result:
        async with at_once:
            result = await job()
        if progress is not None:
            progress.advance()
        return result

    return list(await asyncio.gather(*map(run, jobs)))


async def _ask(
    asked: SampledModel, messages: tuple[Message, ...], key: str, row: Row, sample: int, most_tokens: int
) -> Prediction:
    sampling = replace(
        asked.sampling,
        max_tokens=most_tokens,
        stop=(*asked.sampling.stop, NEXT_TURN),
        seed=int(key[:_SEED_DIGITS], 16),
    )
    try:
        reply = await asked.model.reply(Request(messages, sampling=sampling, thinking=asked.thinking))
    except ModelError as error:
        return Prediction(row.id, sample, "", error=error.message)
    usage = reply.usage
    return Prediction(row.id, sample, reply.text, reply.finish, usage.prompt, usage.completion, round(reply.seconds, 3))


def _key(asked: SampledModel, messages: tuple[Message, ...], sample: int) -> str:
    """Return what identifies a request: who is asked, how, what, and for the how-manieth time."""
    said: list[Any] = [[message.role, message.content] for message in messages]
    how = asdict(asked.sampling) | {"stop": list(asked.sampling.stop)}
    return value_digest([asked.identity, how, asked.thinking, said, sample])


def _stored(store: TextStore, key: str, row: Row, sample: int) -> Prediction | None:
    text = store.get(key)
    return None if text is None else Prediction(row.id, sample, **json.loads(text))


def _keep(store: TextStore, key: str, made: Prediction) -> Prediction:
    record = {name: value for name, value in asdict(made).items() if name not in ("id", "sample")}
    return Prediction(made.id, made.sample, **json.loads(store.put(key, json.dumps(record, ensure_ascii=False))))
