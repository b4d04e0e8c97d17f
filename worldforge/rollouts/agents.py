"""The agents that ship, as factories: the oracle."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from worldforge.agents import prompts
from worldforge.agents.agent import Limits
from worldforge.agents.oracle import NAME, VERSION, Oracle
from worldforge.agents.plan import Planner
from worldforge.core.errors import InputError
from worldforge.models.pool import ModelPool
from worldforge.rollouts.seats import AgentFactory, EnvironmentFactory, Seat, SeatFor, Tools
from worldforge.world.evidence import Evidence
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class OracleFactory:
    """Makes oracles: one planner over the world, one plan a task."""

    name: str = NAME
    version: str = VERSION

    def system_prompt(self, tools: Tools) -> str:
        """Return what a searcher is told."""
        return prompts.SEARCH

    @asynccontextmanager
    async def open(self, world: World, models: ModelPool, limits: Limits) -> AsyncIterator[SeatFor]:
        """Index the world's mentions by fact."""
        planner = Planner(world.pages, Evidence(world.mentions))
        yield lambda trial, _seed, session: Seat(Oracle(trial.task, planner.plan(trial.task)), session)


def oracle_for(environment: EnvironmentFactory) -> AgentFactory:
    """Return the oracle that knows its way in `environment`."""
    return OracleFactory()


def agent_named(name: str, environment: EnvironmentFactory) -> AgentFactory:
    """Return the factory of the agent of that name. Raises InputError where there is none."""
    if name != NAME:
        raise InputError(f"unknown agent `{name}`", f"there is `{NAME}`")
    return oracle_for(environment)
