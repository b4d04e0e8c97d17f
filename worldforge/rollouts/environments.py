"""The environments that ship, as one factory: which tools, in which dialect, under which controls, worded by whom."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from worldforge.core.errors import InputError
from worldforge.environments.controls.compiled import Controls
from worldforge.environments.controls.plan import ControlPlan, WrongFacts
from worldforge.environments.controls.presets import load_controls
from worldforge.environments.dialects.named import SEARCH_DIALECTS, dialect_named
from worldforge.environments.rendering import Renderer
from worldforge.environments.search import SearchEnvironment
from worldforge.models.address import ModelAddress
from worldforge.models.pool import ModelPool
from worldforge.rollouts.seats import SessionFor, Tools
from worldforge.world.world import World
from worldforge.world_model.model_renderer import open_renderer
from worldforge.world_model.prompt import Drafting

if TYPE_CHECKING:
    from worldforge.environments.database.environment import DatabaseEnvironment

Kind = Literal["search", "database"]
_DIALECTS = {"search": "agentworld", "database": "mcp"}


@dataclass(frozen=True, slots=True)
class EnvironmentSettings:
    """An environment; a `seats.EnvironmentFactory`.

    `plan` are its controls, `preset` what they are called in short. `worded_by` is the model that words what tools
    bring, in at most `drafts` drafts; None, and the engine does.
    """

    kind: Kind = "search"
    dialect: str = "agentworld"
    plan: ControlPlan = field(default_factory=ControlPlan)
    preset: str = ""
    worded_by: ModelAddress | None = None
    drafts: int = 3

    @property
    def name(self) -> str:
        """Which tools, in which dialect: `search/agentworld`."""
        return f"{self.kind}/{self.dialect}"

    @property
    def controls(self) -> str:
        """The controls as JSON; empty where there are none."""
        acts = self.plan.schedule is not None or self.plan.controls()
        return json.dumps(self.plan.to_json(), sort_keys=True, ensure_ascii=False) if acts else ""

    @property
    def world_model(self) -> str:
        """The model that words observations, and how it draws tokens; empty where the engine does."""
        return self.worded_by.identity if self.worded_by is not None else ""

    @property
    def model(self) -> str:
        """The whole address of that model."""
        return str(self.worded_by) if self.worded_by is not None else ""

    @property
    def tools(self) -> Tools:
        """The tools of the dialect."""
        return dialect_named(self.dialect).tools

    def truthful(self) -> EnvironmentSettings:
        """Return the environment with its controls, but without wrong facts, worded by the engine."""
        return replace(self, plan=_truthful(self.plan), worded_by=None)

    @asynccontextmanager
    async def open(self, world: World, models: ModelPool) -> AsyncIterator[SessionFor]:
        """Open the world's index or tables, its controls, and the model that words."""
        dialect = dialect_named(self.dialect)
        environment: SearchEnvironment | DatabaseEnvironment
        if self.kind == "search":
            environment = SearchEnvironment(world, dialect)
        else:  # imported only where it is asked for: a search needs no database
            from worldforge.environments.database.environment import DatabaseEnvironment

            environment = DatabaseEnvironment(world, dialect)
        controls = Controls(self.plan, world) if self.controls else None

        def sessions(renderer: Renderer | None) -> SessionFor:
            return lambda trial, seed: environment.session(
                controls.session(trial.task.id, seed, trial.place) if controls else None, renderer
            )

        if self.worded_by is None:
            yield sessions(None)
            return
        drafting = Drafting(self.worded_by.sampling, self.drafts, self.worded_by.thinking)
        with open_renderer(world, await models.get(self.worded_by), drafting) as renderer:
            yield sessions(renderer)


def settings_from(
    kind: Kind, dialect: str | None, controls: str | None, world_model: str | None, drafts: int
) -> EnvironmentSettings:
    """Read an environment's settings as a person gives them. Raises InputError where one cannot be."""
    chosen = dialect or _DIALECTS[kind]
    fitting = list(SEARCH_DIALECTS) if kind == "search" else [_DIALECTS[kind]]
    if chosen not in fitting:
        raise InputError(f"the {kind} environment has no dialect `{chosen}`", f"it has {', '.join(fitting)}")
    plan = load_controls(controls) if controls else ControlPlan()
    settings = EnvironmentSettings(
        kind=kind,
        dialect=chosen,
        plan=plan,
        worded_by=ModelAddress.parse(world_model) if world_model else None,
        drafts=drafts,
    )
    return replace(
        settings, preset=(controls or "").partition(",")[0].removesuffix(".yaml") if settings.controls else ""
    )


def _truthful(plan: ControlPlan) -> ControlPlan:
    ends = plan.schedule and plan.schedule.model_copy(
        update={"begin": _truthful(plan.schedule.begin), "to": _truthful(plan.schedule.to)}
    )
    return plan.model_copy(update={"wrong_facts": WrongFacts(), "schedule": ends})
