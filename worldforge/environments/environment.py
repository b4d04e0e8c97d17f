"""The environment base class: tools over a world, opened once a process; sessions are opened from it.

    class Counter(Environment):
        name = "counter"
        dialects = {"json": CounterDialect()}

        def backend(self, task, seed):
            return CounterBackend(seed)

        @classmethod
        def plan(cls, task, dialect):
            (observation,) = yield PlanStep("I will add one.", dialect.ask(AddRequest(1)))
            return f"The counter shows {observation.text}."

Everything else (controls, rewards, world models, benches, exports, servers) works on what is declared here, and on what
requests and views say of themselves. `registry.py` finds environments by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, NamedTuple, Self

from worldforge.core.errors import InputError
from worldforge.environments.controls.content_controls import ContentControls
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.controls.session_controls import Controls, SessionControls
from worldforge.environments.coverage import GoldSource, Readers, readers_of_facts
from worldforge.environments.dialect import Dialect
from worldforge.environments.goals import Goal
from worldforge.environments.requests import SessionBackend
from worldforge.environments.session import Observation, Renderer, ToolSession
from worldforge.rewording.slotted_text import SlottedText
from worldforge.world.task import Task
from worldforge.world.world import World


class PlanStep(NamedTuple):
    """One step of a plan: a text, and tools that are called together; arguments as a mapping or raw JSON.

    `reasoning` is what was thought before; with slots where a model may word it anew.
    """

    words: str
    calls: Sequence[tuple[str, Mapping[str, Any] | str]]
    reasoning: str | SlottedText = ""


class FinalAnswer(NamedTuple):
    """The end of a plan: the answer, and what was thought before."""

    text: str
    reasoning: str | SlottedText = ""


Plan = Generator[PlanStep, Sequence[Observation], str | FinalAnswer]
"""Solves a task through an environment's tools: gives steps, is sent what they brought, returns the answer."""
MakePlan = Callable[[Task, int], Plan]
"""Makes the plan of one episode, from its task and its seed."""


class TeamPlan(NamedTuple):
    """The plan of an agent that starts others (`team_tool.py`), and what makes theirs: of its prompt and its number."""

    lead: Plan
    sub_plan: Callable[[str, int], Plan]


MakeTeam = Callable[[Task, int, int], TeamPlan]
"""Makes the plans of one episode of a team: from its task, its seed, and how many calls each may make (0: any)."""


class OutOfCallsError(Exception):
    """Thrown into a plan when its calls are used up; a plan that catches it returns its answer so far."""


class Planner:
    """Plans the episodes of one scripted agent in an environment; by default each task by `Environment.plan`.

    `settings` is what stands after `?` in the agent's name. Raises InputError for settings that it does not have.
    `version` changes wherever its plans do.
    """

    version = "1"
    clairvoyant = True
    """Whether it knows what neither the question nor an observation has shown."""
    thinks = False
    """Whether its steps come with thoughts that a model can word anew."""
    leads_teams = False
    """Whether it can lead others: see `prepare_team`."""

    def __init__(self, environment: type[Environment], settings: str) -> None:
        if settings:
            raise InputError(f"the agent has no settings: `{settings}`", "leave out what follows `?`")
        self.environment = environment

    def prepare(self, world: World, source: GoldSource, dialect: Dialect) -> MakePlan:
        """Prepare what the plans of one process share: `source` has all tasks that will be planned."""
        return lambda task, _seed: self.environment.plan(task, dialect)

    def prepare_team(self, world: World, source: GoldSource, dialect: Dialect) -> MakeTeam:
        """Prepare the same for teams. Raises NotImplementedError where the agent works alone."""
        raise NotImplementedError("the agent leads no team")

    def n_pages(self, task: Task) -> int:
        """Return how many pages the plan of a task reads, where it reads pages. Call `prepare` before."""
        return 0


class Environment(ABC):
    """The base of all environments. The first of its dialects is the default.

    `planners` are the scripted agents that know their way here, by name; by default the oracle, which follows `plan`.
    `content_controls` says what controls do to requests and views beside what they do to all.
    `extra_tools` is the package whose modules are tools that may be added to a dialect; see `extra_tools.py`.
    `states_facts_on_pages` is false where coverage needs no mentions of the world's pages.
    """

    name: ClassVar[str]
    dialects: ClassVar[Mapping[str, Dialect]]
    planners: ClassVar[Mapping[str, type[Planner]]] = {"oracle": Planner}
    content_controls: ClassVar[ContentControls] = ContentControls()
    extra_tools: ClassVar[str] = ""
    states_facts_on_pages: ClassVar[bool] = True
    readers: ClassVar[Readers] = staticmethod(readers_of_facts)

    def __init__(self, world: World, dialect: Dialect | None = None) -> None:
        self.world = world
        self.dialect = dialect or next(iter(self.dialects.values()))

    def in_dialect(self, dialect: Dialect) -> Self:
        """Return the same environment, opened as it is, in another dialect."""
        other = copy(self)
        other.dialect = dialect
        return other

    @classmethod
    def plan(cls, task: Task, dialect: Dialect) -> Plan:
        """Solve a task. Raises NotImplementedError where the environment has no plan for it."""
        raise NotImplementedError(f"the {cls.name} environment plans no task")

    def goal(self, task: Task) -> Goal | None:
        """Return the goal of a task; None where its gold is a table."""
        return Goal.from_json(task.goal) if task.goal else None

    @abstractmethod
    def backend(self, task: Task | None, seed: int) -> SessionBackend:
        """Return a new session's backend."""

    def controls(self, plan: ControlPlan) -> Controls:
        """Make a control plan ready for sessions of this environment."""
        return Controls(plan, self.world, self.content_controls)

    def session(
        self,
        task: Task | None = None,
        seed: int = 0,
        *,
        controls: SessionControls | None = None,
        renderer: Renderer | None = None,
    ) -> ToolSession:
        """Open a session with its own state."""
        goal = self.goal(task) if task is not None else None
        return ToolSession(self.dialect, self.backend(task, seed), controls, renderer, goal)
