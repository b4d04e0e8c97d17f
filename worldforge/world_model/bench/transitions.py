"""Transitions: a session until a call, the call, and what it truly brings; and which tasks are held out.

Of a transition there is a line in AgentWorldBench's form (`rows`) and its truth, one JSON object a line:

    {"id": 8123…, "world_digest": "…", "run": "oracle", "trajectory": "task/list-0000#0", "turn": 3, "dialect":
     "agentworld", "call": {…}, "view": {"kind": "search", "view": {…}}, "brought": null, "controls": {…}}

`view` is all that the observation may tell; `brought`, where controls changed it, is what the world itself brought.
Both hold what an observation's text does not show (rows of pages), so that facts can be told by their ids.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, TypeAdapter, model_validator

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.core.json_lines import read_lines
from worldforge.environments.dialect import Dialect
from worldforge.environments.registry import dialect_named
from worldforge.environments.requests import ToolRequest
from worldforge.environments.session import Scene
from worldforge.environments.views import ErrorView, ToolView, view_types
from worldforge.models.chat import ToolCall
from worldforge.world_model.bench.rows import Row

HELD_OUT, SEED = 0.2, 0
"""The share of tasks that is held out where nobody says otherwise, and the seed of which they are."""


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
    def _readable(self) -> Self:
        try:
            request = self._request()
        except InputError as error:
            raise ValueError(error.message) from error
        if isinstance(request, ErrorView):
            raise ValueError(f"the dialect {self.dialect} cannot read the call")
        return self

    @cached_property
    def scene(self) -> Scene:
        """The transition as a renderer is shown it, without the session before it."""
        dialect, request = self._dialect, self._request()
        assert not isinstance(request, ErrorView)
        return Scene(
            call=self._call,
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
        said = self.model_dump(mode="json", include={"world_digest", "dialect", "call", "view"})
        return value_digest(said)[:24]

    @property
    def _dialect(self) -> Dialect:
        return dialect_named(self.dialect)

    @property
    def _call(self) -> ToolCall:
        return ToolCall(str(self.turn), self.call.name, self.call.arguments)

    def _request(self) -> ToolRequest | ErrorView:
        return self._dialect.read(self._call)


def read_truths(path: Path) -> list[Truth]:
    """Read the truths of a file of JSON lines. Raises InputError that names the line where one is none."""
    return [truth for _, truth in read_lines(path, Truth, "write it anew: `worldforge bench transitions`")]


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
