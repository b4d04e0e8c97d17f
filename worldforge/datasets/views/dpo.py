"""Preference pairs: attempts at one task that differ from one assistant turn on, the better before the worse.

The attempts at a task are laid over each other. As long as they say the same, call ids aside, they are one line; where
assistants say otherwise it forks. What followed a turn tells what the turn was worth: the mean outcome of the attempts
that took it. The same calls in other words are no pair. `prompt` is all that was shared, `chosen` and `rejected` are
one turn each: a trainer of preferences sums over all that it is given, and what tools bring is nothing to prefer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import pyarrow as pa

from worldforge.datasets.conversations import (
    MESSAGES,
    Columns,
    LabelledConversation,
    Rows,
    arguments_object,
    json_lists,
    json_tools,
    read_conversations,
    rewards,
    trajectory_view,
    write_message,
)
from worldforge.datasets.view import ExportContext
from worldforge.models.chat import Message

MOST_PAIRS = 16
"""Pairs a task, at most: those that are decided by the answer first, then those that are farthest apart."""

MARGINS = (("item_f1", 0.1), ("coverage", 0.1), ("n_tool_calls", 2.0))
"""By what turns are told apart, and how far apart they must be at least. A measure decides where those before are equal
to 1e-9; by a smaller margin nothing is decided. Of tool calls fewer are better."""

_EQUAL = 1e-9
_SAME_SETTING = ("tools", "environment", "world_model", "controls")


class ComparedAttempt(NamedTuple):
    """One trajectory at a task: its row in the portion, its conversation, what each message says, how it went."""

    row: int
    conversation: LabelledConversation
    contents: Sequence[Hashable]
    outcome: tuple[float, ...]


class Branch(NamedTuple):
    """A turn, by the first attempt that took it, and how many did. `value` are their mean outcomes."""

    turn: Message
    first: ComparedAttempt
    n_attempts: int
    value: tuple[float, ...]


class Pair(NamedTuple):
    """Two turns at one place: which measure (of MARGINS) decided, by how much, and the message's number."""

    decided_by: int
    margin: float
    at: int
    chosen: Branch
    rejected: Branch


def _pairs(table: pa.Table) -> list[Pair]:
    """Return the pairs of one task, at most MOST_PAIRS, the clearest first.

    Attempts under different settings are not compared: what was done to observations is not the agent's doing.
    """
    groups: dict[Hashable, list[ComparedAttempt]] = defaultdict(list)
    columns = table.select([*_SAME_SETTING, *(name for name, _ in MARGINS)]).to_pylist()
    for row, (read, conversation) in enumerate(zip(columns, read_conversations(table), strict=True)):
        contents = [_content(message) for message in conversation.messages]
        outcome = (read["item_f1"], read["coverage"], -read["n_tool_calls"])
        setting = tuple(read[name] for name in _SAME_SETTING)
        groups[setting].append(ComparedAttempt(row, conversation, contents, outcome))
    pairs = [pair for group in groups.values() for at, branches in _forks(group) for pair in _compare(at, branches)]
    pairs.sort(
        key=lambda pair: (pair.decided_by, -pair.margin, pair.at, pair.chosen.first.row, pair.rejected.first.row)
    )
    return pairs[:MOST_PAIRS]


def _content(message: Message) -> Hashable:
    """Return what a message says: all but the ids of calls."""
    calls = tuple((call.name, call.arguments) for call in message.tool_calls)
    return message.role, message.content, message.reasoning, calls, message.name


def _forks(attempts: Sequence[ComparedAttempt]) -> Iterator[tuple[int, list[Branch]]]:
    """Yield the places at which equal attempts continue with different assistant turns."""
    waiting = [(0, list(attempts))]
    while waiting:
        at, together = waiting.pop()
        apart: dict[Hashable, list[ComparedAttempt]] = defaultdict(list)
        for attempt in together:
            if at < len(attempt.contents):
                apart[attempt.contents[at]].append(attempt)
        waiting += [(at + 1, group) for group in apart.values() if len(group) > 1]
        branches = [
            Branch(
                turn=group[0].conversation.messages[at],
                first=group[0],
                n_attempts=len(group),
                value=tuple(map(fmean, zip(*(attempt.outcome for attempt in group), strict=True))),
            )
            for group in apart.values()
        ]
        if len(branches) > 1 and all(branch.turn.role == "assistant" for branch in branches):
            yield at, branches


def _compare(at: int, branches: Sequence[Branch]) -> Iterator[Pair]:
    """Pair the best turn with each that is worse by a margin and can be written."""
    learnt = [branch for branch in branches if branch.first.conversation.learnt[at]]
    if not learnt:
        return
    best = max(learnt, key=lambda branch: branch.value)
    for branch in branches:
        if _action(branch.turn) == _action(best.turn):
            continue  # the same calls in other words
        verdict = _verdict(best.value, branch.value)
        if verdict is not None and _is_written(branch.turn):
            yield Pair(*verdict, at, best, branch)


def _action(message: Message) -> Hashable:
    """Return a turn's calls, or its text if it makes none."""
    return tuple((call.name, call.arguments) for call in message.tool_calls) or message.content


def _verdict(better: Sequence[float], worse: Sequence[float]) -> tuple[int, float] | None:
    """Return the measure that tells the better from the worse, and the margin; None if none does."""
    for measure, (_, least) in enumerate(MARGINS):
        margin = better[measure] - worse[measure]
        if abs(margin) > _EQUAL:
            return (measure, margin) if margin >= least - _EQUAL else None
    return None


def _is_written(message: Message) -> bool:
    """Return whether a turn can be written: it has content, and its arguments are objects."""
    has_content = bool(message.tool_calls or message.content.strip())
    return has_content and all(arguments_object(call.arguments) is not None for call in message.tool_calls)


def _rows(table: pa.Table, context: ExportContext) -> tuple[Rows, Columns]:
    pairs = _pairs(table)
    rows = [pair.chosen.first.row for pair in pairs]
    worse = table.take(pa.array([pair.rejected.first.row for pair in pairs], pa.int64()))
    prompts = [pair.chosen.first.conversation.messages[: pair.at] for pair in pairs]
    return rows, {
        "prompt": json_lists([list(map(write_message, prompt)) for prompt in prompts]),
        "chosen": json_lists([[write_message(pair.chosen.turn)] for pair in pairs]),
        "rejected": json_lists([[write_message(pair.rejected.turn)] for pair in pairs]),
        "tools": json_tools(table, rows),
        "score_chosen": [pair.chosen.value[pair.decided_by] for pair in pairs],
        "score_rejected": [pair.rejected.value[pair.decided_by] for pair in pairs],
        "decided_by": [MARGINS[pair.decided_by][0] for pair in pairs],
        "n_chosen": [pair.chosen.n_attempts for pair in pairs],
        "n_rejected": [pair.rejected.n_attempts for pair in pairs],
        "turn": [sum(message.role == "assistant" for message in prompt) for prompt in prompts],
        "rejected_run": worse["run"],
        "rejected_id": worse["id"],
        "reward_rejected": rewards(worse, context),
    }


VIEW = trajectory_view(
    "dpo",
    "TRL (DPOTrainer), and others that take prompt, chosen and rejected",
    {
        **dict.fromkeys(("prompt", "chosen", "rejected", "tools"), MESSAGES),
        "score_chosen": pa.float64(),
        "score_rejected": pa.float64(),
        "decided_by": pa.string(),
        **dict.fromkeys(("n_chosen", "n_rejected", "turn"), pa.int32()),
        "rejected_run": pa.string(),
        "rejected_id": pa.string(),
        "reward_rejected": pa.float64(),
    },
    _rows,
    takes="groups",
)
"""Pairs of turns, the better and the worse."""
