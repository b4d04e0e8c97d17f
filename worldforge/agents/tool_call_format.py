"""How an agent and its model exchange tool calls: as the model's chat template does, or in JSON by a grammar.

The JSON form is for models without a tool parser, down to random weights.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

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


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A parsed reply: text and calls. Without calls the text may be an answer."""

    words: str
    calls: tuple[ToolCall, ...] = ()


class NativeCallFormat:
    """The model's chat template writes tools and calls, and its parser reads them.

    Like `StructuredCallFormat` it writes the system message, the request of the next turn (a `final` one may hold no
    calls), the message of a reply with the calls that were made, and observations with a note after them.
    """

    def __init__(self, tools: Sequence[Mapping[str, Any]], thinking: bool | None) -> None:
        self._tools, self._thinking = tuple(tools), thinking

    def system(self, prompt: str) -> str:
        """Return the prompt: the template adds the tools."""
        return prompt

    def request(self, messages: tuple[Message, ...], sampling: Sampling, *, final: bool) -> Request:
        """Ask with the tools in the template, final or not: so the prompt begins as those before it."""
        return Request(messages, self._tools, "none" if final else "auto", sampling, thinking=self._thinking)

    def read(self, reply: Reply) -> ModelReply:
        """Take the calls that the model's parser found."""
        return ModelReply(reply.text.strip(), reply.tool_calls)

    def message(self, reply: Reply, parsed: ModelReply) -> Message:
        """Write a reply with its calls; arguments that are no JSON object are wrapped in one."""
        calls = tuple(ToolCall(call.id, call.name, _object(call.arguments)) for call in parsed.calls)
        return Message("assistant", reply.text, reply.reasoning, calls)

    def observed(self, calls: Sequence[ToolCall], texts: Sequence[str], note: str) -> list[Message]:
        """Write a tool message for each call; the note is the user's."""
        pairs = zip(calls, texts, strict=True)
        messages = [Message("tool", text, tool_call_id=call.id, name=call.name) for call, text in pairs]
        return [*messages, Message("user", note)] if note else messages


def _object(arguments: str) -> str:
    """Return arguments as they are, or in an object: many chat templates and servers refuse to read anything else."""
    try:
        whole = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        whole = False
    return arguments if whole else json.dumps({"malformed": arguments}, ensure_ascii=False)


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
    """Calls in JSON that a grammar enforces; what tools brought comes as the user's words.

    Each reply is one object: {"thought": …, "calls": [{"name": …, "arguments": {…}}]} or {"thought": …, "answer": …}.
    Texts, lists and numbers are bounded, so that no reply runs on for ever.
    """

    def __init__(self, tools: Sequence[Mapping[str, Any]], thinking: bool | None, max_tokens: int) -> None:
        self._functions = [tool["function"] for tool in tools]
        self._thinking = thinking
        self._longest = min(_LONGEST, max_tokens // _PER_TOKEN)  # else one text could take up a whole reply
        thought = _text(self._longest)
        one = {"anyOf": [self._call(function) for function in self._functions]}
        calls = {"type": "array", "items": one, "minItems": 1, "maxItems": _CALLS}
        answer = _object_schema({"thought": thought, "answer": _text(_PER_TOKEN * max_tokens)})
        self._final = ReplyStructure("json_schema", answer)
        self._any = ReplyStructure(
            "json_schema", {"anyOf": [_object_schema({"thought": thought, "calls": calls}), answer]}
        )

    def system(self, prompt: str) -> str:
        """Add the form of a reply, and the tools."""
        tools = "\n".join(json.dumps(function, ensure_ascii=False) for function in self._functions)
        return f"{prompt}\n\n{_FORM.format(calls=_CALLS, tools=tools)}"

    def request(self, messages: tuple[Message, ...], sampling: Sampling, *, final: bool) -> Request:
        """Ask for an object of one of the two forms; of the second where it is to be final."""
        form = self._final if final else self._any
        return Request(messages, sampling=sampling, structure=form, thinking=self._thinking)

    def read(self, reply: Reply) -> ModelReply:
        """Parse the object; of an answer that was cut off, take its beginning."""
        try:
            read = _Reply.model_validate(json.loads(reply.text))
        except (ValueError, RecursionError):  # no JSON, or another form
            return ModelReply(_cut_answer(reply.text))
        arguments = [json.dumps(call.arguments, ensure_ascii=False) for call in read.calls]
        pairs = zip(read.calls, arguments, strict=True)
        calls = tuple(ToolCall("", _encodable(call.name), _encodable(text)) for call, text in pairs)
        return ModelReply(_encodable(read.thought if calls else read.answer.strip()), calls)

    def message(self, reply: Reply, parsed: ModelReply) -> Message:
        """Repeat the reply verbatim."""
        return Message("assistant", reply.text, reply.reasoning)

    def observed(self, calls: Sequence[ToolCall], texts: Sequence[str], note: str) -> list[Message]:
        """Write a user's message for all calls."""
        parts = [f"{call.name} ({n}):\n{text}" for n, (call, text) in enumerate(zip(calls, texts, strict=True), 1)]
        return [Message("user", "\n\n".join([*parts, note] if note else parts))]

    def _call(self, function: Mapping[str, Any]) -> dict[str, Any]:
        name = {"type": "string", "enum": [function["name"]]}
        return _object_schema({"name": name, "arguments": self._bounded(function["parameters"])})

    def _bounded(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Rewrite a JSON schema with bounds on all lengths, in keywords that every grammar engine knows."""
        if "enum" in schema:
            return {"enum": schema["enum"]}
        if "anyOf" in schema:
            return {"anyOf": [self._bounded(choice) for choice in schema["anyOf"]]}
        match schema.get("type"):
            case "object" if "properties" in schema:
                properties = {name: self._bounded(value) for name, value in schema["properties"].items()}
                return _object_schema(properties) | {"required": schema.get("required", [])}
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


def _object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(most: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": most}
