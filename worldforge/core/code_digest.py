"""The digest of the code that builds worlds: other code may give other bytes."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path

from worldforge.core.files import value_digest

_PACKAGES = ("core", "schema", "world", "search", "scoring", "environments", "agents", "builders")


@cache
def code_digest(own: Path | None = None) -> str:
    """Return the digest of packages, generators, and `own` code beside a spec, where that is allowed."""
    package, generators = (Path(str(files(name))) for name in ("worldforge", "generators"))
    sources = [
        (path.relative_to(folder.parent).as_posix(), path)
        for folder in [*(package / name for name in _PACKAGES), generators]
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".txt")
    ]
    if own is not None:
        sources += [(path.name, path) for path in sorted(own.glob("*.py"))]
    return value_digest([[name, hashlib.sha256(path.read_bytes()).hexdigest()] for name, path in sources])
