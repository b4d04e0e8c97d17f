"""The interface of a rollout to agents: what makes them, and for which sessions.

A factory is a small record that pickles (names, settings, addresses); what is costly or cannot travel, such as a plan
over a world's mentions, a search index, a model's engine, is made in `open`, once a process and inside its event loop,
and let go at its end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from worldforge.agents.agent import Agent, EpisodeLimits
from worldforge.agents.agent_prompts import system_prompt
from worldforge.agents.team import SubEpisode
from worldforge.environments.session import Session
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.trials import Trial
from worldforge.world.evidence import Evidence, mentions_of_pages_stating
from worldforge.world.site_figures import page_sites
from worldforge.world.task import Task
from worldforge.world.world import World

Tools = Sequence[Mapping[str, Any]]
"""Tools as OpenAI function schemas."""


class TaskMentions:
    """What the world's pages state of `tasks`: of a world with many more mentions, those that its tasks need.

    Nothing is read before it is asked for, as not every agent needs it; `mentions` may be given, already read.
    """

    def __init__(self, world: World, tasks: Iterable[Task], mentions: pa.Table | None = None) -> None:
        self._world, self._mentions = world, mentions
        self.tasks = list({task.id: task for task in tasks}.values())

    @cached_property
    def mentions(self) -> pa.Table:
        """The mentions, in order, of the pages that state any fact that an answer to one of the tasks rests on."""
        if self._mentions is not None:
            return self._mentions
        facts = {fact for task in self.tasks for fact in task.needed_facts}
        return mentions_of_pages_stating(self._world.stored("mentions.parquet"), facts)

    @cached_property
    def evidence(self) -> Evidence:
        """The same, by fact."""
        return Evidence(self.mentions, page_sites(self._world))


@dataclass(frozen=True, slots=True)
class SessionAgent:
    """An agent at the session of one episode, as it sees it; `sub_agents` grow by those that it starts."""

    agent: Agent
    session: Session
    sub_agents: Sequence[SubEpisode] = ()


MakeAgent = Callable[[Trial, int, Session], SessionAgent]
"""Makes the agent of one episode: from what is played, its seed, and its session."""


class AgentFactory(ABC):
    """Makes the agents of a run, identified by `name` and `version`."""

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """What the agent is called."""

    @property
    @abstractmethod
    def version(self) -> str:
        """Which of that name: differs wherever its actions may differ."""

    @property
    def model(self) -> str:
        """The address of its model; empty where it is a script. For the record: rows do not depend on it."""
        return ""

    @property
    def clairvoyant(self) -> bool:
        """Whether it knows what neither the question nor an observation has shown, as an oracle does."""
        return False

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return the text of the system message, before these tools and a task in this language.

        That is the prompt of a searcher, for the record: an agent in code need not read it.
        """
        return system_prompt(tools, language)

    @abstractmethod
    def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, mentions: TaskMentions
    ) -> AbstractAsyncContextManager[MakeAgent]:
        """Prepare what the agents of one process share; `mentions` says where pages state what their tasks ask.

        Raises WorldForgeError where they cannot play.
        """
