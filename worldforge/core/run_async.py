"""Run a coroutine from synchronous code, and several tasks until one fails."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_sync(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run `coroutine` in an event loop of its own, also where one is running (a notebook); return its result."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


async def gather_or_cancel(tasks: Sequence[asyncio.Task[Result]]) -> list[Result]:
    """Return the results of all tasks; where one raises, cancel the others, wait for them, and raise it as it is."""
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
