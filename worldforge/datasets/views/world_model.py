"""Next observations, for training a world model: the session as AgentWorldBench tells it, one turn a trajectory.

    system      what the model plays, its tools
    user        ### Turn 1 **Action:** …            the call
    assistant   **Environment Observation:** …      what it brought
    …           until the turn to be learnt

One turn a trajectory, drawn by the trajectory's own seed: rows for each turn would share their beginnings, and a model
would learn first turns by heart. Earlier observations are context: their `loss` is false.

What a control did to a turn is said in that turn's own `**Instruction:**`, so that a model learns to be controlled.
Turns where a control showed facts wrongly are never the one to be learnt: nothing that the model is told could tell it
that they are. Calls that start sub-agents are no calls of the environment, and left out. Tasks that `worldforge bench
world-model` holds out are left out too, as its defaults choose them: what is tested is not trained on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from worldforge.core.chance import Stream
from worldforge.datasets.conversations import (
    MESSAGES,
    Columns,
    Rows,
    json_lists,
    read_messages,
    trajectory_view,
    write_message,
)
from worldforge.datasets.view import ExportContext
from worldforge.environments.dialect import Domain
from worldforge.environments.registry import domain_of_run
from worldforge.environments.team_tool import TEAM_TOOLS
from worldforge.models.chat import Message, ToolCall
from worldforge.world_model.bench.transitions import SEED, held_out
from worldforge.world_model.prompt import system_prompt, unaided, write_action, write_observation

_DONE = {
    "errors": "The call fails as a whole, before anything is done.",
    "truncation": "The answer breaks off, and says so.",
    "malformed": "The answer is JSON that cannot be read: it breaks off, or a mark is missing.",
    "partial": "Only the first items of the list come.",
    "batch": "Some items of the batch fail; the others go through.",
    "stale": "The page comes as an old copy, with a notice.",
    "pagination": "The page has fewer items than asked for.",
    "withheld": "Something is held back: `…` stands in its place, or a column or a link is missing.",
    "snippets": "Snippets hint at what a page says and do not answer; `…` stands for what is held back.",
    "distractors": "Some of the results are about something else than the query, or about what is only called alike.",
    "fields": "Fields have other names than the tools describe, or another order.",
    "wrong_facts": "Some values are shown otherwise than they are.",
}
"""What each control does, as it is told of a turn that it touched. Slow answers read as others do."""

_IN_GENERAL = "Now and then something is done to an observation on purpose."
_TEAM = {tool["function"]["name"] for tool in TEAM_TOOLS}


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """One tool call, its observation, the effects of controls on it, and whether to train on it."""

    call: ToolCall
    text: str
    instruction: str
    may_be_learnt: bool


def read_steps(table: pa.Table) -> Iterator[list[SessionTurn]]:
    """Read the calls of each trajectory, in the order in which the environment saw them."""
    for messages, observations in zip(read_messages(table["messages"]), table["observations"].to_pylist(), strict=True):
        calls = [call for message in messages for call in message.tool_calls]
        texts = [message.content for message in messages if message.role == "tool"]
        yield [
            SessionTurn(
                call, text, " ".join(_DONE[name] for name in seen["controls"] if name in _DONE), not seen["altered"]
            )
            for call, text, seen in zip(calls, texts, observations, strict=True)
            if call.name not in _TEAM
        ]


def draw_turn(steps: Sequence[SessionTurn], seed: int) -> int | None:
    """Draw the step to train on by the trajectory's seed; None if there is none."""
    fitting = [number for number, step in enumerate(steps) if step.may_be_learnt]
    if not fitting:
        return None
    bits = Stream(seed, "world_model").child("turn").bits(np.zeros(1, np.int64))[0]
    return fitting[int(bits) % len(fitting)]


def write_session(system: str, steps: Sequence[SessionTurn]) -> list[Message]:
    """Write steps as a session: system, then an action by the user and an observation by the assistant each."""
    messages = [Message("system", system)]
    for turn, step in enumerate(steps, 1):
        messages.append(Message("user", write_action(turn, step.call, instruction=step.instruction)))
        messages.append(Message("assistant", write_observation(step.text)))
    return messages


@lru_cache(64)
def _system(environment: str, tools: str, controlled: bool) -> str:
    own: list[Mapping[str, Any]] = [tool for tool in json.loads(tools or "[]") if tool["function"]["name"] not in _TEAM]
    return system_prompt(_domain(environment), own, _IN_GENERAL if controlled else "")


def _domain(environment: str) -> Domain:
    """Return a domain as one that nothing is disclosed to: the model has to make up what it has not shown yet."""
    domain = domain_of_run(environment)
    return replace(unaided(domain), observations=domain.data or domain.observations)


def _rows(table: pa.Table, context: ExportContext) -> tuple[Rows, Columns]:
    tested = held_out((task.id for task in context.world.tasks), SEED)
    columns = table.select(["task", "seed", "environment", "tools"]).to_pylist()
    rows, made = [], []
    for row, (about, steps) in enumerate(zip(columns, read_steps(table), strict=True)):
        last = None if about["task"] in tested else draw_turn(steps, about["seed"])
        if last is None:
            continue
        shown = steps[: last + 1]
        system = _system(about["environment"], about["tools"], any(step.instruction for step in shown))
        rows.append(row)
        made.append((_written(write_session(system, shown)), last + 1, len(steps), steps[last].call.name))
    messages, turns, n_turns, tools = zip(*made, strict=True) if made else ((), (), (), ())
    own = {"turn": list(turns), "n_turns": list(n_turns), "tool": list(tools)}
    return rows, {"messages": json_lists(messages), **own}


def _written(messages: Sequence[Message]) -> list[str]:
    *before, last = messages
    earlier = [write_message(message, False if message.role == "assistant" else None) for message in before]
    return [*earlier, write_message(last, True)]


VIEW = trajectory_view(
    "world_model",
    "TRL, Axolotl, ms-swift, prime-rl: fine-tuning of a world model",
    {
        "messages": MESSAGES,
        "turn": pa.int32(),
        "n_turns": pa.int32(),
        "tool": pa.string(),
        "environment": pa.string(),
    },
    _rows,
)
"""Sessions until one observation, which is to be learnt."""
