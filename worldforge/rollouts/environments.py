"""The environment of a run: tools, dialect, controls, and the model that words observations."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from worldforge.environments.controls.control_plan import ControlPlan, WrongFacts, load_controls
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import Environment
from worldforge.environments.registry import dialect_of, environment_named, name_of
from worldforge.environments.session import Renderer, Session
from worldforge.environments.shipped import DEFAULT
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.factories import Tools
from worldforge.rollouts.trials import Trial
from worldforge.world.world import World
from worldforge.world_model.model_renderer import open_renderer
from worldforge.world_model.prompt import Drafting

OpenSession = Callable[[Trial, int], Session]
"""Opens the session of one episode: from what is played, and its seed."""


@dataclass(frozen=True, slots=True)
class EnvironmentSettings:
    """An environment with its settings, which pickle; a process opens it once.

    `dialect_name` is empty for the environment's default dialect; `NAME+TOOL` adds a tool to one. `plan` are its
    controls, `preset` what they are called in short. `worded_by` is the model that words what tools bring, in at most
    `drafts` drafts; None, and the engine does.
    """

    environment: type[Environment] = field(default_factory=lambda: environment_named(DEFAULT))
    dialect_name: str = ""
    plan: ControlPlan = field(default_factory=ControlPlan)
    preset: str = ""
    worded_by: ModelAddress | None = None
    drafts: int = 3

    @property
    def name(self) -> str:
        """Which tools, in which dialect: `search/agentworld`."""
        return f"{name_of(self.environment)}/{self.dialect.name}"

    @property
    def dialect(self) -> Dialect:
        """The dialect. Raises InputError where the environment has none of that name."""
        return dialect_of(self.environment, self.dialect_name)

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
        return self.dialect.tools

    def truthful(self) -> EnvironmentSettings:
        """Return the environment with its controls, but without wrong facts, worded by the engine."""
        return replace(self, plan=_truthful(self.plan), worded_by=None)

    @asynccontextmanager
    async def open(self, world: World, models: ModelPool) -> AsyncIterator[OpenSession]:
        """Open the environment at a world, its controls, and the model that words."""
        environment = self.environment(world, self.dialect)
        controls = environment.controls(self.plan) if self.controls else None

        def sessions(renderer: Renderer | None) -> OpenSession:
            return lambda trial, seed: environment.session(
                trial.task,
                seed,
                controls=controls.session(trial.task.id, seed, trial.place) if controls else None,
                renderer=renderer,
            )

        if self.worded_by is None:
            yield sessions(None)
            return
        drafting = Drafting(self.worded_by.sampling, self.drafts, self.worded_by.thinking)
        with open_renderer(world, await models.get(self.worded_by), drafting) as renderer:
            yield sessions(renderer)


def settings_from(
    kind: str, dialect: str | None, controls: str | None, world_model: str | None, drafts: int
) -> EnvironmentSettings:
    """Parse an environment's settings from command-line values. Raises InputError for bad ones."""
    environment = environment_named(kind)
    dialect_of(environment, dialect or "")
    settings = EnvironmentSettings(
        environment=environment,
        dialect_name=dialect or "",
        plan=load_controls(controls) if controls else ControlPlan(),
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
