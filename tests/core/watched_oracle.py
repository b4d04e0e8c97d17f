"""The oracle, taking its time, and leaving a file where each episode begins: which process, which episode."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from worldforge.agents.agent import Action, Agent, EpisodeLimits
from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.core.store_server import open_store
from worldforge.environments.session import Observation
from worldforge.models.model_pool import ModelPool
from worldforge.rollouts.agents import ScriptedAgentFactory
from worldforge.rollouts.factories import MakeAgent, SessionAgent, TaskMentions
from worldforge.rollouts.trials import Trial
from worldforge.world.world import World


def tell_the_log(number: int) -> int:
    emit("told", number=number)
    return os.getpid()


class Slow:
    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def act(self, observations: Sequence[Observation]) -> Action:
        await asyncio.sleep(0.03)
        return await self._agent.act(observations)


@dataclass(frozen=True)
class WatchedOracle(ScriptedAgentFactory):
    begun: str = ""
    opened: str = ""
    """A folder in which each process says where it reads the world."""

    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, mentions: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        if self.opened:
            (Path(self.opened) / f"{os.getpid()}").write_text(str(world.path))
        async with ScriptedAgentFactory().open(world, models, limits, mentions) as make_agent:
            yield lambda trial, seed, session: self._seen(trial, make_agent(trial, seed, session))

    def _seen(self, trial: Trial, seat: SessionAgent) -> SessionAgent:
        (Path(self.begun) / f"{os.getpid()}-{trial.index}").touch()
        return replace(seat, agent=Slow(seat.agent))


@dataclass(frozen=True)
class Refused(ScriptedAgentFactory):
    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, mentions: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        raise InputError("this agent will not play", "take another")
        yield


@dataclass(frozen=True)
class Deadly(ScriptedAgentFactory):
    @asynccontextmanager
    async def open(
        self, world: World, models: ModelPool, limits: EpisodeLimits, mentions: TaskMentions
    ) -> AsyncIterator[MakeAgent]:
        os._exit(9)
        yield


def put_texts(numbered: tuple[Path, int]) -> tuple[list[str | None], list[str]]:
    """Put a text under a key that all share, and one of the item's own; return what is stored, and open files."""
    folder, number = numbered
    with open_store(folder / "observations.sqlite") as store:
        kept = [store.put("shared", f"by {number}"), store.put(f"{number}", f"{number}"), store.get("before")]
        opened = [os.path.realpath(file) for file in Path("/proc/self/fd").iterdir()]
        return kept, [file for file in opened if ".sqlite" in file]


@asynccontextmanager
async def put_session(_context: None) -> AsyncIterator[Callable[[tuple[Path, int]], Awaitable[str | None]]]:
    """Open what puts the texts of an item and tells what stands there."""

    async def put(item: tuple[Path, int]) -> str | None:
        await asyncio.sleep(0)
        return put_texts(item)[0][0]

    yield put
