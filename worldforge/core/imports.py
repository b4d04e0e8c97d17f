"""Find code by name: the generator `values.year` as shipped, `my_module:my_function` as the user's own.

A spec may come from a stranger, so code outside the shipped `generators` package runs only where the user allowed it:
`load(reference, code_from=None)` refuses it, `code_from=folder` imports it with that folder first on the path.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError

_KINDS = ("names", "values", "pages", "questions")  # of shipped generators


def load(reference: str, code_from: Path | None = None) -> Callable[..., Any]:
    """Return the function that `reference` names.

    `kind.function` is looked up in `generators.<kind>`; `module:function` is imported with `code_from` on the path.
    Raises InputError for a name that does not exist, and for code that was not allowed.
    """
    module_name, separator, function_name = reference.rpartition(":" if ":" in reference else ".")
    if not separator or not module_name or function_name.startswith("_"):
        raise InputError(f"`{reference}` names no generator", "write it as `values.year` or `module:function`")
    if separator == ":":
        function = load_own(reference, code_from)
    elif module_name not in _KINDS:
        function = None
    else:
        module = importlib.import_module(f"generators.{module_name}")
        function = getattr(module, function_name, None) if function_name in module.__all__ else None
    if not callable(function):
        raise InputError(f"unknown generator `{reference}`")
    return function


def load_own(reference: str, code_from: Path | None) -> Any:
    """Return what `module:attribute` names; None where the module has no such attribute.

    Raises InputError where the user did not allow code (`code_from` is None), and where the import fails.
    """
    module_name, _, attribute = reference.rpartition(":")
    return getattr(_import_own(module_name, reference, code_from), attribute, None)


def is_own(reference: str) -> bool:
    """Return whether `reference` names the user's own code, `module:attribute`."""
    return ":" in reference


@contextmanager
def own_code_errors(reference: str, where: str, hint: str) -> Iterator[None]:
    """Turn an exception of the user's own code into an InputError that says `where` it was called.

    An InputError, and any exception of shipped code, passes unchanged.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        if not is_own(reference):
            raise
        raise InputError(f"{where} `{reference}` failed: {type(error).__name__}: {error}", hint) from error


def shipped_views() -> list[str]:
    """List the shipped dataset views, sorted: one file each, of which none is imported."""
    return _modules_in("datasets", "views")


def shipped_families() -> list[str]:
    """List the shipped families of tasks, by the name a spec uses, sorted: one file each, of which none is imported."""
    return _modules_in("builders", "tasks", "families")


@cache
def _modules_in(*parts: str) -> list[str]:
    folder = Path(str(files("worldforge"))).joinpath(*parts)
    names = (module.name for module in pkgutil.iter_modules([str(folder)]))
    return sorted(name for name in names if not name.startswith("_"))


def shipped() -> list[str]:
    """List every shipped generator by the name a spec uses, sorted: `names.person`, `values.year`, …"""
    return sorted(f"{kind}.{name}" for kind in _KINDS for name in importlib.import_module(f"generators.{kind}").__all__)


def _import_own(module_name: str, reference: str, code_from: Path | None) -> Any:
    if code_from is None:
        raise InputError(
            f"`{reference}` is your own code, which runs only where you allow it",
            "read the code, then repeat the command with `--allow-code`",
        )
    folder = str(code_from.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(module_name)
    except ImportError as error:
        raise InputError(f"cannot import `{module_name}` for `{reference}`: {error}") from error


def shipped_lines(kind: str, name: str) -> list[str]:
    """Read a list that ships with the generators of a kind: its lines, without empty ones and comments."""
    text = files(f"generators.{kind}").joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
