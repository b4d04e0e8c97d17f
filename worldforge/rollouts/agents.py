"""Factories of the shipped agents: scripted oracles and language models.

agent_named("oracle", environment)
agent_named("noisy-oracle?misread=0.1", environment)
agent_named("vllm:Qwen/Qwen3-8B?tool_parser=hermes", environment)
agent_named("team:qwen3", environment)
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.agent_prompts import system_prompt
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.core.errors import InputError
from worldforge.environments.environment import Environment, Planner
from worldforge.environments.registry import (
    environment_named,
    environment_of_run,
    environment_speaking,
    name_of,
)
from worldforge.environments.shipped import DEFAULT, SHIPPED
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.factories import AgentFactory, EnvironmentFactory, MakeAgent, SessionAgent, TaskMentions, Tools
from worldforge.rollouts.model_agents import ModelAgentFactory, TeamFactory
from worldforge.world.world import World

_ORACLE = "oracle"
_TEAM = "team:"


@dataclass(frozen=True, slots=True)
class OracleFactory:
    """Makes the scripted agent called `name` of an environment such as `search/plain` or `module:Class/json`."""

    environment: str = DEFAULT
    name: str = _ORACLE
    settings: str = ""
    model: str = ""

    @property
    def version(self) -> str:
        """The version of its plans."""
        return self._planner.version

    @property
    def _planner(self) -> Planner:
        environment, _ = environment_of_run(self.environment)
        return environment.planners[self.name](environment, self.settings)

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return the system prompt for searching."""
        return system_prompt(tools, language)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, stated: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Prepare what the plans of all episodes share."""
        plan = self._planner.prepare(world, stated, environment_of_run(self.environment)[1])
        yield lambda trial, seed, session: SessionAgent(
            PlannedAgent(plan(trial.task, seed), max_steps=limits.at(trial.task).max_steps), session
        )


def oracle_for(environment: EnvironmentFactory) -> AgentFactory:
    """Return the factory of the oracle of `environment`."""
    return agent_named(_ORACLE, environment)


def agent_named(text: str, environment: EnvironmentFactory) -> AgentFactory:
    """Return the factory of the agent that `text` names. Raises InputError where there is none, or not for this."""
    name, _, settings = text.partition("?")
    own, dialect = _environment_of(environment)
    if name in own.planners:
        own.planners[name](own, settings)  # refuses settings that it does not have
        return OracleFactory(f"{name_of(own)}/{dialect}", name, settings)
    elsewhere = [kind for kind in SHIPPED if name in environment_named(kind).planners]
    if elsewhere:
        raise InputError(
            f"the agent `{name}` does not know its way in `{environment.name}`", f"take `--environment {elsewhere[0]}`"
        )
    try:
        address = ModelAddress.parse(text.removeprefix(_TEAM))
    except InputError as error:
        known = ", ".join(f"`{agent}`" for agent in own.planners)
        raise InputError(f"agent: {error.message}", f"{error.hint}; or {known}, `{_TEAM}` and a model") from error
    return TeamFactory(address) if text.startswith(_TEAM) else ModelAgentFactory(address)


def _environment_of(factory: EnvironmentFactory) -> tuple[type[Environment], str]:
    """Return the environment of a factory and its dialect: the one that speaks it, where its name is not known."""
    kind, _, dialect = factory.name.partition("/")
    try:
        return environment_named(kind), dialect
    except InputError:
        return environment_speaking(dialect), dialect
