"""The oracle, taking its time: `slow_oracle.py WORLD WORKERS TRIALS [RANK OF]` plays slowly enough to be killed."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from worldforge.agents.agent import Action, Agent, EpisodeLimits
from worldforge.entry_points.play_run import rollout
from worldforge.environments.session import Observation
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.agents import ScriptedAgentFactory
from worldforge.rollouts.factories import MakeAgent, SessionAgent, TaskMentions
from worldforge.rollouts.rank_shards import RankShard
from worldforge.world.world import World, open_world


class Slow:
    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def act(self, observations: Sequence[Observation]) -> Action:
        await asyncio.sleep(0.02)
        return await self._agent.act(observations)


@dataclass(frozen=True)
class SlowOracleFactory(ScriptedAgentFactory):
    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, mentions: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        async with ScriptedAgentFactory().open(world, models, limits, mentions) as make_agent:
            yield lambda trial, seed, session: slowed(make_agent(trial, seed, session))


def slowed(seat: SessionAgent) -> SessionAgent:
    return replace(seat, agent=Slow(seat.agent))


if __name__ == "__main__":
    folder, workers, trials, *share = sys.argv[1:]
    part = RankShard(*map(int, share)) if share else None
    options = {"trials": int(trials), "concurrency": 16, "workers": int(workers), "part": part}
    try:
        rollout(open_world(folder), agent=SlowOracleFactory(), **options)
    except KeyboardInterrupt:
        sys.exit(130)
