"""A sample of trajectories as the Hub's trace viewer shows them: a .jsonl file each, first the session, then messages.

    {"type": "session", "harness": "worldforge", "id": "task/list-0007#0", …}
    {"type": "message", "message": {"role": "assistant", "content": "", "toolCalls": [{"id": …, "function": {…}}]}}

The form is the Hub's own (STS); arguments of calls are strings in it, as agents wrote them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from worldforge.datasets.conversations import read_messages, rewards
from worldforge.datasets.view import ExportContext, shipped_view
from worldforge.models.chat import Message

MOST_TRACES = 100
_SCORES = ("world", "task", "trial", "agent", "environment", "ending", "item_f1", "success", "coverage", "n_steps")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


def _files(portions: Iterable[pa.Table], context: ExportContext) -> Iterator[tuple[str, bytes, int]]:
    n_written = 0
    for table in portions:
        first = table.slice(0, MOST_TRACES - n_written)
        facts = first.select(["id", *_SCORES]).to_pylist()
        summed = rewards(first, context).to_pylist()
        for fact, reward, messages in zip(facts, summed, read_messages(first["messages"]), strict=True):
            session = {**fact, "reward": reward, "canary": context.canary}
            yield f"{n_written:03d}-{_UNFIT.sub('-', fact['id'])}.jsonl", _trace(session, messages), 1
            n_written += 1
        if n_written == MOST_TRACES:
            return


def _trace(session: dict[str, Any], messages: Sequence[Message]) -> bytes:
    lines = [{"type": "session", "harness": "worldforge", **session}]
    lines += [{"type": "message", "message": _message(message)} for message in messages]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    return text.encode()


def _message(message: Message) -> dict[str, Any]:
    """Write a message with the Hub's keys: `toolCalls` without types, `reasoningContent`, `toolCallId`, no `name`."""
    calls = [
        {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}} for call in message.tool_calls
    ]
    more = {"reasoningContent": message.reasoning, "toolCalls": calls, "toolCallId": message.tool_call_id}
    written = {"role": message.role, "content": message.content}
    return written | {key: value for key, value in more.items() if value}


VIEW = shipped_view(
    "traces", "the Hub's trace viewer: the first trajectories, to be read", "trajectories", files=_files
)
"""The first MOST_TRACES trajectories, as files."""
