"""The worker's side of a pool: its context, its cached state, and the calls that run items."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from traceback import format_exception
from typing import Any, ClassVar, NoReturn, TypeVar

State = TypeVar("State")

AsyncSession = Callable[[Any], AbstractAsyncContextManager[Callable[[Any], Awaitable[Any]]]]
"""Opens, from a worker's context and inside its event loop, the coroutine function that does one item."""


class _WorkerState:
    """The state of this process as a worker."""

    context: ClassVar[Any] = None
    cached: ClassVar[dict[Callable[[Any], Any], Any]] = {}
    session: ClassVar[AsyncRunner | None] = None


def worker_context() -> Any:
    """Return the context that the pool of this worker was opened with. Raises what kept the worker from reading it."""
    if isinstance(_WorkerState.context, WorkerFailure):
        _WorkerState.context.reraise()
    return _WorkerState.context


def worker_cached(make: Callable[[Any], State]) -> State:
    """Return `make(worker_context())`, made once a worker."""
    if make not in _WorkerState.cached:
        _WorkerState.cached[make] = make(worker_context())
    state: State = _WorkerState.cached[make]
    return state


def set_context(context: Any) -> None:
    """Make this process a worker with that context."""
    _WorkerState.context, _WorkerState.cached = context, {}


@contextmanager
def context_set(context: Any) -> Iterator[None]:
    """Let this process be a worker with that context within the block."""
    before = _WorkerState.context, _WorkerState.cached, _WorkerState.session
    _WorkerState.context, _WorkerState.cached, _WorkerState.session = context, {}, None
    try:
        yield
    finally:
        _WorkerState.context, _WorkerState.cached, _WorkerState.session = before


class RaisedInWorkerError(Exception):
    """Where in a worker an exception was raised: the cause of that exception in the driver."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """An exception on its way from a worker to the driver, with its traceback as text."""

    error: Exception
    traceback: str

    @classmethod
    def of(cls, error: Exception) -> WorkerFailure:
        """Wrap an exception; one that cannot be pickled becomes a RuntimeError with its name and message."""
        text = "".join(format_exception(error))
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301  just pickled
        except Exception:  # noqa: BLE001 - whatever a class's own way to pickle raises
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return cls(error, text)

    def reraise(self) -> NoReturn:
        """Raise the exception, with its traceback as the cause."""
        raise self.error from RaisedInWorkerError(self.traceback)


def guarded(call: Callable[..., Any], *arguments: Any) -> Any:
    """Return what the call returns, or the failure that it raised."""
    try:
        return call(*arguments)
    except Exception as error:  # noqa: BLE001 - the driver raises it
        return WorkerFailure.of(error)


def initialize(initializer: Callable[[Any], Any] | None) -> None:
    """Run the initializer of a pool, if it has one: its result is `worker_cached`."""
    if initializer is not None:
        worker_cached(initializer)


def run_item(function: Callable[[Any], Any], place: int, item: Any) -> list[tuple[int, Any]]:
    """Do one item; return its place and result."""
    return [(place, function(item))]


def exchange(session: AsyncSession, items: Sequence[tuple[int, Any]]) -> list[tuple[int | None, Any]]:
    """Add items to this worker's event loop; wait for at least one result or report, and return all there are."""
    if _WorkerState.session is None:
        _WorkerState.session = AsyncRunner(session)
    return _WorkerState.session.exchange(items)


def report(value: Any) -> None:
    """Send a value to the driver beside the results of coroutines: `map_async` gives it with None as its place."""
    if _WorkerState.session is not None:
        _WorkerState.session.report(value)


def close_session() -> None:
    """Close the session of this worker's event loop, and end the loop."""
    if _WorkerState.session is not None:
        session, _WorkerState.session = _WorkerState.session, None
        session.close()


class AsyncRunner:
    """An event loop in a thread of its own, in which items stay under way between two calls from the driver."""

    def __init__(self, session: AsyncSession) -> None:
        self._session, self._finished = session, SimpleQueue[tuple[int | None, Any] | BaseException]()
        self._n_under_way = 0
        self._todo: asyncio.Queue[tuple[int, Any] | None] = asyncio.Queue()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def report(self, value: Any) -> None:
        """Let the next exchange return a value that is no result."""
        self._finished.put((None, value))

    def exchange(self, items: Sequence[tuple[int, Any]]) -> list[tuple[int | None, Any]]:
        """Add items; wait until one of those under way has finished, and return all that have, and reports.

        Raises what an item, or the opening of the session, has raised.
        """
        self._n_under_way += len(items)
        with suppress(RuntimeError):  # the loop has ended: why is told below
            for item in items:
                self._loop.call_soon_threadsafe(self._todo.put_nowait, item)
        done: list[tuple[int | None, Any]] = []
        while self._n_under_way and not (done and self._finished.empty()):
            finished = self._finished.get()
            if isinstance(finished, BaseException):
                raise finished
            self._n_under_way -= finished[0] is not None
            done.append(finished)
        return done

    def close(self) -> None:
        """Cancel what is under way, close the session, end the loop. Raises what the session raises as it closes."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._todo.put_nowait, None)
        self._thread.join()
        while not self._finished.empty():
            finished = self._finished.get()
            if isinstance(finished, BaseException):
                raise finished

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - raised in the thread that the driver calls
            self._finished.put(error)

    async def _serve(self) -> None:
        async with self._session(worker_context()) as function:
            tasks: set[asyncio.Task[None]] = set()
            try:
                while (item := await self._todo.get()) is not None:
                    task = asyncio.create_task(self._do(function, *item))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _do(self, function: Callable[[Any], Awaitable[Any]], place: int, item: Any) -> None:
        try:
            self._finished.put((place, await function(item)))
        except Exception as error:  # noqa: BLE001 - raised in the thread that the driver calls
            self._finished.put(error)
