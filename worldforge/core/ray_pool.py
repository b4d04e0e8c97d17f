"""Pools of Ray actors, on the cluster at `RAY_ADDRESS` or on one of this machine, started for it.

    with RayEngine() as engine:
        build("quickstart", engine=engine)

Ray places the actors, carries context, items and results, and reports when an actor or its node is lost.
"""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from worldforge.core.code_digest import code_digest
from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.events import emit, join_command_log
from worldforge.core.ray_cluster import Cluster, Demand, living_nodes, ray
from worldforge.core.store_server import ServerAddress, serving_stores, use_server
from worldforge.core.worker_pool import UnfitWorkerError, WorkerLostError, WorkerPool, open_pool
from worldforge.core.worker_runtime import WorkerFailure, guarded, initialize, set_context

Initializer = Callable[[Any], Any]
_POLL_S = 1.0  # how long to wait for Ray before looking at the cluster
_SILENT_S = 15.0  # for so long nobody is told that the cluster has no room yet
_OURS = "WORLDFORGE_"


class RayEngine:
    """Opens pools on a Ray cluster, of `workers` actors, or of as many as the cluster has room for.

    Connects when it is first needed, and disconnects at the end of the block; a cluster that it has started ends then.
    `tell` gets a sentence when a worker is lost, and when there is nothing to do but wait for room on the cluster.
    """

    def __init__(self, workers: int | None = None, tell: Callable[[str], None] = lambda _text: None) -> None:
        self._cluster, self._tell = Cluster(workers), tell

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cluster.leave()

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
        return self._cluster.room_for(Demand())

    @contextmanager
    def pool(
        self,
        context: Any,
        *,
        n_workers: int | None = None,
        initializer: Initializer | None = None,
        shared_path: Path | None = None,
        gpus: int = 0,
    ) -> Iterator[WorkerPool]:
        """Open a pool of actors. Raises InputError where no node has the room, or all lack code or files."""
        demand = self._cluster.demand(gpus)
        room = self._cluster.room_for(demand)
        driver = DriverPlace.here(shared_path)
        with serving_stores(ray.util.get_node_ip_address()) as stores:
            backend = _RayBackend(demand, driver, stores, ray.put(context), initializer, self._tell)
            with open_pool(backend, min(room, n_workers or room), self._tell) as pool:
                yield pool


class _RayBackend:
    """Ray's actors. Their text stores are those of this process, at `stores`: it alone writes the files."""

    queued = 2

    def __init__(
        self,
        demand: Demand,
        driver: DriverPlace,
        stores: ServerAddress,
        context: Any,
        initializer: Initializer | None,
        tell: Callable[[str], None],
    ) -> None:
        self._demand, self._driver, self._stores, self._tell = demand, driver, stores, tell
        self._context, self._initializer = context, initializer
        self._waited_s, self._told = 0.0, False

    def start(self) -> tuple[Any, Any]:
        demand = self._demand
        options = {"num_cpus": demand.cpus, "num_gpus": demand.gpus, "scheduling_strategy": "SPREAD"}
        actor = ray.remote(**options)(_Actor).remote()
        # in a list Ray hands the reference on as it is
        return actor, actor.begin.remote(self._driver, self._stores, ray.get, [self._context], self._initializer)

    def submit(self, worker: Any, call: Callable[..., Any], *arguments: Any) -> Any:
        return worker.call.remote(call, *arguments)

    def wait(self, calls: Collection[Any]) -> Collection[Any]:
        ended, _ = ray.wait([*calls], num_returns=1, timeout=_POLL_S)
        self._waited_s += 0 if ended else _POLL_S
        if ended:
            ended, _ = ray.wait([*calls], num_returns=len(calls), timeout=0)
        return set(ended)

    def result(self, call: Any) -> Any:
        try:
            result = ray.get(call)
        except ray.exceptions.RayTaskError as error:  # Ray could not read the arguments, or write the result
            raise error.cause from error
        except ray.exceptions.RayError as error:
            _check_installed(error)
            raise WorkerLostError(_first_line(error)) from error
        if isinstance(result, WorkerFailure):
            result.reraise()
        return result

    def stop(self, workers: Collection[Any], *, kill: bool) -> None:
        for worker in workers:
            with contextlib.suppress(ray.exceptions.RayError):
                ray.kill(worker)

    def check(self, *, idle: bool) -> None:
        if not idle:
            self._waited_s = 0.0
            return
        if not any(self._demand.fitting(node) for node in living_nodes()):
            raise WorldForgeError(
                f"no node of the Ray cluster is left that has {self._demand} for a worker",
                "the same command goes on from here, once there is one",
            )
        if self._waited_s >= _SILENT_S and not self._told:
            self._told = True
            emit("cluster_busy", logging.WARNING, demand=str(self._demand))
            self._tell(f"the Ray cluster is busy: waiting until a worker gets {self._demand}")


@dataclass(frozen=True, slots=True)
class DriverPlace:
    """Where the driver runs: what a worker must find as well, to do what the driver would have done."""

    folder: Path
    path: tuple[str, ...]
    environment: Mapping[str, str]
    shared_path: Path | None
    code: str

    @classmethod
    def here(cls, shared_path: Path | None) -> DriverPlace:
        """Describe this process. Of its environment, WorldForge's own variables go along, and nothing else: no keys."""
        ours = {name: value for name, value in os.environ.items() if name.startswith(_OURS)}
        return cls(Path.cwd(), tuple(sys.path), ours, shared_path and shared_path.absolute(), code_digest())

    def enter(self) -> None:
        """Let this process work for the driver. Raises UnfitWorkerError where its node lacks code or files."""
        node = platform.node()
        if not self.folder.is_dir() or (self.shared_path is not None and not self.shared_path.exists()):
            unseen = self.folder if not self.folder.is_dir() else self.shared_path
            raise UnfitWorkerError(
                f"node {node} of the Ray cluster does not see {unseen}",
                "put the world into a folder that all nodes share under the same path, and run the command there",
            )
        sys.path.extend(path for path in self.path if path not in sys.path)
        os.environ.update(self.environment)
        os.chdir(self.folder)
        join_command_log()
        if code_digest() != self.code:
            raise UnfitWorkerError(
                f"node {node} of the Ray cluster has another worldforge than the machine that asks it",
                "install the same version on every node: only the same code gives the same bytes",
            )


class _Actor:
    """A worker: begun once, then called."""

    def begin(
        self,
        driver: DriverPlace,
        stores: ServerAddress,
        fetch: Callable[[Any], Any],
        context: list[Any],
        initializer: Initializer | None,
    ) -> Any:
        """Enter the driver's place, then fetch the context: to be read, it may need code that is found only now."""

        def enter() -> None:
            driver.enter()
            use_server(stores)
            set_context(fetch(context[0]))
            initialize(initializer)

        return guarded(enter)

    def call(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Return what the call returns, or the failure that it raised."""
        return guarded(call, *arguments)


def _check_installed(error: Exception) -> None:
    if "No module named 'worldforge" in str(error):
        raise InputError(
            "a node of the Ray cluster does not have worldforge",
            "install the same version on every node, or send it along: "
            '`ray job submit --runtime-env-json \'{"pip": ["worldforge[ray]"]}\' -- worldforge …`',
        ) from error


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
