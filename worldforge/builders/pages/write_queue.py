"""Work put off: in several rows, each done in order by a thread of its own, a little later, beside what comes next."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

Job = Callable[[], object]


class WriteQueue:
    """Rows of jobs, a thread each. A row whose job has failed does no more, and what was raised is raised here."""

    def __init__(self, pools: Sequence[ThreadPoolExecutor], n_bytes: int) -> None:
        self._pools = pools
        self._left = n_bytes
        self._waiting: deque[tuple[list[Future[None]], int]] = deque()
        self._last = [_nothing() for _ in pools]

    def add(self, jobs: Sequence[Job], n_bytes: int) -> None:
        """Add a job to each row, of so many bytes together; wait for the first ones where more wait than may."""
        if not self._pools:
            for job in jobs:
                job()
            return
        rows = zip(self._pools, self._last, jobs, strict=True)
        self._last = [pool.submit(_after, last, job) for pool, last, job in rows]
        self._waiting.append((self._last, n_bytes))
        self._left -= n_bytes
        while self._left < 0:
            self._wait_for_first()

    def catch_up(self) -> None:
        """Wait until all is done."""
        while self._waiting:
            self._wait_for_first()

    def _wait_for_first(self) -> None:
        futures, n_bytes = self._waiting.popleft()
        for future in futures:
            future.result()
        self._left += n_bytes


@contextmanager
def behind(n_rows: int, n_bytes: int) -> Iterator[WriteQueue]:
    """Give what takes jobs in so many rows, of which up to `n_bytes` may wait; all are done when the block ends.

    With no bytes that may wait, each is done where it is added.
    """
    with ExitStack() as threads:
        rows = WriteQueue(
            [threads.enter_context(ThreadPoolExecutor(1)) for _ in range(n_rows if n_bytes else 0)], n_bytes
        )
        yield rows
        rows.catch_up()


def _after(last: Future[None], job: Job) -> None:
    last.result()  # raises what it raised: nothing follows a job that failed
    job()


def _nothing() -> Future[None]:
    done: Future[None] = Future()
    done.set_result(None)
    return done
