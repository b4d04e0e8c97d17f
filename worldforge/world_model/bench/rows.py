"""AgentWorldBench's own lines: one transition a line, which its public evaluation script reads as they are.

    {"task": "search", "id": 145256090131919, "prompt": ["### Turn 1\\n**Action:**…", …], "response":
     ["**Environment Observation:**\\n…", …], "current_prompt": "### Turn 2…", "system_str": "…", "turn_idx": 2,
     "total_turns": 5}

`prompt` and `response` are all turns of a session, `turn_idx` (from 1) is the one to be predicted: its truth is
`response[turn_idx - 1]`. Format: github.com/QwenLM/Qwen-AgentWorld, README, "Data Format", and eval/eval.py, which
reads every `*_test.jsonl` of a folder, and adds `gen`, what a model wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from worldforge.core.errors import InputError
from worldforge.core.files import write_text
from worldforge.core.json_lines import read_lines
from worldforge.models.chat import Message
from worldforge.models.model import Model
from worldforge.world_model.prompt import History
from worldforge.world_model.turns import read_observation

PATTERN = "*_test.jsonl"
"""The files that the public evaluation script reads in a folder."""
_FORM = "a line is an object with task, id, prompt, response, current_prompt, system_str, turn_idx, total_turns"


class Row(BaseModel):
    """One line. Keys that the format does not have are kept, and written back."""

    model_config = ConfigDict(extra="allow", frozen=True)

    task: str = "mcp"
    id: int | str
    prompt: tuple[str, ...] = ()
    response: tuple[str, ...] = ()
    current_prompt: str = ""
    system_str: str = ""
    turn_idx: int = Field(default=1, ge=1)
    total_turns: int = Field(default=0, ge=0)
    gen: str | None = None
    sample: int = 0

    @field_validator("prompt", "response", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.current_prompt and len(self.prompt) < self.turn_idx:
            raise ValueError(f"there is no prompt for turn {self.turn_idx}")
        return self

    @property
    def domain(self) -> str:
        """Which of the benchmark's domains: the last part of `task`."""
        return self.task.rpartition("/")[2]

    @property
    def action(self) -> str:
        """The prompt of the turn that is to be predicted."""
        return self.current_prompt or self.prompt[self.turn_idx - 1]

    @property
    def before(self) -> list[tuple[str, str]]:
        """The turns before it: prompts and responses."""
        return list(zip(self.prompt, self.response, strict=False))[: self.turn_idx - 1]

    @property
    def target(self) -> str:
        """The true observation; empty where the line has none."""
        return read_observation(self.response[self.turn_idx - 1]) if len(self.response) >= self.turn_idx else ""

    def to_json(self) -> dict[str, Any]:
        """Write the line as JSON values, what it did not have left out."""
        return self.model_dump(mode="json", exclude_unset=True)


def messages_of(row: Row, model: Model, budget_tokens: int) -> tuple[Message, ...]:
    """Write what a model is asked: system, the turns before by turns of user and assistant, the action.

    Where that is more than `budget_tokens`, the oldest turns are left out, and the first message says how many.
    """
    history = History(model.count_tokens, Message("system", row.system_str), budget_tokens)
    for prompt, response in row.before:
        action = Message("user", prompt)
        history.before(action)
        history.add(action, Message("assistant", response))
    asked = history.before(Message("user", row.action))
    return asked if row.system_str else asked[1:]


def read_rows(path: Path) -> list[Row]:
    """Read the lines of a file, or of every `*_test.jsonl` in a folder.

    Raises InputError that names the line where one is none, and where there is nothing to read.
    """
    files = sorted(path.glob(PATTERN)) if path.is_dir() else [path]
    rows = [row for file in files for _, row in read_lines(file, Row, _FORM)]
    if not rows:
        raise InputError(f"{path}: there are no transitions", f"give JSON lines, or a folder with `{PATTERN}`")
    return rows


def write_lines(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    """Write JSON lines atomically, in UTF-8."""
    write_text(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
