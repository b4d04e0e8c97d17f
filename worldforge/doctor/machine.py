"""The machine: cores, memory, open files, accelerators; and what of it this process may use."""

from __future__ import annotations

import os
import platform
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

from worldforge.doctor.check import CheckResult, gib

_LEAST_MEMORY = 2 * 2**30  # the quickstart world takes 0.4 GiB; 100,000 pages 1.2
_LEAST_FILES = 1024
_PATIENCE_S = 20
_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "asimd", "bf16")
"""Of a CPU, those that decide which kernels vLLM has for it: x86 from AVX2 on, ARM with NEON (asimd)."""
_UNLIMITED = 2**60  # cgroups of the first version write no limit as a huge number


def cores() -> CheckResult:
    """Count the cores, and those that this process may use."""
    there = os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else there
    quota = _cpu_quota()
    usable = min(allowed, quota or allowed)
    details = {"cores": there, "allowed": allowed, "quota": quota, "usable": usable}
    limits = [f"affinity allows {allowed}"] * (allowed < there) + [f"the cgroup allows {quota or 0:g}"] * bool(quota)
    found = f"{usable:g} of {there} usable{': ' + ', '.join(limits) if limits else ''}"
    return CheckResult("ok", found, f"`--workers {max(1, int(usable))}` uses them" if usable > 1 else "", details)


def memory() -> CheckResult:
    """Look at how much memory there is, is free, and may be used."""
    told = dict(re.findall(r"(\w+):\s+(\d+) kB", _read("/proc/meminfo")))
    total = int(told.get("MemTotal", 0)) * 1024 or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    free = int(told["MemAvailable"]) * 1024 if "MemAvailable" in told else None
    limit = _memory_limit()
    usable = min(total if free is None else free, limit or total)
    details = {"total_bytes": total, "available_bytes": free, "cgroup_limit_bytes": limit}
    found = f"{gib(total)}{'' if free is None else f', {gib(free)} available'}"
    found += f", the cgroup allows {gib(limit)}" if limit else ""
    if usable < _LEAST_MEMORY:
        return CheckResult(
            "note", found, "end other programs, or take few `--workers`: each has memory of its own", details
        )
    return CheckResult("ok", found, details=details)


def open_files() -> CheckResult:
    """Look at how many files this process may hold open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = soft == resource.RLIM_INFINITY
    details = {"soft": None if unlimited else soft, "hard": None if hard == resource.RLIM_INFINITY else hard}
    if unlimited or soft >= _LEAST_FILES:
        return CheckResult("ok", "unlimited" if unlimited else f"{soft:,}", details=details)
    return CheckResult(
        "note", f"{soft:,}", f"many workers and connections need more: ulimit -n {_LEAST_FILES}", details
    )


def accelerators() -> CheckResult:
    """Look for NVIDIA GPUs, whether PyTorch sees them, and what vLLM can make of the CPU."""
    gpus, flags = _gpus(), _cpu_flags()
    details: dict[str, object] = {"gpus": gpus, "cpu": platform.machine(), "cpu_flags": flags}
    cpu = f"{platform.machine()} CPU{': ' + ' '.join(flags) if flags else ''}"
    if not gpus:
        slow = "avx2" not in flags and "asimd" not in flags and sys.platform == "linux"
        do = "vLLM has no kernels for this CPU; use a server: openai:NAME@URL" if slow else ""
        return CheckResult(
            "note", f"no GPU; {cpu}", do or "models run on the CPU, or at a server: openai:NAME@URL", details
        )
    found = f"{', '.join(gpus)}; {cpu}"
    seen = _cuda_devices()
    details["torch_cuda_devices"] = seen
    if seen is None:
        return CheckResult("note", f"{found}; PyTorch does not answer", "install the extra `vllm` to use them", details)
    if seen == 0:
        return CheckResult("note", f"{found}; PyTorch sees none of them", "install a CUDA build of PyTorch", details)
    return CheckResult("ok", found, details=details)


def _gpus() -> list[str]:
    """Return the GPUs that nvidia-smi lists, as `H100 (79.6 GiB)`; none where it is missing or fails."""
    command = shutil.which("nvidia-smi")
    if command is None:
        return []
    asked = [command, "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        told = subprocess.run(asked, capture_output=True, text=True, timeout=_PATIENCE_S, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [line.rpartition(",") for line in told.splitlines() if line.strip()]
    return [f"{name.strip()} ({gib(int(mib) * 2**20)})" if mib.strip().isdecimal() else name for name, _, mib in rows]


def _cuda_devices() -> int | None:
    """Ask PyTorch, whose import takes seconds, in a process of its own; None where it gives no answer."""
    asked = [sys.executable, "-P", "-c", "import torch; print(torch.cuda.device_count())"]
    try:
        told = subprocess.run(asked, capture_output=True, text=True, timeout=3 * _PATIENCE_S, check=True).stdout
        return int(told.strip().splitlines()[-1])
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return None


def _cpu_flags() -> list[str]:
    listed = re.search(r"^(?:flags|Features)\s*:(.*)$", _read("/proc/cpuinfo"), re.MULTILINE)
    there = set(listed[1].split()) if listed else set()
    return [flag for flag in _FLAGS if flag in there]


def _cpu_quota() -> float | None:
    """Return how many cores the process' control group may use; None where it is not limited."""
    for folder in _groups("cpu"):
        if text := _read(folder / "cpu.max"):
            limit, _, period = text.partition(" ")
        else:
            limit, period = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
        if limit.isdecimal() and period.isdecimal():
            return int(limit) / int(period)
    return None


def _memory_limit() -> int | None:
    for folder in _groups("memory"):
        limit = _read(folder / "memory.max") or _read(folder / "memory.limit_in_bytes")
        if limit.isdecimal() and int(limit) < _UNLIMITED:
            return int(limit)
    return None


def _groups(controller: str) -> list[Path]:
    """Return the folders of this process' control group and of those above it: of version 2, or of a controller's own.

    Formats: cgroups(7). A container sees its own group as the root.
    """
    folders = []
    for line in _read("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "" or controller in controllers.split(","):
            root = Path("/sys/fs/cgroup", *((controller,) if controllers else ()))
            own = root / path.lstrip("/")
            folders += [folder for folder in (own, *own.parents) if folder.is_relative_to(root)]
    return folders


def _read(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
