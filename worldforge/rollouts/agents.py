"""Factories of agents: scripts of an environment, classes of the user's own, language models alone and in teams.

agent_named("oracle", environment)
agent_named("noisy-searcher?misread=0.1", environment)
agent_named("vllm:Qwen/Qwen3-8B?tool_parser=hermes", environment)
agent_named("team:qwen3", environment)
agent_named("team:searcher", environment)
OwnAgentFactory.of(Skimmer)                             # `rollout(world, agent=Skimmer)` makes one for each episode
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.agent_prompts import system_prompt
from worldforge.agents.model_agent import VERSION, ModelAgent, ModelSettings
from worldforge.agents.own_agent import OwnAgent, SimpleAgent
from worldforge.agents.planned_agent import PlannedAgent, Reword
from worldforge.agents.team import TeamSession
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.store_server import open_store
from worldforge.environments.environment import MakeTeam, Planner
from worldforge.environments.registry import environment_named, environment_of_run
from worldforge.environments.session import Session
from worldforge.environments.shipped import DEFAULT, SHIPPED
from worldforge.environments.team_tool import TEAM_TOOLS
from worldforge.models.model import Model
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool
from worldforge.rewording.reworder import Asking, Reworded, Reworder
from worldforge.rewording.slotted_text import SlottedText
from worldforge.rollouts.environments import EnvironmentSettings
from worldforge.rollouts.factories import AgentFactory, MakeAgent, SessionAgent, TaskMentions, Tools
from worldforge.rollouts.trials import Trial
from worldforge.world.world import World

THOUGHTS = "thoughts.sqlite"
"""The file in a world's folder that keeps the thoughts that models have worded."""
_ORACLE, _TEAM = "oracle", "team:"
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
AgentClass = Callable[..., SimpleAgent]
"""Makes an agent of the question's text; where it takes two arguments, of its tools (OpenAI schemas) as well."""


def agent_named(text: str, environment: EnvironmentSettings, thoughts_model: str = "") -> AgentFactory:
    """Return the factory of the agent that `text` names; the model at `thoughts_model` words a script's thoughts.

    Raises InputError where there is none, or not for this.
    """
    name, _, settings = text.removeprefix(_TEAM).partition("?")
    planners = environment.environment.planners
    if name in planners:
        planner = planners[name](environment.environment, settings)  # refuses settings that it does not have
        if thoughts_model and not planner.thinks:
            raise InputError(f"the agent `{name}` has no thoughts to be worded", "leave `--thoughts-model` out")
        worded_by = ModelAddress.parse(thoughts_model) if thoughts_model else None
        scripted = ScriptedAgentFactory(environment.name, name, settings, worded_by)
        if not text.startswith(_TEAM):
            return scripted
        if not planner.leads_teams:
            leads = [f"`{_TEAM}{other}`" for other, planner in planners.items() if planner.leads_teams]
            hint = " or ".join([*leads, f"`{_TEAM}` and a model"])
            raise InputError(f"the agent `{name}` leads no team", f"take {hint}, or `{name}` alone")
        return ScriptedTeamFactory(scripted)
    elsewhere = [kind for kind in SHIPPED if name in environment_named(kind).planners]
    if elsewhere:
        raise InputError(
            f"the agent `{name}` does not know its way in `{environment.name}`", f"take `--environment {elsewhere[0]}`"
        )
    if thoughts_model:
        raise InputError("a model words its own thoughts", "leave `--thoughts-model` out")
    try:
        address = ModelAddress.parse(text.removeprefix(_TEAM))
    except InputError as error:
        known = ", ".join(f"`{agent}`" for agent in planners)
        raise InputError(f"agent: {error.message}", f"{error.hint}; or {known}, `{_TEAM}` and a model") from error
    return ModelAgentFactory(address, team=text.startswith(_TEAM))


def oracle_for(environment: EnvironmentSettings) -> AgentFactory:
    """Return the factory of the oracle of `environment`."""
    return agent_named(_ORACLE, environment)


@dataclass(frozen=True, slots=True)
class ScriptedAgentFactory(AgentFactory):
    """Makes the scripted agent called `name` of an environment such as `search/plain` or `module:Class/json`.

    The model at `thoughts_by` words its thoughts; None leaves them as they are.
    """

    environment: str = DEFAULT
    name: str = _ORACLE
    settings: str = ""
    thoughts_by: ModelAddress | None = None

    @property
    def version(self) -> str:
        """The version of its plans, and the model that words its thoughts."""
        version = self.planner.version
        return f"{version}&thoughts_by={self.thoughts_by.identity}" if self.thoughts_by is not None else version

    @property
    def model(self) -> str:
        """The address of the model that words its thoughts."""
        return str(self.thoughts_by) if self.thoughts_by is not None else ""

    @property
    def clairvoyant(self) -> bool:
        """Whether its plans rest on more than was shown."""
        return self.planner.clairvoyant

    @property
    def planner(self) -> Planner:
        """What plans its episodes."""
        environment, _ = environment_of_run(self.environment)
        return environment.planners[self.name](environment, self.settings)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, mentions: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Prepare what the plans of all episodes share."""
        plan = self.planner.prepare(world, mentions, environment_of_run(self.environment)[1])
        async with self.rewording(world, models) as reword:
            yield lambda trial, seed, session: SessionAgent(
                PlannedAgent(
                    plan(trial.task, seed), max_steps=limits.at(trial.task).max_steps, reword=reword and reword(seed)
                ),
                session,
            )

    @asynccontextmanager
    async def rewording(self, world: World, models: ModelPool) -> AsyncIterator[Callable[[int], Reword] | None]:
        """Open what words the thoughts of an episode by its seed; None where they stay as they are."""
        if self.thoughts_by is None:
            yield None
            return
        asking = Asking(self.thoughts_by.sampling, thinking=bool(self.thoughts_by.thinking))
        model = await models.get(self.thoughts_by)
        with open_store(world.path / THOUGHTS) as store:
            reworder = Reworder(model, store, "thought", asking)
            yield lambda seed: _reword_of(reworder, seed)


def _reword_of(reworder: Reworder, seed: int) -> Reword:
    """Word the thoughts of one episode, like ones in several ways."""
    numbers = count(seed)

    async def reword(thought: SlottedText) -> Reworded:
        return await reworder.reword(thought, next(numbers))

    return reword


@dataclass(frozen=True, slots=True)
class ScriptedTeamFactory(AgentFactory):
    """Makes teams of a scripted agent, `alone` being its factory."""

    alone: ScriptedAgentFactory

    @property
    def name(self) -> str:
        """The agent's name, as a team."""
        return f"{_TEAM}{self.alone.name}"

    @property
    def version(self) -> str:
        """The version of its plans."""
        return self.alone.version

    @property
    def model(self) -> str:
        """The address of the model that words its thoughts."""
        return self.alone.model

    @property
    def clairvoyant(self) -> bool:
        """Whether its plans rest on more than was shown."""
        return self.alone.clairvoyant

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return the prompt of a team's main agent."""
        return system_prompt([*tools, *TEAM_TOOLS], language)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, mentions: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Prepare what the plans of all episodes share."""
        dialect = environment_of_run(self.alone.environment)[1]
        make = self.alone.planner.prepare_team(world, mentions, dialect)
        async with self.alone.rewording(world, models) as reword:
            yield lambda trial, seed, session: _planned_team(
                make, trial, seed, session, limits.at(trial.task), reword or (lambda _: None)
            )


def _planned_team(
    make: MakeTeam,
    trial: Trial,
    seed: int,
    session: Session,
    limits: EpisodeLimits,
    reword: Callable[[int], Reword | None],
) -> SessionAgent:
    """Make the lead of a team at its session; each of its agents may make as many calls as the limits say."""
    plans = make(trial.task, seed, limits.max_steps)

    def start(prompt: str, number: int, share: EpisodeLimits) -> PlannedAgent:
        return PlannedAgent(plans.sub_plan(prompt, number), max_steps=share.max_steps, reword=reword(seed + number))

    team = TeamSession(session, start, limits, system_prompt(session.tools, trial.task.language, "report"))
    lead = PlannedAgent(plans.lead, max_steps=limits.max_steps, reword=reword(seed))
    return SessionAgent(lead, team, team.sub_episodes)


@dataclass(frozen=True, slots=True)
class ModelAgentFactory(AgentFactory):
    """Makes agents of the model at `address`, which may start others where they are to work as a `team`.

    Of a task they are handed the wording, and nothing else.
    They call tools as the model was trained to where a parser can read that (a server has its own), else in JSON that a
    grammar keeps valid.
    """

    address: ModelAddress
    team: bool = False

    @property
    def name(self) -> str:
        """The model and how it draws tokens; not where it runs."""
        return f"team:{self.address.identity}" if self.team else self.address.identity

    @property
    def version(self) -> str:
        """The version of what makes an agent of it."""
        return VERSION

    @property
    def model(self) -> str:
        """The whole address."""
        return str(self.address)

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return the prompt of a searcher; that of a team's main agent names the tool that starts others."""
        return system_prompt([*tools, *TEAM_TOOLS] if self.team else tools, language)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, mentions: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Open the model."""
        model = await models.get(self.address)
        yield lambda trial, seed, session: self._make(model, trial, seed, session, limits.at(trial.task))

    def _make(self, model: Model, trial: Trial, seed: int, session: Session, limits: EpisodeLimits) -> SessionAgent:
        language = trial.task.language
        structured = self.address.backend == "vllm" and not self.address.settings.tool_parser
        settings = ModelSettings(self.address.sampling, self.address.thinking, structured, language=language)
        prompt = system_prompt(session.tools, language, "report")

        def start(question: str, number: int, share: EpisodeLimits) -> ModelAgent:
            own = int(Stream(seed, "team").bits(np.array([number]))[0] >> np.uint64(1))
            report = replace(settings, wants_table=False)
            return ModelAgent(
                model, question, session.tools, system_prompt=prompt, limits=share, settings=report, seed=own
            )

        team = TeamSession(session, start, limits, prompt) if self.team else None
        agent = ModelAgent(
            model,
            trial.task.wording,
            team.tools if team else session.tools,
            system_prompt=self.system_prompt(session.tools, language),
            limits=limits,
            settings=settings,
            seed=seed,
        )
        return SessionAgent(agent, team, team.sub_episodes) if team else SessionAgent(agent, session)


@dataclass(frozen=True, slots=True)
class OwnAgentFactory(AgentFactory):
    """Makes agents of a class, or of a function that returns one. `version` is a digest of its source code."""

    make: AgentClass
    name: str
    version: str

    @classmethod
    def of(cls, make: AgentClass) -> OwnAgentFactory:
        """Take name and version from the class: its own `name` and `version`, or what they are in Python."""
        called = getattr(make, "__name__", type(make).__name__)
        name = getattr(make, "name", None) or called.lower()
        version = getattr(make, "version", None) or _source_digest(make)
        return cls(make, str(name), str(version))

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, mentions: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Prepare nothing: each episode has an agent of its own."""
        yield lambda trial, _seed, session: SessionAgent(
            make_agent(self.make, trial.task.wording, session.tools), session
        )


def make_agent(make: AgentClass, question: str, tools: Tools) -> OwnAgent:
    """Make an agent for one episode. Raises InputError where what is made has no method `act`."""
    try:
        parameters = list(inspect.signature(make).parameters.values())
    except ValueError:
        parameters = []
    n = len([one for one in parameters if one.default is one.empty and one.kind in _POSITIONAL])
    agent: Any = make(question, tools) if n > 1 else make(question)
    if not callable(getattr(agent, "act", None)):
        raise InputError(f"{type(agent).__name__} is no agent", "give it a method `act(observations)`")
    return OwnAgent(agent)


def _source_digest(make: AgentClass) -> str:
    try:
        source = inspect.getsource(make)
    except (OSError, TypeError):
        return "1"  # typed at a prompt
    return hashlib.sha256(source.encode()).hexdigest()[:12]
