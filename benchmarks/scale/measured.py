"""What a step took: measured in a process of its own, so that its peak of memory is its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil

_EVERY_S = 0.2  # looking takes part of a core that is measured


@dataclass(frozen=True)
class Measured:
    """One step at one size.

    `items` of a kind `unit`, done in `cpu_s` (worker processes included) and `wall_s` seconds; `peak_bytes` is the most
    memory that its processes held at once (RSS, mapped files included), `n_bytes` what it left in files. `more` holds
    figures of its own by name.
    """

    step: str
    size: int
    items: int
    unit: str
    cpu_s: float
    wall_s: float
    peak_bytes: int
    n_bytes: int = 0
    more: dict[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Items a CPU second; the clock of CPU time ticks in hundredths."""
        return self.items / max(self.cpu_s, 0.01)


@dataclass(frozen=True)
class Results:
    """All that a run measured, on which machine, by how many workers."""

    machine: str
    workers: int
    measured: tuple[Measured, ...]

    def of(self, step: str, size: int) -> Measured | None:
        """Return what a step took at a size; None where it was not measured."""
        return next((found for found in self.measured if (found.step, found.size) == (step, size)), None)

    @property
    def sizes(self) -> list[int]:
        """The sizes that a world was built at, ascending."""
        return sorted({found.size for found in self.measured if found.step == "populate"})

    def write(self, path: Path) -> None:
        """Write all of it as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read what `write` wrote. Raises ValueError where another has written the file."""
        text = path.read_text(encoding="utf-8")
        try:
            found = json.loads(text)
            return cls(found["machine"], found["workers"], tuple(Measured(**each) for each in found["measured"]))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} holds no results that `--json` has written") from error


def measure(step: str, size: int, function: str | None = None, **arguments: Any) -> Measured:
    """Run a function of `steps` or `peers`, called as the step unless it is named, in a process of its own.

    Bytecode is kept, as Python keeps it where nothing forbids it. Raises RuntimeError where the function fails; it has
    said why by then.
    """
    command = [sys.executable, "-m", "benchmarks.scale", "--child", function or step, json.dumps(arguments)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    watched, peak = psutil.Process(process.pid), 0
    try:
        while process.poll() is None:
            peak = max(peak, _resident(watched))
            time.sleep(_EVERY_S)
    except BaseException:
        process.kill()  # its workers go with it
        process.wait()
        raise
    assert process.stdout is not None
    said = process.stdout.read()
    if process.returncode:
        raise RuntimeError(f"the step `{step}` at {size:,} pages ended with exit code {process.returncode}")
    found = json.loads(said.splitlines()[-1])
    peak = max(peak, found.pop("peak_bytes"))
    return Measured(step=step, size=size, peak_bytes=peak, **found)


def middle(turns: Sequence[Sequence[Measured]]) -> list[Measured]:
    """Return the turn whose first step took the middle one's times as long as its second, by the clock.

    What else a machine does hits both of a turn; the quickest of each might come of different hours.
    """
    ordered = sorted(turns, key=lambda turn: turn[0].wall_s / turn[1].wall_s)
    return [*ordered[len(ordered) // 2]]


def _resident(process: psutil.Process) -> int:
    """Add up the memory of a process and of those below it."""
    total = 0
    try:
        for each in (process, *process.children(recursive=True)):
            total += each.memory_info().rss
    except psutil.Error:  # it has ended meanwhile
        pass
    return total


def machine() -> str:
    """Say in words what is measured on."""
    known = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in known if line.startswith("model name")]
    cores, memory = psutil.cpu_count() or 1, psutil.virtual_memory().total / 2**30
    version = ".".join(map(str, sys.version_info[:3]))
    return f"{cores} cores of {names[0] if names else 'a CPU'}, {memory:.0f} GiB, Python {version}"
