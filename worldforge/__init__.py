"""WorldForge: search environments whose truth is known, and the datasets that come of them.

    import worldforge as wf
    world = wf.open_world("output/quickstart")
    world.graph()

`build` makes a world of a world.yaml, `rollout` lets an agent act in it, `export` writes a dataset, `push` uploads it.
A public name must not be the name of a submodule: importing the submodule would replace it.
"""

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and not __file__.startswith(f"{sys.path[0]}/"):
    del sys.path[0]  # the current folder, put there for `python -m worldforge.cli.main`: it may be a stranger's

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldforge.entry_points.build import build
    from worldforge.entry_points.export import export
    from worldforge.entry_points.push import push
    from worldforge.entry_points.rollout import rollout
    from worldforge.schema.spec_loader import load_spec
    from worldforge.world.world import World, open_world

__all__ = ["World", "build", "export", "load_spec", "open_world", "push", "rollout"]
__version__ = "0.1.0"

# Arrow reads it when it first needs memory. Its own allocator asks for pages of 2 MB, and Linux may stop a process to
# move what is in their way: with the system's, a world's pages take a tenth less time.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

_HOMES = {
    "World": "worldforge.world.world",
    "build": "worldforge.entry_points.build",
    "export": "worldforge.entry_points.export",
    "load_spec": "worldforge.schema.spec_loader",
    "open_world": "worldforge.world.world",
    "push": "worldforge.entry_points.push",
    "rollout": "worldforge.entry_points.rollout",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import worldforge` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module `worldforge` has no attribute `{name}`")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
