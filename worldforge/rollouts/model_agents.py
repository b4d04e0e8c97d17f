"""Language models as agents, alone and in teams. Of a task they are handed the wording, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import numpy as np

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.agent_prompts import sub_agent_prompt, system_prompt
from worldforge.agents.model_agent import VERSION, ModelAgent, ModelSettings
from worldforge.agents.team import TEAM_TOOLS, TeamSession
from worldforge.core.chance import Stream
from worldforge.environments.session import Session
from worldforge.models.model import Model
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.factories import MakeAgent, SessionAgent, TaskMentions, Tools
from worldforge.rollouts.trials import Trial
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class ModelAgentFactory:
    """Makes agents of the model at `address`, which may start others where they are to work as a `team`.

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
        self, world: World, models: ModelPool, limits: EpisodeLimits, stated: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Open the model."""
        model = await models.get(self.address)
        yield lambda trial, seed, session: self._make(model, trial, seed, session, limits.at(trial.task))

    def _make(self, model: Model, trial: Trial, seed: int, session: Session, limits: EpisodeLimits) -> SessionAgent:
        language = trial.task.language
        structured = self.address.backend == "vllm" and not self.address.settings.tool_parser
        settings = ModelSettings(self.address.sampling, self.address.thinking, structured, language=language)
        prompt = sub_agent_prompt(session.tools, language)

        def start(asked: str, number: int, share: EpisodeLimits) -> ModelAgent:
            own = int(Stream(seed, "team").bits(np.array([number]))[0] >> np.uint64(1))
            report = replace(settings, wants_table=False)
            return ModelAgent(
                model, asked, session.tools, system_prompt=prompt, limits=share, settings=report, seed=own
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
