"""Steps that workers share, by one and by two, beside what the machine allows: one worker's work twice at once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from benchmarks.scale.measured import Measured, measure, middle
from benchmarks.scale.steps import EPISODES_A_TASK

TURNS = 3  # of each way, in turn
LONG = 4  # times as many tasks and episodes as elsewhere: what workers are for takes minutes
SHARED = ("rollout", "pages", "tasks")
"""The steps of which a target asks that two workers be quicker than one."""


def by_workers(shared: Sequence[str], size: int, tasks: int, scratch: Path) -> Iterator[Callable[[], list[Measured]]]:
    """Give shared steps in the world in `scratch`: each by one worker, by two, and twice at once by one each.

    The last is done in two worlds at once. Neither waits for the other, so that what it falls short of two is the
    machine's: its cores share caches and memory.
    """
    world, copy = str(scratch / "world"), str(scratch / "copy")

    def measured(step: str) -> list[Measured]:
        if not Path(copy).exists():
            shutil.copytree(world, copy)
        function, given = "stage", {"name": step, "pages": size, "tasks": LONG * tasks}
        if step == "rollout":
            function, given = "rollout", {"run": "turns", "trials": LONG * EPISODES_A_TASK}

        def take(name: str, folder: str, workers: int) -> Measured:
            return measure(name, size, function, folder=folder, workers=workers, **given)

        def twice() -> Measured:
            with ThreadPoolExecutor(2) as pool:
                return _together(list(pool.map(lambda folder: take(f"{step} twice", folder, 1), (world, copy))))

        ways = (lambda: take(f"{step} by 1", world, 1), lambda: take(f"{step} by 2", world, 2), twice)
        return middle([[work() for work in ways] for _ in range(TURNS)])

    for step in shared:
        yield lambda step=step: measured(step)


def _together(both: list[Measured]) -> Measured:
    """Make one of what ran at the same time: all that was done, until the last was."""
    return replace(
        both[0],
        items=sum(one.items for one in both),
        cpu_s=sum(one.cpu_s for one in both),
        wall_s=max(one.wall_s for one in both),
        peak_bytes=sum(one.peak_bytes for one in both),
        n_bytes=sum(one.n_bytes for one in both),
    )
