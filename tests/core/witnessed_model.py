"""A model's agent that says in a file where its model is open: in which process, below which, with an engine or not."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from worldforge.agents.agent import EpisodeLimits
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.agents import ModelAgentFactory
from worldforge.rollouts.factories import MakeAgent, TaskMentions
from worldforge.world.world import World


@dataclass(frozen=True)
class WitnessedModel(ModelAgentFactory):
    seen: str = ""

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, mentions: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        async with ModelAgentFactory(self.address).open(world, models, limits, mentions) as make_agent:
            above = [process.pid for process in psutil.Process().parents()]
            told = {"pid": os.getpid(), "above": above, "has_engine": "vllm" in sys.modules}
            (Path(self.seen) / f"{os.getpid()}.json").write_text(json.dumps(told), encoding="utf-8")
            yield make_agent
