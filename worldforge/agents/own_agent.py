"""Agents that users write as plain classes: `act` may be sync or async, and may return text, tool calls or an action.

    class Skimmer:
        def act(self, observations):
            if not observations:
                return tool_call("web_search", queries=["towns of Kestelessia"])
            return "| Town |\\n|---|\\n| Velmar |"

`OwnAgent(Skimmer())` is an `Agent`.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

from worldforge.agents.agent import Action
from worldforge.environments.session import Observation
from worldforge.models.chat import ToolCall

AgentReply = str | ToolCall | Sequence[ToolCall] | Action
"""What `act` may return: the final answer as text, one tool call or several made together, or an action as it is."""


class SimpleAgent(Protocol):
    """A user's agent; one serves one episode."""

    def act(self, observations: Sequence[Observation]) -> AgentReply | Awaitable[AgentReply]:
        """Return what to do next, given what the last calls brought, in their order; at first nothing."""


def tool_call(name: str, /, **arguments: Any) -> ToolCall:
    """Call a tool with arguments that can be written as JSON. Ids are given when the call is made."""
    return ToolCall("", name, json.dumps(arguments, ensure_ascii=False))


class OwnAgent:
    """An `Agent` around a user's. A sync `act` runs in a thread, so that it may wait without delaying others."""

    def __init__(self, agent: SimpleAgent) -> None:
        self._agent = agent
        self._is_async = inspect.iscoroutinefunction(agent.act)
        self._n_calls = 0

    async def act(self, observations: Sequence[Observation]) -> Action:
        """Ask the agent. Raises TypeError where it returns something else than an `AgentReply`."""
        act = self._agent.act
        reply = await cast("Any", act(observations)) if self._is_async else await asyncio.to_thread(act, observations)
        if inspect.isawaitable(reply):
            reply = await reply
        return self._action(reply)

    def _action(self, reply: object) -> Action:
        if isinstance(reply, Action):
            return replace(reply, tool_calls=self._numbered(reply.tool_calls))
        if isinstance(reply, str):
            return Action(reply)
        calls = [reply] if isinstance(reply, ToolCall) else reply
        if not isinstance(calls, Sequence) or not calls or not all(isinstance(call, ToolCall) for call in calls):
            raise TypeError(
                f"`act` returned {type(reply).__name__}: return the answer as text, `tool_call(…)`, a list of them, "
                "or an Action"
            )
        return Action("", self._numbered(calls))

    def _numbered(self, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """Give an id to each call that has none."""
        first, self._n_calls = self._n_calls, self._n_calls + len(calls)
        return tuple(
            call if call.id else replace(call, id=f"call-{first + number}") for number, call in enumerate(calls)
        )
