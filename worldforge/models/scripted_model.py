"""A model that follows a script: replies from a function, or from a file of JSON lines. Writes no token itself.

ScriptedModel(lambda request: "42")

{"text": "Let me look.", "tool_calls": [{"name": "web_search", "arguments": {"query": "Kalo"}}]}
{"text": "| Name |\\n|---|\\n| Kalo |"}
{"when": "HTTP 429", "text": "I try again.", "tool_calls": [{"name": "web_search", "arguments": {"query": "Kalo"}}]}

The n-th turn of a conversation gets the n-th line that has no `when`, the last one from then on; a line with `when`
goes first wherever its text is in the conversation's last message. So each conversation is answered alike, however many
are under way.
"""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, value_digest
from worldforge.core.json_lines import read_lines
from worldforge.models.chat import Message, Reply, Request, ToolCall, Usage
from worldforge.models.model import ModelError

Answer = Callable[[Request], "Reply | str | Awaitable[Reply | str]"]


class ScriptedModel:
    """Answers with what `answer` returns: a reply, or its text; it may be a coroutine function.

    Tokens are counted as words. What `answer` raises is a ModelError, as a real model's failure would be.
    """

    def __init__(self, answer: Answer, name: str = "scripted", identity: str = "") -> None:
        """`identity` is what stores know the script by, where it is not the name."""
        self._answer = answer
        self.name, self.identity = name, identity or name
        self.context_tokens = 0

    async def reply(self, request: Request) -> Reply:
        """Answer one request. Raises ModelError where the script fails."""
        start = time.perf_counter()
        try:
            answered = self._answer(request)
            if inspect.isawaitable(answered):
                answered = await answered
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(f"{self.name}: {type(error).__name__}: {error}") from error
        reply = Reply(answered) if isinstance(answered, str) else answered
        if reply.usage == Usage():
            written = Message("assistant", reply.text, reply.reasoning, reply.tool_calls)
            reply = replace(reply, usage=Usage(sum(map(_n_words, request.messages)), 0, _n_words(written)))
        return reply if reply.seconds else replace(reply, seconds=time.perf_counter() - start)

    def count_tokens(self, text: str) -> int:
        """Return how many words `text` has."""
        return len(text.split())


class _Call(BaseModel, extra="forbid", frozen=True):
    name: str
    arguments: dict[str, Any] | str = {}


class _Line(BaseModel, extra="forbid", frozen=True):
    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[_Call, ...] = ()
    when: str = ""


def read_script(path: Path, identity: str | None = None) -> ScriptedModel:
    """Open a script in JSON lines. Raises InputError where the file is not there or a line is none."""
    form = 'a line is an object with "text", "reasoning", "tool_calls" or "when"'
    lines = [line for _, line in read_lines(path, _Line, form)]
    in_turn, matched = [one for one in lines if not one.when], [one for one in lines if one.when]
    if not in_turn:
        raise InputError(f"{path}: no line of the script is without `when`", "write at least one reply for every case")

    def answer(request: Request) -> Reply:
        turn = sum(message.role == "assistant" for message in request.messages)
        last = request.messages[-1].content if request.messages else ""
        line = next((one for one in matched if one.when in last), in_turn[min(turn, len(in_turn) - 1)])
        calls = tuple(_tool_call(call, f"call_{turn}_{number}") for number, call in enumerate(line.tool_calls))
        return Reply(line.text, calls, line.reasoning, finish="tool_calls" if calls else "stop")

    return ScriptedModel(answer, path.stem, value_digest([file_digest(path), identity]))


def _tool_call(call: _Call, identity: str) -> ToolCall:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    return ToolCall(identity, call.name, arguments)


def _n_words(message: Message) -> int:
    calls = (part for call in message.tool_calls for part in (call.name, call.arguments))
    return sum(len(part.split()) for part in (message.content, message.reasoning, *calls))
