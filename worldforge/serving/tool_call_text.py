"""Tool calls as text, for trainers that pass only text: the Hermes format of NousResearch, as in Qwen's templates.

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
    """A tool call found in a text; `arguments` is JSON. If it cannot be parsed, only `fault` is set: the reason."""

    name: str
    arguments: str
    fault: str = ""


def describe_tools(tools: Sequence[Mapping[str, Any]]) -> str:
    """Describe `tools` (OpenAI function schemas) as the chat templates of Qwen 2.5 and 3 do."""
    return "\n".join([_HEAD, *(json.dumps(tool, ensure_ascii=False) for tool in tools), _FOOT])


def read_calls(text: str) -> list[WrittenCall]:
    """Parse the tool calls in a model's text; the last may lack its closing tag, which may be a stop string."""
    return [_read(body) for body in _CALL.findall(text)]


def write_results(texts: Sequence[str]) -> str:
    """Write the results of one turn's calls, as those templates do."""
    return "\n".join(f"<tool_response>\n{text}\n</tool_response>" for text in texts)


def _read(body: str) -> WrittenCall:
    try:
        call = json.loads(body)
    except ValueError as error:
        return WrittenCall("", "", f"the call is no JSON: {error}")
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return WrittenCall("", "", 'the call needs a "name" and "arguments"')
    return WrittenCall(call["name"], json.dumps(call.get("arguments", {}), ensure_ascii=False))
