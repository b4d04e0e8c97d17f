"""Actors on a Ray cluster: hired and begun, given lots of items, and replaced where one is lost, or its node.

What a lost actor had not done waits for another; what it had done is not taken twice.
"""

from __future__ import annotations

import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from worldforge.core.engine import Stopping
from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.events import emit
from worldforge.core.store_server import ServerAddress, serving_stores
from worldforge.jobs.ray_cluster import Demand, living_nodes
from worldforge.jobs.ray_worker import Place, Worker

Handle = Any
"""Ray's handle of an actor; its values are untyped."""
Call = Callable[[Handle, list[Any]], Any]
"""Has an actor do some items; gives Ray's generator of lists of keys and results."""

_POLL_S = 1.0  # how long to wait for Ray before looking whether all is to stop
_WORDLESS_S = 15.0  # for so long nobody is told that the cluster has no room yet
_LOSSES = 3  # of workers, in the midst of the same items, of which none came back: those items kill


@dataclass(slots=True)
class Lot:
    """Items by key that go to one worker, and how many were lost with it in a row."""

    items: dict[Any, Any]
    losses: int = 0


@contextmanager
def hired(size: int, demand: Demand, place: Place, given: Any, tell: Callable[[str], None]) -> Iterator[Team]:
    """Give a team of `size` actors, each of which is begun at `place` with what is `given`; dismissed at the end."""
    with serving_stores(ray.util.get_node_ip_address()) as stores:
        team = Team(demand, place, ray.put(given), tell, stores)
        try:
            for _ in range(size):
                team.hire()
            yield team
        finally:
            team.dismiss()


@dataclass
class Team:
    """Actors, those that are starting and those at work; in place of one that is lost, another is started.

    Their text stores are those of this process, at `stores`: it alone writes the files.
    """

    demand: Demand
    place: Place
    given: Any
    tell: Callable[[str], None]
    stores: ServerAddress
    starting: dict[Any, Handle] = field(default_factory=dict)
    load: dict[Handle, int] = field(default_factory=dict)
    n_failed: int = 0

    def hire(self) -> None:
        """Ask Ray for one more."""
        actor = ray.remote(
            num_cpus=self.demand.cpus,
            num_gpus=self.demand.gpus,
            scheduling_strategy="SPREAD",
            concurrency_groups={"aside": 1},
        )(Worker).remote()
        # in a list Ray hands the reference on as it is
        self.starting[actor.begin.remote(self.place, self.stores, ray.get, [self.given])] = actor

    def dismiss(self) -> None:
        """End them all."""
        for actor in (*self.starting.values(), *self.load):
            with contextlib.suppress(RayError):
                ray.kill(actor)
        self.starting.clear()
        self.load.clear()

    def run(
        self, call: Call, draw: Callable[[], Lot | None], stopping: Stopping = lambda: False, queued: int = 1
    ) -> Iterator[tuple[Any, Any]]:
        """Have what `draw` gives done, at most `queued` lots at a worker; give each key once, with its result."""
        running: dict[Any, tuple[Handle, Lot]] = {}
        waiting: deque[Lot] = deque()
        begun = told = False
        patience = _Patience(self)
        try:
            while True:
                if begun and stopping():  # each sitting gets on a little, however long its cluster took to begin
                    waiting.clear()
                    if not told:
                        told = True
                        for actor, _ in running.values():
                            actor.stop.options(concurrency_group="aside").remote()
                else:
                    self._deal(call, draw, waiting, running, queued)
                if not running and not waiting:
                    return
                begun = begun or bool(running)
                patience.look(bool(running))
                ready, _ = ray.wait([*running, *self.starting], num_returns=1, timeout=_POLL_S)
                for one in ready:
                    if one in running:
                        yield from self._listen(one, waiting, running)
                    else:
                        self._welcome(one)
        finally:
            for generator in running:
                with contextlib.suppress(RayError, ValueError):
                    ray.cancel(generator, recursive=False)
            self.load = dict.fromkeys(self.load, 0)

    def _deal(
        self,
        call: Call,
        draw: Callable[[], Lot | None],
        waiting: deque[Lot],
        running: dict[Any, tuple[Handle, Lot]],
        queued: int,
    ) -> None:
        """Give lots to those who have the least to do. One is drawn ahead, to know whether there is any."""
        while True:
            if not waiting and (lot := draw()) is not None:
                waiting.append(lot)
            actor = min(self.load, key=self.load.__getitem__, default=None)
            if not waiting or actor is None or self.load[actor] >= queued:
                return
            lot = waiting.popleft()
            running[call(actor, list(lot.items.values()))] = actor, lot
            self.load[actor] += 1

    def _listen(
        self, generator: Any, waiting: deque[Lot], running: dict[Any, tuple[Handle, Lot]]
    ) -> Iterator[tuple[Any, Any]]:
        """Take what a worker has done. Where it is lost, what it has not done waits for another."""
        actor, lot = running[generator]
        try:
            results = ray.get(next(generator))
        except StopIteration:
            del running[generator]
            self.load[actor] -= 1
            return
        except RayTaskError as error:
            raise _cause(error) from None
        except RayError as error:
            lot.losses += 1
            if lot.losses > _LOSSES:
                raise WorldForgeError(
                    f"{lot.losses} Ray workers in a row were lost at the same work: {_said(error)}",
                    "memory may be short: try fewer `--workers`; the same command goes on from here",
                ) from error
            del running[generator]
            waiting.appendleft(lot)
            self._replace(actor)
            return
        lot.losses = 0
        for key, result in results:
            if key is None or lot.items.pop(key, None) is not None:  # None: a report on the way, of no item
                yield key, result

    def _welcome(self, begun: Any) -> None:
        """Let an actor that has begun take part; or ask for another, where it is lost before it has."""
        actor = self.starting.pop(begun)
        try:
            ray.get(begun)
        except RayTaskError as error:
            raise _cause(error) from None
        except RayError as error:
            self._check_code(error)
            self.n_failed += 1
            if self.n_failed > _LOSSES:
                raise WorldForgeError(
                    f"{self.n_failed} Ray workers in a row were lost as they started: {_said(error)}",
                    "Ray's own logs say more: /tmp/ray/session_latest/logs on its node",
                ) from error
            self.hire()
            return
        self.n_failed = 0
        self.load[actor] = 0

    def _check_code(self, error: RayError) -> None:
        if "No module named 'worldforge" in str(error):
            raise InputError(
                "a node of the Ray cluster does not have worldforge",
                "install the same version on every node, or send it along: "
                '`ray job submit --runtime-env-json \'{"pip": ["worldforge[ray]"]}\' -- worldforge …`',
            ) from error

    def _replace(self, actor: Handle) -> None:
        if actor in self.load:
            del self.load[actor]
            with contextlib.suppress(RayError):
                ray.kill(actor)
            emit("worker_lost", logging.WARNING)
            self.tell("a Ray worker was lost: others do what it had not done")
            self.hire()


class _Patience:
    """Watches a team that has no worker yet, or none any more: waits for a busy cluster, and says so once."""

    def __init__(self, team: Team) -> None:
        self._team, self._waited_s, self._said = team, 0.0, False

    def look(self, at_work: bool) -> None:
        """Count a look at the team. Raises WorldForgeError where no node is left that has the room."""
        if at_work or self._team.load:
            self._waited_s = 0.0
            return
        self._waited_s += _POLL_S
        if not any(self._team.demand.fitting(node) for node in living_nodes()):
            raise WorldForgeError(
                f"no node of the Ray cluster is left that has {self._team.demand} for a worker",
                "the same command goes on from here, once there is one",
            )
        if self._waited_s >= _WORDLESS_S and not self._said:
            self._said = True
            emit("cluster_busy", logging.WARNING, demand=str(self._team.demand))
            self._team.tell(f"the Ray cluster is busy: waiting until a worker gets {self._team.demand}")


def _cause(error: RayTaskError) -> BaseException:
    """Return what a worker has raised: an explained failure as it is, anything else with the place where it was."""
    cause: BaseException = error.cause
    if not isinstance(cause, WorldForgeError):
        cause.add_note(str(error))
    return cause


def _said(error: Exception) -> str:
    """Return the first words of what Ray says of a failure."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
