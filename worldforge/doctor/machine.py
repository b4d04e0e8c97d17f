"""The machine: cores, memory, open files, accelerators; and how much of each this process may use."""

from __future__ import annotations

import os
import platform
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb

from worldforge.doctor.check import CheckResult, gib

_MIN_MEMORY = 2 * 2**30  # the quickstart world takes 0.4 GiB; 100,000 pages 1.2
_MIN_FILES = 1024
_TIMEOUT_S = 20
_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "asimd", "bf16")
"""CPU flags that decide which kernels vLLM has: x86 from AVX2 on, ARM with NEON (asimd)."""
_DUCKDB_SHARE = 0.8
"""DuckDB takes this share of the memory that the machine or a control group (1 or 2) allows, and all cores allowed."""
_UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def check_cores() -> CheckResult:
    """Count the cores, and those that affinity and control groups let this process use."""
    n_cores = os.cpu_count() or 1
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else n_cores
    usable = min(affinity, int(_duckdb_setting("threads")))
    advice = f"`--workers {usable}` uses them" if usable > 1 else ""
    return CheckResult("ok", f"{usable} of {n_cores} usable", advice, {"cores": n_cores, "usable": usable})


def check_memory() -> CheckResult:
    """Measure how much memory there is, and how much of it this process may use."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    number, unit = _duckdb_setting("memory_limit").split()
    available = re.search(r"MemAvailable:\s+(\d+) kB", _read("/proc/meminfo"))
    allowed = round(float(number) * _UNITS[unit] / _DUCKDB_SHARE)
    usable = min(total, allowed, int(available[1]) * 1024 if available else total)
    found = f"{gib(total)}, {gib(usable)} usable"
    details = {"total_bytes": total, "usable_bytes": usable}
    if usable < _MIN_MEMORY:
        advice = "end other programs, or take few `--workers`: each has memory of its own"
        return CheckResult("note", found, advice, details)
    return CheckResult("ok", found, details=details)


def _duckdb_setting(name: str) -> str:
    row = duckdb.execute("SELECT current_setting($1)", [name]).fetchone()
    assert row is not None
    return str(row[0])


def check_open_files() -> CheckResult:
    """Look how many files this process may hold open."""
    soft, hard = (
        None if limit == resource.RLIM_INFINITY else limit for limit in resource.getrlimit(resource.RLIMIT_NOFILE)
    )
    details = {"soft": soft, "hard": hard}
    if soft is None or soft >= _MIN_FILES:
        return CheckResult("ok", "unlimited" if soft is None else f"{soft:,}", details=details)
    return CheckResult("note", f"{soft:,}", f"many workers and connections need more: ulimit -n {_MIN_FILES}", details)


def check_accelerators() -> CheckResult:
    """Look for NVIDIA GPUs, whether PyTorch sees them, and which kernels vLLM has for the CPU."""
    gpus, flags = _gpus(), _cpu_flags()
    details: dict[str, object] = {"gpus": gpus, "cpu": platform.machine(), "cpu_flags": flags}
    cpu = f"{platform.machine()} CPU{': ' + ' '.join(flags) if flags else ''}"
    if not gpus:
        has_kernels = "avx2" in flags or "asimd" in flags or sys.platform != "linux"
        advice = "models run on the CPU, or at a server: openai:NAME@URL"
        if not has_kernels:
            advice = "vLLM has no kernels for this CPU; use a server: openai:NAME@URL"
        return CheckResult("note", f"no GPU; {cpu}", advice, details)
    found = f"{', '.join(gpus)}; {cpu}"
    n_devices = _n_cuda_devices()
    details["torch_cuda_devices"] = n_devices
    if n_devices is None:
        return CheckResult("note", f"{found}; PyTorch does not answer", "install the extra `vllm` to use them", details)
    if n_devices == 0:
        return CheckResult("note", f"{found}; PyTorch sees none of them", "install a CUDA build of PyTorch", details)
    return CheckResult("ok", found, details=details)


def _gpus() -> list[str]:
    """Return the GPUs that nvidia-smi lists, as `H100 (79.6 GiB)`; none where it is missing or fails."""
    command = shutil.which("nvidia-smi")
    if command is None:
        return []
    query = [command, "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        output = subprocess.run(query, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [line.rpartition(",") for line in output.splitlines() if line.strip()]
    return [f"{name.strip()} ({gib(int(mib) * 2**20)})" if mib.strip().isdecimal() else name for name, _, mib in rows]


def _n_cuda_devices() -> int | None:
    """Ask PyTorch, whose import takes seconds, in a process of its own; None where it gives no answer."""
    command = [sys.executable, "-P", "-c", "import torch; print(torch.cuda.device_count())"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=3 * _TIMEOUT_S, check=True).stdout
        return int(output.strip().splitlines()[-1])
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return None


def _cpu_flags() -> list[str]:
    listed = re.search(r"^(?:flags|Features)\s*:(.*)$", _read("/proc/cpuinfo"), re.MULTILINE)
    flags = set(listed[1].split()) if listed else set()
    return [flag for flag in _FLAGS if flag in flags]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""
