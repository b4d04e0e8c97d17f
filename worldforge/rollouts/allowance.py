"""Tokens that episodes under way at once may take: another begins while they are likely to last for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_FIRST = 8  # episodes that may be under way before one has shown what they take


class Allowance:
    """Minds `tokens` while episodes of one event loop begin and end; None: no limit.

    An episode is likely to take what those that have ended took on average. While tokens are left one may always be
    under way, so that an allowance that ends is spent, by about one episode more than it was at most. Who waits to
    begin goes away where `stopping` says so.
    """

    def __init__(self, tokens: int | None, stopping: Callable[[], bool]) -> None:
        self._tokens, self._stopping = tokens, stopping
        self._spent = self._n_ended = self._n_under_way = 0
        self._ended = asyncio.Event()

    async def begin(self) -> bool:
        """Wait until one more may begin, and count it; return False where none may any more."""
        while not self.lasts():
            if not self._n_under_way:
                return False
            await self._ended.wait()
            if self._stopping():
                return False
        self.count_begun()
        return True

    def count_begun(self) -> None:
        """Count an episode that has begun."""
        self._n_under_way += 1

    def end(self, tokens: int) -> None:
        """Count an episode that has ended, and what it took."""
        self._n_under_way -= 1
        self._n_ended += 1
        self._spent += tokens
        self._ended.set()
        self._ended = asyncio.Event()

    def lasts(self) -> bool:
        """Say whether the tokens are likely to last for one more episode at this moment."""
        if self._tokens is None:
            return True
        if not self._n_under_way:
            return self._spent < self._tokens
        if not self._n_ended:
            return self._n_under_way < _FIRST
        likely = (self._n_under_way + 1) * self._spent / self._n_ended
        return self._spent + likely <= self._tokens
