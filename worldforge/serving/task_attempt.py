"""One attempt at a task in a trainer's environment: a tool session, its counts, and the score of the answer.

attempt = TaskAttempt(read_task_request(row))
attempt.call("search", {"query": "football clubs in Velmar"})     ->  "[1] https://…"
attempt.measures("```markdown …")["item_f1"]
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.run_async import run_sync
from worldforge.models.chat import ToolCall
from worldforge.serving.answer_reward import measures
from worldforge.serving.worlds import begin_session

FIELDS = ("world", "world_digest", "task_id", "dialect", "ground_truth")


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """The fields of a row: task, world, the dialect of its prompt's tools, and the gold table as JSON."""

    world: str
    world_digest: str
    task_id: str
    dialect: str
    ground_truth: str


def read_task_request(row: Mapping[str, Any]) -> TaskRequest:
    """Read the fields of a row. Raises InputError naming the first that is missing or not text."""
    for field in FIELDS:
        if not isinstance(row.get(field), str):
            what = "lacks" if row.get(field) is None else "has no text in"
            raise InputError(
                f"a row {what} `{field}`", "take the rows of a view that `worldforge export` wrote: rl_trl, rl_skyrl"
            )
    return TaskRequest(*(row[field] for field in FIELDS))


class TaskAttempt:
    """An attempt with its own session. `n_errors` of its `n_calls` calls returned an error."""

    def __init__(self, asked: TaskRequest) -> None:
        self.asked = asked
        self.n_calls = self.n_errors = 0
        self._session = begin_session(asked.world, asked.world_digest, asked.dialect)

    def call(self, tool: str, arguments: str | Mapping[str, Any]) -> str:
        """Call a tool and return what an agent reads. A faulty call returns an error message."""
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        call = ToolCall(f"call_{self.n_calls}", tool, written)
        self.n_calls += 1
        observation = run_sync(self._session.step(call))
        self.n_errors += bool(observation.error)
        return observation.text

    def refuse(self, why: str) -> str:
        """Count a call that cannot be parsed; return the error message for the agent."""
        self.n_calls += 1
        self.n_errors += 1
        return f"Error: malformed request: {why}."

    def measures(self, answer: str) -> dict[str, float]:
        """Score the text of an answer; see `answer_reward.measures`."""
        return measures(answer, self.asked.ground_truth)
