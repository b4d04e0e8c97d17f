"""One way to run work on many workers: a function mapped over items, each handed out when a worker is free for it.

    with engine.pool(context) as pool:
        for place, result in pool.map_unordered(function, items): ...       # as they finish
        for result in pool.map_ordered(function, items): ...                # in the order of the items

In a worker `worker_context()` is the context, and `worker_cached(make)` is `make(context)`, made once a worker.
Functions are found by their name where they run; context, items and results are pickled. What a function raises is
raised in the driver, with the worker's traceback as the cause. The items of a worker that is lost go to others.

Local processes are in `local_pool`, Ray's actors in `ray_pool`. Both start workers, call them and watch them
(`Backend`); who gets which item is decided here.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypedDict, TypeVar, Unpack

from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.events import emit
from worldforge.core.folder_cache import InputFolder
from worldforge.core.worker_runtime import AsyncSession, close_session, exchange, run_item

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 3  # items a worker that may be drawn before the first of them has been taken in order
_ATTEMPTS = 3  # workers that may be lost while they have the same item, or in a row as they start


class PoolOptions(TypedDict, total=False):
    """Options of a pool of workers.

    There are `n_workers` (default: all that the engine has), which start at once and run `initializer(context)`: its
    result is `worker_cached`. `reads` are the folders that the work reads: a machine that is not the driver's fetches a
    copy. `gpus` are those that the models of one worker take.
    """

    n_workers: int | None
    initializer: Callable[[Any], Any] | None
    reads: Sequence[InputFolder]
    gpus: int


class Engine(Protocol):
    """Opens pools of workers: processes of this machine, or actors of a Ray cluster."""

    @property
    def name(self) -> str:
        """`local` or `ray`."""

    @property
    def workers(self) -> int:
        """The largest number of workers of a pool."""

    @property
    def holds_models(self) -> bool:
        """Whether each worker may load a model of its own."""

    def pool(self, context: Any, **options: Unpack[PoolOptions]) -> AbstractContextManager[WorkerPool]:
        """Open a pool of workers with `context`; all of them have ended when it closes."""


class UnfitWorkerError(InputError):
    """Raised while a worker starts, where its machine lacks code or files: the pool goes on without that worker."""


class WorkerLostError(Exception):
    """A worker or its machine has ended: its unfinished items are handed out again."""


class Backend(Protocol):
    """Starts workers and calls them. Workers and calls are hashable handles."""

    queued: int
    """How many items a worker may have at once: 1 where calls return only when they are done."""

    def start(self) -> tuple[Any, Any]:
        """Start a worker; return it, and the call that ends when it is ready."""

    def submit(self, worker: Any, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call a worker; its calls run in the order of submission."""

    def wait(self, calls: Collection[Any]) -> Collection[Any]:
        """Wait until a call has ended, at most about a second; return those that have ended."""

    def result(self, call: Any) -> Any:
        """Return the result of a call. Raises what it raised, and WorkerLostError where its worker has ended."""

    def stop(self, workers: Collection[Any], *, kill: bool) -> None:
        """End workers: after the running call, or at once with `kill`."""

    def check(self, *, idle: bool) -> None:
        """Raise WorldForgeError where no worker can start any more; `idle`: none is ready."""


@dataclass(slots=True)
class _Task:
    place: int
    item: Any
    n_lost: int = 0


@dataclass(slots=True)
class _Slot:
    """A ready worker and its unfinished items."""

    worker: Any
    tasks: dict[int, _Task] = field(default_factory=dict)
    n_calls: int = 0


@contextmanager
def open_pool(backend: Backend, size: int, tell: Callable[[str], None]) -> Iterator[WorkerPool]:
    """Open a pool of `size` workers of a backend; `tell` gets a sentence when a worker is lost."""
    pool = WorkerPool(backend, size, tell)
    try:
        for _ in range(size):
            pool.start()
        yield pool
    except BaseException:
        pool.stop(kill=True)
        raise
    pool.stop(kill=False)


class WorkerPool:
    """Workers that share a context: hands out items to the workers of a backend, and replaces lost ones."""

    def __init__(self, backend: Backend, size: int, tell: Callable[[str], None]) -> None:
        self.size = size
        self._backend, self._tell = backend, tell
        self._starting: dict[Any, Any] = {}
        self._slots: dict[Any, _Slot] = {}
        self._n_lost_starting = 0

    def start(self) -> None:
        """Start one more worker."""
        worker, ready = self._backend.start()
        self._starting[ready] = worker

    def stop(self, *, kill: bool) -> None:
        """End all workers: after the running call, or at once with `kill`."""
        self._backend.stop([*self._starting.values(), *self._slots], kill=kill)
        self._starting.clear()
        self._slots.clear()

    def map_unordered(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[int, Result]]:
        """Run `function` on every item; yield (index of the item, result) as items finish.

        Items are taken from `items` when a worker is free. Raises what `function` raises, and WorldForgeError where
        several workers were lost with the same item.
        """
        source = _Items(items)
        return self._run(source, lambda: self._hand_out(function, source))

    def map_ordered(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Run `function` on every item; yield the results in the order of the items."""
        source, finished = _Items(items, _AHEAD * self.size), dict[int, Result]()
        for place, result in self._run(source, lambda: self._hand_out(function, source)):
            finished[place] = result
            while source.n_taken in finished:
                source.n_taken += 1
                yield finished.pop(source.n_taken - 1)

    def map_async(
        self,
        session: AsyncSession,
        items: Iterable[Any],
        concurrency: int,
        may_draw: Callable[[], bool] = lambda: True,
    ) -> Iterator[tuple[int | None, Any]]:
        """Like `map_unordered`, for coroutines: each worker runs up to `concurrency` items at once in an event loop.

        `session` opens the coroutine function from the context, once a worker. A value that a worker `report`s is
        yielded with None as the index. No item is handed out while `may_draw()` is false; the map ends when it is and
        no item is running.
        """
        source = _Items(items, may_draw=may_draw)
        yield from self._run(source, lambda: self._exchange(session, source, concurrency))
        self._close_sessions()

    def _run(self, items: _Items, hand_out: Callable[[], dict[Any, _Slot]]) -> Iterator[tuple[Any, Any]]:
        """Hand out items and yield results until there are no more."""
        running: dict[Any, _Slot] = {}
        try:
            while True:
                running |= hand_out()
                if not running and not items.look():
                    return
                self._backend.check(idle=not self._slots)
                calls = [*self._starting, *running]
                ended = self._backend.wait(calls)
                for call in calls:  # in their order: what a worker returned before it was lost is taken first
                    if call in ended and call in self._starting:
                        self._admit(call)
                    elif call in ended and call in running:
                        yield from self._collect(call, running, items)
        finally:
            for slot in self._slots.values():
                slot.tasks.clear()
                slot.n_calls = 0

    def _hand_out(self, function: Callable[[Any], Any], items: _Items) -> dict[Any, _Slot]:
        """Submit one item a call to the least busy workers; return the calls."""
        calls: dict[Any, _Slot] = {}
        while self._slots:
            slot = min(self._slots.values(), key=lambda slot: len(slot.tasks))
            if len(slot.tasks) >= self._backend.queued or not (tasks := items.draw(1)):
                break
            calls[self._call(slot, tasks, run_item, function, tasks[0].place, tasks[0].item)] = slot
        return calls

    def _exchange(self, session: AsyncSession, items: _Items, concurrency: int) -> dict[Any, _Slot]:
        """Call each worker without a running call, with as many new items as it has room for."""
        calls: dict[Any, _Slot] = {}
        for slot in self._slots.values():
            if not slot.n_calls:
                tasks = items.draw(concurrency - len(slot.tasks))
                if tasks or slot.tasks:
                    numbered = [(task.place, task.item) for task in tasks]
                    calls[self._call(slot, tasks, exchange, session, numbered)] = slot
        return calls

    def _call(self, slot: _Slot, tasks: Sequence[_Task], call: Callable[..., Any], *arguments: Any) -> Any:
        slot.tasks.update((task.place, task) for task in tasks)
        slot.n_calls += 1
        return self._backend.submit(slot.worker, call, *arguments)

    def _collect(self, ended: Any, running: dict[Any, _Slot], items: _Items) -> Iterator[tuple[int | None, Any]]:
        """Yield what a call has returned; put back the items of a lost worker."""
        slot = running.pop(ended)
        try:
            results = self._backend.result(ended)
        except WorkerLostError as error:
            for other in [call for call, of in running.items() if of is slot]:
                del running[other]
            self._lose(slot, items, error)
            return
        slot.n_calls -= 1
        for place, result in results:
            if place is None or slot.tasks.pop(place, None) is not None:
                yield place, result

    def _lose(self, slot: _Slot, items: _Items, error: WorkerLostError) -> None:
        del self._slots[slot.worker]
        self._backend.stop([slot.worker], kill=True)
        for task in reversed(slot.tasks.values()):
            task.n_lost += 1
            if task.n_lost >= _ATTEMPTS:
                raise WorldForgeError(
                    f"a worker was killed, or left, before its work was done, and {task.n_lost} in all with the same "
                    f"item: {error}",
                    "memory may be short: try fewer `--workers`; the same command goes on from here",
                ) from error
            items.put_back(task)
        self._replace(error)

    def _replace(self, error: WorkerLostError) -> None:
        emit("worker_lost", logging.WARNING, reason=str(error))
        self._tell("a worker was killed, or left, before its work was done: others do what it had not done")
        self.start()

    def _admit(self, ready: Any) -> None:
        """Take in a worker whose start has ended: ready, unfit (left out) or lost (replaced)."""
        worker = self._starting.pop(ready)
        try:
            self._backend.result(ready)
        except UnfitWorkerError as error:
            self._backend.stop([worker], kill=True)
            if not self._slots and not self._starting:
                raise
            emit("worker_left_out", logging.WARNING, reason=error.message)
            self._tell(f"a worker is left out: {error.message}")
            return
        except WorkerLostError as error:
            self._backend.stop([worker], kill=True)
            self._n_lost_starting += 1
            if self._n_lost_starting >= _ATTEMPTS:
                raise WorldForgeError(
                    f"{self._n_lost_starting} workers in a row were killed, or left, as they started: {error}",
                    "memory may be short: try fewer `--workers`; a script of one's own needs "
                    "`if __name__ == '__main__':`",
                ) from error
            self._replace(error)
            return
        self._n_lost_starting = 0
        self._slots[worker] = _Slot(worker)

    def _close_sessions(self) -> None:
        """Close the sessions that `map_async` has opened in the workers."""
        calls = [self._backend.submit(worker, close_session) for worker in self._slots]
        while calls:
            for ended in self._backend.wait(calls):
                calls.remove(ended)
                try:
                    self._backend.result(ended)
                except WorkerLostError:
                    continue


class _Items:
    """The queue of items: put-back items first; at most `ahead` items beyond the first `n_taken` are taken."""

    def __init__(
        self, items: Iterable[Any], ahead: int | None = None, may_draw: Callable[[], bool] = lambda: True
    ) -> None:
        self._numbered, self._ahead, self._may_draw = enumerate(items), ahead, may_draw
        self.waiting: deque[_Task] = deque()
        self.n_taken = self._n_drawn = 0

    def draw(self, n: int) -> list[_Task]:
        """Return the next `n` items, or as many as are available."""
        drawn: list[_Task] = []
        while len(drawn) < n and self.look():
            drawn.append(self.waiting.popleft())
        return drawn

    def look(self) -> bool:
        """Return whether an item is available, and queue it."""
        is_near = self._ahead is None or self._n_drawn - self.n_taken < self._ahead
        if not self.waiting and is_near and self._may_draw():
            for place, item in self._numbered:
                self._n_drawn += 1
                self.waiting.append(_Task(place, item))
                break
        return bool(self.waiting)

    def put_back(self, task: _Task) -> None:
        """Queue an item again, before all others."""
        self.waiting.appendleft(task)
