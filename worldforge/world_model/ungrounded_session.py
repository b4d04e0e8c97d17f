"""A session in a domain that no world grounds: a model makes up what a terminal prints, what a screen shows.

    session = UngroundedSession(domain_named("terminal"), model, initial_state="A fresh Debian; home is /home/ada.")
    await session.step(ToolCall("1", "run", '{"command": "ls"}'))

Nothing is checked of such observations but their form: one that is out of form is drawn once more, and then kept with
the error `out_of_form`. Each carries the verdict `ungrounded`.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import numpy as np

from worldforge.core.chance import Stream
from worldforge.environments.arguments import read_arguments
from worldforge.environments.dialect import Domain
from worldforge.environments.session import Observation, Rendering
from worldforge.environments.views import ErrorView
from worldforge.models.chat import Message, Reply, Request, Sampling, ToolCall
from worldforge.models.model import Model, ModelError, ModelUnavailableError
from worldforge.world_model.prompt import (
    CONTEXT_TOKENS,
    NEXT_TURN,
    History,
    read_observation,
    system_prompt,
    write_action,
    write_observation,
)

VERDICT = "ungrounded"
MOST_DRAFTS = 2
_SEEDS = 2**31 - 1


class UngroundedSession:
    """One agent in an environment that a model plays; an `environments.session.Session`."""

    def __init__(
        self,
        domain: Domain,
        model: Model,
        *,
        initial_state: str = "",
        instruction: str = "",
        sampling: Sampling | None = None,
        thinking: bool | None = None,
        context_tokens: int = 0,
        seed: int = 0,
    ) -> None:
        """Begin a session. `context_tokens` bounds a prompt and its reply together; 0 for what the model takes.

        Raises ValueError for a domain that is grounded: a world plays that.
        """
        if domain.grounded:
            raise ValueError(f"the domain {domain.name} is grounded in a world")
        self._domain, self._model, self._thinking = domain, model, thinking
        self._sampling = sampling or Sampling()
        self._chance = Stream(seed).child("ungrounded", domain.name)
        system = system_prompt(domain, domain.schemas, instruction, initial_state)
        limit = context_tokens or model.context_tokens or CONTEXT_TOKENS
        self._history = History(model.count_tokens, Message("system", system), limit - self._sampling.max_tokens)
        self._one_at_a_time = asyncio.Lock()

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The domain's tools, as OpenAI function schemas."""
        return self._domain.schemas

    async def step(self, call: ToolCall) -> Observation:
        """Answer one action; several at once are answered one after the other, as each may change what is there.

        What is wrong with a call, and a request that the model cannot answer, come back as observations. Raises
        ModelUnavailableError where the model is gone.
        """
        arguments = read_arguments(call, self._domain.tools)
        if isinstance(arguments, ErrorView):
            return Observation(arguments.message, arguments.error)
        async with self._one_at_a_time:
            return await self._answer(call)

    async def _answer(self, call: ToolCall) -> Observation:
        action = Message("user", write_action(self._history.n_turns + 1, call))
        messages = self._history.before(action)
        replies: list[Reply] = []
        text, refused = "", ""
        while not replies or (refused and len(replies) < MOST_DRAFTS):
            try:
                reply = await self._model.reply(self._request(messages, len(replies)))
            except ModelUnavailableError:
                raise
            except ModelError:
                return _observed("Error: the environment is not available.", "environment_unavailable", replies)
            replies.append(reply)
            text = read_observation(reply.text) or text
            refused = "" if reply.finish != "length" and self._domain.in_form(text) else "out_of_form"
        if not text:
            return _observed("Error: the environment did not answer.", "environment_unavailable", replies)
        self._history.add(action, Message("assistant", write_observation(text)))
        return _observed(text, refused, replies)

    def _request(self, messages: tuple[Message, ...], draft: int) -> Request:
        row = np.array([self._history.n_turns * MOST_DRAFTS + draft])
        seed = int(self._chance.integers(row, 0, _SEEDS)[0])
        sampling = replace(self._sampling, stop=(*self._sampling.stop, NEXT_TURN), seed=seed)
        return Request(messages, sampling=sampling, thinking=self._thinking)


def _observed(text: str, error: str, replies: list[Reply]) -> Observation:
    rendering = Rendering(
        text,
        source="model",
        verdict=VERDICT,
        refused=("out_of_form",) * (len(replies) - 1),
        n_drafts=len(replies),
        prompt_tokens=sum(reply.usage.prompt for reply in replies),
        completion_tokens=sum(reply.usage.completion for reply in replies),
        seconds=sum(reply.seconds for reply in replies),
    )
    return Observation(text, error, rendering)
