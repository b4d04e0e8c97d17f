"""A language model as an agent. It sees the task's wording and its observations, nothing else.

It is told when few calls are left, and asked for its final answer before a limit would be exceeded.
Unusable replies are retried a bounded number of times; a model that fails raises ModelError.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from worldforge.agents.agent import Action, Ending, EpisodeLimits
from worldforge.agents.agent_prompts import calls_left, final_demand
from worldforge.agents.context_window import Conversation
from worldforge.agents.tool_call_format import ModelReply, NativeCallFormat, StructuredCallFormat
from worldforge.core.chance import Stream
from worldforge.environments.session import Observation
from worldforge.models.chat import Message, Reply, Sampling, ToolCall, Usage
from worldforge.models.model import Model
from worldforge.scoring.answer_score import UnscorableError
from worldforge.scoring.answer_tables import read_tables

VERSION = "1"
_TRIES = 3  # for a reply that can be used
_FEW_CALLS = 3  # left: time to say so
_LEAST_REPLY = 16  # tokens; with less to write, a turn is not worth asking for


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a model plays: how it draws tokens, whether it thinks (None: as its template has it), how it calls tools.

    With `structured` a grammar makes every reply a JSON object with calls or an answer; else the model's own tool calls
    are read by its tool parser. `wants_table` says that an answer without a table is none; `language` is the task's.
    """

    sampling: Sampling = field(default_factory=Sampling)
    thinking: bool | None = None
    structured: bool = False
    wants_table: bool = True
    language: str = "en"


class ModelAgent:
    """A language model at a session's `tools`. One agent serves one episode, and `seed` is the episode's."""

    def __init__(
        self,
        model: Model,
        wording: str,
        tools: Sequence[Mapping[str, Any]],
        *,
        system_prompt: str,
        limits: EpisodeLimits,
        settings: ModelSettings = ModelSettings(),
        seed: int = 0,
    ) -> None:
        self._model, self._settings, self._limits = model, settings, limits
        self._speech: NativeCallFormat | StructuredCallFormat = NativeCallFormat(tools, settings.thinking)
        if settings.structured:
            self._speech = StructuredCallFormat(tools, settings.thinking, settings.sampling.max_tokens)
        self._chance = Stream(seed, "model_agent")
        self._conversation = Conversation(
            model.count_tokens,
            min(filter(None, (limits.context_tokens, model.context_tokens)), default=0),
            settings.sampling.max_tokens,
            0 if settings.structured else len(json.dumps(list(tools))) // 2,  # more than they will have
        )
        self._conversation.add(Message("system", self._speech.system(system_prompt)))
        self._conversation.add(Message("user", wording))
        self._calls: tuple[ToolCall, ...] = ()
        self._ids: set[str] = set()
        self._n_calls = self._n_replies = self._n_written = 0
        self._turn = _Turn()

    async def act(self, observations: Sequence[Observation]) -> Action:
        """Return the model's next action. Raises ModelError where it cannot answer."""
        self._turn = _Turn()
        self._observe(observations)
        ending = self._ending()
        if ending is not None:
            return await self._answer_at_last(ending)
        reply, parsed = await self._next()
        if parsed.calls:
            return self._call(reply, parsed)
        if self._is_answer(parsed.words):
            return self._turn.action(parsed.words, reply)
        if parsed.words:
            self._add_message(self._speech.message(reply, parsed), Message("assistant", parsed.words, reply.reasoning))
        return await self._answer_at_last(None)

    def _observe(self, observations: Sequence[Observation]) -> None:
        """Add the last observations, and note once when few calls are left."""
        if not self._calls:
            return
        left = self._limits.max_steps - self._n_calls
        note = calls_left(left, self._settings.language) if 0 < left <= _FEW_CALLS < left + len(self._calls) else ""
        texts = [observation.text for observation in observations]
        self._conversation.add_observed(self._speech.observed(self._calls, texts, note))
        self._calls = ()
        if note:
            self._turn.before.append(Message("user", note))

    def _ending(self) -> Ending | None:
        """Return the limit that the next turn would exceed."""
        if self._n_calls >= self._limits.max_steps:
            return "step_limit"
        self._conversation.make_room()
        enough = self._conversation.fits and self._may_write(final=False) >= _LEAST_REPLY
        return None if enough else "token_limit"

    async def _next(self) -> tuple[Reply, ModelReply]:
        """Request the next turn; retry unusable replies."""
        for _ in range(_TRIES):
            reply, parsed = await self._ask(final=False)
            whole = reply.finish != "length" or self._is_answer(parsed.words)
            if parsed.calls or (parsed.words and whole) or self._may_write(final=False) < _LEAST_REPLY:
                break
        return reply, parsed if parsed.calls or whole else ModelReply("")

    def _call(self, reply: Reply, parsed: ModelReply) -> Action:
        """Make as many of the calls as are left."""
        made = parsed.calls[: self._limits.max_steps - self._n_calls]
        first = self._n_calls + 1
        self._calls = tuple(self._with_own_id(call, n) for n, call in enumerate(made, first))
        self._n_calls += len(self._calls)
        self._conversation.add(self._speech.message(reply, replace(parsed, calls=self._calls)))
        return self._turn.action(parsed.words, reply, self._calls)

    def _with_own_id(self, call: ToolCall, n: int) -> ToolCall:
        """Give a call an id of its own, where it has none."""
        unique = call if call.id and call.id not in self._ids else replace(call, id=f"call_{n}")
        self._ids.add(unique.id)
        return unique

    async def _answer_at_last(self, ending: Ending | None) -> Action:
        """Demand the final answer; an empty reply is retried once, then the answer is empty."""
        settings = self._settings
        demand = Message("user", final_demand(settings.language, wants_table=settings.wants_table))
        self._conversation.make_room()  # before the demand, which may join the last observation and go with it
        self._add_message(demand, demand)
        if not self._conversation.left_for_reply(1):
            return self._turn.action("", Reply(""), ending=ending or "token_limit")
        reply, parsed = await self._ask(final=True)
        if not parsed.words and self._may_write(final=True) >= _LEAST_REPLY:
            reply, parsed = await self._ask(final=True)
        return self._turn.action(parsed.words, reply, ending=ending)

    def _add_message(self, message: Message, recorded: Message) -> None:
        self._conversation.add(message)
        self._turn.before.append(recorded)

    async def _ask(self, *, final: bool) -> tuple[Reply, ModelReply]:
        seed = int(self._chance.bits(np.array([self._n_replies]))[0] >> np.uint64(33))
        most = self._conversation.left_for_reply(max(1, self._may_write(final=final)))
        sampling = replace(self._settings.sampling, seed=seed, max_tokens=most)
        reply = await self._model.reply(self._speech.request(self._conversation.messages, sampling, final=final))
        self._conversation.counted(reply.usage.prompt)
        self._n_replies += 1
        self._n_written += reply.usage.completion
        self._turn.usage += reply.usage
        parsed = self._speech.read(reply)
        return reply, replace(parsed, calls=()) if final else parsed

    def _may_write(self, *, final: bool) -> int:
        """Count the tokens that the next reply may have; a quarter of all is kept for the final one, where needed."""
        wanted = self._settings.sampling.max_tokens
        if not self._limits.max_tokens:
            return wanted
        kept = 0 if final else min(wanted, self._limits.max_tokens // 4)
        return min(wanted, self._limits.max_tokens - self._n_written - kept)

    def _is_answer(self, words: str) -> bool:
        if not self._settings.wants_table:
            return bool(words)
        try:
            return any(table.rows for table in read_tables(words))
        except UnscorableError:
            return False


@dataclass(slots=True)
class _Turn:
    """The tokens and messages of the current turn so far."""

    usage: Usage = field(default_factory=Usage)
    before: list[Message] = field(default_factory=list)

    def action(
        self, words: str, reply: Reply, calls: tuple[ToolCall, ...] = (), ending: Ending | None = None
    ) -> Action:
        return Action(words, calls, reply.reasoning, self.usage, ending, tuple(self.before))
