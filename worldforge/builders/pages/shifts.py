"""Composes all chunks, by one process or by several, and hands them on in their order."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pyarrow as pa

from worldforge.builders.pages.compose import Chunk, compose
from worldforge.builders.pages.outline import Outline
from worldforge.builders.pages.spills import Spills
from worldforge.core.errors import WorldForgeError

_outline: Outline | None = None
"""A worker process's own copy, set once when it starts."""


def compose_all(
    outline: Outline, chunks: Sequence[Chunk], spills: Spills, workers: int
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Compose every chunk and yield the mentions and the links of each, in order; its pages are spilled as `pages`."""
    if workers == 1:
        for number, chunk in enumerate(chunks):
            composed = compose(outline, chunk)
            spills.write(number, "pages", composed.pages)
            yield composed.mentions, composed.links
        return
    plan = spills.folder / "outline.pickle"
    plan.write_bytes(pickle.dumps(outline, protocol=5))
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, initializer=_start_worker, initargs=(plan,)) as pool:
        jobs = [pool.submit(_compose_in_worker, chunk, spills, number) for number, chunk in enumerate(chunks)]
        for number, job in enumerate(jobs):
            _wait(job)
            yield spills.take(number, "mentions"), spills.take(number, "links")


def _wait(job: Future[None]) -> None:
    try:
        job.result()
    except BrokenProcessPool as error:
        raise WorldForgeError(
            "a process that wrote pages ended before its work was done",
            "memory may be short: try fewer `--workers`; a script of one's own needs `if __name__ == '__main__':`",
        ) from error


def _start_worker(plan: Path) -> None:
    # a file, not an argument: what starts a process waits for ever if it dies before it has read a long argument
    global _outline
    _outline = pickle.loads(plan.read_bytes())  # noqa: S301 - written above, a moment ago


def _compose_in_worker(chunk: Chunk, spills: Spills, number: int) -> None:
    assert _outline is not None
    composed = compose(_outline, chunk)
    spills.write(number, "pages", composed.pages)
    spills.write(number, "mentions", composed.mentions)
    spills.write(number, "links", composed.links)
