"""Where worlds are, for processes that a trainer starts: each opened once, by the name that rows carry.

export WORLDFORGE_WORLDS=output/quickstart:output/archive     folders of worlds, or of several worlds each
configure("output/quickstart")                                the same, for this process alone
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.environments.environment import Environment
from worldforge.environments.registry import dialect_of, environment_speaking
from worldforge.environments.tool_session import ToolSession
from worldforge.world.world import MANIFEST, World, open_world

VARIABLE = "WORLDFORGE_WORLDS"


class Worlds:
    """The worlds in some folders. Safe to use from several threads."""

    def __init__(self) -> None:
        self._folders: tuple[Path, ...] = ()
        self._opened: dict[tuple[str, type[Environment]], Environment] = {}
        self._found: dict[tuple[str, str], World] = {}
        self._lock = threading.Lock()

    def configure(self, *folders: str | Path) -> None:
        """Look for worlds in `folders` from now on, in place of those that WORLDFORGE_WORLDS names."""
        with self._lock:
            self._folders = tuple(map(Path, folders))
            self._opened.clear()
            self._found.clear()

    def find(self, name: str, digest: str = "") -> World:
        """Return the world of that name and digest (empty: any). Raises InputError where there is none."""
        with self._lock:
            return self._find(name, digest)

    def session(self, name: str, digest: str, dialect: str) -> ToolSession:
        """Begin a session at the tools of a dialect. Raises InputError where there is no such world, or dialect."""
        environment = environment_speaking(dialect)
        with self._lock:
            world = self._find(name, digest)
            key = world.digest, environment
            if key not in self._opened:
                self._opened[key] = environment(world)
            return self._opened[key].in_dialect(dialect_of(environment, dialect)).session()

    def _find(self, name: str, digest: str) -> World:
        if (name, digest) not in self._found:
            self._found[name, digest] = self._look_for(name, digest)
        return self._found[name, digest]

    def _look_for(self, name: str, digest: str) -> World:
        folders = self._folders or _folders_named()
        if not folders:
            raise InputError(f"nobody said where world `{name}` is", f"set {VARIABLE} to its folder, or configure()")
        worlds = [open_world(folder) for folder in _world_folders(folders)]
        named = [world for world in worlds if world.name == name]
        for world in named:
            if digest in ("", world.digest):
                return world
        places = ", ".join(map(str, folders))
        if named:
            raise InputError(
                f"the world `{name}` in {named[0].path} is another than the rows were made of: its digest is "
                f"{named[0].digest[:16]}, theirs {digest[:16]}",
                "build it from the dataset's own spec, or export the rows anew",
            )
        found = ", ".join(sorted(world.name for world in worlds)) or "no world"
        raise InputError(f"no world `{name}` in {places}: found {found}", f"correct {VARIABLE}, or configure()")


def _folders_named() -> tuple[Path, ...]:
    return tuple(Path(folder) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder)


def _world_folders(folders: tuple[Path, ...]) -> Iterator[Path]:
    """Give the folders that are worlds, and in those that are none, the worlds there."""
    for folder in folders:
        if (folder / MANIFEST).exists() or not folder.is_dir():
            yield folder
        else:
            yield from sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))


WORLDS = Worlds()
"""The worlds of this process."""
configure = WORLDS.configure
