"""Tools that are added to a dialect, one file each: `plain+find_in_page`, `plain+my_module:MyTool`.

class Find(ExtraTool):
    '''Find words in a page.'''                 what agents read

    tool = "find_in_page"
    words: str = Field(description="…")

    def request(self) -> FindRequest:           an ExtraToolRequest, which answers, writes and parses
        return FindRequest(self.words)

TOOL = Find                                     in a module of the environment's package `tools`, called `find_in_page`
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, ClassVar

from worldforge.core.errors import InputError
from worldforge.core.imports import load
from worldforge.core.suggestions import did_you_mean
from worldforge.environments.arguments import Schema, ToolArguments, read_request, schemas
from worldforge.environments.backend import SessionBackend
from worldforge.environments.dialect import Dialect
from worldforge.environments.domain import Domain
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, ToolView
from worldforge.models.chat import ToolCall


class ExtraToolRequest(ToolRequest):
    """A request of an added tool, which answers itself and has its own text form."""

    __slots__ = ()

    @abstractmethod
    def call(self) -> tuple[str, dict[str, Any]]:
        """Return the tool's name and arguments."""

    @abstractmethod
    def answer(self, backend: SessionBackend) -> ToolView:
        """Answer the call. Never raises for an agent's input."""

    @abstractmethod
    def write(self, view: ToolView) -> str:
        """Write the view as text, after controls."""

    @abstractmethod
    def parse(self, text: str) -> ToolView | None:
        """Read back what `write` wrote; None for a text in another form."""


class ExtraTool(ToolArguments):
    """The arguments of a tool; its docstring and its fields' descriptions are what agents read."""

    tool: ClassVar[str]

    @abstractmethod
    def request(self) -> ExtraToolRequest:
        """Say what is asked for."""


class ExtendedDialect:
    """A dialect with added tools; a `Dialect`."""

    def __init__(self, name: str, dialect: Dialect, tools: Sequence[type[ExtraTool]]) -> None:
        self.name = name
        self._dialect = dialect
        self._tools = {tool.tool: tool for tool in tools}
        self.tools: list[Schema] = [*dialect.tools, *schemas(self._tools)]

    @property
    def domain(self) -> Domain:
        """The dialect's domain."""
        return self._dialect.domain

    def read(self, call: ToolCall) -> ToolRequest | ErrorView:
        """Read a call of any of the tools."""
        if call.name not in self._tools:
            return self._dialect.read(call)
        return read_request(call, self._tools)

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Say how a request is asked for. Raises ValueError where there is no tool for it."""
        return [request.call()] if isinstance(request, ExtraToolRequest) else self._dialect.ask(request)

    def write(self, request: ToolRequest, view: ToolView) -> str:
        """Write a view as text; errors as the dialect does."""
        if isinstance(request, ExtraToolRequest) and not isinstance(view, ErrorView):
            return request.write(view)
        return self._dialect.write(request, view)

    def parse(self, request: ToolRequest, text: str) -> ToolView | None:
        """Read back what `write` wrote."""
        if isinstance(request, ExtraToolRequest):
            read = request.parse(text)
            if read is not None:
                return read
        return self._dialect.parse(request, text)


def with_tools(dialect: Dialect, names: Sequence[str], package: str, code_from: Path | None) -> Dialect:
    """Add tools to a dialect: modules of `package` by name, and users' tools by import string from `code_from`.

    Raises InputError for a tool that there is not, and for code that was not allowed.
    """
    if not names:
        return dialect
    tools = [_own(name, code_from) if ":" in name else _shipped(name, package) for name in names]
    return ExtendedDialect("+".join([dialect.name, *names]), dialect, tools)


def _shipped(name: str, package: str) -> type[ExtraTool]:
    known = [module.name for module in iter_modules(import_module(package).__path__)] if package else []
    if name not in known:
        raise InputError(f"there is no tool `{name}` to add", f"{did_you_mean(name, known)}; or yours: `module:Class`")
    found: type[ExtraTool] = import_module(f"{package}.{name}").TOOL
    return found


def _own(name: str, code_from: Path | None) -> type[ExtraTool]:
    found = load(name, code_from)
    if not (isinstance(found, type) and issubclass(found, ExtraTool)):
        raise InputError(f"`{name}` is no tool", "it is to be a class that extends `ExtraTool`")
    return found
