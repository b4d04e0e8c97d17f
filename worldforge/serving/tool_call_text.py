"""Tool calls as text, for trainers that pass text alone: the form of NousResearch's Hermes, which Qwen's templates use.

<tool_call>
{"name": "web_search", "arguments": {"query": "football clubs in Velmar"}}
</tool_call>
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_HEAD = """\
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>"""
_FOOT = """\
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>"""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A tool call found in a text; `arguments` is JSON. `fault` says why it cannot be read, then the rest is empty."""

    name: str
    arguments: str
    fault: str = ""


def describe_tools(tools: Sequence[Mapping[str, Any]]) -> str:
    """Tell a model of `tools` (OpenAI function schemas) as the chat templates of Qwen 2.5 and 3 tell it."""
    return "\n".join([_HEAD, *(json.dumps(tool, ensure_ascii=False) for tool in tools), _FOOT])


def read_calls(text: str) -> list[WrittenCall]:
    """Read the tool calls in what a model wrote; the last need not be closed, where generation stops at the tag."""
    return [_read(body) for body in _CALL.findall(text)]


def write_results(texts: Sequence[str]) -> str:
    """Write what the calls of one turn brought, as those templates do."""
    return "\n".join(f"<tool_response>\n{text}\n</tool_response>" for text in texts)


def _read(body: str) -> WrittenCall:
    try:
        call = json.loads(body)
    except ValueError as error:
        return WrittenCall("", "", f"the call is no JSON: {error}")
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return WrittenCall("", "", 'the call needs a "name" and "arguments"')
    return WrittenCall(call["name"], json.dumps(call.get("arguments", {}), ensure_ascii=False))
