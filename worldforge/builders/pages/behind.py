"""Work put off: done in order, a little later, and what is left of it beside what comes next."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class Behind(Generic[T]):
    """Does `work` on items in the order in which they are added; up to `n_bytes` of them may wait."""

    def __init__(self, work: Callable[[T], None], n_bytes: int) -> None:
        self._work = work
        self._left = n_bytes
        self._waiting: deque[tuple[T, int]] = deque()

    def add(self, item: T, n_bytes: int) -> None:
        """Add an item of so many bytes, and do the work on the first ones where more are waiting than may."""
        self._waiting.append((item, n_bytes))
        self._left -= n_bytes
        while self._left < 0:
            self._do_first()

    @contextmanager
    def caught_up(self, finish: Callable[[], None]) -> Iterator[None]:
        """Do by another thread, beside the body, the work that waits, then `finish`; wait, and raise what it raised."""
        with ThreadPoolExecutor(1) as other:
            rest = other.submit(self._do_all, finish)
            yield
            rest.result()

    def _do_all(self, finish: Callable[[], None]) -> None:
        while self._waiting:
            self._do_first()
        finish()

    def _do_first(self) -> None:
        item, n_bytes = self._waiting.popleft()
        self._left += n_bytes
        self._work(item)
