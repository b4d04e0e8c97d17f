"""All checks of the doctor, in order."""

from __future__ import annotations

import tempfile
from pathlib import Path

from worldforge.doctor import disk, machine, packages, services, smoke_tests, vllm_start
from worldforge.doctor.check import Check


def checks(folder: Path, *, start_vllm: bool = False) -> dict[str, Check]:
    """Return every check by name; `folder` is where worlds are to be built."""
    temporary = Path(tempfile.gettempdir())
    return {
        "python": packages.check_python,
        "worldforge": packages.check_required,
        **packages.extra_checks(),
        "cores": machine.check_cores,
        "memory": machine.check_memory,
        "open files": machine.check_open_files,
        "accelerators": machine.check_accelerators,
        "disk": lambda: disk.check_folder(folder),
        "temporary files": lambda: disk.check_folder(temporary),
        "specs": smoke_tests.check_spec,
        "duckdb": smoke_tests.check_duckdb,
        "tantivy": smoke_tests.check_tantivy,
        "hub": services.check_hub_token,
        "ray": services.check_ray_cluster,
        "vllm": vllm_start.check_start if start_vllm else vllm_start.check_skipped,
    }
