"""The searcher by name: `searcher`, `searcher?thoughts=short`; as a team `team:searcher`."""

from __future__ import annotations

from urllib.parse import parse_qsl

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.environments.coverage import GoldSource
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import Environment, MakePlan, MakeTeam, Plan, Planner, TeamPlan
from worldforge.environments.search.searcher.lead_searcher import LeadSearcher
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.searcher import ScriptedSearcher
from worldforge.environments.search.searcher.thoughts import Length, Thoughts
from worldforge.world.task import Task
from worldforge.world.world import World

NAME = "searcher"


class SearcherSettings(BaseModel):
    """Settings of the searcher: `searcher?thoughts=short`. Thoughts are `long`, `short`, or `none`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    thoughts: Length = "long"

    @classmethod
    def parse(cls, text: str) -> SearcherSettings:
        """Read `thoughts=short`, or nothing. Raises InputError for what is no setting."""
        example = f"for example: `{NAME}?thoughts=short`"
        try:
            return cls.model_validate(dict(parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text))))
        except ValidationError as error:
            first = error.errors()[0]
            raise InputError(f"{NAME}: `{first['loc'][0]}={first['input']}`: {first['msg']}", example) from error
        except ValueError as error:
            raise InputError(f"{NAME}: `{text}` is not written as settings are", example) from error


class SearcherPlanner(Planner):
    """Makes searchers, which share a reader of the world's pages."""

    clairvoyant = False
    leads_teams = True

    def __init__(self, environment: type[Environment], settings: str) -> None:
        super().__init__(environment, "")
        self._settings = SearcherSettings.parse(settings)
        self.version = f"1?thoughts={self._settings.thoughts}"

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
