"""The shipped environments: their names and the import strings of their classes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

SHIPPED: Mapping[str, str] = MappingProxyType({
    "search": "worldforge.environments.search.environment:SearchEnvironment",
    "database": "worldforge.environments.database.environment:DatabaseEnvironment",
})  # fmt: skip


DEFAULT = "search"
"""The environment of a run that names none."""


def shipped_class(name: str) -> Any:
    """Import the class of a shipped environment."""
    module, _, class_name = SHIPPED[name].partition(":")
    return getattr(import_module(module), class_name)
