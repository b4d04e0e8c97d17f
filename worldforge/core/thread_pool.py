"""A thread pool, or, for one worker, an executor with the same interface that calls inline."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Args = ParamSpec("Args")
Result = TypeVar("Result")


class InlineExecutor(Executor):
    """Calls each function at once, in the calling thread, and raises there what it raises."""

    def submit(self, fn: Callable[Args, Result], /, *args: Args.args, **kwargs: Args.kwargs) -> Future[Result]:
        """Call `fn` and return a future that has its result."""
        done: Future[Result] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def thread_pool(workers: int) -> Executor:
    """Return an executor of `workers` threads; of the calling thread where that is one."""
    return ThreadPoolExecutor(workers) if workers > 1 else InlineExecutor()
