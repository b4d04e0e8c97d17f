"""Shares of work: this process does one, and others, which live as long as it lasts, send each result as it is done.

Each worker gets every n-th item, this process the first of them. What the others have done comes through a pipe from
each; it is taken as this process tells of what it has done, and while it waits: in one thread, which nothing else keeps
waiting. Workers are spawned, never forked, and do not hear Ctrl-C: this process does, and stops them. They go when it
has gone.
"""

from __future__ import annotations

import asyncio
import fcntl
import pickle
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from worldforge.core.collector import collect_seldom
from worldforge.core.errors import WorldForgeError
from worldforge.core.events import log_as_told
from worldforge.core.loops import all_of, run_to_end
from worldforge.core.processes import (
    Failure,
    SafeContext,
    SafeProcess,
    deaf_children,
    end_with_parent,
    in_file,
    leave_at_the_end,
)

_ROOM = 1 << 20  # bytes; episodes of 50 kB come each 8 ms, and to close a shard of them takes 50 to 100
_AT_ONCE = 16  # results that are taken from one worker before others have their turn


def share_out(
    work: Callable[..., Coroutine[Any, Any, None]],
    items: Sequence[Any],
    told: Callable[[Any, Any], None],
    workers: int,
    stopping: Callable[[], bool],
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Do `items` by `workers` processes, this one among them; pass on to `told` what `work` tells there, as it comes.

    See `engine.Engine.share_out`.
    """
    own, *parts = (items[first::workers] for first in range(max(1, min(workers, len(items)))))
    with _workers(work, parts) as (connections, begin, stop):
        meanwhile()
        begin.set()
        run_to_end(_together(work, own, _Others(connections, told, stopping, stop)))


@contextmanager
def _workers(
    work: Callable[..., Coroutine[Any, Any, None]], parts: Sequence[Sequence[Any]]
) -> Iterator[tuple[list[Connection], Event, Event]]:
    """Start a worker a share; give a pipe from each, what they wait for to begin, and what stops them.

    Ends with all of them ended.
    """
    context = SafeContext()
    begin, stop = context.Event(), context.Event()
    processes: list[SafeProcess] = []
    connections: list[Connection] = []
    with ExitStack() as files:
        given = files.enter_context(in_file(pickle.dumps(work, protocol=5)))
        try:
            for part in parts:
                here, there = context.Pipe(duplex=False)
                _widen(there)
                share = files.enter_context(in_file(pickle.dumps(part, protocol=5)))
                process = context.Process(target=_work, args=(there, begin, stop, given, share))
                with deaf_children():
                    process.start()
                there.close()
                processes.append(process)
                connections.append(here)
            yield connections, begin, stop
        except BaseException:
            for process in processes:
                process.terminate()
            raise
        finally:
            for process in processes:
                process.join()


def _widen(connection: Connection) -> None:
    """Let a pipe hold results for as long as this process puts one down, where the system can."""
    with suppress(AttributeError, OSError):  # Linux can, up to a limit of its own
        fcntl.fcntl(connection.fileno(), fcntl.F_SETPIPE_SZ, _ROOM)


async def _together(work: Callable[..., Coroutine[Any, Any, None]], own: Sequence[Any], others: _Others) -> None:
    await all_of([asyncio.create_task(work(own, others.tell, others.stopping)), asyncio.create_task(others.listen())])


class _Others:
    """What the other workers send, taken in the event loop in which this process does its own share."""

    def __init__(
        self,
        connections: Sequence[Connection],
        told: Callable[[Any, Any], None],
        stopping: Callable[[], bool],
        stop: Event,
    ) -> None:
        self.stopping = stopping
        self._open, self._told, self._stop = list(connections), told, stop
        self._ended = asyncio.Event()
        self._failed: Exception | None = None

    def tell(self, key: Any, result: Any) -> None:
        """Pass on what this process has done, and what others have by now."""
        self._pass_on(key, result)
        self._take()

    async def listen(self) -> None:
        """Pass on what others tell until they have no more. Raises what ended one of them."""
        loop = asyncio.get_running_loop()
        for connection in self._open:
            loop.add_reader(connection.fileno(), self._hear)
        try:
            if self._open:
                await self._ended.wait()
        finally:
            for connection in self._open:
                loop.remove_reader(connection.fileno())
        if self._failed is not None:
            raise self._failed

    def _hear(self) -> None:
        try:
            self._take()
        except Exception as error:  # noqa: BLE001 - raised by `listen`: who called this can tell nobody
            self._failed = error
            self._ended.set()

    def _take(self) -> None:
        for connection in [*self._open]:
            for _ in range(_AT_ONCE):
                if not connection.poll():
                    break
                message = _received(connection)
                if message is None:
                    self._close(connection)
                    break
                self._pass_on(*message)

    def _close(self, connection: Connection) -> None:
        asyncio.get_running_loop().remove_reader(connection.fileno())
        self._open.remove(connection)
        if not self._open:
            self._ended.set()

    def _pass_on(self, key: Any, result: Any) -> None:
        self._told(key, result)
        if self.stopping():
            self._stop.set()


def _received(connection: Connection) -> Any:
    """Return a key and its result, or None where there are no more. Raises what ended the worker."""
    try:
        message = connection.recv()
    except (EOFError, OSError) as error:  # the latter where it has not read its share
        raise WorldForgeError(
            "a worker process was killed, or left, before its work was done",
            "the same command goes on from here; where memory ran out, take fewer `--workers`",
        ) from error
    if isinstance(message, Failure):
        message.reraise()
    return message


def _work(connection: Connection, begin: Event, stop: Event, given: Path, share: Path) -> None:
    """Do a share in a process of its own: what is `given` is read here, which may import for seconds."""
    end_with_parent()
    leave_at_the_end()
    collect_seldom()
    log_as_told()
    try:
        work, items = (pickle.loads(path.read_bytes()) for path in (given, share))  # noqa: S301  the parent wrote them
        begin.wait()
        run_to_end(work(items, lambda key, result: connection.send((key, result)), stop.is_set))
        connection.send(None)
    except Exception as error:  # noqa: BLE001 - the parent raises it
        with suppress(OSError):  # it has gone, or wants no more
            connection.send(Failure.of(error))
