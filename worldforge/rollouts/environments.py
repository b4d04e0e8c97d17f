"""The environments that ship, as one factory: which tools, in which dialect, under which controls, worded by whom."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from worldforge.environments.dialects.agentworld import AGENT_WORLD
from worldforge.environments.search import SearchEnvironment
from worldforge.models.pool import ModelPool
from worldforge.rollouts.seats import SessionFor, Tools
from worldforge.world.world import World

Kind = Literal["search", "database"]


@dataclass(frozen=True, slots=True)
class EnvironmentSettings:
    """An environment; a `seats.EnvironmentFactory`."""

    kind: Kind = "search"
    dialect: str = "agentworld"

    @property
    def name(self) -> str:
        """Which tools, in which dialect: `search/agentworld`."""
        return f"{self.kind}/{self.dialect}"

    @property
    def preset(self) -> str:
        """What the controls are called in short."""
        return ""

    @property
    def controls(self) -> str:
        """The controls as JSON."""
        return ""

    @property
    def world_model(self) -> str:
        """The model that words observations."""
        return ""

    @property
    def tools(self) -> Tools:
        """The tools of the dialect."""
        return AGENT_WORLD.tools

    @asynccontextmanager
    async def open(self, world: World, models: ModelPool) -> AsyncIterator[SessionFor]:
        """Open the world's index."""
        environment = SearchEnvironment(world)
        yield lambda _trial, _seed: environment.session()


def settings_from(
    kind: Kind, dialect: str | None, controls: str | None, world_model: str | None, drafts: int
) -> EnvironmentSettings:
    """Read an environment's settings as a person gives them. Raises InputError where one cannot be."""
    return EnvironmentSettings(kind, dialect or "agentworld")
