"""Tool calls in JSON that a grammar enforces: for models without a tool parser, down to random weights.

Each reply is one object: {"thought": …, "calls": [{"name": …, "arguments": {…}}]} or {"thought": …, "answer": …}.
Texts, lists and numbers are bounded, so that no reply runs on for ever.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from worldforge.agents.tool_call_format import ModelReply
from worldforge.models.chat import Message, Reply, ReplyStructure, Request, Sampling, ToolCall

_LONGEST = 1_000  # characters of a text in a call, or of a thought
_LIST = 5  # items
_CALLS = 5  # in one reply
_NUMBER = 10_000_000
_PER_TOKEN = 4  # characters of an answer, about: a longer one is cut by its tokens anyway
_CUT_ANSWER = re.compile(r'"answer"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_FORM = """\
Reply with one JSON object and nothing else. To call tools, at most {calls} at once:
{{"thought": "…", "calls": [{{"name": "…", "arguments": {{…}}}}]}}
To give the final answer, once you are done:
{{"thought": "…", "answer": "…"}}

The tools, with JSON schemas of their arguments:
{tools}"""


class _StructuredCall(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    arguments: dict[str, Any]


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True)

    thought: str = ""
    calls: tuple[_StructuredCall, ...] = ()
    answer: str = ""


class StructuredCallFormat:
    """A `Speech` in JSON. What tools brought comes as the user's words."""

    def __init__(self, tools: Sequence[Mapping[str, Any]], thinking: bool | None, max_tokens: int) -> None:
        self._functions = [tool["function"] for tool in tools]
        self._thinking = thinking
        self._longest = min(_LONGEST, max_tokens // _PER_TOKEN)  # else one text could take up a whole reply
        thought = _text(self._longest)
        one = {"anyOf": [self._call(function) for function in self._functions]}
        calls = {"type": "array", "items": one, "minItems": 1, "maxItems": _CALLS}
        answer = _object({"thought": thought, "answer": _text(_PER_TOKEN * max_tokens)})
        self._final = ReplyStructure("json_schema", answer)
        self._any = ReplyStructure("json_schema", {"anyOf": [_object({"thought": thought, "calls": calls}), answer]})

    def system(self, prompt: str) -> str:
        """Add the form of a reply, and the tools."""
        tools = "\n".join(json.dumps(function, ensure_ascii=False) for function in self._functions)
        return f"{prompt}\n\n{_FORM.format(calls=_CALLS, tools=tools)}"

    def request(self, messages: tuple[Message, ...], sampling: Sampling, *, final: bool) -> Request:
        """Ask for an object of one of the two forms; of the second where it is to be final."""
        form = self._final if final else self._any
        return Request(messages, sampling=sampling, structure=form, thinking=self._thinking)

    def read(self, reply: Reply) -> ModelReply:
        """Take the object apart; of an answer that was cut off, what there is of it."""
        try:
            read = _Reply.model_validate(json.loads(reply.text))
        except (ValueError, RecursionError):  # no JSON, or another form
            return ModelReply(_cut_answer(reply.text))
        arguments = [json.dumps(call.arguments, ensure_ascii=False) for call in read.calls]
        pairs = zip(read.calls, arguments, strict=True)
        calls = tuple(ToolCall("", _encodable(call.name), _encodable(text)) for call, text in pairs)
        return ModelReply(_encodable(read.thought if calls else read.answer.strip()), calls)

    def message(self, reply: Reply, said: ModelReply) -> Message:
        """Write the reply as it was written."""
        return Message("assistant", reply.text, reply.reasoning)

    def observed(self, calls: Sequence[ToolCall], texts: Sequence[str], note: str) -> list[Message]:
        """Write a user's message for all calls."""
        told = [f"{call.name} ({n}):\n{text}" for n, (call, text) in enumerate(zip(calls, texts, strict=True), 1)]
        return [Message("user", "\n\n".join([*told, note] if note else told))]

    def _call(self, function: Mapping[str, Any]) -> dict[str, Any]:
        name = {"type": "string", "enum": [function["name"]]}
        return _object({"name": name, "arguments": self._bounded(function["parameters"])})

    def _bounded(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Write a JSON schema anew with bounds on all that may be long, in words that every grammar engine knows."""
        if "enum" in schema:
            return {"enum": schema["enum"]}
        if "anyOf" in schema:
            return {"anyOf": [self._bounded(choice) for choice in schema["anyOf"]]}
        match schema.get("type"):
            case "object" if "properties" in schema:
                properties = {name: self._bounded(value) for name, value in schema["properties"].items()}
                return _object(properties) | {"required": schema.get("required", [])}
            case "object":
                return {"type": "object", "additionalProperties": self._bounded({}), "maxProperties": _LIST}
            case "array":
                sizes = {"minItems": schema.get("minItems", 0), "maxItems": min(schema.get("maxItems", _LIST), _LIST)}
                return {"type": "array", "items": self._bounded(schema.get("items", {}))} | sizes
            case "string":
                least = {"minLength": schema["minLength"]} if "minLength" in schema else {}
                return _text(min(schema.get("maxLength", self._longest), self._longest)) | least
            case "integer" | "number":
                lowest, highest = schema.get("minimum", -_NUMBER), schema.get("maximum", _NUMBER)
                return {"type": "integer", "minimum": lowest, "maximum": highest}
            case "boolean" | "null" as kind:
                return {"type": kind}
        return {"anyOf": [_text(self._longest), self._bounded({"type": "integer"}), {"type": "boolean"}]}


def _cut_answer(text: str) -> str:
    match = _CUT_ANSWER.search(text)
    if match is None:
        return ""
    try:
        return _encodable(str(json.loads(f'"{match[1]}"', strict=False))).strip()
    except ValueError:  # cut within an escape such as \u00e9
        return ""


def _encodable(text: str) -> str:
    """Replace lone surrogates: JSON can escape them, UTF-8 cannot hold them."""
    return text.encode("utf-8", "replace").decode()


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(most: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": most}
