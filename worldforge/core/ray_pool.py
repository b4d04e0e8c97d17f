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
import secrets
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Self, Unpack

from worldforge.core.code_digest import code_digest
from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.events import emit, join_command_log
from worldforge.core.files import CACHE_VARIABLE, cache_root
from worldforge.core.folder_cache import (
    CHUNK_BYTES,
    InputFolder,
    cached_folder,
    folder_of_file_url,
    place_folders,
    url_reader,
)
from worldforge.core.ray_cluster import Cluster, Demand, living_nodes, ray
from worldforge.core.redaction import first_line
from worldforge.core.store_server import ServerAddress, serving_stores, use_server
from worldforge.core.worker_pool import PoolOptions, UnfitWorkerError, WorkerLostError, WorkerPool, open_pool
from worldforge.core.worker_runtime import WorkerFailure, guarded, initialize, set_context

Initializer = Callable[[Any], Any]
_POLL_S = 1.0  # how long to wait for results before checking the cluster
_SILENT_S = 15.0  # how long the cluster may have no room before the user is told
_END_S = 5.0  # how long the file server may take to end
_OURS = "WORLDFORGE_"


class RayEngine:
    """Opens pools on a Ray cluster, of `workers` actors, or of as many as the cluster has room for.

    Connects when it is first needed, and disconnects at the end of the block; a cluster that it has started ends then.
    `tell` gets a sentence when a worker is lost, and when there is nothing to do but wait for room on the cluster.
    """

    name = "ray"
    holds_models = True
    """Ray gives each worker GPUs of its own."""

    def __init__(self, workers: int | None = None, tell: Callable[[str], None] = lambda _text: None) -> None:
        self._cluster, self._tell = Cluster(workers), tell

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._cluster.leave()

    @property
    def workers(self) -> int:
        """How many workers of a CPU each: as many as were asked for, or fit. Raises InputError where there are none."""
        return self._cluster.room_for(Demand())

    @contextmanager
    def pool(self, context: Any, **options: Unpack[PoolOptions]) -> Iterator[WorkerPool]:
        """Open a pool of actors. Raises InputError where no node has the room, or all lack code or files."""
        demand, reads = self._cluster.demand(options.get("gpus", 0)), options.get("reads", ())
        room = self._cluster.room_for(demand)
        with serving_stores(ray.util.get_node_ip_address()) as stores, _serving_files(reads) as files:
            driver = DriverPlace.here(stores, reads, files)
            backend = _RayBackend(demand, driver, ray.put(context), options.get("initializer"), self._tell)
            with open_pool(backend, min(room, options.get("n_workers") or room), self._tell) as pool:
                yield pool


class _RayBackend:
    """Ray's actors. Their text stores are those of this process, at `stores`: it alone writes the files."""

    queued = 2

    def __init__(
        self,
        demand: Demand,
        driver: DriverPlace,
        context: Any,
        initializer: Initializer | None,
        tell: Callable[[str], None],
    ) -> None:
        self._demand, self._driver, self._tell = demand, driver, tell
        self._context, self._initializer = context, initializer
        self._idle_s, self._announced = 0.0, False

    def start(self) -> tuple[Any, Any]:
        demand = self._demand
        options = {"num_cpus": demand.cpus, "num_gpus": demand.gpus, "scheduling_strategy": "SPREAD"}
        actor = ray.remote(**options)(_Actor).remote()
        return actor, actor.begin.remote(self._driver, [self._context], self._initializer)

    def submit(self, worker: Any, call: Callable[..., Any], *arguments: Any) -> Any:
        return worker.call.remote(call, *arguments)

    def wait(self, calls: Collection[Any]) -> Collection[Any]:
        ended, _ = ray.wait([*calls], num_returns=1, timeout=_POLL_S)
        self._idle_s += 0 if ended else _POLL_S
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
            raise WorkerLostError(first_line(error)) from error
        if isinstance(result, WorkerFailure):
            result.reraise()
        return result

    def stop(self, workers: Collection[Any], *, kill: bool) -> None:
        for worker in workers:
            with contextlib.suppress(ray.exceptions.RayError):
                ray.kill(worker)

    def check(self, *, idle: bool) -> None:
        if not idle:
            self._idle_s = 0.0
            return
        if not any(self._demand.fitting(node) for node in living_nodes()):
            raise WorldForgeError(
                f"no node of the Ray cluster is left that has {self._demand} for a worker",
                "the same command goes on from here, once there is one",
            )
        if self._idle_s >= _SILENT_S and not self._announced:
            self._announced = True
            emit("cluster_busy", logging.WARNING, demand=str(self._demand))
            self._tell(f"the Ray cluster is busy: waiting until a worker gets {self._demand}")


@dataclass(frozen=True, slots=True)
class DriverPlace:
    """Where the driver runs, and what its workers need from there.

    `reads` are the folders that the work reads, `files` the actor on the driver's node that sends their files.
    """

    node: str
    folder: Path
    path: tuple[str, ...]
    environment: Mapping[str, str]
    stores: ServerAddress
    reads: Sequence[InputFolder]
    files: Any
    code: str
    job: str

    @classmethod
    def here(cls, stores: ServerAddress, reads: Sequence[InputFolder], files: Any) -> DriverPlace:
        """Describe this process. Of its environment, WorldForge's own variables go along, and nothing else: no keys."""
        ours = {name: value for name, value in os.environ.items() if name.startswith(_OURS) and name != CACHE_VARIABLE}
        path = tuple(entry or str(Path.cwd()) for entry in sys.path)
        place = (_node_id(), Path.cwd(), path, ours)
        return cls(*place, stores, reads, files, code_digest(), secrets.token_hex(8))

    def enter(self) -> None:
        """Let this process work for the driver. Raises UnfitWorkerError where its node lacks code or files."""
        is_driver_node = _node_id() == self.node
        if is_driver_node:
            os.chdir(self.folder)
        sys.path.extend(path for path in self.path if path not in sys.path and Path(path).exists())
        os.environ.update(self.environment)
        join_command_log()
        use_server(self.stores)
        if code_digest() != self.code:
            raise UnfitWorkerError(
                f"node {platform.node()} of the Ray cluster has another worldforge than the machine that asks it",
                "install the same version on every node: only the same code gives the same bytes",
            )
        place_folders(self.folder, {} if is_driver_node else {one.path: self._fetched(one) for one in self.reads})

    def _fetched(self, folder: InputFolder) -> Path:
        """Return this node's copy of a folder, or the folder that a `file://` URL names on every node."""
        try:
            if folder.url is None:
                return cached_folder(folder, partial(_read_from_driver, self.files, folder.path), self.job)
            return folder_of_file_url(folder.url) or cached_folder(folder, url_reader(folder.url), self.job)
        except (InputError, OSError) as error:
            raise UnfitWorkerError(
                f"node {platform.node()} of the Ray cluster could not fetch {folder.url or folder.path}: {error}",
                f"see whether {cache_root()} there can be written and has room, and what the node may reach",
            ) from error


def _node_id() -> str:
    return str(ray.get_runtime_context().get_node_id())


class _FileServer:
    """Puts files of the driver's node into Ray's object store, part by part, as they are asked for."""

    def __init__(self, driver_folder: Path) -> None:
        self._folder, self._parts = driver_folder, dict[tuple[Path, int], list[Any]]()

    def part(self, path: Path, number: int) -> list[Any]:
        """Return a reference to a part of a file of `CHUNK_BYTES`, in a list; an empty list behind the last."""
        if (path, number) not in self._parts:
            with (self._folder / path).open("rb") as file:
                file.seek(number * CHUNK_BYTES)
                content = file.read(CHUNK_BYTES)
            self._parts[path, number] = [ray.put(content)] if content else []
        return self._parts[path, number]

    def end(self) -> None:
        """End the process at once: killed by Ray while its cluster ends, it may hang for ever."""
        os._exit(0)


@contextmanager
def _serving_files(reads: Sequence[InputFolder]) -> Iterator[Any]:
    """Start the file server on this node where there are folders without a URL; give its handle, or None."""
    if all(folder.url is not None for folder in reads):
        yield None
        return
    here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(_node_id(), soft=False)
    server = ray.remote(num_cpus=0, scheduling_strategy=here)(_FileServer).remote(Path.cwd())
    try:
        yield server
    finally:
        with contextlib.suppress(ray.exceptions.RayError):
            ray.get(server.end.remote(), timeout=_END_S)


def _read_from_driver(server: Any, folder: Path, name: str) -> Iterator[bytes]:
    """Read a file of the driver's folder by its file server. Raises OSError where that has gone."""
    try:
        for number in count():
            part = ray.get(server.part.remote(folder / name, number))
            if not part:
                return
            yield ray.get(part[0])
    except ray.exceptions.RayError as error:
        raise OSError(first_line(error)) from error


class _Actor:
    """A worker: begun once, then called."""

    def begin(self, driver: DriverPlace, context: list[Any], initializer: Initializer | None) -> Any:
        """Enter the driver's place, then fetch the context: to be read, it may need what is found only now.

        `context` is a reference in a list, in which Ray hands it on as it is.
        """

        def enter() -> None:
            driver.enter()
            set_context(ray.get(context[0]))
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
