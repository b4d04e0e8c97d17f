"""WorldForge: search environments whose truth is known, and the datasets that come of them.

    import worldforge as wf
    world = wf.open_world("output/quickstart")
    world.graph()

`build` makes a world of a world.yaml, `rollout` lets an agent act in it, `export` writes a dataset, `push` uploads it.
`play` lets an agent of your own play one task, `score_answer` scores one answer, `score` a file of them. What is not
named here may change without notice.

A public name must not be the name of a submodule: importing the submodule would replace it.
"""

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and not __file__.startswith(f"{sys.path[0]}/"):
    del sys.path[0]  # the current folder, put there for `python -m worldforge.cli.main`: it may be a stranger's

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldforge.agents.agent import Action as Action
    from worldforge.agents.own_agent import tool_call as tool_call
    from worldforge.datasets.selection.selection_settings import Selection as Selection
    from worldforge.entry_points.build_world import build as build
    from worldforge.entry_points.export_dataset import export as export
    from worldforge.entry_points.play_episode import play as play
    from worldforge.entry_points.play_episode import play_async as play_async
    from worldforge.entry_points.play_episode import score_answer as score_answer
    from worldforge.entry_points.play_run import rollout as rollout
    from worldforge.entry_points.push_dataset import push as push
    from worldforge.entry_points.score_answers import score as score
    from worldforge.environments.environment import Environment as Environment
    from worldforge.schema.spec_loader import load_spec as load_spec
    from worldforge.world.world import World as World
    from worldforge.world.world import open_world as open_world

__version__ = "0.1.0"

# Arrow reads it when it first needs memory. Its own allocator asks for pages of 2 MB, and Linux may stop a process to
# move what is in their way: with the system's, a world's pages take a tenth less time.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

_HOMES = {
    "Action": "worldforge.agents.agent",
    "Environment": "worldforge.environments.environment",
    "Selection": "worldforge.datasets.selection.selection_settings",
    "World": "worldforge.world.world",
    "build": "worldforge.entry_points.build_world",
    "export": "worldforge.entry_points.export_dataset",
    "load_spec": "worldforge.schema.spec_loader",
    "open_world": "worldforge.world.world",
    "play": "worldforge.entry_points.play_episode",
    "play_async": "worldforge.entry_points.play_episode",
    "push": "worldforge.entry_points.push_dataset",
    "rollout": "worldforge.entry_points.play_run",
    "score": "worldforge.entry_points.score_answers",
    "score_answer": "worldforge.entry_points.play_episode",
    "tool_call": "worldforge.agents.own_agent",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import worldforge` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module `worldforge` has no attribute `{name}`")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
