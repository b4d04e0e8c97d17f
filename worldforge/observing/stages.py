"""Follows stages as a `Progress` does, and keeps what they come to: items, seconds, counts. Events tell of it.

stages = Stages()
with stages.following():
    build(spec, progress=stages)                # stage_began, stage_going, stage_ended
stages.all["pages"].items, stages.all["pages"].wall_s
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from worldforge.core.events import emit
from worldforge.observing.usage import cpu_s, peak_rss_bytes, rss_bytes

EVERY_S = 10.0
"""How often an open stage says how far it is."""


@dataclass(slots=True)
class StageState:
    """One stage: why it ran, its items (and how many there will be, where known), what was counted, wall and CPU time.

    `counts` are by what was counted, and of which sort. Of a stage that was opened several times all are added up.
    """

    name: str
    why: str = ""
    total: int | None = None
    items: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    _before: tuple[float, float] = (0.0, 0.0)
    _since: tuple[float, float] | None = None

    def open(self) -> None:
        """Start the clock."""
        self._since = time.perf_counter(), cpu_s()

    def close(self) -> None:
        """Stop it."""
        self._before, self._since = (self.wall_s, self.cpu_s), None

    @property
    def wall_s(self) -> float:
        """Seconds that it has been open."""
        return self._before[0] + (time.perf_counter() - self._since[0] if self._since else 0.0)

    @property
    def cpu_s(self) -> float:
        """CPU seconds meanwhile, of this process and of the workers that it has ended."""
        return self._before[1] + (cpu_s() - self._since[1] if self._since else 0.0)


class Stages:
    """A progress that keeps what it is told. One stage is open at a time, and one part of it."""

    def __init__(self) -> None:
        self.all: dict[str, StageState] = {}
        self._open: list[StageState] = []
        self._lock = threading.RLock()

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Open a stage, or a part of the one that is open; what was open beside it has ended."""
        with self._lock:
            outer = stage.partition(": ")[0]
            while self._open and self._open[-1].name not in (outer, stage):
                self._end()
            if self._open and self._open[-1].name == stage:
                self._open[-1].total = total
                return
            opened = self.all.setdefault(stage, StageState(stage))
            opened.why = why or opened.why
            if total is not None:
                opened.total = opened.items + total
            opened.open()
            self._open.append(opened)
            emit("stage_began", stage=stage, **({"why": why} if why else {}), **_given(total=total))

    def advance(self, items: int = 1) -> None:
        """Count items of the stage that is open, and of the one that it is a part of."""
        for stage in self._open:
            stage.items += items

    def note(self, text: str) -> None:
        """Ignore the words: what they say is counted."""

    def count(self, what: str, n: int = 1, of: str = "") -> None:
        """Count something in the stage that is open."""
        if self._open:
            self._open[-1].counts[what, of] += n

    def counts(self) -> Counter[tuple[str, str]]:
        """Return what all stages have counted together."""
        with self._lock:
            together: Counter[tuple[str, str]] = Counter()
            for stage in self.all.values():
                together.update(stage.counts.copy())
            return together

    @contextmanager
    def following(self) -> Iterator[Stages]:
        """Say every few seconds how far the open stage is; end what is open with the block: failed, if that raises."""
        over = threading.Event()
        telling = threading.Thread(target=self._tell, args=(over,), daemon=True)
        telling.start()
        failed = True
        try:
            yield self
            failed = False
        finally:
            over.set()
            with self._lock:
                while self._open:
                    self._end(failed=failed)
            telling.join()

    def _end(self, *, failed: bool = False) -> None:
        stage = self._open.pop()
        stage.close()
        told = _standing(stage) | {"cpu_s": round(stage.cpu_s, 3), "peak_rss_bytes": peak_rss_bytes()}
        emit("stage_failed" if failed else "stage_ended", logging.WARNING if failed else logging.INFO, **told)

    def _tell(self, over: threading.Event) -> None:
        while not over.wait(EVERY_S):
            with self._lock:
                if self._open:
                    emit("stage_going", **_standing(self._open[-1]), **_given(rss_bytes=rss_bytes() or None))


def _standing(stage: StageState) -> dict[str, Any]:
    wall_s = stage.wall_s
    told = {"stage": stage.name, "items": stage.items, "wall_s": round(wall_s, 3)}
    rate = {"items_per_s": round(stage.items / wall_s, 3)} if stage.items and wall_s else {}
    return told | _given(total=stage.total) | rate | _sorted(stage.counts)


def _sorted(counts: Counter[tuple[str, str]]) -> dict[str, Any]:
    """Lay counts out by name; those of several sorts as an object."""
    if not counts:
        return {}
    told: dict[str, Any] = {}
    for (what, of), n in sorted(counts.copy().items()):
        if of:
            told.setdefault(what, {})[of] = n
        else:
            told[what] = n
    return {"counts": told}


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
