"""A `Progress` that records items, seconds and counts of stages, and logs them as events.

stages = StageRecorder()
with stages.logging_stages():
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
from worldforge.core.progress import Progress
from worldforge.observing.usage import cpu_s, peak_rss_bytes, rss_bytes

EVERY_S = 10.0
"""How often `stage_going` is logged for the open stage."""


@dataclass(slots=True)
class StageState:
    """The record of one stage, summed over all times that it was open. `total` is the expected number of items.

    `counts` has a number for each (what was counted, which sort of it).
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
        """Stop the clock."""
        self._before, self._since = (self.wall_s, self.cpu_s), None

    @property
    def wall_s(self) -> float:
        """Wall-clock seconds while open."""
        return self._before[0] + (time.perf_counter() - self._since[0] if self._since else 0.0)

    @property
    def cpu_s(self) -> float:
        """CPU seconds while open, of this process and of its workers that have ended."""
        return self._before[1] + (cpu_s() - self._since[1] if self._since else 0.0)


class StageRecorder(Progress):
    """The records of all stages by name. One is open at a time, with at most one part (`tasks: lists`) of it."""

    def __init__(self) -> None:
        self.all: dict[str, StageState] = {}
        self._open: list[StageState] = []
        self._lock = threading.RLock()

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Open a stage, or a part of the open stage; other open stages end."""
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
            emit("stage_began", stage=stage, **({"why": why} if why else {}), **_not_none(total=total))

    def advance(self, items: int = 1) -> None:
        """Count items of the open stage, and of the stage that it is a part of."""
        for stage in self._open:
            stage.items += items

    def count(self, what: str, n: int = 1, of: str = "") -> None:
        """Count something in the open stage."""
        if self._open:
            self._open[-1].counts[what, of] += n

    def counts(self) -> Counter[tuple[str, str]]:
        """Return the counts of all stages, added up."""
        with self._lock:
            together: Counter[tuple[str, str]] = Counter()
            for stage in self.all.values():
                together.update(stage.counts.copy())
            return together

    @contextmanager
    def logging_stages(self) -> Iterator[StageRecorder]:
        """Log the open stage every few seconds; at the end of the block end open stages, as failed if it raised."""
        stopped = threading.Event()
        reporter = threading.Thread(target=self._report, args=(stopped,), daemon=True)
        reporter.start()
        failed = True
        try:
            yield self
            failed = False
        finally:
            stopped.set()
            with self._lock:
                while self._open:
                    self._end(failed=failed)
            reporter.join()

    def _end(self, *, failed: bool = False) -> None:
        stage = self._open.pop()
        stage.close()
        fields = _stage_fields(stage) | {"cpu_s": round(stage.cpu_s, 3), "peak_rss_bytes": peak_rss_bytes()}
        emit("stage_failed" if failed else "stage_ended", logging.WARNING if failed else logging.INFO, **fields)

    def _report(self, stopped: threading.Event) -> None:
        while not stopped.wait(EVERY_S):
            with self._lock:
                if self._open:
                    emit("stage_going", **_stage_fields(self._open[-1]), **_not_none(rss_bytes=rss_bytes() or None))


def _stage_fields(stage: StageState) -> dict[str, Any]:
    wall_s = stage.wall_s
    fields = {"stage": stage.name, "items": stage.items, "wall_s": round(wall_s, 3)}
    rate = {"items_per_s": round(stage.items / wall_s, 3)} if stage.items and wall_s else {}
    return fields | _not_none(total=stage.total) | rate | _counts_as_json(stage.counts)


def _counts_as_json(counts: Counter[tuple[str, str]]) -> dict[str, Any]:
    """Return counts as JSON: a number, or an object by sort."""
    if not counts:
        return {}
    fields: dict[str, Any] = {}
    for (what, of), n in sorted(counts.copy().items()):
        if of:
            fields.setdefault(what, {})[of] = n
        else:
            fields[what] = n
    return {"counts": fields}


def _not_none(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
