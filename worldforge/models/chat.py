"""Chat requests, messages and replies, and messages as the OpenAI chat API writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "tool_calls"]
ToolChoice = Literal["auto", "none", "required"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What an agent asks for. `arguments` is the JSON text as the agent wrote it: it need not parse."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat. `reasoning` and `tool_calls` are an assistant's; `tool_call_id` and `name` a tool's."""

    role: Role
    content: str
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn. The defaults are those published for Qwen-AgentWorld and Qwen3 with thinking on.

    `top_k` of 0 and `min_p` of 0 switch those limits off. `max_tokens` counts all that is written, reasoning included.
    `seed` makes one request repeatable as far as an engine can.
    """

    temperature: float = 0.6
    top_p: float = 0.95
    top_k: int = 20
    min_p: float = 0.0
    presence_penalty: float = 0.0
    repetition_penalty: float = 1.0
    max_tokens: int = 4096
    stop: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class ReplyStructure:
    """The form a reply must have: a JSON schema (as a mapping), a regular expression or a grammar (GBNF, as text)."""

    kind: Literal["json_schema", "regex", "grammar"]
    form: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class Request:
    """One turn to be written. `tools` are OpenAI function schemas; `thinking` None leaves it to the chat template."""

    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    tool_choice: ToolChoice = "auto"
    sampling: Sampling = field(default_factory=Sampling)
    structure: ReplyStructure | None = None
    thinking: bool | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request, or of several together. `cached` of the `prompt` tokens were in the prefix cache."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt + other.prompt, self.cached + other.cached, self.completion + other.completion)

    def __sub__(self, other: Usage) -> Usage:
        return Usage(self.prompt - other.prompt, self.cached - other.cached, self.completion - other.completion)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote. `text` is without reasoning and without tool calls; `finish` says why it stopped.

    `seconds` is the time from the request to the whole reply, waiting included.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    usage: Usage = field(default_factory=Usage)
    finish: Finish = "stop"
    seconds: float = 0.0


def to_openai(message: Message, reasoning_key: str = "reasoning", *, parsed: bool = False) -> dict[str, Any]:
    """Return one message as the OpenAI chat API writes it, its reasoning under `reasoning_key`, where it has any.

    With `parsed`, arguments that are a JSON object stand as one, as many chat templates need them; servers want text.
    """
    written: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        written["tool_call_id"] = message.tool_call_id
    if message.name:
        written["name"] = message.name
    if message.reasoning:
        written[reasoning_key] = message.reasoning
    if message.tool_calls:
        written["tool_calls"] = [_call(call, parsed) for call in message.tool_calls]
    return written


def _call(call: ToolCall, parsed: bool) -> dict[str, Any]:
    arguments = _parsed(call.arguments) if parsed else call.arguments
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _parsed(arguments: str) -> Any:
    try:
        value = json.loads(arguments)
    except ValueError:
        return arguments
    return value if isinstance(value, dict) else arguments
