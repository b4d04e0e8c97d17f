"""The agents that ship, as factories: scripted ones that know the way, models that have to find it.

agent_named("oracle", environment)
agent_named("noisy-oracle?misread=0.1", environment)
agent_named("vllm:Qwen/Qwen3-8B?tool_parser=hermes", environment)
agent_named("team:qwen3", environment)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module

from worldforge.agents import database_oracle, noisy_oracle, oracle, planned_agent
from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.agent_prompts import system_prompt
from worldforge.agents.database_oracle import DatabaseOracle
from worldforge.agents.evidence_plan import Plan, Planner
from worldforge.agents.noise_rates import NAME as NOISY
from worldforge.agents.noise_rates import NoiseRates
from worldforge.agents.noisy_oracle import NoisyOracle
from worldforge.agents.oracle import Oracle
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.core.errors import InputError
from worldforge.environments.registry import (
    SHIPPED,
    dialect_named,
    environment_named,
    environment_of_run,
    environment_speaking,
)
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.factories import AgentFactory, EnvironmentFactory, MakeAgent, SessionAgent, Tools
from worldforge.rollouts.model_agents import ModelAgentFactory, TeamFactory
from worldforge.rollouts.task_mentions import TaskMentions
from worldforge.search.page_store import mapped_pages
from worldforge.world.evidence import Evidence
from worldforge.world.value_formats import ValueFormats
from worldforge.world.world import World

_TEAM = "team:"
_PLANS_HELD = 64  # trials of a task are played close together


@dataclass(frozen=True, slots=True)
class PlanFactory:
    """Makes oracles that follow the plan of an environment, which is named `my_module:MyEnvironment/dialect`."""

    environment: str
    name: str = oracle.NAME
    version: str = planned_agent.VERSION
    model: str = ""

    @classmethod
    def of(cls, environment: str, settings: str) -> PlanFactory:
        """Make the factory for an environment. Raises InputError for settings: it has none."""
        _refuse(settings)
        return cls(environment)

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return what any searcher is told."""
        return system_prompt(tools, language)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, stated: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Prepare nothing: a plan is made of a task."""
        environment, dialect = environment_of_run(self.environment)
        yield lambda trial, _seed, session: SessionAgent(
            PlannedAgent(environment.plan(trial.task, dialect), max_steps=limits.at(trial.task).max_steps), session
        )


@dataclass(frozen=True, slots=True)
class OracleFactory:
    """Makes oracles that speak `dialect`: one planner over the world, one plan a task."""

    dialect: str = "agentworld"
    name: str = oracle.NAME
    version: str = oracle.VERSION
    model: str = ""

    @classmethod
    def of(cls, environment: str, settings: str) -> OracleFactory:
        """Make the factory for an environment. Raises InputError for settings: it has none."""
        _refuse(settings)
        return cls(_dialect_in(environment))

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return what any searcher is told."""
        return system_prompt(tools, language)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, stated: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Index the mentions that plans for the tasks can need by fact."""
        plan_of = _plans(world, stated)
        dialect = dialect_named(self.dialect)
        yield lambda trial, _seed, session: SessionAgent(
            Oracle(trial.task, plan_of(trial.task.id), dialect, max_steps=limits.at(trial.task).max_steps), session
        )


@dataclass(frozen=True, slots=True)
class NoisyOracleFactory:
    """Makes oracles that err at the rates of `noise`, each by its episode's seed."""

    noise: NoiseRates = field(default_factory=NoiseRates)
    dialect: str = "agentworld"
    name: str = NOISY
    model: str = ""

    @classmethod
    def of(cls, environment: str, settings: str) -> NoisyOracleFactory:
        """Make the factory for an environment. Raises InputError for settings that it does not have."""
        return cls(NoiseRates.parse(settings), _dialect_in(environment))

    @property
    def version(self) -> str:
        """The version, and the rates."""
        return f"{noisy_oracle.VERSION}?{self.noise}"

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return what any searcher is told."""
        return system_prompt(tools, language)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, stated: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Index the mentions that plans for the tasks can need by fact."""
        plan_of = _plans(world, stated)
        dialect = dialect_named(self.dialect)
        yield lambda trial, seed, session: SessionAgent(
            NoisyOracle(
                trial.task,
                plan_of(trial.task.id),
                self.noise,
                seed=seed,
                dialect=dialect,
                max_steps=limits.at(trial.task).max_steps,
            ),
            session,
        )


@dataclass(frozen=True, slots=True)
class DatabaseOracleFactory:
    """Makes oracles that know their way about a world's tables."""

    name: str = oracle.NAME
    version: str = database_oracle.VERSION
    model: str = ""

    @classmethod
    def of(cls, environment: str, settings: str) -> DatabaseOracleFactory:
        """Make the factory for an environment. Raises InputError for settings: it has none."""
        _refuse(settings)
        return cls()

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return what any searcher is told."""
        return system_prompt(tools, language)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, stated: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Prepare nothing: a task names the records it needs."""
        yield lambda trial, _seed, session: SessionAgent(
            DatabaseOracle(trial.task, max_steps=limits.at(trial.task).max_steps), session
        )


def _plans(world: World, stated: TaskMentions) -> Callable[[str], Plan]:
    """Index mentions by fact, and map the world's texts; give what plans the task of an id."""
    forms = ValueFormats.of_world(world)
    pages = mapped_pages(world.path / "index")
    if not forms.plain:
        pages = pages.append_column("kind", world.stored("pages.parquet")["kind"])
    planner = Planner(pages, Evidence(stated.mentions), forms)
    tasks = {task.id: task for task in stated.tasks}
    return lru_cache(_PLANS_HELD)(lambda id_: planner.plan(tasks[id_]))


def oracle_for(environment: EnvironmentFactory) -> AgentFactory:
    """Return the oracle that knows its way in `environment`."""
    return agent_named(oracle.NAME, environment)


def agent_named(text: str, environment: EnvironmentFactory) -> AgentFactory:
    """Return the factory of the agent that `text` names. Raises InputError where there is none, or not for this."""
    name, _, settings = text.partition("?")
    scripted = _scripted_agents(environment)
    if name in scripted:
        module, _, factory = scripted[name].partition(":")
        made: AgentFactory = getattr(import_module(module), factory).of(environment.name, settings)
        return made
    elsewhere = [kind for kind in SHIPPED if name in environment_named(kind).scripted_agents]
    if elsewhere:
        raise InputError(
            f"the agent `{name}` does not know its way in `{environment.name}`", f"take `--environment {elsewhere[0]}`"
        )
    try:
        address = ModelAddress.parse(text.removeprefix(_TEAM))
    except InputError as error:
        known = ", ".join(f"`{agent}`" for agent in scripted)
        raise InputError(f"agent: {error.message}", f"{error.hint}; or {known}, `{_TEAM}` and a model") from error
    return TeamFactory(address) if text.startswith(_TEAM) else ModelAgentFactory(address)


def _scripted_agents(environment: EnvironmentFactory) -> Mapping[str, str]:
    """Return the scripted agents of an environment: of the one that speaks its dialect, where its name is not known."""
    kind, _, dialect = environment.name.partition("/")
    try:
        return environment_named(kind).scripted_agents
    except InputError:
        return environment_speaking(dialect).scripted_agents


def _dialect_in(environment: str) -> str:
    return environment.partition("/")[2]


def _refuse(settings: str) -> None:
    if settings:
        raise InputError(f"the agent `{oracle.NAME}` has no settings: `{settings}`", f"write `{oracle.NAME}`")
