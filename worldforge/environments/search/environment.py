"""The search environment: a world's web behind search tools, in any dialect.

    environment = SearchEnvironment(open_world("output/mine"))
    session = environment.session()
    await session.step(ToolCall("1", "web_search", '{"query": "football clubs in Velmar"}'))

One environment serves any number of sessions; a session holds an agent's notes, and nothing else. What a call brings
depends on the world, the call and those notes alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from worldforge.environments.controls.content_controls import ContentControls
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import Environment, Planner
from worldforge.environments.search.dialects import AGENT_WORLD, SEARCH_DIALECTS
from worldforge.environments.search.oracle import SearchPlanner
from worldforge.environments.search.search_controls import SearchControls
from worldforge.environments.search.searcher.planner import NoisySearcherPlanner, SearcherPlanner
from worldforge.environments.search.web_backend import SearchBackend
from worldforge.search.search_index import SearchIndex, open_index
from worldforge.world.task import Task
from worldforge.world.world import World


class SearchEnvironment(Environment):
    """A world's web, open to agents. Sessions share it, and change nothing in it."""

    name = "search"
    dialects = SEARCH_DIALECTS
    planners: ClassVar[Mapping[str, type[Planner]]] = {
        "oracle": SearchPlanner,
        "searcher": SearcherPlanner,
        "noisy-searcher": NoisySearcherPlanner,
    }
    content_controls: ClassVar[ContentControls] = SearchControls()
    extra_tools = "worldforge.environments.search.tools"

    def __init__(self, source: World | SearchIndex, dialect: Dialect | None = None) -> None:
        """Open a world's index; an index without its world takes no controls."""
        if isinstance(source, World):
            super().__init__(source, dialect)
        else:
            self.dialect = dialect or AGENT_WORLD
        self.index = open_index(source.path / "index") if isinstance(source, World) else source

    def backend(self, task: Task | None = None, seed: int = 0) -> SearchBackend:
        """Return the web as a new session meets it, without notes."""
        return SearchBackend(self.index)
