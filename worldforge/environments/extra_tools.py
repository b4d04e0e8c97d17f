"""Tools that are added to a dialect, one file each: `plain+find_in_page`, `plain+my_module:MyTool`.

@dataclass(frozen=True, slots=True)
class Find(ExtraTool):
    '''Find words in a page.'''                 what agents read

    tool = "find_in_page"                       its name in calls; `kind` is its name in control plans
    kind = "find"
    words: Annotated[str, Field(description="…")]

    def answer(self, backend): …

TOOL = Find                                     in a module of the environment's package `tools`, called `find_in_page`
"""

from __future__ import annotations

from abc import abstractmethod
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import ClassVar

from worldforge.core.errors import InputError
from worldforge.core.imports import load
from worldforge.core.suggestions import did_you_mean
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.views import TextView, ToolView


class ExtraTool(ToolRequest):
    """A request of an added tool, which answers itself; by default with a `TextView`, shown as it is."""

    __slots__ = ()
    tool: ClassVar[str]

    @abstractmethod
    def answer(self, backend: SessionBackend) -> ToolView:
        """Answer the call. Never raises for an agent's input."""

    def write(self, view: ToolView) -> str:
        """Write the view as text, after controls."""
        assert isinstance(view, TextView)
        return view.text

    def parse(self, text: str) -> ToolView | None:
        """Parse what `write` wrote; None for a text in another form. It is asked for no errors."""
        return TextView(text)


def tool_named(name: str, package: str, code_from: Path | None) -> type[ExtraTool]:
    """Return a tool: a module of `package` by its name, or a user's by import string from `code_from`.

    Raises InputError for an unknown tool, and for code that was not allowed.
    """
    if ":" in name:
        found = load(name, code_from)
        if not (isinstance(found, type) and issubclass(found, ExtraTool)):
            raise InputError(f"`{name}` is no tool", "it is to be a class that extends `ExtraTool`")
        return found
    known = [module.name for module in iter_modules(import_module(package).__path__)] if package else []
    if name not in known:
        raise InputError(f"there is no tool `{name}` to add", f"{did_you_mean(name, known)}; or yours: `module:Class`")
    shipped: type[ExtraTool] = import_module(f"{package}.{name}").TOOL
    return shipped
