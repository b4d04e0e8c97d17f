"""Shares of work in processes that live as long as it lasts, and send each result as it is done.

Each worker gets every n-th item and sends what it finishes through a pipe of its own. A thread reads them, a bounded
number ahead: no worker waits while what came before is being put down. Workers are spawned, never
forked, and do not hear Ctrl-C: this process does, and stops them. They go when it has gone.
"""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from worldforge.core.collector import collect_seldom
from worldforge.core.errors import WorldForgeError
from worldforge.core.events import log_as_told
from worldforge.core.processes import deaf_children, end_with_parent, in_file, leave_at_the_end

_AHEAD = 64  # results that are read before they are asked for; what a kill loses of them is played again


def share_out(
    work: Callable[..., None],
    items: Sequence[Any],
    workers: int,
    stopping: Callable[[], bool],
    meanwhile: Callable[[], None] = lambda: None,
) -> Generator[tuple[Any, Any]]:
    """Do `items` in `workers` processes; give what `work` tells there, as it comes. See `engine.Engine.share_out`."""
    parts = [items[first::workers] for first in range(min(workers, len(items)))]
    with _workers(work, len(parts)) as (connections, stop):
        meanwhile()
        for connection, part in zip(connections, parts, strict=True):
            with suppress(BrokenPipeError, ConnectionResetError):  # that it has ended is found when it is read from
                connection.send_bytes(pickle.dumps(part, protocol=5))
        with _reading(connections) as messages:
            for message in messages:
                yield _checked(message)
                if stopping():
                    stop.set()


@contextmanager
def _workers(work: Callable[..., None], size: int) -> Iterator[tuple[list[Connection], Event]]:
    """Start a worker a share; give the pipes to each, and what stops them. Ends with all of them ended."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    processes: list[SpawnProcess] = []
    connections: list[Connection] = []
    with in_file(pickle.dumps(work, protocol=5)) as given:
        try:
            for _ in range(size):
                here, there = context.Pipe()
                process = context.Process(target=_work, args=(there, stop, given))
                with deaf_children():
                    process.start()
                there.close()
                processes.append(process)
                connections.append(here)
            yield connections, stop
        except BaseException:
            for process in processes:
                process.terminate()
            raise
        finally:
            for process in processes:
                process.join()


@contextmanager
def _reading(connections: Sequence[Connection]) -> Iterator[Iterator[Any]]:
    """Give what comes through the pipes, until each worker has said that it has no more, or has ended."""
    read: Queue[Any] = Queue(_AHEAD)
    over = threading.Event()
    reader = threading.Thread(target=_read, args=(list(connections), read, over), daemon=True)
    reader.start()
    try:
        yield iter(read.get, None)
    finally:
        over.set()
        with suppress(Empty):  # it may be waiting for room
            while True:
                read.get_nowait()


def _read(connections: list[Connection], read: Queue[Any], over: threading.Event) -> None:
    while connections and not over.is_set():
        for connection in wait(connections):
            assert isinstance(connection, Connection)
            try:
                message = connection.recv()
            except Exception as error:  # noqa: BLE001 - raised by whoever takes it
                message = error
            if over.is_set():
                return
            if message is None or isinstance(message, Exception):
                connections.remove(connection)
            if message is not None:
                read.put(message)
    read.put(None)


def _checked(message: Any) -> tuple[Any, Any]:
    """Return a key and its result. Raises what ended a worker."""
    if isinstance(message, EOFError | OSError):  # the latter where it has not read its share
        raise WorldForgeError(
            "a worker process ended before its work was done",
            "the same command goes on from here; where memory ran out, take fewer `--workers`",
        ) from message
    if isinstance(message, Exception):
        raise message
    key, result = message
    return key, result


def _work(connection: Connection, stop: Event, given: Path) -> None:
    """Do in a process of its own the share that comes: what is `given` is read here, which may import for seconds."""
    end_with_parent()
    leave_at_the_end()
    collect_seldom()
    log_as_told()
    try:
        work = pickle.loads(given.read_bytes())  # noqa: S301  written by the parent, a moment ago
        items = pickle.loads(connection.recv_bytes())  # noqa: S301
        work(items, lambda key, result: connection.send((key, result)), stop.is_set)
        connection.send(None)
    except WorldForgeError as error:
        connection.send(error)
    except (BrokenPipeError, ConnectionResetError, EOFError):
        return
