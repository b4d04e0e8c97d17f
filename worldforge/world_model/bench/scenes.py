"""A transition's truth as JSON, one object a line: what was called, what it may disclose, what controls made of it.

    {"id": 8123…, "world_digest": "…", "run": "oracle", "trajectory": "task/list-0000#0", "turn": 3, "dialect":
     "agentworld", "call": {…}, "view": {"kind": "search", …}, "brought": null, "controls": {…}}

`view` is all that the observation may tell; `brought`, where controls changed it, is what the world itself brought.
Both hold what an observation's text does not show (rows of pages), so that facts can be told by their ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, TypeAdapter, model_validator

from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.core.json_lines import read_lines
from worldforge.environments.dialect import Dialect
from worldforge.environments.registry import dialect_named
from worldforge.environments.rendering import Scene
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, ToolView, view_types
from worldforge.models.chat import ToolCall


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KeptView(_Record):
    """A view under its kind, by which its type is found."""

    kind: str
    view: SerializeAsAny[Any]

    @model_validator(mode="before")
    @classmethod
    def _typed(cls, given: Any) -> Any:
        """Read the view as the type of its kind. Raises ValueError for a kind that is not known."""
        if not isinstance(given, Mapping) or isinstance(given.get("view"), ToolView):
            return given
        kind = given.get("kind")
        if kind not in view_types():
            raise ValueError(f"there is no kind of view `{kind}`")
        return {**given, "view": TypeAdapter(view_types()[str(kind)]).validate_python(given.get("view"))}


class Touch(_Record):
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
    kept: KeptView = Field(alias="view")
    kept_brought: Annotated[KeptView | None, Field(alias="brought")] = None
    controls: Touch = Touch()

    @model_validator(mode="after")
    def _readable(self) -> Self:
        try:
            dialect_named(self.dialect)
        except InputError as error:
            raise ValueError(error.message) from error
        if isinstance(self._read(), ErrorView):
            raise ValueError(f"the dialect {self.dialect} cannot read the call")
        return self

    @property
    def view(self) -> ToolView:
        """All that the observation may tell."""
        view: ToolView = self.kept.view
        return view

    @property
    def brought(self) -> ToolView | None:
        """What the world brought before controls changed it; None where they did not."""
        return self.kept_brought.view if self.kept_brought is not None else None

    @property
    def kind(self) -> str:
        """What is shown: `search`, `page`, `records`, or another kind of view."""
        return self.kept.kind

    @cached_property
    def scene(self) -> Scene:
        """The transition as a renderer is shown it, without the session before it."""
        dialect = self._dialect
        request = self._read()
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
        said = self.model_dump(mode="json", by_alias=True, include={"world_digest", "dialect", "call", "kept"})
        return value_digest(said)[:24]

    def to_json(self) -> dict[str, Any]:
        """Write the record as JSON values."""
        return self.model_dump(mode="json", by_alias=True)

    @property
    def _dialect(self) -> Dialect:
        return dialect_named(self.dialect)

    @property
    def _call(self) -> ToolCall:
        return ToolCall(str(self.turn), self.call.name, self.call.arguments)

    def _read(self) -> ToolRequest | ErrorView:
        return self._dialect.read(self._call)


def kept(view: ToolView) -> KeptView:
    """Return a view under its kind, as `Truth` takes it."""
    return KeptView(kind=view.kind, view=view)


def read_truths(path: Path) -> list[Truth]:
    """Read the truths of a file of JSON lines. Raises InputError that names the line where one is none."""
    return [truth for _, truth in read_lines(path, Truth, "write it anew: `worldforge bench transitions`")]
