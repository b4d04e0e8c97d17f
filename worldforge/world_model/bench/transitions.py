"""Transitions: a session until a call, the call, and what it truly brings; and which tasks are held out.

Of a transition there is a line in AgentWorldBench's form, which its public evaluation script reads as it is:

    {"task": "search", "id": 145256090131919, "prompt": ["### Turn 1\\n**Action:**…", …], "response":
     ["**Environment Observation:**\\n…", …], "current_prompt": "### Turn 2…", "system_str": "…", "turn_idx": 2,
     "total_turns": 5}

`prompt` and `response` are all turns of a session, `turn_idx` (from 1) is the one to be predicted: its truth is
`response[turn_idx - 1]`. Format: github.com/QwenLM/Qwen-AgentWorld, README, "Data Format", and eval/eval.py, which
reads every `*_test.jsonl` of a folder, and adds `gen`, what a model wrote. And its truth, one JSON object a line:

    {"id": 8123…, "world_digest": "…", "run": "oracle", "trajectory": "task/list-0000#0", "turn": 3, "dialect":
     "agentworld", "call": {…}, "view": {"kind": "search", "view": {…}}, "brought": null, "controls": {…}}

`view` is all that the observation may tell; `brought`, where controls changed it, is what the world itself brought.
Both hold what an observation's text does not show (rows of pages), so that facts can be told by their ids.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    field_validator,
    model_validator,
)

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.files import value_digest, write_text
from worldforge.core.json_lines import read_lines
from worldforge.environments.registry import dialect_named
from worldforge.environments.session import Scene
from worldforge.environments.views import ErrorView, ToolView, view_types
from worldforge.models.chat import Message, ToolCall
from worldforge.models.model import Model
from worldforge.world_model.prompt import read_observation, session_prompt

HELD_OUT, SEED = 0.2, 0
"""The share of tasks that is held out where nobody says otherwise, and the seed of which they are."""
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
    def _as_list(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _check_prompt(self) -> Self:
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
    prompt = session_prompt(model.count_tokens, row.system_str, row.before, row.action, budget_tokens)
    return prompt if row.system_str else prompt[1:]


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


def _read_view(given: Any) -> Any:
    """Read a view as the type of its kind. Raises ValueError for a kind that is not known."""
    if given is None or isinstance(given, ToolView):
        return given
    kind = given.get("kind") if isinstance(given, Mapping) else None
    if kind not in view_types():
        raise ValueError(f"there is no kind of view `{kind}`")
    return TypeAdapter(view_types()[str(kind)]).validate_python(given.get("view"))


def _write_view(view: ToolView | None) -> Any:
    return view and {"kind": view.kind, "view": TypeAdapter(type(view)).dump_python(view, mode="json")}


View = Annotated[Any, BeforeValidator(_read_view), PlainSerializer(_write_view)]
"""A `ToolView`, in JSON under its kind, by which its type is found."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AppliedControls(_Record):
    """What controls did to a call: their names, what a model is told, most characters of a shortened snippet."""

    names: tuple[str, ...] = ()
    instruction: str = ""
    characters: int | None = None


class RecordedCall(_Record):
    """A tool call; `arguments` is the JSON text as the agent wrote it."""

    name: str
    arguments: str


class Truth(_Record):
    """One transition as the exact scorer needs it. `turn` counts from 1; `id` is the row's in the benchmark's lines."""

    id: int
    world: str
    world_digest: str
    run: str
    trajectory: str
    task: str
    turn: int = Field(ge=1)
    dialect: str
    call: RecordedCall
    view: View
    brought: View = None
    controls: AppliedControls = AppliedControls()

    @model_validator(mode="after")
    def _check_call(self) -> Self:
        try:
            _ = self.scene
        except InputError as error:
            raise ValueError(error.message) from error
        return self

    @cached_property
    def scene(self) -> Scene:
        """The transition as a renderer is shown it, without the session before it."""
        dialect, call = dialect_named(self.dialect), ToolCall(str(self.turn), self.call.name, self.call.arguments)
        request = dialect.read(call)
        if isinstance(request, ErrorView):
            raise ValueError(f"the dialect {self.dialect} cannot read the call")
        return Scene(
            call=call,
            request=request,
            view=self.view,
            text=dialect.write(request, self.view),
            dialect=dialect,
            tools=dialect.tools,
            instruction=self.controls.instruction,
        )

    @cached_property
    def digest(self) -> str:
        """What is equal for two transitions of which the same is to be told, wherever they stand."""
        values = self.model_dump(mode="json", include={"world_digest", "dialect", "call", "view"})
        return value_digest(values)[:24]


@dataclass(frozen=True, slots=True)
class Transition:
    """One transition: its line in the benchmark's form, and its truth."""

    row: Row
    truth: Truth


def by_domain(transitions: Sequence[Transition]) -> Iterator[tuple[str, list[Transition]]]:
    """Give the transitions of each domain, by its name."""
    for name in sorted({one.row.task for one in transitions}):
        yield name, [one for one in transitions if one.row.task == name]


def held_out(tasks: Iterable[str], seed: int, share: float = HELD_OUT) -> frozenset[str]:
    """Return which tasks, by id, are held out under a seed: `share` of them, rounded up.

    All sessions of a task are held out or none, so that nobody who trains on the others has seen one.
    """
    stream = Stream(seed, "bench").child("tasks")
    ordered = sorted(set(tasks), key=lambda task: (draw(stream.child(task)), task))
    return frozenset(ordered[: math.ceil(share * len(ordered))])


def draw(stream: Stream) -> float:
    """Return the first number of a stream, in [0, 1)."""
    return float(stream.uniform(np.zeros(1, np.int64))[0])
