"""Where a world's pages state what some tasks ask: read once a process, for those who play them and who score them.

    stated = TaskMentions(world, tasks)
    stated.mentions                 # all that is stated by pages that state any fact of the tasks

A world has many times the mentions that its tasks need: to plan and to score a task takes the pages that state its
facts, and all that these state.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from worldforge.core.files import add_path_to_error
from worldforge.world.evidence import mentions_of_pages_stating
from worldforge.world.task import Task
from worldforge.world.world import World

_FILE = "mentions.arrow"


class TaskMentions:
    """What pages state of `tasks`. Nothing is read before it is asked for: not every agent needs it.

    What `write` has put down in the folder `kept` is taken from there; it may be of more tasks.
    """

    def __init__(self, world: World, tasks: Iterable[Task], kept: Path | None = None) -> None:
        self._world, self.tasks = world, list({task.id: task for task in tasks}.values())
        self._kept = kept

    @cached_property
    def mentions(self) -> pa.Table:
        """The mentions, in order, of the pages that state any fact that an answer to one of the tasks rests on."""
        if self._kept is not None and (self._kept / _FILE).exists():
            with pa.memory_map(str(self._kept / _FILE)) as file:
                return pa.ipc.open_file(file).read_all()
        facts = {fact for task in self.tasks for fact in task.needed_facts}
        return mentions_of_pages_stating(self._world.stored("mentions.parquet"), facts)

    def write(self, folder: Path) -> None:
        """Put the mentions down for other processes, which map them: one reads the world's for all."""
        with add_path_to_error(folder), pa.ipc.new_file(str(folder / _FILE), self.mentions.schema) as file:
            file.write_table(self.mentions)
