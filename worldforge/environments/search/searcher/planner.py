"""Searchers by name: `searcher`, `searcher?thoughts=short`, as a team `team:searcher`; `noisy-searcher`."""

from __future__ import annotations

from typing import TypeVar
from urllib.parse import parse_qsl

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.environments.coverage import GoldSource
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import Environment, MakePlan, MakeTeam, Plan, Planner, TeamPlan
from worldforge.environments.search.searcher.lead_searcher import LeadSearcher
from worldforge.environments.search.searcher.noisy_searcher import NoiseRates, NoisySearcher
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.searcher import ScriptedSearcher
from worldforge.environments.search.searcher.thoughts import Length, Thoughts
from worldforge.world.task import Task
from worldforge.world.world import World

NAME = "searcher"
NOISY = "noisy-searcher"


class SearcherSettings(BaseModel):
    """Settings of the searcher: `searcher?thoughts=short`. Thoughts are `long`, `short`, or `none`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    thoughts: Length = "long"

    @classmethod
    def parse(cls, text: str) -> SearcherSettings:
        """Read `thoughts=short`, or nothing. Raises InputError for what is no setting."""
        return _parsed(cls, text, f"{NAME}?thoughts=short")


class NoisySearcherSettings(NoiseRates):
    """Settings of the noisy searcher: its rates, and the length of its thoughts."""

    thoughts: Length = "long"

    @classmethod
    def parse(cls, text: str) -> NoisySearcherSettings:
        """Read `wander=0.2&thoughts=short`, or nothing. Raises InputError for what is no setting."""
        return _parsed(cls, text, f"{NOISY}?wander=0.2&misread=0.05")

    def __str__(self) -> str:
        return "&".join(f"{name}={value:g}" if name != "thoughts" else f"{name}={value}" for name, value in self)


Settings = TypeVar("Settings", bound=BaseModel)


def _parsed(settings: type[Settings], text: str, example: str) -> Settings:
    name, hint = example.partition("?")[0], f"for example: `{example}`"
    try:
        return settings.model_validate(dict(parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text))))
    except ValidationError as error:
        first = error.errors()[0]
        known = ", ".join(settings.model_fields)
        message = f"{name}: `{first['loc'][0]}={first['input']}`: {first['msg']}"
        raise InputError(message, f"the settings are {known}; {hint}") from error
    except ValueError as error:
        raise InputError(f"{name}: `{text}` is not written as settings are", hint) from error


class SearcherPlanner(Planner):
    """Makes searchers, which share a reader of the world's pages."""

    clairvoyant = False
    thinks = True
    leads_teams = True

    def __init__(self, environment: type[Environment], settings: str) -> None:
        super().__init__(environment, "")
        self._settings = SearcherSettings.parse(settings)
        self.version = f"4?thoughts={self._settings.thoughts}"

    def prepare(self, world: World, source: GoldSource, dialect: Dialect) -> MakePlan:
        """Open the reader."""
        reader = PageReader(world)

        def plan(task: Task, seed: int) -> Plan:
            thoughts = Thoughts(task.language, seed, self._settings.thoughts)
            return ScriptedSearcher(world.spec, task, reader, dialect, thoughts).play()

        return plan

    def prepare_team(self, world: World, source: GoldSource, dialect: Dialect) -> MakeTeam:
        """Open the reader, which is all that a lead and its sub-searchers share."""
        reader = PageReader(world)

        def team(task: Task, seed: int, max_steps: int) -> TeamPlan:
            thoughts = Thoughts(task.language, seed, self._settings.thoughts)
            lead = LeadSearcher(world.spec, task, reader, dialect, thoughts, seed, max_steps)

            def sub_plan(prompt: str, number: int) -> Plan:
                own = int(Stream(seed, "team").bits(np.array([number]))[0] >> np.uint64(1))
                return lead.sub_searcher(prompt, number, Thoughts(task.language, own, self._settings.thoughts)).play()

            return TeamPlan(lead.play(), sub_plan)

        return team


class NoisySearcherPlanner(Planner):
    """Makes searchers that err at the rates that its settings give."""

    clairvoyant = False
    thinks = True

    def __init__(self, environment: type[Environment], settings: str) -> None:
        super().__init__(environment, "")
        self._settings = NoisySearcherSettings.parse(settings)
        self.version = f"4?{self._settings}"

    def prepare(self, world: World, source: GoldSource, dialect: Dialect) -> MakePlan:
        """Open the reader."""
        reader = PageReader(world)

        def plan(task: Task, seed: int) -> Plan:
            thoughts = Thoughts(task.language, seed, self._settings.thoughts)
            return NoisySearcher(world.spec, task, reader, dialect, thoughts, self._settings, seed).play()

        return plan
