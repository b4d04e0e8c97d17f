"""One look at one thing: what was found, whether it will do, and what to do where it will not."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

State = Literal["ok", "note", "broken"]
"""It works; it is missing or poor, and only some need it; it is needed, and does not work."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check came to: `found` and `do` for people, `details` (JSON values) for machines; its `seconds`."""

    state: State
    found: str
    do: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    seconds: float = 0.0


Check = Callable[[], CheckResult]


def run(name: str, check: Check) -> CheckResult:
    """Run a check. One that raises has failed, with what it raised as its finding."""
    began = time.perf_counter()
    try:
        result = check()
    except Exception as error:  # noqa: BLE001 - a check that fails is a row with its reason
        said = " ".join(str(getattr(error, "message", error)).split()) or "no reason given"
        result = CheckResult("broken", f"{type(error).__name__}: {said}", getattr(error, "hint", ""))
    return replace(result, name=name, seconds=round(time.perf_counter() - began, 3))


def gib(n_bytes: float) -> str:
    """Write a size in memory or on disk."""
    return f"{n_bytes / 2**30:,.1f} GiB"
