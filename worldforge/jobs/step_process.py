"""Run a step as a process of its own, and read what it produced and used: counts for the ledger, tokens, bytes."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from worldforge.core.files import private
from worldforge.core.processes import process_group

Reason = TypeVar("Reason")
MODULE = "worldforge.cli.main"
_POLL_S = 0.1
_INTERRUPT_TIMEOUT_S = 20.0  # for an interrupted step to end before it is killed
_TOKENS = ("prompt_tokens", "completion_tokens", "n_prompt_tokens", "n_completion_tokens")


def run_step(
    arguments: Sequence[str],
    folder: Path,
    out: Path,
    log: Path,
    stop_reason: Callable[[], Reason | None],
) -> tuple[int, Reason | None]:
    """Run `worldforge` with `arguments` in `folder`; its output goes to `out`, its messages to the end of `log`.

    Its process group ends with it, and with this process, even if that is killed.

    `stop_reason` is polled: when it returns a reason, the step is interrupted, and killed with all that it started if
    it does not end in time. Return the exit code, negative for the signal that killed the step, and that reason.
    """
    # -P: nothing is imported from the folder, which may be a stranger's
    command = [sys.executable, "-P", "-m", MODULE, *arguments]
    with open(out, "wb", opener=private) as stdout, open(log, "ab", opener=private) as stderr:
        reason, deadline = None, float("inf")
        with process_group(command, cwd=folder, stdout=stdout, stderr=stderr) as process:
            while process.poll() is None and time.monotonic() < deadline:
                if reason is None and (reason := stop_reason()) is not None:
                    deadline = time.monotonic() + _INTERRUPT_TIMEOUT_S
                    process.send_signal(signal.SIGINT)
                time.sleep(_POLL_S)
    return process.returncode, reason


@contextmanager
def stop_on_signals(stop: threading.Event) -> Iterator[None]:
    """Set `stop` on Ctrl-C, SIGTERM and SIGHUP.

    Processes that are started meanwhile get SIGINT again, even if this process was started with it ignored.
    """
    before = {
        number: signal.signal(number, lambda *_: stop.set())
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def read_result(path: Path) -> dict[str, Any]:
    """Read the JSON object that a command printed; empty if it printed none."""
    try:
        result = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return result if isinstance(result, dict) else {}


def summarize(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers and short texts of a result, and those of its counts or tally; counts by kind are added up."""
    values = dict(result)
    for key in ("counts", "tally"):
        if isinstance(part := values.pop(key, None), Mapping):
            values |= part
    for key, value in values.items():
        if isinstance(value, Mapping) and value and all(isinstance(count, int) for count in value.values()):
            values[key] = sum(value.values())
    return {key: value for key, value in values.items() if isinstance(value, int | float | str)}


def count_tokens(value: Any) -> int:
    """Add up the tokens that models read and wrote, in all mappings of a result: of agents, judges, prose."""
    if not isinstance(value, Mapping):
        return 0
    return sum(
        item if name in _TOKENS and isinstance(item, int) else count_tokens(item) for name, item in value.items()
    )


def tokens_of_unfinished_rollouts(world: Path) -> int:
    """Return the tokens used by the unfinished runs of a world: those of their shards and of recorded episodes."""
    from worldforge.rollouts.run import FOLDER, RECORD

    runs = [run for run in (world / FOLDER).glob("*") if run.is_dir() and not (run / RECORD).exists()]
    lines = (line for run in runs for path in run.rglob("*.jsonl") for line in path.read_bytes().splitlines())
    return sum(map(_tokens_on_record, lines))


def _tokens_on_record(line: bytes) -> int:
    """Return the tokens of a line: of a shard in the ledger, or of an episode in a journal; 0 where a kill tore it."""
    try:
        row = json.loads(line)
    except ValueError:
        return 0
    if not isinstance(row, Mapping):
        return 0
    agents = [row, *(row.get("sub_agents") or ())]
    wording = sum(count_tokens(observation) for agent in agents for observation in agent.get("observations") or ())
    return count_tokens({name: row.get(name) for name in _TOKENS}) + count_tokens(row.get("counts")) + wording


def folder_bytes(folder: Path) -> int:
    """Add up the sizes of the files in a folder; those that vanish meanwhile count nothing."""
    n_bytes = 0
    for path in folder.rglob("*"):
        try:
            n_bytes += path.lstat().st_size
        except OSError:
            continue
    return n_bytes
