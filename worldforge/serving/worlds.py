"""Finds worlds by name in the processes that a trainer starts; each world is opened once.

export WORLDFORGE_WORLDS=output/quickstart:output/archive     folders of worlds, or of several worlds each
configure("output/quickstart")                                the same, for this process alone
"""

from __future__ import annotations

import os
import threading
from functools import cache
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.environments.environment import Environment
from worldforge.environments.registry import dialect_of, environment_speaking
from worldforge.environments.session import ToolSession
from worldforge.world.world import MANIFEST, World, open_world

VARIABLE = "WORLDFORGE_WORLDS"
_lock = threading.Lock()
_configured: list[Path] = []


def configure(*folders: str | Path) -> None:
    """Look for worlds in `folders` instead of those in WORLDFORGE_WORLDS."""
    with _lock:
        _configured[:] = map(Path, folders)
        _find.cache_clear()
        _opened.cache_clear()


def find_world(name: str, digest: str = "") -> World:
    """Return the world of that name and digest (empty: any). Raises InputError where there is none."""
    with _lock:
        return _find(name, digest)


def begin_session(name: str, digest: str, dialect: str, task: str = "") -> ToolSession:
    """Open a session in a world for a task, by id, with the tools of a dialect. Raises InputError for unknown names."""
    kind = environment_speaking(dialect)
    with _lock:
        environment = _opened(name, digest, kind).in_dialect(dialect_of(kind, dialect))
        return environment.session(environment.world.task(task) if task else None)


@cache
def _opened(name: str, digest: str, kind: type[Environment]) -> Environment:
    return kind(_find(name, digest))


@cache
def _find(name: str, digest: str) -> World:
    folders = _configured or [Path(one) for one in os.environ.get(VARIABLE, "").split(os.pathsep) if one]
    if not folders:
        raise InputError(f"the folder of world `{name}` is not known", f"set {VARIABLE} to its folder, or configure()")
    worlds: list[World] = []
    for folder in folders:
        whole = (folder / MANIFEST).exists() or not folder.is_dir()  # a world, else a folder of worlds
        found = [folder] if whole else sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
        worlds += map(open_world, found)
    named = [world for world in worlds if world.name == name]
    for world in named:
        if digest in ("", world.digest):
            return world
    if named:
        raise InputError(
            f"the world `{name}` in {named[0].path} is another than the rows were made of: its digest is "
            f"{named[0].digest[:16]}, theirs {digest[:16]}",
            "build it from the dataset's own spec, or export the rows anew",
        )
    there = ", ".join(sorted(world.name for world in worlds)) or "no world"
    places = ", ".join(map(str, folders))
    raise InputError(f"no world `{name}` in {places}: found {there}", f"correct {VARIABLE}, or configure()")
