"""The digest of the code that builds worlds: other code may give other bytes."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from worldforge.core.files import value_digest

_PACKAGES = ("core", "schema", "world", "search", "scoring", "environments", "agents", "builders")


@cache
def code_digest(own: Path | None = None) -> str:
    """Return the digest of packages, generators, and `own` code beside a spec, where that is allowed."""
    roots = [(f"worldforge/{package}", files("worldforge") / package) for package in _PACKAGES]
    roots.append(("generators", files("generators")))
    sources = [source for name, folder in roots for source in _sources(folder, name)]
    if own is not None:
        sources += [(path.name, path) for path in sorted(own.glob("*.py"))]
    return value_digest([[name, hashlib.sha256(source.read_bytes()).hexdigest()] for name, source in sources])


def _sources(folder: Traversable, name: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        below = f"{name}/{entry.name}"
        if entry.is_dir():
            found += _sources(entry, below)
        elif entry.name.endswith((".py", ".txt", ".yaml")):
            found.append((below, entry))
    return found
