"""Work on Ray: workers are actors, on a cluster that is there (`RAY_ADDRESS`) or on one of this machine, begun for it.

    with RayEngine() as engine:
        build("quickstart", engine=engine)

Ray places the workers, carries what they are given and what they give back, and tells when one is lost, or its node.
What a lost worker had not done is then another's, and what it had done is not taken twice. Nothing else imports ray.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from worldforge.builders.records import code_digest
from worldforge.core.engine import Crew, Stopping, Work
from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.events import emit
from worldforge.jobs.ray_worker import Place, Worker

try:
    import ray
    from ray._private.services import canonicalize_bootstrap_address
    from ray.exceptions import RayError, RayTaskError
except ImportError as missing:
    raise InputError("Ray is not installed", "pip install 'worldforge[ray]', here and on every node") from missing

Item = TypeVar("Item")
Key = TypeVar("Key")
Result = TypeVar("Result")
Handle = Any
"""Ray's handle of an actor; its values are untyped."""
Call = Callable[[Handle, list[Any]], Any]
"""Has an actor do some items; gives Ray's generator of lists of keys and results."""

ADDRESS = "RAY_ADDRESS"
_POLL_S = 1.0  # how long to wait for Ray before looking whether all is to stop
_WORDLESS_S = 15.0  # for so long nobody is told that the cluster has no room yet
_STARTS = 3  # of a cluster here: Ray gives its agents 15 s each to come up, which the first start after a boot may miss
_KNOCK_S = 5.0  # for so long a cluster may take to answer at all
_LOSSES = 3  # of workers, in the midst of the same items, of which none came back: those items kill
_QUEUED = 2  # items of a crew at a worker: one under way, and the next


@dataclass(frozen=True, slots=True)
class _Demand:
    """What a worker asks of Ray."""

    cpus: int = 1
    gpus: int = 0

    def fitting(self, node: Mapping[str, float]) -> int:
        """Say how many such workers a node has room for."""
        rooms = [int(node.get(name, 0) // n) for name, n in (("CPU", self.cpus), ("GPU", self.gpus)) if n]
        return min(rooms)

    def __str__(self) -> str:
        return f"{self.cpus} CPU{'s' * (self.cpus > 1)}" + f" and {self.gpus} GPU{'s' * (self.gpus > 1)}" * bool(
            self.gpus
        )


class RayEngine:
    """Runs work by actors of a Ray cluster: `workers` of them, or as many as the cluster has room for.

    Connects when it is first needed, and lets go at the end of the block; a cluster that it has begun ends then.
    `tell` is told, in words, when there is nothing to do but wait for others to leave the cluster.
    """

    def __init__(self, workers: int | None = None, tell: Callable[[str], None] = lambda _text: None) -> None:
        self._asked, self._tell, self._connected = workers, tell, False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connected:
            ray.shutdown()
            self._connected = False

    @property
    def name(self) -> str:
        """`ray`."""
        return "ray"

    @property
    def holds_models(self) -> bool:
        """Each worker may: Ray gives it GPUs of its own."""
        return True

    @property
    def workers(self) -> int:
        """How many workers of a CPU each: as many as were asked for, or fit. Raises InputError where there are none."""
        return self._size(_Demand())

    @contextmanager
    def crew(self, given: Any, *, most: int | None = None, sees: Path | None = None, gpus: int = 0) -> Iterator[Crew]:
        """Open a crew of actors. Raises InputError where no node has the room, or one lacks code or files."""
        demand = self._demand(gpus)
        size = min(self._size(demand), most or self._size(demand))
        with self._team(size, demand, sees, given) as team:
            yield _Crew(team, size)

    def share_out(
        self,
        work: Work,
        items: Mapping[Key, Any],
        stopping: Stopping = lambda: False,
        *,
        meanwhile: Callable[[], None] = lambda: None,
        sees: Path | None = None,
        gpus: int = 0,
    ) -> Iterator[tuple[Key, Any]]:
        """Give every n-th item to each of n actors, and what one leaves undone to others."""
        demand, keyed = self._demand(gpus), list(items.items())
        size = min(self._size(demand), len(keyed))
        lots = (_Lot(dict(keyed[first::size])) for first in range(size))
        with self._team(size, demand, sees, work) as team:
            meanwhile()
            yield from team.run(lambda worker, share: worker.share.remote(share), lambda: next(lots, None), stopping)

    @contextmanager
    def _team(self, size: int, demand: _Demand, sees: Path | None, given: Any) -> Iterator[_Team]:
        team = _Team(demand, Place.here(sees, code_digest()), ray.put(given), self._tell)
        try:
            for _ in range(size):
                team.hire()
            yield team
        finally:
            team.dismiss()

    def _connect(self) -> None:
        if self._connected or ray.is_initialized():
            return
        _connect(self._asked)
        self._connected = True

    def _demand(self, gpus: int) -> _Demand:
        """Ask for GPUs where there are any; for models without, a node's CPUs, unless it is said how many workers."""
        self._connect()
        nodes = _nodes()
        if not gpus or any(node.get("GPU", 0) for node in nodes):
            return _Demand(gpus=gpus)
        cpus = 1 if self._asked else int(min(node["CPU"] for node in nodes if node.get("CPU", 0) >= 1))
        return _Demand(cpus)

    def _size(self, demand: _Demand) -> int:
        self._connect()
        nodes = _nodes()
        room = sum(demand.fitting(node) for node in nodes)
        if not room:
            has = "; ".join(f"{node.get('CPU', 0):g} CPUs, {node.get('GPU', 0):g} GPUs" for node in nodes)
            raise InputError(f"no node of the Ray cluster has {demand} for a worker: {has}", "add a node, or ask less")
        return min(self._asked or room, room)


def _connect(workers: int | None) -> None:
    """Join the cluster at RAY_ADDRESS, or begin one here. Raises InputError where none can be had."""
    address = os.environ.get(ADDRESS, "").strip() or "local"
    if address.startswith("ray://"):
        raise InputError(
            f"{ADDRESS} is `{address}`: Ray's client cannot carry this work",
            "run the command on a node of the cluster, with `RAY_ADDRESS=auto`, or by `ray job submit`",
        )
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # else its C++ writes to stderr; it keeps logs of its own
    begun = {"num_cpus": workers, "include_dashboard": False} if address == "local" else {}
    try:
        _knock(address)
        for left in reversed(range(_STARTS if begun else 1)):
            try:
                ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL, **begun)
                return
            except Exception:
                ray.shutdown()
                if not left:
                    raise
    except Exception as error:
        ray.shutdown()
        said = str(error).strip().partition("\n")[0]
        if address == "local":  # Ray raises plain ones
            raise WorldForgeError(
                f"Ray could not begin a cluster on this machine: {said}",
                "a machine with much else to do is too slow for it: try again later, or `--engine local`",
            ) from error
        raise InputError(
            f"there is no Ray cluster at `{address}`: {said}",
            f"begin one with `ray start --head`, or leave {ADDRESS} unset: one is then begun for this command",
        ) from error


def _knock(address: str) -> None:
    """Raise OSError where nobody listens at `host:port`: Ray itself would try for minutes."""
    if address == "auto":  # what `ray start` has left behind; it may be gone since
        address = canonicalize_bootstrap_address(address) or ""
    host, separator, port = address.rpartition(":")
    if separator and port.isdecimal():
        socket.create_connection((host, int(port)), _KNOCK_S).close()


def _nodes() -> list[Mapping[str, float]]:
    """Return what each living node of the cluster has."""
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


@dataclass(slots=True)
class _Lot:
    """Items by key that go to one worker, and how many were lost with it in a row."""

    items: dict[Any, Any]
    losses: int = 0


@dataclass(frozen=True, slots=True)
class _Crew:
    """Actors that were given something."""

    team: _Team
    size: int

    def spread(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Run `function` on every item; results in the order of the items."""
        numbers, iterator = count(), iter(items)
        held: dict[int, Result] = {}
        due = drawn = 0

        def draw() -> _Lot | None:
            nonlocal drawn
            if drawn - due >= _QUEUED * self.size:
                return None
            for item in iterator:
                drawn += 1
                number = next(numbers)
                return _Lot({number: (number, item)})
            return None

        for number, result in self.team.run(
            lambda worker, lot: worker.each.remote(function, lot), draw, queued=_QUEUED
        ):
            held[number] = result
            while due in held:
                due += 1
                yield held.pop(due - 1)


@dataclass
class _Team:
    """Actors, those that are starting and those at work; in place of one that is lost, another is started."""

    demand: _Demand
    place: Place
    given: Any
    tell: Callable[[str], None]
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
        self.starting[actor.begin.remote(self.place, ray.get, [self.given])] = actor

    def dismiss(self) -> None:
        """End them all."""
        for actor in (*self.starting.values(), *self.load):
            with contextlib.suppress(RayError):
                ray.kill(actor)
        self.starting.clear()
        self.load.clear()

    def run(
        self, call: Call, draw: Callable[[], _Lot | None], stopping: Stopping = lambda: False, queued: int = 1
    ) -> Iterator[tuple[Any, Any]]:
        """Have what `draw` gives done, at most `queued` lots at a worker; give each key once, with its result."""
        running: dict[Any, tuple[Handle, _Lot]] = {}
        waiting: deque[_Lot] = deque()
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
        draw: Callable[[], _Lot | None],
        waiting: deque[_Lot],
        running: dict[Any, tuple[Handle, _Lot]],
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
        self, generator: Any, waiting: deque[_Lot], running: dict[Any, tuple[Handle, _Lot]]
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
            if lot.items.pop(key, None) is not None:
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
            self.hire()


class _Patience:
    """Watches a team that has no worker yet, or none any more: waits for a busy cluster, and says so once."""

    def __init__(self, team: _Team) -> None:
        self._team, self._waited_s, self._said = team, 0.0, False

    def look(self, at_work: bool) -> None:
        """Count a look at the team. Raises WorldForgeError where no node is left that has the room."""
        if at_work or self._team.load:
            self._waited_s = 0.0
            return
        self._waited_s += _POLL_S
        if not any(self._team.demand.fitting(node) for node in _nodes()):
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
