"""Threads to share work among, or none: whoever hands out the work writes the same for both."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Args = ParamSpec("Args")
Result = TypeVar("Result")


class Here(Executor):
    """Does what it is given at once, in the thread that gives it; what that raises is raised there."""

    def submit(self, fn: Callable[Args, Result], /, *args: Args.args, **kwargs: Args.kwargs) -> Future[Result]:
        """Call `fn`, and return a future that has its result."""
        done: Future[Result] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def threads(workers: int) -> Executor:
    """Give an executor of so many threads; of none but the caller's own where one is enough."""
    return ThreadPoolExecutor(workers) if workers > 1 else Here()
