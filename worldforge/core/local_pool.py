"""Pools of processes of this machine: each worker is a process executor of one process, so that one may be lost alone.

Processes are spawned, never forked; they import nothing from the current folder, do not hear Ctrl-C, which the driver
does, and end when the driver has gone. The context goes through a file: a process that dies before it has read a long
argument would keep the driver waiting for ever.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

from worldforge.core.events import join_command_log
from worldforge.core.files import add_path_to_error
from worldforge.core.processes import SafeContext, block_sigint, end_with_parent
from worldforge.core.store_server import serving_stores
from worldforge.core.temp_dir import temp_dir
from worldforge.core.worker_pool import Engine, PoolOptions, WorkerLostError, WorkerPool, open_pool
from worldforge.core.worker_runtime import WorkerFailure, context_set, guarded, initialize, set_context

Initializer = Callable[[Any], Any]


def _say_nothing(_text: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """So many processes of this machine; one worker is this process itself. `tell` gets a sentence on lost workers."""

    workers: int = 1
    tell: Callable[[str], None] = field(default=_say_nothing, compare=False)

    name = "local"

    @property
    def holds_models(self) -> bool:
        """Whether there is one process: several would each take the machine's memory."""
        return self.workers == 1

    @contextmanager
    def pool(self, context: Any, **options: Unpack[PoolOptions]) -> Iterator[WorkerPool]:
        """Open processes; one worker is this process. All of this machine sees the same files and GPUs."""
        initializer, n_workers = options.get("initializer"), options.get("n_workers")
        size = self.workers if n_workers is None else max(1, min(self.workers, n_workers))
        if size == 1:
            with context_set(context), open_pool(_InlineBackend(initializer), 1, self.tell) as pool:
                yield pool
            return
        with serving_stores(), temp_dir() as folder:
            path = folder / "context"
            with add_path_to_error(path):
                path.write_bytes(pickle.dumps(context, protocol=5))
            with open_pool(_ProcessBackend(path, initializer), size, self.tell) as pool:
                yield pool


def local_workers(engine: Engine) -> int:
    """Return how many processes of this machine do what an engine's workers cannot: they have no folder in common."""
    return engine.workers if isinstance(engine, LocalEngine) else os.cpu_count() or 1


class _InlineBackend:
    """The one worker is this process: a call has ended when it returns."""

    queued = 1

    def __init__(self, initializer: Initializer | None) -> None:
        self._initializer = initializer

    def start(self) -> tuple[Any, Any]:
        return self, self.submit(self, initialize, self._initializer)

    def submit(self, _worker: Any, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(call(*arguments))
        return done

    def wait(self, calls: Collection[Any]) -> Collection[Any]:
        return calls

    def result(self, call: Any) -> Any:
        return call.result()

    def stop(self, workers: Collection[Any], *, kill: bool) -> None:
        pass

    def check(self, *, idle: bool) -> None:
        pass


class _ProcessBackend:
    """Processes, each in an executor of its own."""

    queued = 2

    def __init__(self, context: Path, initializer: Initializer | None) -> None:
        self._context, self._initializer = context, initializer
        self._spawn = SafeContext()

    def start(self) -> tuple[ProcessPoolExecutor, Future[Any]]:
        worker = ProcessPoolExecutor(1, self._spawn, initializer=_begin, initargs=(self._context,))
        with block_sigint():
            return worker, self.submit(worker, initialize, self._initializer)

    def submit(self, worker: ProcessPoolExecutor, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        try:
            return worker.submit(guarded, call, *arguments)
        except BrokenProcessPool as error:
            lost: Future[Any] = Future()
            lost.set_exception(error)
            return lost

    def wait(self, calls: Collection[Future[Any]]) -> Collection[Future[Any]]:
        return wait(calls, return_when=FIRST_COMPLETED).done

    def result(self, call: Future[Any]) -> Any:
        try:
            result = call.result()
        except BrokenProcessPool as error:
            raise WorkerLostError("its process ended") from error
        if isinstance(result, WorkerFailure):
            result.reraise()
        return result

    def stop(self, workers: Collection[ProcessPoolExecutor], *, kill: bool) -> None:
        def stop_one(worker: ProcessPoolExecutor) -> None:
            for process in [*(worker._processes or {}).values()] if kill else []:
                process.kill()
            worker.shutdown(wait=True, cancel_futures=True)

        with ThreadPoolExecutor(max(1, len(workers))) as threads:
            for _ in threads.map(stop_one, workers):
                pass  # what one has raised is raised here

    def check(self, *, idle: bool) -> None:
        pass


def _begin(context: Path) -> None:
    """Make this process a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    join_command_log()
    try:
        pickled = context.read_bytes()
    except FileNotFoundError:  # the driver has failed meanwhile, and asks nothing more of this worker
        os._exit(1)
    set_context(guarded(pickle.loads, pickled))
