"""One attempt at a task in a trainer's environment: a tool session, its counts, and the score of the answer.

attempt = TaskAttempt(row)
attempt.call("search", {"query": "football clubs in Velmar"})     ->  "[1] https://…"
attempt.measures("```markdown …")["item_f1"]
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.run_async import run_sync
from worldforge.environments.session import outcome_of
from worldforge.models.chat import ToolCall
from worldforge.serving.answer_reward import measures
from worldforge.serving.worlds import begin_session

FIELDS = ("world", "world_digest", "task_id", "dialect", "ground_truth")


class TaskAttempt:
    """An attempt with its own session at the task of a row: its world, its prompt's dialect, its gold as JSON.

    `n_errors` of its `n_calls` calls returned an error. Raises InputError for a row that lacks one of `FIELDS`, and
    where its world is not to be had.
    """

    def __init__(self, row: Mapping[str, Any]) -> None:
        for field in FIELDS:
            if not isinstance(row.get(field), str):
                what = "lacks" if row.get(field) is None else "has no text in"
                raise InputError(
                    f"a row {what} `{field}`",
                    "take the rows of a view that `worldforge export` wrote: rl_trl, rl_skyrl",
                )
        self.n_calls = self.n_errors = 0
        self._ground_truth = row["ground_truth"]
        self._session = begin_session(row["world"], row["world_digest"], row["dialect"], row["task_id"])

    def call(self, tool: str, arguments: str | Mapping[str, Any]) -> str:
        """Call a tool and return what an agent reads. A faulty call returns an error message."""
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        observation = run_sync(self._session.step(ToolCall(f"call_{self.n_calls}", tool, written)))
        self.n_calls += 1
        self.n_errors += bool(observation.error)
        return observation.text

    def refuse(self, why: str) -> str:
        """Count a call that cannot be parsed; return the error message for the agent."""
        self.n_calls += 1
        self.n_errors += 1
        return f"Error: malformed request: {why}."

    def measures(self, answer: str) -> dict[str, float]:
        """Score the final state where the session has a goal, else the text of an answer; see `answer_reward`."""
        outcome = outcome_of(self._session)
        return measures(answer, self._ground_truth) if outcome is None else outcome.measures
