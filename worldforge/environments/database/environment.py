"""The database environment: a world's tables behind MCP tools.

    environment = DatabaseEnvironment(open_world("output/mine"))
    session = environment.session()
    await session.call(ToolCall("1", "get_records", '{"table": "club", "ids": ["club/0031"]}'))

One environment serves any number of sessions. What a session changes is its own: later calls of it see that, no other
session does, and the world stays as it is. Tasks and their gold are no tables: no call reaches them.
"""

from __future__ import annotations

from functools import cached_property

from worldforge.environments.control import SessionControls
from worldforge.environments.database.backend import DatabaseBackend
from worldforge.environments.database.catalog import read_catalog
from worldforge.environments.database.derived import Computed, computed_columns
from worldforge.environments.database.state import State
from worldforge.environments.dialects.dialect import Dialect
from worldforge.environments.dialects.mcp import MCP
from worldforge.environments.rendering import Renderer
from worldforge.environments.tool_session import ToolSession
from worldforge.world.world import World


class DatabaseEnvironment:
    """A world's tables, open to agents. Sessions share them, and change nothing in them."""

    def __init__(self, world: World, dialect: Dialect = MCP) -> None:
        self.dialect = dialect
        self._spec = world.spec
        self._catalog = read_catalog(world.spec, world.tables())
        self._connection = world.database()

    def session(self, controls: SessionControls | None = None, renderer: Renderer | None = None) -> ToolSession:
        """Begin a session, the tables as the world has them."""
        return ToolSession(self.dialect, self.backend(), controls, renderer)

    def backend(self) -> DatabaseBackend:
        """Return the tables as a new session meets them."""
        return DatabaseBackend(State(self._connection, self._catalog), self._catalog, lambda: self._computed)

    @cached_property
    def _computed(self) -> list[Computed]:
        return computed_columns(self._spec, self._catalog)
