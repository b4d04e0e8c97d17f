import asyncio
from dataclasses import dataclass

import pytest

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import run_episode
from worldforge.environments.controls.control_plan import load_controls
from worldforge.environments.registry import dialect_named
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.evidence_plan import EvidencePlanner
from worldforge.scoring.gold_table import gold_of
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.evidence import Evidence
from worldforge.world.value_formats import ValueFormats
from worldforge.world.world import open_world

LIMITS = EpisodeLimits(max_steps=100)  # more than the largest task takes under the harshest controls


@dataclass
class Place:
    """A world, and what it takes to send agents into it."""

    world: object
    planner: EvidencePlanner

    @property
    def tasks(self):
        return self.world.tasks

    def environment(self, dialect="agentworld"):
        return SearchEnvironment(self.world, dialect_named(dialect))

    def controls(self, source):
        return self.environment().controls(load_controls(source))

    def play(self, agent, session, limits=LIMITS):
        return asyncio.run(run_episode(agent, session, limits))


@pytest.fixture(scope="session")
def place(quickstart):
    world = open_world(quickstart)
    return Place(world, EvidencePlanner(world.pages, Evidence(world.mentions), ValueFormats.of_world(world)))


@pytest.fixture
def score():
    return lambda task, answer: score_strict(answer, gold_of(task)).item_f1
