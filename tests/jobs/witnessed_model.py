"""A model's agent that leaves a file where its model is open: the process that has it, and the libraries it loaded."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from worldforge.agents.agent import Limits
from worldforge.models.pool import ModelPool
from worldforge.rollouts.model_agents import ModelAgentFactory
from worldforge.rollouts.seats import SeatFor
from worldforge.rollouts.stated import Stated
from worldforge.world.world import World


@dataclass(frozen=True)
class WitnessedModel(ModelAgentFactory):
    seen: str = ""

    @asynccontextmanager
    async def open(self, world: World, models: ModelPool, limits: Limits, stated: Stated) -> AsyncIterator[SeatFor]:
        async with ModelAgentFactory(self.address).open(world, models, limits, stated) as seat_for:
            (Path(self.seen) / str(os.getpid())).write_text(str("vllm" in sys.modules), encoding="utf-8")
            yield seat_for
