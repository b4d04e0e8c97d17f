"""Fine-tuning on whole trajectories for LLaMA-Factory (0.9.5), in the ShareGPT form.

Turns alternate strictly, calls are JSON in the text, reasoning is <think>. Every turn is learnt, so a trajectory with
one that should not be is left out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

import pyarrow as pa

from worldforge.datasets.conversations import (
    Columns,
    LabelledConversation,
    Rows,
    arguments_object,
    read_learnable,
    to_json,
    trajectory_view,
)
from worldforge.datasets.view import ExportContext
from worldforge.models.chat import Message, ToolCall

_TURN = pa.struct([("from", pa.string()), ("value", pa.string())])
_CALL_WORDS = ("<tool_call>", "</tool_call>")


def _rows(table: pa.Table, _context: ExportContext) -> tuple[Rows, Columns]:
    read = zip(*read_learnable(table), strict=True)
    fit = [(row, one, turns) for row, one in read if (turns := _turns(one))]
    rows = [row for row, _, _ in fit]
    return rows, {
        "conversations": [turns for _, _, turns in fit],
        "system": [_system(one.messages) for _, one, _ in fit],
        "tools": [_flat_tools(tools) for tools in table["tools"].take(pa.array(rows, pa.int64())).to_pylist()],
    }


def _system(messages: Sequence[Message]) -> str:
    return "\n\n".join(message.content for message in messages if message.role == "system")


def _turns(conversation: LabelledConversation) -> list[dict[str, str]]:
    """Write a conversation by turns of (human | observation) and (gpt | function_call), each one message.

    Empty where that cannot be: a turn that is not to be learnt could not be marked, the assistant speaks first or twice
    in a row, its words hold the marks that set off calls.
    """
    spoken_turns = [message for message in conversation.messages if message.role != "system"]
    if conversation.n_unlearnt or not spoken_turns or spoken_turns[0].role == "assistant":
        return []
    turns: list[dict[str, str]] = []
    for is_assistant, run in groupby(spoken_turns, lambda message: message.role == "assistant"):
        messages = list(run)
        if not is_assistant:
            observed = any(message.role == "tool" for message in messages)
            value = "\n\n".join(message.content for message in messages)
            turns.append({"from": "observation" if observed else "human", "value": value})
            continue
        if len(messages) > 1 or (messages[0].tool_calls and _has_call_words(messages[0])):
            return []
        turns.append(_assistant_turn(messages[0]))
    return turns


def _assistant_turn(message: Message) -> dict[str, str]:
    """Write an assistant's turn. Calls with words beside them are set off by marks, as LLaMA-Factory's formatter."""
    thought = f"<think>\n{message.reasoning}\n</think>\n\n" if message.reasoning else ""
    if not message.tool_calls:
        return {"from": "gpt", "value": thought + message.content}
    calls = [_call(call) for call in message.tool_calls]
    value = calls[0] if len(calls) == 1 else f"[{', '.join(calls)}]"
    if message.content.strip():
        value = f"{message.content}\n{_CALL_WORDS[0]}\n{value}\n{_CALL_WORDS[1]}"
    return {"from": "function_call", "value": thought + value}


def _call(call: ToolCall) -> str:
    """Write a call as JSON in which no `<` stands: it would be looked for marks of thought and of calls."""
    written = to_json({"name": call.name, "arguments": arguments_object(call.arguments)})
    return written.replace("<", "\\u003c")


def _has_call_words(message: Message) -> bool:
    return any(word in text for word in _CALL_WORDS for text in (message.content, message.reasoning))


@lru_cache(64)
def _flat_tools(tools: str) -> str:
    """Return tools without the `function` around each of them."""
    return json.dumps([tool["function"] for tool in json.loads(tools or "[]")], ensure_ascii=False)


VIEW = trajectory_view(
    "sft_sharegpt",
    "LLaMA-Factory (formatting: sharegpt)",
    {"conversations": pa.list_(_TURN), "system": pa.string(), "tools": pa.string()},
    _rows,
    imitated=True,
    leaves_out="they have a turn that is not to be learnt, which its form cannot mark, or do not alternate",
)
