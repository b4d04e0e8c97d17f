"""Who plays, and where: factories that each process opens for itself, inside its own event loop.

A factory is a small record that pickles (names, settings, addresses); what is costly or cannot travel, such as a plan
over a world's mentions, a search index, a connection to a model server, is made in `open` and let go at its end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from worldforge.agents import prompts
from worldforge.agents.agent import Agent
from worldforge.agents.oracle import NAME, VERSION, Oracle
from worldforge.agents.plan import Planner
from worldforge.core.errors import InputError
from worldforge.environments.search import SearchEnvironment
from worldforge.environments.session import Session
from worldforge.world.evidence import Evidence
from worldforge.world.task import Task
from worldforge.world.world import World

AgentFor = Callable[[Task, int], Agent]
"""Makes the agent of one episode, from its task and its seed."""

SessionFor = Callable[[Task, int], Session]
"""Opens the session of one episode, from its task and its seed."""


class AgentFactory(Protocol):
    """Makes agents of one sort. `name` and `version` say which; `system_prompt` is what they are told first."""

    @property
    def name(self) -> str:
        """What the agent is called."""

    @property
    def version(self) -> str:
        """Which of that name: differs wherever its actions may differ."""

    @property
    def system_prompt(self) -> str:
        """The text of the system message."""

    def open(self, world: World) -> AbstractAsyncContextManager[AgentFor]:
        """Prepare what the agents of one process share. Raises WorldForgeError where they cannot play."""


class EnvironmentFactory(Protocol):
    """Opens sessions of one sort."""

    @property
    def name(self) -> str:
        """What the environment is called."""

    def open(self, world: World) -> AbstractAsyncContextManager[SessionFor]:
        """Prepare what the sessions of one process share. Raises WorldForgeError where it cannot be had."""


@dataclass(frozen=True, slots=True)
class OracleFactory:
    """Makes oracles: one planner over the world, one plan a task."""

    name: str = NAME
    version: str = VERSION
    system_prompt: str = prompts.SEARCH

    @asynccontextmanager
    async def open(self, world: World) -> AsyncIterator[AgentFor]:
        """Index the world's mentions by fact."""
        planner = Planner(world.pages, Evidence(world.mentions))
        yield lambda task, _seed: Oracle(task, planner.plan(task))


@dataclass(frozen=True, slots=True)
class SearchFactory:
    """Opens sessions with the search tools over a world's index."""

    name: str = "search"

    @asynccontextmanager
    async def open(self, world: World) -> AsyncIterator[SessionFor]:
        """Open the world's index."""
        environment = SearchEnvironment(world)
        yield lambda _task, _seed: environment.session()


def agent_named(name: str) -> AgentFactory:
    """Return the factory of a shipped agent. Raises InputError where there is none of that name."""
    if name != NAME:
        raise InputError(f"unknown agent `{name}`", f"there is `{NAME}`")
    return OracleFactory()
