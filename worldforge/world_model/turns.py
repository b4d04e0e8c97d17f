"""How a turn is written for a world model, and what is taken from its reply: the form published for Qwen-AgentWorld.

    ### Turn 1                                        **Environment Observation:**
    **Action:**                                       [1] https://…
    ```json
    {"name": "web_search", "arguments": {…}}
    ```

The left is a user's message, the right an assistant's. Two sections are ours and follow the action where there is
something to say: `**Instruction:**`, what a control asks for, and `**Disclosed:**`, all that the observation may tell.
"""

from __future__ import annotations

import json
import re
from typing import Any

from worldforge.models.chat import ToolCall

HEADING = "**Environment Observation:**"
DISCLOSED = "**Disclosed:**"
INSTRUCTION = "**Instruction:**"
NEXT_TURN = "\n### Turn "
"""Where a model that goes on to play the agent as well is to be stopped."""

_HEADED = re.compile(rf"^[ \t]*{re.escape(HEADING)}[ \t]*", re.MULTILINE)
_FENCE = re.compile(r"^(`{3,})(.*)$", re.MULTILINE)
_THINK, _THOUGHT = "<think>", "</think>"
_OPEN, _CLOSE = "<predicted_observation>", "</predicted_observation>"


def write_action(turn: int, call: ToolCall, disclosed: str = "", instruction: str = "") -> str:
    """Write the user's message of a turn, counted from 1. Arguments that are no JSON object stand as a string."""
    action = json.dumps({"name": call.name, "arguments": _arguments(call.arguments)}, ensure_ascii=False)
    parts = [f"### Turn {turn}\n**Action:**\n```json\n{action}\n```"]
    if instruction:
        parts.append(f"{INSTRUCTION}\n{instruction}")
    if disclosed:
        parts.append(f"{DISCLOSED}\n{disclosed}")
    return "\n\n".join(parts).encode("utf-8", "replace").decode()


def write_observation(text: str) -> str:
    """Write the assistant's message of a turn."""
    return f"{HEADING}\n{text}"


def read_observation(text: str) -> str:
    """Take the observation out of a reply: without reasoning, tags, heading and a fence around it all.

    Empty where there is none: reasoning that does not end, a `<predicted_observation>` that does not close. Of several
    such blocks the last counts. Line ends around the observation are dropped.
    """
    rest = _after_reasoning(text)
    if _OPEN in rest:
        end = rest.rfind(_CLOSE)
        start = rest.rfind(_OPEN, 0, max(end, 0))
        if start < 0:
            return ""
        rest = rest[start + len(_OPEN) : end]
    if headed := _HEADED.search(rest):
        rest = rest[headed.end() :]
    return _without_fence(rest.strip("\r\n").rstrip()).strip("\r\n")


def _arguments(text: str) -> Any:
    """Return a call's arguments as the object they are, or the text itself where it is no object in plain JSON."""
    try:
        read = json.loads(text)
        json.dumps(read, allow_nan=False)
    except (ValueError, RecursionError):
        return text
    return read if isinstance(read, dict) else text


def _after_reasoning(text: str) -> str:
    """Drop what was thought. Where a chat template has written the opening tag, a reply has the closing one alone."""
    rest = text
    if _THOUGHT in rest and not rest.lstrip().startswith(_THINK):
        rest = rest.partition(_THOUGHT)[2]
    while rest.lstrip().startswith(_THINK):
        rest = rest.partition(_THOUGHT)[2]
    return rest


def _without_fence(text: str) -> str:
    """Drop a fence around all of `text`; two blocks one after the other are not one fence around both."""
    opening = _FENCE.match(text)
    last = text.rfind("\n") + 1
    if opening is None or not last or text[last:] != opening[1]:
        return text
    inner = text[opening.end() + 1 : last - 1] if last - 1 > opening.end() else ""
    mark = next((fence for fence in _FENCE.finditer(inner) if len(fence[1]) >= len(opening[1])), None)
    return text if mark is not None and not mark[2].strip() else inner
