"""Fine-tuning on whole trajectories: the same conversations in three encodings, as no one encoding works everywhere.

    sft            messages and tools as list<JSON>, arguments as objects: TRL, Axolotl, ms-swift, prime-rl
    sft_str        messages as structs, arguments and tools as JSON strings: `datasets` before 4.7, and plain readers
    sft_sharegpt   LLaMA-Factory 0.9.5: strict alternation, calls as JSON in the text, reasoning as <think>

Conversations end with the last turn that is to be learnt; a trajectory without one is left out. What tools bring is
never to be learnt: a trainer that did would learn a fiction by heart.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np
import pyarrow as pa

from worldforge.datasets.views.conversations import (
    HEAD,
    HEAD_COLUMNS,
    MESSAGES,
    TAIL,
    TAIL_COLUMNS,
    Conversation,
    Quoted,
    arguments_object,
    assembled,
    carried,
    json_lists,
    quoting,
    read_conversations,
    whole,
    write_message,
    written_tools,
)
from worldforge.datasets.views.view import Context, View
from worldforge.models.chat import Message, ToolCall
from worldforge.rollouts.messages import MESSAGE

_TURN = pa.struct([("from", pa.string()), ("value", pa.string())])
_CALL_WORDS = ("<tool_call>", "</tool_call>")
_UNLEARNT = ("n_unlearnt", pa.int32())
_NOTHING_TO_LEARN = "they have no turn that is to be learnt"
_UNLEARNT_COLUMN = {"n_unlearnt": "how many of the assistant's turns are not to be learnt"}


def _learnable(table: pa.Table) -> tuple[list[int], list[Conversation]]:
    """Return which rows have something to learn, and their conversations until there."""
    cut = [conversation.cut() for conversation in read_conversations(table)]
    rows = [row for row, conversation in enumerate(cut) if conversation.messages]
    return rows, [cut[row] for row in rows]


def _json(portions: Iterable[pa.Table], context: Context) -> Iterator[pa.Table]:
    for table in portions:
        rows, conversations = _learnable(table)
        kept = carried(table, rows, context, "tools")
        quoted = quoting(table["messages"])
        own = {
            "messages": json_lists([_written(conversation, quoted) for conversation in conversations]),
            "tools": json_lists([written_tools(tools) for tools in kept["tools"].to_pylist()]),
            "n_unlearnt": [conversation.n_unlearnt for conversation in conversations],
        }
        yield assembled(SFT.schema, kept, own, context)


def _written(conversation: Conversation, quoted: Quoted) -> list[str]:
    return [
        write_message(message, learnt if message.role == "assistant" else None, quoted)
        for message, learnt in zip(conversation.messages, conversation.learnt, strict=True)
    ]


def _strings(portions: Iterable[pa.Table], context: Context) -> Iterator[pa.Table]:
    for table in portions:
        rows, conversations = _learnable(table)
        kept = carried(table, rows, context, "tools")
        lists = whole(table["messages"]).take(pa.array(rows, pa.int64()))
        own = {
            "messages": _first_of(lists, [len(conversation.messages) for conversation in conversations]),
            "loss_mask": [list(conversation.learnt) for conversation in conversations],
            "n_unlearnt": [conversation.n_unlearnt for conversation in conversations],
        }
        yield assembled(SFT_STR.schema, kept, own, context)


def _first_of(lists: pa.ListArray, lengths: Sequence[int]) -> pa.ListArray:
    """Return the first items of each list."""
    starts = lists.offsets.to_numpy()[:-1] - lists.offsets[0].as_py() if len(lists) else np.zeros(0, np.int64)
    indices = [np.arange(start, start + n) for start, n in zip(starts, lengths, strict=True)]
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int32)
    items = lists.flatten().take(pa.array(np.concatenate([np.zeros(0, np.int64), *indices])))
    return pa.ListArray.from_arrays(pa.array(offsets), items)


def _sharegpt(portions: Iterable[pa.Table], context: Context) -> Iterator[pa.Table]:
    for table in portions:
        rows, conversations = _learnable(table)
        turns = [_turns(conversation) for conversation in conversations]
        fit = [number for number, of_row in enumerate(turns) if of_row]
        kept = carried(table, [rows[number] for number in fit], context, "tools")
        own = {
            "conversations": [turns[number] for number in fit],
            "system": [_system(conversations[number].messages) for number in fit],
            "tools": [_flat_tools(tools) for tools in kept["tools"].to_pylist()],
        }
        yield assembled(SFT_SHAREGPT.schema, kept, own, context)


def _system(messages: Sequence[Message]) -> str:
    return "\n\n".join(message.content for message in messages if message.role == "system")


def _turns(conversation: Conversation) -> list[dict[str, str]]:
    """Write a conversation by turns of (human | observation) and (gpt | function_call), each one message.

    Empty where that cannot be: a turn that is not to be learnt could not be marked, the assistant speaks first or twice
    in a row, its words hold the marks that set off calls.
    """
    said = [message for message in conversation.messages if message.role != "system"]
    if conversation.n_unlearnt or not said or said[0].role == "assistant":
        return []
    turns: list[dict[str, str]] = []
    for is_assistant, run in groupby(said, lambda message: message.role == "assistant"):
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
    name = json.dumps(call.name, ensure_ascii=False)
    return f'{{"name":{name},"arguments":{arguments_object(call.arguments)}}}'.replace("<", "\\u003c")


def _has_call_words(message: Message) -> bool:
    return any(word in text for word in _CALL_WORDS for text in (message.content, message.reasoning))


@lru_cache(64)
def _flat_tools(tools: str) -> str:
    """Return tools without the `function` around each of them."""
    return json.dumps([tool["function"] for tool in json.loads(tools or "[]")], ensure_ascii=False)


SFT = View(
    name="sft",
    readers="TRL, Axolotl, ms-swift, prime-rl (datasets 4.7 or newer)",
    takes="trajectories",
    schema=pa.schema([*HEAD, ("messages", MESSAGES), ("tools", MESSAGES), _UNLEARNT, *TAIL]),
    columns={
        **HEAD_COLUMNS,
        "messages": "the conversation, an object a message; `loss` says which assistant's turns are to be learnt",
        "tools": "the tools, an OpenAI function schema each",
        **_UNLEARNT_COLUMN,
        **TAIL_COLUMNS,
    },
    tables=_json,
    imitated=True,
    leaves_out=_NOTHING_TO_LEARN,
)
"""Messages and tools as list<JSON>."""

SFT_STR = View(
    name="sft_str",
    readers="any reader of structs and strings (datasets before 4.7)",
    takes="trajectories",
    schema=pa.schema(
        [
            *HEAD,
            ("messages", pa.list_(MESSAGE)),
            ("tools", pa.string()),
            ("loss_mask", pa.list_(pa.bool_())),
            _UNLEARNT,
            *TAIL,
        ]
    ),
    columns={
        **HEAD_COLUMNS,
        "messages": "the conversation; arguments of calls are JSON strings, as the agent wrote them",
        "tools": "the tools, a JSON list of OpenAI function schemas",
        "loss_mask": "for each message whether it is to be learnt",
        **_UNLEARNT_COLUMN,
        **TAIL_COLUMNS,
    },
    tables=_strings,
    imitated=True,
    leaves_out=_NOTHING_TO_LEARN,
)
"""Messages as structs; arguments and tools as JSON strings."""

SFT_SHAREGPT = View(
    name="sft_sharegpt",
    readers="LLaMA-Factory (formatting: sharegpt)",
    takes="trajectories",
    schema=pa.schema(
        [*HEAD, ("conversations", pa.list_(_TURN)), ("system", pa.string()), ("tools", pa.string()), *TAIL]
    ),
    columns={
        **HEAD_COLUMNS,
        "conversations": "turns by human or observation, then by gpt or function_call, in strict alternation",
        "system": "the system prompt",
        "tools": "the tools, a JSON list of name, description and parameters",
        **TAIL_COLUMNS,
    },
    tables=_sharegpt,
    imitated=True,
    leaves_out="they have a turn that is not to be learnt, which its form cannot mark, or do not alternate",
)
"""The ShareGPT form. Every turn of it is learnt, so trajectories with one that should not be are left out."""
