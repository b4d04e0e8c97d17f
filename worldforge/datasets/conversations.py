"""Trajectories as conversations, for all views that train on turns.

    for conversation in read_conversations(table):
        conversation.messages, conversation.learnt

An assistant's turn is *learnt* unless it is one that nobody should learn: a call that was malformed or asked for a tool
that does not exist, words that were no answer and were asked for again, an answer with nothing in it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.datasets.trajectory_columns import columns_of
from worldforge.datasets.view import ExportContext, ViewColumn
from worldforge.models.chat import Message, ToolCall
from worldforge.scoring.reward_recipe import reward

JSON = pa.json_(pa.utf8())
MESSAGES = pa.list_(JSON)
"""`list<JSON>`: each message is an object of its own, so that no key is there that has nothing to say."""

HEAD: tuple[ViewColumn, ...] = (*columns_of("run", "id", "episode", "world", "task", "trial"),)
TAIL: tuple[ViewColumn, ...] = (
    *columns_of("item_f1", "success", "coverage", "n_steps"),
    ("reward", pa.float64(), "the components of the reward as the recipe adds them up"),
    *columns_of("canary"),
)
UNLEARNT: ViewColumn = ("n_unlearnt", pa.int32(), "how many of the assistant's turns are not to be learnt")
UNPARSED = "unparsed"
"""The one key of the object that stands for arguments which are no JSON object; under it is what was written."""
MISTAKES = ("malformed_request", "unknown_tool")
"""Errors that say that a call was written wrongly."""

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1  # `datasets` reads JSON numbers into 64 bits, and fails on others
_DEEPEST = 200  # brackets in arguments; readers of JSON give up at about a thousand levels
_quoted = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class LabelledConversation:
    """One agent's messages, and for each whether to train on it; only on the assistant's."""

    messages: Sequence[Message]
    learnt: Sequence[bool]

    @property
    def n_unlearnt(self) -> int:
        """The number of assistant turns not to train on."""
        return sum(message.role == "assistant" for message in self.messages) - sum(self.learnt)

    def cut(self) -> LabelledConversation:
        """Return the conversation up to the last turn to train on; empty if there is none."""
        end = len(self.learnt) - next((n for n, one in enumerate(reversed(self.learnt)) if one), len(self.learnt))
        return self if end == len(self.learnt) else LabelledConversation(self.messages[:end], self.learnt[:end])


def read_conversations(table: pa.Table) -> Iterator[LabelledConversation]:
    """Read the rows of a table that has `messages` and `observations`, as in `rollouts.trajectory.TRAJECTORIES`."""
    observations = pc.list_flatten(table["observations"])
    errors = iter(pc.struct_field(observations, "error").to_pylist())
    for said in read_messages(table["messages"]):
        yield LabelledConversation(said, _find_learnt(said, errors))


def read_learnable(table: pa.Table) -> tuple[list[int], list[LabelledConversation]]:
    """Return the rows with messages to train on, and their conversations up to the last of these."""
    cut = [conversation.cut() for conversation in read_conversations(table)]
    rows = [row for row, conversation in enumerate(cut) if conversation.messages]
    return rows, [cut[row] for row in rows]


def read_messages(column: pa.ChunkedArray | pa.ListArray) -> Iterator[list[Message]]:
    """Read a column of lists of `rollouts.messages.MESSAGE`, a list of messages a row."""
    for row in column:
        yield [_read_message(message) for message in row.as_py() or ()]


def write_message(message: Message, learnt: bool | None = None) -> str:
    """Write a message as a JSON object: `content` always, the other keys where there is something to say.

    Arguments of calls become objects. `learnt`, where given, stands under `loss`: the key that ms-swift reads, and
    Axolotl with `message_field_training: loss`; chat templates, and TRL with them, pass over it.
    """
    text = '{"role":"' + message.role + '","content":' + _quoted(message.content)
    if message.reasoning:
        text += ',"reasoning_content":' + _quoted(message.reasoning)
    if message.tool_calls:
        text += ',"tool_calls":[' + ",".join(map(_written_call, message.tool_calls)) + "]"
    if message.tool_call_id:
        text += ',"tool_call_id":' + _quoted(message.tool_call_id)
    if message.name:
        text += ',"name":' + _quoted(message.name)
    if learnt is not None:
        text += ',"loss":true' if learnt else ',"loss":false'
    return text + "}"


@lru_cache(1024)  # asked for twice: whether a call is sound, and when it is written
def arguments_object(text: str) -> str | None:
    """Return arguments as the JSON text of an object that every reader accepts; None if they are not such.

    Beside what is no JSON object, these are numbers beyond 64 bits and not-a-numbers, which break readers.
    """
    try:
        read = _decoder.decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict) or text.count("{") + text.count("[") > _DEEPEST:
        return None
    if "\\u" not in text:
        return text
    return json.dumps(read, ensure_ascii=False).encode("utf-8", "replace").decode()


@lru_cache(64)
def written_tools(tools: str) -> tuple[str, ...]:
    """Return the tools of a trajectory, which are few in a dataset, as the JSON text of one schema each."""
    return tuple(json.dumps(tool, ensure_ascii=False) for tool in json.loads(tools or "[]"))


def json_lists(rows: Sequence[Sequence[str]]) -> pa.ListArray:
    """Make a `list<JSON>` array of JSON texts."""
    texts = pa.array(rows, pa.list_(pa.utf8()))
    return pa.ListArray.from_arrays(texts.offsets, pa.ExtensionArray.from_storage(JSON, texts.values))


def build_table(
    schema: pa.Schema, rows: pa.Table, own: Mapping[str, pa.Array | list[Any]], context: ExportContext
) -> pa.Table:
    """Put a view's `own` columns beside those that it carries over from `rows` (one for one), reward and canary.

    Raises InputError where the rows lack what the recipe weighs.
    """
    made = {"reward": rewards(rows, context), "canary": pa.repeat(context.canary, rows.num_rows), **own}
    columns = {field.name: made[field.name] if field.name in made else rows[field.name] for field in schema}
    return pa.table(columns, schema)


def rewards(rows: pa.Table, context: ExportContext) -> pa.Array:
    """Return the reward of each row, as the context's recipe adds it up."""
    names = [name for name in context.recipe.columns if name in rows.column_names]
    components = rows.select(names).to_pylist() if names else [{}] * rows.num_rows
    return pa.array([reward(context.recipe, row) for row in components], pa.float64())


def carry_columns(table: pa.Table, rows: Sequence[int], context: ExportContext, *more: str) -> pa.Table:
    """Return rows of a table: the columns that `build_table` may ask for, and `more`, without the long ones."""
    names = {name for name, _, _ in (*HEAD, *TAIL)} | {*context.recipe.columns, *more}
    kept = table.select([name for name in table.column_names if name in names])
    return kept.take(pa.array(rows, pa.int64()))


def _find_learnt(said: Sequence[Message], errors: Iterator[str]) -> list[bool]:
    """Return for each message whether to train on it; `errors` are those of its calls, in order."""
    return [
        _is_sound(message, [next(errors) for _ in message.tool_calls], n == len(said))
        if message.role == "assistant"
        else False
        for n, message in enumerate(said, 1)
    ]


def _is_sound(message: Message, errors: Sequence[str], is_last: bool) -> bool:
    if not message.tool_calls:
        return is_last and bool(message.content.strip())
    well_formed = all(arguments_object(call.arguments) is not None for call in message.tool_calls)
    return well_formed and not any(error in MISTAKES for error in errors)


def _read_message(read: Mapping[str, Any]) -> Message:
    calls = [ToolCall(call["id"], **call["function"]) for call in read["tool_calls"] or ()]
    texts = {"reasoning": read["reasoning_content"], "tool_call_id": read["tool_call_id"], "name": read["name"]}
    return Message(read["role"], read["content"], tool_calls=tuple(calls), **{k: v or "" for k, v in texts.items()})


def _written_call(call: ToolCall) -> str:
    arguments = arguments_object(call.arguments)
    if arguments is None:
        arguments = f'{{"{UNPARSED}":{_quoted(call.arguments)}}}'
    function = f'{{"name":{_quoted(call.name)},"arguments":{arguments}}}'
    return f'{{"id":{_quoted(call.id)},"type":"function","function":{function}}}'


def _whole_number(text: str) -> int:
    number = int(text)
    if not _LEAST <= number <= _MOST:
        raise ValueError(text)
    return number


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _no_number(text: str) -> float:
    raise ValueError(text)


_decoder = json.JSONDecoder(parse_int=_whole_number, parse_float=_number, parse_constant=_no_number)
