"""Event loops: a coroutine run to its end from anywhere, a notebook included, and several tasks that end together."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_to_end(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run `coroutine` in an event loop of its own and return what it returns."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


async def all_of(tasks: Sequence[asyncio.Task[Result]]) -> list[Result]:
    """Wait for all, and return what they return; what one raises is raised as it is, once the others have stopped."""
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
