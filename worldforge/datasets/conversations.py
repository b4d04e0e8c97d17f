"""Trajectories as conversations, for all views that train on turns.

    for conversation in read_conversations(table):
        conversation.messages, conversation.learnt

An assistant's turn is *learnt* unless it is one that nobody should learn: a call that was malformed or asked for a tool
that does not exist, words that were no answer and were asked for again, an answer with nothing in it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.datasets.view import DatasetView, ExportContext, shipped_view
from worldforge.models.chat import Message, ToolCall, to_openai
from worldforge.rollouts.trajectory import TRAJECTORIES
from worldforge.scoring.reward_recipe import reward

JSON = pa.json_(pa.utf8())
MESSAGES = pa.list_(JSON)
"""`list<JSON>`: each message is an object of its own, so that no key is there that has nothing to say."""

HEAD = ("run", "id", "episode", "world", "task", "trial")
TAIL = ("item_f1", "success", "coverage", "n_steps", "reward", "canary")
"""Columns that a view of conversations begins and ends with."""
_ADDED = {"run": pa.string(), "reward": pa.float64(), "canary": pa.string()}
UNPARSED = "unparsed"
"""The one key of the object that stands for arguments which are no JSON object; under it is what was written."""
MISTAKES = ("malformed_request", "unknown_tool")
"""Errors that say that a call was written wrongly."""

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1  # `datasets` reads JSON numbers into 64 bits, and fails on others
_DEEPEST = 200  # brackets in arguments; readers of JSON give up at about a thousand levels

Rows = Sequence[int]
Columns = Mapping[str, pa.Array | list[Any]]


def trajectory_view(
    name: str,
    readers: str,
    own: Mapping[str, pa.DataType],
    make: Callable[[pa.Table, ExportContext], tuple[Rows, Columns]],
    *,
    tail: Sequence[str] = TAIL,
    takes: Literal["trajectories", "groups"] = "trajectories",
    **about: Any,
) -> DatasetView:
    """Make a view whose columns are `HEAD`, its `own` and `tail`.

    `make` returns, for a portion, the trajectory of each row, as its number in the portion, and the rows' own columns.
    Columns that it does not return are the trajectory's, its reward, and the canary.
    """
    types = {column: _ADDED.get(column) or TRAJECTORIES.field(column).type for column in (*HEAD, *tail)}
    schema = pa.schema([*((n, types[n]) for n in HEAD), *own.items(), *((n, types[n]) for n in tail)])

    def tables(portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
        for portion in portions:
            rows, made = make(portion, context)
            read = ({*schema.names} - {*made}) | {*context.recipe.columns}
            kept = portion.select([n for n in portion.column_names if n in read]).take(pa.array(rows, pa.int64()))
            added = {"reward": rewards(kept, context), "canary": pa.repeat(context.canary, kept.num_rows), **made}
            yield pa.table({n: added[n] if n in added else kept[n] for n in schema.names}, schema)

    return shipped_view(name, readers, takes, schema, tables=tables, **about)


def rewards(rows: pa.Table, context: ExportContext) -> pa.Array:
    """Return the reward of each row by the context's recipe. Raises InputError where rows lack what it weighs."""
    names = [name for name in context.recipe.columns if name in rows.column_names]
    components = rows.select(names).to_pylist() if names else [{}] * rows.num_rows
    return pa.array([reward(context.recipe, row) for row in components], pa.float64())


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
    for messages in read_messages(table["messages"]):
        yield LabelledConversation(messages, _find_learnt(messages, errors))


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
    written = to_openai(message, "reasoning_content")
    for call in written.get("tool_calls", ()):
        text = call["function"]["arguments"]
        arguments = arguments_object(text)
        call["function"]["arguments"] = {UNPARSED: text} if arguments is None else arguments
    if learnt is not None:
        written["loss"] = learnt
    return to_json(written)


def to_json(value: Any) -> str:
    """Write JSON that every reader accepts: a lone surrogate becomes a question mark."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


@lru_cache(1024)  # asked for twice: whether a call is sound, and when it is written
def arguments_object(text: str) -> dict[str, Any] | None:
    """Read arguments as an object that every reader accepts; None if they are not such.

    Beside what is no JSON object, these are numbers beyond 64 bits and not-a-numbers, which break readers.
    """
    try:
        read = _decoder.decode(text)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) and text.count("{") + text.count("[") <= _DEEPEST else None


def json_tools(table: pa.Table, rows: Rows) -> pa.ListArray:
    """Return the tools of rows of trajectories as `list<JSON>`."""
    return json_lists([written_tools(tools) for tools in table["tools"].take(pa.array(rows, pa.int64())).to_pylist()])


@lru_cache(64)
def written_tools(tools: str) -> tuple[str, ...]:
    """Return the tools of a trajectory, which are few in a dataset, as the JSON text of one schema each."""
    return tuple(json.dumps(tool, ensure_ascii=False) for tool in json.loads(tools or "[]"))


def json_lists(rows: Sequence[Sequence[str]]) -> pa.ListArray:
    """Make a `list<JSON>` array of JSON texts."""
    texts = pa.array(rows, pa.list_(pa.utf8()))
    return pa.ListArray.from_arrays(texts.offsets, pa.ExtensionArray.from_storage(JSON, texts.values))


def _find_learnt(messages: Sequence[Message], errors: Iterator[str]) -> list[bool]:
    """Return for each message whether to train on it; `errors` are those of its calls, in order."""
    return [
        message.role == "assistant"
        and _is_sound(message, list(islice(errors, len(message.tool_calls))), n == len(messages))
        for n, message in enumerate(messages, 1)
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


def _number(text: str) -> float:
    """Read a number of JSON that `datasets` reads too. Raises ValueError for others, NaN and infinity among them."""
    whole = text.removeprefix("-").isdecimal()
    number = int(text) if whole else float(text)
    if not (_LEAST <= number <= _MOST if whole else math.isfinite(number)):
        raise ValueError(text)
    return number


_decoder = json.JSONDecoder(parse_int=_number, parse_float=_number, parse_constant=_number)
