"""Where a world's pages state what some tasks ask: read once a process, for those who play them and who score them.

    stated = Stated(world, tasks)
    stated.mentions                 # all that is stated by pages that state any fact of the tasks

A world has many times the mentions that its tasks need: to plan and to score a task takes the pages that state its
facts, and all that these state.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import pyarrow as pa

from worldforge.world.evidence import around
from worldforge.world.task import Task
from worldforge.world.world import World


class Stated:
    """What pages state of `tasks`. Nothing is read before it is asked for: not every agent needs it."""

    def __init__(self, world: World, tasks: Iterable[Task]) -> None:
        self._world, self.tasks = world, list({task.id: task for task in tasks}.values())

    @cached_property
    def mentions(self) -> pa.Table:
        """The mentions, in order, of the pages that state any fact that an answer to one of the tasks rests on."""
        facts = {fact for task in self.tasks for fact in task.needed_facts}
        return around(self._world.stored("mentions.parquet"), facts)
