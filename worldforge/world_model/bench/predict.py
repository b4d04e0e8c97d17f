"""Ask a model for the next observation of each row, many at once; stored answers are not asked for again.

with Store(path) as store:
    predictions = await predict(rows, SampledModel(model, sampling), store, n_samples=4)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from worldforge.core.files import value_digest
from worldforge.core.progress import Progress
from worldforge.core.run_async import map_bounded
from worldforge.core.store import TextStore
from worldforge.models.chat import Message, Request, Sampling
from worldforge.models.model import Model, ModelError
from worldforge.world_model.bench.transitions import Row, messages_of
from worldforge.world_model.prompt import CONTEXT_TOKENS, NEXT_TURN, read_observation, write_observation

_SEED_DIGITS = 7  # hexadecimal, of a request's digest: a seed that every engine takes
CONCURRENCY = 64
"""Requests under way at once where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class SampledModel:
    """A model and how it is asked. `identity` is a digest of what its words depend on."""

    model: Model
    identity: str
    sampling: Sampling = field(default_factory=Sampling)
    thinking: bool | None = None

    @property
    def limits(self) -> tuple[int, int]:
        """How many tokens a prompt may have, and how many a reply: half of the context at most."""
        context = self.model.context_tokens or CONTEXT_TOKENS
        most_tokens = min(self.sampling.max_tokens, context // 2)
        return context - most_tokens, most_tokens


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
    sampled: SampledModel,
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
    prompt_tokens, most_tokens = sampled.limits

    async def one(numbered: tuple[Row, int]) -> Prediction:
        row, sample = numbered
        messages = messages_of(row, sampled.model, prompt_tokens)
        written: list[Any] = [[message.role, message.content] for message in messages]
        how = asdict(sampled.sampling) | {"stop": list(sampled.sampling.stop)}
        key = value_digest([sampled.identity, how, sampled.thinking, written, sample])
        stored = store.get(key)
        if stored is None:
            fields = await _ask(sampled, messages, int(key[:_SEED_DIGITS], 16), most_tokens)
            if fields["error"]:
                return Prediction(row.id, sample, **fields)
            stored = store.put(key, json.dumps(fields, ensure_ascii=False))
        return Prediction(row.id, sample, **json.loads(stored))

    samples = [(row, sample) for row in rows for sample in range(n_samples)]
    return await map_bounded(one, samples, concurrency, progress)


async def _ask(sampled: SampledModel, messages: tuple[Message, ...], seed: int, most_tokens: int) -> dict[str, Any]:
    """Return a prediction's fields."""
    stop = (*sampled.sampling.stop, NEXT_TURN)
    sampling = replace(sampled.sampling, max_tokens=most_tokens, stop=stop, seed=seed)
    try:
        reply = await sampled.model.reply(Request(messages, sampling=sampling, thinking=sampled.thinking))
    except ModelError as error:
        return {"text": "", "error": error.message}
    return {
        "text": reply.text,
        "finish": reply.finish,
        "prompt_tokens": reply.usage.prompt,
        "completion_tokens": reply.usage.completion,
        "seconds": round(reply.seconds, 3),
        "error": "",
    }
