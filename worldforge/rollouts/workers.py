"""Spreads episodes over processes. Workers play; this process alone writes, so that a kill leaves no writer.

Each worker gets every n-th episode and sends what it finishes through a pipe of its own. Workers are spawned, never
forked, and do not hear Ctrl-C: this process does, and stops them.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event

from worldforge.core.errors import WorldForgeError
from worldforge.core.loops import run_to_end
from worldforge.core.processes import deaf_children
from worldforge.rollouts.engine import Setting, Watch, play
from worldforge.rollouts.spent import Spent
from worldforge.rollouts.trials import Trial


def play_all(setting: Setting, trials: Sequence[Trial], workers: int, watch: Watch) -> None:
    """Play `trials` in `workers` processes (one: this one), and tell `watch` here of each as it finishes.

    What `watch` is told is the same for any number of workers, but for the order.
    """
    if workers == 1 or len(trials) <= 1:
        run_to_end(play(setting, trials, watch))
        return
    shares = [trials[first::workers] for first in range(min(workers, len(trials)))]
    with _workers(setting, shares) as (connections, stop):
        for connection in _messages(connections):
            message = _receive(connection)
            if message is None:
                connections.remove(connection)
                continue
            watch.finished(*message)
            if watch.stopping():
                stop.set()


@contextmanager
def _workers(setting: Setting, shares: Sequence[Sequence[Trial]]) -> Iterator[tuple[list[Connection], Event]]:
    """Start a worker a share; give the pipes they write to, and what stops them. Ends with all of them ended."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    processes: list[SpawnProcess] = []
    connections: list[Connection] = []
    try:
        for share in shares:
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(there, stop, setting, share))
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


def _messages(connections: list[Connection]) -> Iterator[Connection]:
    while connections:
        for connection in wait(connections):
            assert isinstance(connection, Connection)
            yield connection


def _receive(connection: Connection) -> tuple[int, bytes, Spent] | None:
    """Take a worker's next message: a finished episode, or None where it has no more. Raises what ended it."""
    try:
        message = connection.recv()
    except EOFError as error:
        raise WorldForgeError(
            "a worker process ended before its episodes did",
            "the same command goes on from here; where memory ran out, take fewer `--workers`",
        ) from error
    if isinstance(message, WorldForgeError):
        raise message
    if message is None:
        return None
    index, line, spent = message
    return index, line, spent


def _work(connection: Connection, stop: Event, setting: Setting, trials: Sequence[Trial]) -> None:
    """Play `trials` in a process of its own. Ends in silence where the process that started it is gone."""
    try:
        asyncio.run(play(setting, trials, _Sent(connection, stop)))
        connection.send(None)
    except WorldForgeError as error:
        connection.send(error)
    except BrokenPipeError:
        return


@dataclass(frozen=True, slots=True)
class _Sent:
    """A watch that passes on what it is told."""

    connection: Connection
    stop: Event

    def finished(self, index: int, line: bytes, spent: Spent) -> None:
        self.connection.send((index, line, spent))

    def stopping(self) -> bool:
        return self.stop.is_set()
