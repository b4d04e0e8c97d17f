"""Run a coroutine from synchronous code, and several until one fails, all at once or a bounded number."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from worldforge.core.progress import Progress

Item = TypeVar("Item")
Result = TypeVar("Result")


def run_sync(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run `coroutine` in an event loop of its own, also where one is running (a notebook); return its result."""
    results: list[Result] = []

    async def keep_result() -> None:
        results.append(await coroutine)  # not returned: `asyncio.run` formats what its task returned, however large

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(keep_result())
    else:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, keep_result()).result()
    return results[0]


async def gather_or_cancel(tasks: Sequence[asyncio.Task[Result]]) -> list[Result]:
    """Return the results of all tasks; where one raises, cancel the others, wait for them, and raise it as it is."""
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def map_bounded(
    function: Callable[[Item], Awaitable[Result]],
    items: Iterable[Item],
    at_once: int,
    progress: Progress | None = None,
) -> list[Result]:
    """Run `function` on every item, on at most `at_once` at a time, until one fails; return the results in order."""
    slots = asyncio.Semaphore(at_once)

    async def run(item: Item) -> Result:
        async with slots:
            result = await function(item)
        if progress is not None:
            progress.advance()
        return result

    return await gather_or_cancel([asyncio.create_task(run(item)) for item in items])
