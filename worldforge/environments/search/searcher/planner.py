"""The searcher by name: `searcher`, `searcher?thoughts=short`."""

from __future__ import annotations

from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, ValidationError

from worldforge.core.errors import InputError
from worldforge.environments.coverage import GoldSource
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import Environment, MakePlan, Plan, Planner
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
