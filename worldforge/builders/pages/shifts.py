"""Composes all chunks, by one process or by several, and hands them on in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from worldforge.builders.pages.compose import Chunk, compose
from worldforge.builders.pages.outline import Outline
from worldforge.builders.pages.spills import Spills
from worldforge.core.processes import pool, spread, taken

_WORTH_A_PROCESS = 80_000
"""How many pages are about as long in the making as a process is in starting."""


def compose_all(
    outline: Outline, chunks: Sequence[Chunk], spills: Spills, workers: int
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Compose every chunk and yield the mentions and the links of each, in order; its pages are spilled as `pages`."""
    workers = min(workers, len(outline) // _WORTH_A_PROCESS)
    if workers < 2:
        for number, chunk in enumerate(chunks):
            composed = compose(outline, chunk)
            spills.write(number, "pages", composed.pages)
            yield composed.mentions, composed.links
        return
    with pool(workers, (outline, spills)) as executor:
        for number in spread(executor, _compose_in_worker, enumerate(chunks)):
            yield spills.take(number, "mentions"), spills.take(number, "links")


def _compose_in_worker(numbered: tuple[int, Chunk]) -> int:
    number, chunk = numbered
    outline, spills = taken()
    composed = compose(outline, chunk)
    spills.write(number, "pages", composed.pages)
    spills.write(number, "mentions", composed.mentions)
    spills.write(number, "links", composed.links)
    return number
