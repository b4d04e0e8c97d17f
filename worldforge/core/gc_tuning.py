"""Run Python's cyclic garbage collector less often, where code makes many objects and few cycles, as episodes do."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (20_000, 20, 100)
"""Objects made since the last pass, and passes over younger ones before one over older; Python 3.11: 700, 10, 10."""


def tune_gc() -> None:
    """Collect less often in this process from now on: for a worker, which ends with its work."""
    gc.set_threshold(*_SELDOM)


@contextmanager
def tuned_gc() -> Iterator[None]:
    """Collect less often within the block, and leave out objects that exist already."""
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    tune_gc()
    if not frozen:
        gc.freeze()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()
