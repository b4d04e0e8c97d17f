"""Dialects: names and arguments of tools, and the text form of views. Domains: the roles of world models.

    Dialect("spoken", domain, {"look": LookRequest, "move": MoveRequest})

reads and asks for these requests, and shows the text of `TextView`s as it is; an error begins with `Error: `. A dialect
with another text form overrides `write` and `parse`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from worldforge.environments.arguments import Schema, ToolArguments, read_arguments, schemas
from worldforge.environments.extra_tools import ExtraTool
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, TextView, ToolView
from worldforge.models.chat import ToolCall

ERROR = "Error: "


@dataclass(frozen=True, slots=True)
class Example:
    """An example turn for prompts. `disclosed` is empty in domains that are not grounded."""

    call: ToolCall
    observation: str
    disclosed: str = ""


@dataclass(frozen=True, slots=True)
class Domain:
    """The role of a world model: what it is, and how it answers actions (`observations`).

    Grounded domains word what a world has decided and disclosed; their tools are a dialect's. Others make their world
    up: `tools` are the actions, and `in_form` checks the form of an observation. `data` says how calls are answered
    with what is no prose, to a model that nothing is disclosed to; empty where `observations` says it.
    """

    name: str
    grounded: bool
    role: str
    observations: str
    data: str = ""
    in_form: Callable[[str], bool] = bool
    tools: Mapping[str, type] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def schemas(self) -> list[Schema]:
        """The tools, as OpenAI function schemas."""
        return schemas(self.tools)


class Dialect:
    """Reads calls, writes views. Holds no state: one object serves all sessions.

    `types` are the tools: each a type of request, or of arguments that convert themselves to one.
    """

    def __init__(self, name: str, domain: Domain, types: Mapping[str, type]) -> None:
        self.name, self.domain, self.types = name, domain, types
        self.tools = schemas(types)

    def with_tools(self, name: str, tools: Sequence[type[ExtraTool]]) -> Self:
        """Return this dialect with further tools, under another name."""
        extended = copy(self)
        extended.name, extended.types = name, {**self.types, **{tool.tool: tool for tool in tools}}
        extended.tools = schemas(extended.types)
        return extended

    def read(self, call: ToolCall) -> ToolRequest | ErrorView:
        """Parse a call; a malformed call or an unknown tool gives an error view."""
        read = read_arguments(call, self.types)
        return read.request() if isinstance(read, ToolArguments) else read

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Return the calls for a request, as tool names and arguments.

        Raises ValueError where the dialect has no tool for it.
        """
        for tool, type_ in self.types.items():
            if type(request) is type_:
                return [(tool, arguments_of(request))]
        raise ValueError(f"{self.name} has no tool for a {type(request).__name__}")

    def write(self, request: ToolRequest, view: ToolView) -> str:
        """Write a view as text. Raises ValueError for a view of another environment."""
        match view:
            case ErrorView(_, message):
                return message if message.startswith(ERROR) else f"{ERROR}{message}"
            case _ if isinstance(request, ExtraTool):
                return request.write(view)
            case TextView(text):
                return text
        raise ValueError(f"{self.name} has no words for a {type(view).__name__}")

    def parse(self, request: ToolRequest, text: str) -> ToolView | None:
        """Parse a text that `write` wrote; None for another form. Facts cannot be read back."""
        if text.startswith(ERROR):
            return ErrorView("", text)
        return request.parse(text) if isinstance(request, ExtraTool) else TextView(text)


def arguments_of(request: Any) -> dict[str, Any]:
    """Write a request's fields as JSON values, without those that have their defaults."""
    defaults = {one.name: one.default for one in fields(request)}
    given = {name: value for name, value in asdict(request).items() if value != defaults[name]}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
