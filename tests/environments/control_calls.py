"""Calls to a world's tools under controls: what the tests of controls begin with."""

import asyncio
import json
from dataclasses import dataclass
from functools import cached_property

from worldforge.environments.controls.control_plan import load_controls
from worldforge.environments.database.environment import DatabaseEnvironment
from worldforge.environments.search.dialects import AGENT_WORLD
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.requests import SearchRequest
from worldforge.models.chat import ToolCall


def results_in(seen, page=1):
    """Read the results of one query's observation."""
    view = AGENT_WORLD.parse(SearchRequest(("any",), page), seen.text)
    return view.blocks[0].results


@dataclass(frozen=True)
class Desk:
    """A world, open at both its environments."""

    world: object

    @cached_property
    def search(self):
        return SearchEnvironment(self.world)

    @cached_property
    def database(self):
        return DatabaseEnvironment(self.world)

    def caller(self, controls="none", task="task/list-0000", seed=1, place=0.0, *, database=False):
        """Open a session; return what calls its tools, arguments given as names."""
        environment = self.database if database else self.search
        made = environment.controls(load_controls(controls)).session(task, seed, place)
        session = environment.session(controls=made)

        def call(name, **arguments):
            return asyncio.run(session.step(ToolCall("1", name, json.dumps(arguments))))

        return call

    def url(self, kind, number=0):
        """Return the address of a page of a kind."""
        pages = self.world.pages
        rows = [row for row, found in enumerate(pages["kind"].to_pylist()) if found == kind]
        return pages["url"][rows[number]].as_py()
