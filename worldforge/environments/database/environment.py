"""The database environment: a world's tables behind MCP tools.

    environment = DatabaseEnvironment(open_world("output/mine"))
    session = environment.session()
    await session.step(ToolCall("1", "get_records", '{"table": "club", "ids": ["club/0031"]}'))

One environment serves any number of sessions. What a session changes is its own: later calls of it see that, no other
session does, and the world stays as it is. Tasks and their gold are no tables: no call reaches them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

from worldforge.environments.controls.content_controls import ContentControls
from worldforge.environments.coverage import Readers
from worldforge.environments.database.catalog import read_catalog
from worldforge.environments.database.computed_columns import Computed, computed_columns
from worldforge.environments.database.mcp_dialect import MCP
from worldforge.environments.database.oracle import DatabaseOracle
from worldforge.environments.database.record_controls import RecordControls
from worldforge.environments.database.record_coverage import readers_of_records
from worldforge.environments.database.table_backend import DatabaseBackend
from worldforge.environments.database.table_state import TableState
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import Environment, Plan
from worldforge.world.task import Task
from worldforge.world.world import World


class DatabaseEnvironment(Environment):
    """A world's tables, open to agents. Sessions share them, and change nothing in them."""

    name = "database"
    dialects: ClassVar[Mapping[str, Dialect]] = {MCP.name: MCP}
    content_controls: ClassVar[ContentControls] = RecordControls()
    states_facts_on_pages = False
    readers: ClassVar[Readers] = staticmethod(readers_of_records)

    def __init__(self, world: World, dialect: Dialect | None = None) -> None:
        super().__init__(world, dialect)
        self._catalog = read_catalog(world.spec, world.tables())
        self._connection = world.database()

    @classmethod
    def plan(cls, task: Task, dialect: Dialect) -> Plan:
        """Look up the cells of the task's answer."""
        return DatabaseOracle(task, dialect).play()

    def backend(self, task: Task | None = None, seed: int = 0) -> DatabaseBackend:
        """Return the world's tables, unchanged."""
        return DatabaseBackend(TableState(self._connection, self._catalog), self._catalog, lambda: self._computed)

    @cached_property
    def _computed(self) -> list[Computed]:
        return list(computed_columns(self.world.spec, self._catalog))
