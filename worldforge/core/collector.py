"""How often Python looks for cycles of objects that nothing else holds: seldom, where little is made that has any.

Its collector passes over what lives, the more often the more is made. An episode's turns go without it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (20_000, 20, 100)
"""Objects made since the last pass, and passes over younger ones before one over older; Python 3.11: 700, 10, 10."""


def collect_seldom() -> None:
    """Let the collector of this process pass seldom from now on: for a worker, which ends with its work."""
    gc.set_threshold(*_SELDOM)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Let the collector pass seldom meanwhile, and not over what lives already."""
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    collect_seldom()
    if not frozen:
        gc.freeze()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()
