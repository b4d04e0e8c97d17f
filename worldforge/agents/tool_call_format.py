"""How an agent and its model talk of tools: with the model's own tool calls here, in JSON in `structured`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from worldforge.models.chat import Message, Reply, Request, Sampling, ToolCall


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model said in one reply: words, and calls. Without calls its words may be an answer."""

    words: str
    calls: tuple[ToolCall, ...] = ()


class ToolCallFormat(Protocol):
    """A way to talk of tools."""

    def system(self, prompt: str) -> str:
        """Return the system message that begins with `prompt`."""

    def request(self, messages: tuple[Message, ...], sampling: Sampling, *, final: bool) -> Request:
        """Ask for the next turn; a `final` one may hold no calls."""

    def read(self, reply: Reply) -> ModelReply:
        """Take a reply apart. What does not hold is left out."""

    def message(self, reply: Reply, said: ModelReply) -> Message:
        """Write down for the model what it said, with the calls that were made of it."""

    def observed(self, calls: Sequence[ToolCall], texts: Sequence[str], note: str) -> list[Message]:
        """Write down what calls brought, and a note after it, if there is one."""


class NativeCallFormat:
    """The model's chat template writes tools and calls, and its parser reads them."""

    def __init__(self, tools: Sequence[Mapping[str, Any]], thinking: bool | None) -> None:
        self._tools, self._thinking = tuple(tools), thinking

    def system(self, prompt: str) -> str:
        """Return the prompt: the template adds the tools."""
        return prompt

    def request(self, messages: tuple[Message, ...], sampling: Sampling, *, final: bool) -> Request:
        """Ask with the tools in the template, final or not: so the prompt begins as those before it."""
        return Request(messages, self._tools, "none" if final else "auto", sampling, thinking=self._thinking)

    def read(self, reply: Reply) -> ModelReply:
        """Take the reply as its parser did."""
        return ModelReply(reply.text.strip(), reply.tool_calls)

    def message(self, reply: Reply, said: ModelReply) -> Message:
        """Write a reply with the calls that were made; arguments that are no JSON object stand in one."""
        calls = tuple(ToolCall(call.id, call.name, _object(call.arguments)) for call in said.calls)
        return Message("assistant", reply.text, reply.reasoning, calls)

    def observed(self, calls: Sequence[ToolCall], texts: Sequence[str], note: str) -> list[Message]:
        """Write a tool message for each call; the note is the user's."""
        pairs = zip(calls, texts, strict=True)
        told = [Message("tool", text, tool_call_id=call.id, name=call.name) for call, text in pairs]
        return [*told, Message("user", note)] if note else told


def _object(arguments: str) -> str:
    """Return arguments as they are, or in an object: many chat templates and servers refuse to read anything else."""
    try:
        whole = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        whole = False
    return arguments if whole else json.dumps({"malformed": arguments}, ensure_ascii=False)
