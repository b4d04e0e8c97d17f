"""One check of the doctor: its state, what was found, and what to do about it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

State = Literal["ok", "note", "broken"]
"""It works; it is missing or poor, and only some need it; it is needed, and does not work."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found: `found` and `do` for people, `details` (JSON values) for machines; its `seconds`."""

    state: State
    found: str
    do: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    seconds: float = 0.0


Check = Callable[[], CheckResult]


def run_check(name: str, check: Check) -> CheckResult:
    """Run a check. One that raises an exception is broken, and found that exception."""
    start = time.perf_counter()
    try:
        result = check()
    except Exception as error:  # noqa: BLE001 - a check that fails is a row with its reason
        message = " ".join(str(getattr(error, "message", error)).split()) or "no reason given"
        result = CheckResult("broken", f"{type(error).__name__}: {message}", getattr(error, "hint", ""))
    return replace(result, name=name, seconds=round(time.perf_counter() - start, 3))
