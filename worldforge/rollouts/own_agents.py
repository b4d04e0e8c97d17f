"""A user's agent class as a factory: `rollout(world, agent=Skimmer)` makes one of them for each episode."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.agent_prompts import system_prompt
from worldforge.agents.own_agent import OwnAgent, SimpleAgent
from worldforge.core.errors import InputError
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.factories import MakeAgent, SessionAgent, TaskMentions, Tools
from worldforge.world.world import World

AgentClass = Callable[..., SimpleAgent]
"""Makes an agent of the question's text; where it takes two arguments, of its tools (OpenAI schemas) as well."""


@dataclass(frozen=True, slots=True)
class OwnAgentFactory:
    """Makes agents of a class, or of a function that returns one. `version` is a digest of its source code."""

    make: AgentClass
    name: str
    version: str
    model: str = ""

    @classmethod
    def of(cls, make: AgentClass) -> OwnAgentFactory:
        """Take name and version from the class: its own `name` and `version`, or what they are in Python."""
        called = getattr(make, "__name__", type(make).__name__)
        name = getattr(make, "name", None) or called.lower()
        version = getattr(make, "version", None) or _source_digest(make)
        return cls(make, str(name), str(version))

    def system_prompt(self, tools: Tools, language: str) -> str:
        """Return what any searcher is told, for the record: an agent in code need not read it."""
        return system_prompt(tools, language)

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, stated: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        """Prepare nothing: each episode has an agent of its own."""
        yield lambda trial, _seed, session: SessionAgent(made(self.make, trial.task.wording, session.tools), session)


def made(make: AgentClass, question: str, tools: Tools) -> OwnAgent:
    """Make an agent for one episode. Raises InputError where what is made has no method `act`."""
    n = len([one for one in _parameters(make) if one.default is one.empty and one.kind in _POSITIONAL])
    agent: Any = make(question, tools) if n > 1 else make(question)
    if not callable(getattr(agent, "act", None)):
        raise InputError(f"{type(agent).__name__} is no agent", "give it a method `act(observations)`")
    return OwnAgent(agent)


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _parameters(make: AgentClass) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(make).parameters.values())
    except ValueError:
        return []


def _source_digest(make: AgentClass) -> str:
    try:
        source = inspect.getsource(make)
    except (OSError, TypeError):
        return "1"  # typed at a prompt
    return hashlib.sha256(source.encode()).hexdigest()[:12]
