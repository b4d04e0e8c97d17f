"""Language models as agents, alone and in teams. Of a task they are handed the wording, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import numpy as np

from worldforge.agents.agent import Agent, EpisodeLimits
from worldforge.agents.agent_prompts import sub_agent_prompt, system_prompt
from worldforge.agents.model_agent import VERSION, ModelAgent, ModelSettings
from worldforge.agents.team import TEAM_TOOLS, SubEpisode, TeamSession
from worldforge.core.chance import Stream
from worldforge.environments.session import Session
from worldforge.models.model import Model
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.factories import MakeAgent, SessionAgent, TaskMentions, Tools
from worldforge.rollouts.trajectory import SubAgent
from worldforge.rollouts.trials import Trial
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class ModelAgentFactory:
    """Makes agents of the model at `address`.

    They call tools as the model was trained to where a parser can read that (a server has its own), else in JSON that a
    grammar keeps valid.
    """

    address: ModelAddress

    @property
    def name(self) -> str:
        """The model and how it draws tokens; not where it runs."""
        return self.address.identity

    @property
    def version(self) -> str:
        """The version of what makes an agent of it."""
        return VERSION

    @property
    def model(self) -> str:
        """The whole address."""
        return str(self.address)

    @property
    def settings(self) -> ModelSettings:
        """How it plays."""
        structured = self.address.backend == "vllm" and not self.address.settings.tool_parser
        return ModelSettings(self.address.sampling, self.address.thinking, structured)

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return what a searcher is told."""
        return system_prompt(tools, language)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, stated: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Open the model."""
        model = await models.get(self.address)

        def seat(trial: Trial, seed: int, session: Session) -> SessionAgent:
            language = trial.task.language
            return SessionAgent(
                ModelAgent(
                    model,
                    trial.task.wording,
                    session.tools,
                    system_prompt=self.system_prompt(session.tools, language),
                    limits=limits.at(trial.task),
                    settings=replace(self.settings, language=language),
                    seed=seed,
                ),
                session,
            )

        yield seat


@dataclass(frozen=True, slots=True)
class TeamFactory:
    """Makes teams of the model at `address`: an agent that may start others."""

    address: ModelAddress

    @property
    def name(self) -> str:
        """The team's model, and how it draws tokens."""
        return f"team:{self.address.identity}"

    @property
    def version(self) -> str:
        """The version of what makes an agent of it."""
        return VERSION

    @property
    def model(self) -> str:
        """The whole address."""
        return str(self.address)

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return what the main agent is told."""
        return system_prompt([*tools, *TEAM_TOOLS], language)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, stated: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Open the model."""
        model = await models.get(self.address)
        yield lambda trial, seed, session: self._seat(model, trial, seed, session, limits.at(trial.task))

    def _seat(self, model: Model, trial: Trial, seed: int, session: Session, limits: EpisodeLimits) -> SessionAgent:
        language = trial.task.language
        settings = replace(ModelAgentFactory(self.address).settings, language=language)
        prompt = sub_agent_prompt(session.tools, language)

        def start(asked: str, number: int, share: EpisodeLimits) -> Agent:
            return ModelAgent(
                model,
                asked,
                session.tools,
                system_prompt=prompt,
                limits=share,
                settings=replace(settings, wants_table=False),
                seed=_seed_of(seed, number),
            )

        team = TeamSession(session, start, limits)
        agent = ModelAgent(
            model,
            trial.task.wording,
            team.tools,
            system_prompt=self.system_prompt(session.tools, language),
            limits=limits,
            settings=settings,
            seed=seed,
        )
        return SessionAgent(agent, team, lambda: tuple(_sub_agent(prompt, sub) for sub in team.sub_episodes))


def _seed_of(seed: int, number: int) -> int:
    return int(Stream(seed, "team").bits(np.array([number]))[0] >> np.uint64(1))


def _sub_agent(system: str, sub: SubEpisode) -> SubAgent:
    turns = sub.episode.turns if sub.episode is not None else ()
    ending = sub.episode.ending if sub.episode is not None else "failed"
    return SubAgent(sub.call_id, system, sub.prompt, turns, ending, sub.error)
