"""The oracle, taking its time: `slow_oracle.py WORLD WORKERS` plays the run `oracle`, slowly enough to be killed."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from worldforge.agents.agent import Action, Agent
from worldforge.environments.session import Observation
from worldforge.rollout import rollout
from worldforge.rollouts.factories import AgentFor, OracleFactory
from worldforge.world.world import World, open_world

TRIALS = 3


class Slow:
    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def act(self, observations: Sequence[Observation]) -> Action:
        await asyncio.sleep(0.02)
        return await self._agent.act(observations)


@dataclass(frozen=True)
class SlowOracleFactory(OracleFactory):
    @asynccontextmanager
    async def open(self, world: World) -> AsyncIterator[AgentFor]:
        async with OracleFactory().open(world) as agent_for:
            yield lambda task, seed: Slow(agent_for(task, seed))


if __name__ == "__main__":
    folder, workers = sys.argv[1:]
    try:
        rollout(open_world(folder), agent=SlowOracleFactory(), trials=TRIALS, concurrency=16, workers=int(workers))
    except KeyboardInterrupt:
        sys.exit(130)
