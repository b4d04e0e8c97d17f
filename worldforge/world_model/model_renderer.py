"""Words views with a language model: drafted, guarded, drafted again or given up, and kept for whoever asks the same.

    with open_renderer(world, model) as renderer:
        session = environment.session(renderer=renderer)

The same call in the same world under the same controls gives the same text: in other turns, sessions, processes and
runs. What was accepted first is kept in `<world>/observations.sqlite`, under a digest of all that it depends on; so is
the engine's text where a model's drafts were refused. A model that does not answer leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pydantic_core import to_jsonable_python

from worldforge.core.files import value_digest
from worldforge.core.store import BatchedStore, TextStore
from worldforge.core.store_server import open_store
from worldforge.environments.session import Rendering, Scene
from worldforge.models.chat import Message, Reply, Request, Usage
from worldforge.models.model import Model, ModelError, ModelUnavailableError, OutageDetector, identity_of
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world.world import World
from worldforge.world_model import guard
from worldforge.world_model.guard import Guard, Verdict, gold_of
from worldforge.world_model.prompt import (
    CONTEXT_TOKENS,
    NEXT_TURN,
    Drafting,
    read_observation,
    scene_prompt,
    system_of,
)

OBSERVATIONS = "observations.sqlite"
"""The file in a world's folder that keeps what was worded."""
_COUNTED = 16_384  # texts whose tokens are remembered
_SEED_DIGITS = 7  # hexadecimal, of a key: a seed that every engine takes


class ModelRenderer:
    """Words views; an `environments.session.Renderer`. One serves all sessions of a process, in one event loop."""

    def __init__(
        self, world: str, model: Model, checks: Guard, store: TextStore, drafting: Drafting | None = None
    ) -> None:
        """`world` is the world's digest."""
        self._world, self._model, self._guard, self._store = world, model, checks, BatchedStore(store)
        self._drafting = drafting or Drafting()
        limit = self._drafting.context_tokens or model.context_tokens or CONTEXT_TOKENS
        self._most_tokens = min(self._drafting.sampling.max_tokens, limit // 2)
        self._budget_tokens = limit - self._most_tokens
        self._count_tokens = lru_cache(_COUNTED)(model.count_tokens)  # each text comes again with every later turn
        self._under_way: dict[str, asyncio.Future[Rendering | None]] = {}
        self._outage = OutageDetector()

    async def render(self, scene: Scene) -> Rendering:
        """Word one view: from the store, as another session's call under way has it, or anew.

        Raises ModelUnavailableError where the model is gone, or has answered none of its first requests: see
        `OutageDetector`.
        """
        key = scene_key(self._world, scene, identity_of(self._model), self._drafting)
        while (kept := await self._load(key)) is None and key in self._under_way:
            shared = await asyncio.shield(self._under_way[key])
            if shared is not None:
                stored = shared.verdict != "unavailable"
                return Rendering(shared.text, shared.source, shared.verdict, stored=stored, failure=shared.failure)
        return kept or await self._anew(scene, key)

    async def _anew(self, scene: Scene, key: str) -> Rendering:
        """Draft, and let those who wait have it; where this call is given up, one of them begins again."""
        future = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            rendering = await self._draft(scene, key)
            future.set_result(rendering)
            return rendering
        finally:
            if not future.done():
                future.set_result(None)
            del self._under_way[key]

    async def _draft(self, scene: Scene, key: str) -> Rendering:
        messages = scene_prompt(self._count_tokens, scene, self._budget_tokens)
        replies: list[Reply] = []
        verdicts: list[Verdict] = []
        while len(replies) < self._drafting.n_drafts and not (verdicts and verdicts[-1].kind == "clean"):
            try:
                reply = await self._model.reply(self._request(messages, key, len(replies)))
            except ModelUnavailableError:
                raise
            except ModelError as error:
                self._outage.failed(error)
                return _rendered(scene, [*verdicts, Verdict("unavailable", error.message)], replies)
            self._outage.answered()
            replies.append(reply)
            verdicts.append(self._judged(scene, reply))
        return await self._save(key, _rendered(scene, verdicts, replies))

    def _request(self, messages: tuple[Message, ...], key: str, draft: int) -> Request:
        sampling = replace(
            self._drafting.sampling,
            max_tokens=self._most_tokens,
            stop=(*self._drafting.sampling.stop, NEXT_TURN),
            seed=int(key[:_SEED_DIGITS], 16) + draft,
        )
        return Request(messages, sampling=sampling, thinking=self._drafting.thinking)

    def _judged(self, scene: Scene, reply: Reply) -> Verdict:
        if reply.finish == "length":
            return Verdict("truncated", "the limit of tokens was reached")
        draft = read_observation(reply.text)
        return self._guard.check(scene, draft) if draft else Verdict("malformed", "no observation")

    async def _load(self, key: str) -> Rendering | None:
        text = await self._store.get(key)
        return Rendering(**json.loads(text), stored=True) if text is not None else None

    async def _save(self, key: str, made: Rendering) -> Rendering:
        """Keep a rendering; where another process was first, its text is taken, and this one's cost stays."""
        record = {"text": made.text, "source": made.source, "verdict": made.verdict}
        kept = json.loads(await self._store.put(key, json.dumps(record, ensure_ascii=False)))
        return made if kept == record else made._replace(**kept, stored=True)


@contextmanager
def open_renderer(world: World, model: Model, drafting: Drafting | None = None) -> Iterator[ModelRenderer]:
    """Open a world's store of observations and its guard, and word its views with `model`."""
    with open_store(world.path / OBSERVATIONS) as store:
        checks = Guard(Lexicon.of_world(world), gold_of(world.tasks))
        yield ModelRenderer(world.digest, model, checks, store, drafting)


def _rendered(scene: Scene, verdicts: list[Verdict], replies: list[Reply]) -> Rendering:
    last = verdicts[-1]
    clean = last.kind == "clean"
    usage = sum((reply.usage for reply in replies), Usage())
    return Rendering(
        text=last.text if clean else scene.text,
        source="model" if clean else "fallback",
        verdict=last.kind,
        refused=tuple(verdict.kind for verdict in verdicts[:-1]),
        n_drafts=len(replies),
        prompt_tokens=usage.prompt,
        completion_tokens=usage.completion,
        seconds=sum(reply.seconds for reply in replies),
        failure=last.reason if last.kind == "unavailable" else "",
    )


def scene_key(world: str, scene: Scene, model: str, drafting: Drafting) -> str:
    """Return the key of a scene's observation, in hexadecimal.

    In it are the world's digest, the dialect, what is asked (in its one form, however the call was written), the
    controls with their seed, what may be disclosed, the system prompt, the model's identity and how it is drawn from,
    and the guard's version. Neither session nor turn nor history: the same call is to bring the same text.
    """
    return value_digest(
        {
            "world": world,
            "dialect": scene.dialect.name,
            "request": _plain(scene.request),
            "controls": scene.controls,
            "view": _plain(scene.view),
            "system": system_of(scene),
            "model": model,
            "drafting": _plain(replace(drafting, context_tokens=0)),
            "guard": guard.VERSION,
        }
    )


def _plain(value: Any) -> Any:
    """Write a record as JSON values, beside its type's name. Raises ValueError for what has no JSON form."""
    return [type(value).__name__, to_jsonable_python(value)]
