"""The machine: cores, memory, open files, accelerators, disks; and how much of each this process may use."""

from __future__ import annotations

import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

from worldforge.core.errors import InputError
from worldforge.core.files import locked, write_text
from worldforge.doctor.check import CheckResult

_MIN_MEMORY = 2 * 2**30  # the quickstart world takes 0.4 GiB; 100,000 pages 1.2
_MIN_FILES = 1024
_MIN_FREE = 2**30  # a world of 100,000 pages with its index takes 0.6 GiB
_NETWORK_FILE_SYSTEMS = ("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "lustre", "ceph", "glusterfs")
_TIMEOUT_S = 60
_FLAGS = {"avx2", "avx512f", "amx_bf16", "asimd", "bf16"}
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
    is_short = usable < _MIN_MEMORY
    advice = "end other programs, or take few `--workers`: each has memory of its own" if is_short else ""
    details = {"total_bytes": total, "usable_bytes": usable}
    return CheckResult("note" if is_short else "ok", f"{_gib(total)}, {_gib(usable)} usable", advice, details)


def _duckdb_setting(name: str) -> str:
    row = duckdb.execute("SELECT current_setting($1)", [name]).fetchone()
    assert row is not None
    return str(row[0])


def check_open_files() -> CheckResult:
    """Look how many files this process may hold open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= _MIN_FILES:
        return CheckResult("ok", "unlimited" if soft == resource.RLIM_INFINITY else f"{soft:,}")
    return CheckResult("note", f"{soft:,}", f"many workers and connections need more: ulimit -n {_MIN_FILES}")


def check_accelerators() -> CheckResult:
    """Look for NVIDIA GPUs, whether PyTorch sees them, and which kernels vLLM has for the CPU."""
    listed = re.search(r"^(?:flags|Features)\s*:(.*)$", _read("/proc/cpuinfo"), re.MULTILINE)
    gpus, flags = _gpus(), sorted(_FLAGS.intersection(listed[1].split() if listed else ()))
    details: dict[str, object] = {"gpus": gpus, "cpu": platform.machine(), "cpu_flags": flags}
    cpu = f"{platform.machine()} CPU{': ' + ' '.join(flags) if flags else ''}"
    if not gpus:
        has_kernels = {"avx2", "asimd"}.intersection(flags) or sys.platform != "linux"
        found = (
            "models run on the CPU, or at a server" if has_kernels else "vLLM has no kernels for this CPU; use a server"
        )
        return CheckResult("note", f"no GPU; {cpu}", f"{found}: openai:NAME@URL", details)
    found, n_devices = f"{', '.join(gpus)}; {cpu}", _n_cuda_devices()
    details["torch_cuda_devices"] = n_devices
    if n_devices is None:
        return CheckResult("note", f"{found}; PyTorch does not answer", "install the extra `vllm` to use them", details)
    if n_devices == 0:
        return CheckResult("note", f"{found}; PyTorch sees none of them", "install a CUDA build of PyTorch", details)
    return CheckResult("ok", found, details=details)


def _gpus() -> list[str]:
    """Return the GPUs that nvidia-smi lists, as `H100 (79.6 GiB)`; none where it is missing or fails."""
    output = _output_of("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits")
    rows = [line.rpartition(",") for line in output.splitlines() if line.strip()]
    return [f"{name.strip()} ({_gib(int(mib) * 2**20)})" if mib.strip().isdecimal() else name for name, _, mib in rows]


def _n_cuda_devices() -> int | None:
    """Ask PyTorch, whose import takes seconds, in a process of its own; None where it gives no answer."""
    output = _output_of(sys.executable, "-P", "-c", "import torch; print(torch.cuda.device_count())")
    return int(output.split()[-1]) if output.strip() else None


def _output_of(*command: str) -> str:
    """Return what a command prints; nothing where it is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def check_folder(folder: Path) -> CheckResult:
    """Write to `folder`, or where it would be made: a file that is synced and renamed, and a lock."""
    existing = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    if not existing.is_dir():
        return CheckResult("broken", f"{existing} is no folder", "remove it, or write elsewhere with `-o`")
    kind, free = _file_system(existing), shutil.disk_usage(existing).free
    details = {"folder": str(folder), "tried_in": str(existing), "free_bytes": free, "file_system": kind}
    found = f"{folder}: {_gib(free)} free{f', {kind}' if kind else ''}"
    try:
        with tempfile.TemporaryDirectory(prefix=".worldforge-doctor-", dir=existing) as scratch:
            for text in ("first", "second"):
                write_text(Path(scratch) / "written", text)
            details["locks"] = locks = _locks_work(Path(scratch) / ".lock")
    except OSError as error:
        do = "correct its permissions, free space, or write elsewhere with `-o`"
        return CheckResult("broken", f"{found}; it cannot be written to: {error.strerror or error}", do, details)
    if not locks:
        do = "two processes would write one world: mount it with locks (NFS 4, no `nolock`), or write to a local disk"
        return CheckResult("broken", f"{found}; file locks do not hold there", do, details)
    if free < _MIN_FREE:
        return CheckResult("note", found, "free some: a world of 100,000 pages takes 0.6 GiB", details)
    if kind in _NETWORK_FILE_SYSTEMS:
        return CheckResult("note", found, "over a network: give each machine a log file of its own", details)
    return CheckResult("ok", f"{found}; rename, sync and locks work", details=details)


def _locks_work(path: Path) -> bool:
    """Return whether a lock that is held is refused to another."""
    try:
        with locked(path, "first"), locked(path, "second"):
            return False
    except InputError:
        return True


def _file_system(folder: Path) -> str:
    """Return the kind of file system that `folder` lies on; empty where the system does not say."""
    mounts, real = [line.split() for line in _read("/proc/mounts").splitlines()], folder.resolve()
    over = [(len(point), kind) for _, point, kind, *_ in mounts if real.is_relative_to(point.replace("\\040", " "))]
    return max(over)[1] if over else ""


def _gib(n_bytes: float) -> str:
    return f"{n_bytes / 2**30:,.1f} GiB"


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""
