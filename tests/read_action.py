"""Reads a turn's action back from a prompt."""

import json
import re

from worldforge.models.chat import ToolCall

_ACTION = re.compile(r"### Turn (\d+)\n\*\*Action:\*\*\n```json\n(.*)\n```(?:\n|$)")


def read_action(text: str) -> tuple[int, ToolCall] | None:
    """Read turn and call (its id is the turn) back from what `write_action` wrote; None where it wrote no such text."""
    match = _ACTION.match(text)
    if match is None:
        return None
    try:
        action = json.loads(match[2])
        arguments = action["arguments"]
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        return int(match[1]), ToolCall(match[1], str(action["name"]), written)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
