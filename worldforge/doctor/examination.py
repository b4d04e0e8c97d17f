"""All that the doctor looks at, in order."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from worldforge.doctor import disk, engine, machine, packages, services, works
from worldforge.doctor.check import Check, CheckResult, run


def checks(folder: Path, *, start_vllm: bool = False) -> dict[str, Check]:
    """Return every check by name; `folder` is where worlds are to be built."""
    temporary = Path(tempfile.gettempdir())
    return {
        "python": packages.python,
        "worldforge": packages.core,
        **packages.extras(),
        "cores": machine.cores,
        "memory": machine.memory,
        "open files": machine.open_files,
        "accelerators": machine.accelerators,
        "disk": lambda: disk.writable(folder),
        "temporary files": lambda: disk.writable(temporary),
        "specs": works.spec,
        "duckdb": works.duckdb,
        "tantivy": works.tantivy,
        "hub": services.hub_token,
        "ray": services.ray_cluster,
        "vllm": engine.starts if start_vllm else engine.not_started,
    }


def examine(wanted: Mapping[str, Check], seen: Callable[[CheckResult], None] = lambda _: None) -> list[CheckResult]:
    """Run checks one after the other; tell `seen` of each as it is done."""
    results = []
    for name, check in wanted.items():
        results.append(run(name, check))
        seen(results[-1])
    return results
