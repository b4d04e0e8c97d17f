"""Execute one run of a job, from the step that is not done: retries, limits, budget, and its row in the ledger."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from worldforge.core.files import file_digest, private, write_json
from worldforge.core.redaction import redacted_arguments, without_secrets
from worldforge.jobs.job_ledger import JobLedger, JobRun, format_time
from worldforge.jobs.jobs_file import JobsPlan
from worldforge.jobs.step_commands import Permissions
from worldforge.jobs.step_process import (
    count_tokens,
    folder_bytes,
    read_result,
    run_step,
    summarize,
    tokens_of_unfinished_rollouts,
)

LOG, RECORD = "log.txt", "run.json"
MAX_CRASHES = 5
"""A run fails when its process was lost this often at one step."""
_DISK_CHECK_S = 10.0
_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class JobContext:
    """What all runs of a jobs.yaml share. `stop` interrupts them, so that they can be resumed; `log` gets messages."""

    plan: JobsPlan
    ledger: JobLedger
    permissions: Permissions
    stop: threading.Event
    log: Callable[[str], None]

    def note(self, run: JobRun, text: str) -> None:
        """Write a line, without secrets, to `log` and to the log of a run."""
        text = without_secrets(text)
        self.log(f"{run.job}: {text}")
        if run.folder is not None and (folder := self.plan.root / run.folder).is_dir():
            with open(folder / LOG, "a", encoding="utf-8", opener=private) as file:
                file.write(f"== {datetime.now(UTC):%Y-%m-%d %H:%M:%SZ} {text}\n")


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended, or was interrupted."""

    state: str
    exit_code: int
    message: str = ""


class RunExecution:
    """Executes a run; the caller holds the lock of its job."""

    def __init__(self, context: JobContext, run: JobRun) -> None:
        self._context, self._job, self._run = context, context.plan.job(run.job), run
        self._root = context.plan.root
        self._commands: list[list[str]] = []  # with secrets, unlike those on record
        self._start = time.monotonic() - run.progress.active_s
        self._disk_checked = 0.0

    def run(self) -> JobRun:
        """Do what is left of the run; return its row."""
        unchanged = self._prepare()
        self._folder.mkdir(parents=True, exist_ok=True)
        redact_file(self._folder / LOG)  # a kill may have left what a step wrote
        resumed = ", resumed" if self._run.progress.resumed else ""
        self._note(f"run {self._run.number} ({self._run.trigger}){resumed}: {self._run.folder}")
        end = self._run_steps() if unchanged else RunEnd("abandoned", 1, "the job has changed since the run started")
        interrupted = end.state == "interrupted"
        self._update(
            state=end.state,
            exit_code=end.exit_code,
            message=without_secrets(end.message),
            ended=None if interrupted else format_time(datetime.now(UTC)),
            active_s=time.monotonic() - self._start,
            bytes=folder_bytes(self._folder),
            tokens=self._tokens_used(),
        )
        self._note(f"run {self._run.number}: {end.state}" + (f": {end.message}" if end.message else ""))
        if not interrupted:
            write_json(self._folder / RECORD, self._run.as_data(), private)
        return self._run

    @property
    def _folder(self) -> Path:
        assert self._run.folder is not None
        return self._root / self._run.folder

    def _prepare(self) -> bool:
        """Give the run its folder and commands; return whether these are still those that it started with."""
        run = self._run
        assert run.number is not None
        values = self._context.plan.run_values(run.job, run.number, datetime.fromisoformat(run.due))
        self._commands = self._job.commands(values, self._context.permissions)
        redacted = [redacted_arguments(command) for command in self._commands]
        if run.progress.commands:
            return run.progress.commands == redacted
        self._update(folder=values["folder"], commands=redacted)
        return True

    def _run_steps(self) -> RunEnd:
        progress = self._run.progress
        if progress.crashes >= MAX_CRASHES:
            return RunEnd("failed", 1, f"its process was lost {progress.crashes} times at step {progress.step + 1}")
        while self._run.progress.step < len(self._commands):
            if end := self._run_step():
                return end
        if any(counts.get("partial") for counts in self._run.progress.counts):
            return RunEnd("partial", 4, "some items were set aside")
        return RunEnd("done", 0)

    def _run_step(self) -> RunEnd | None:
        """Run the next step, with retries, until it is done; return how the run ends if it is not."""
        retries, number = self._job.retries, self._run.progress.step
        out, log = self._folder / f"step-{number + 1}.json", self._folder / LOG
        while True:
            if end := self._check_disk():
                return end
            tokens_left = self._tokens_left()
            if tokens_left is not None and tokens_left <= 0:
                return RunEnd("over budget", 1, f"all of its {self._job.budget.tokens:,} tokens are used")
            arguments = limit_tokens(self._commands[number], tokens_left)
            command = " ".join(redacted_arguments(arguments))
            self._note(f"step {number + 1} of {len(self._commands)}: worldforge {command}")
            log_start = log.stat().st_size
            try:
                code, stopped = run_step(arguments, self._root, out, log, self._stop_reason)
            finally:
                redact_file(out)
                redact_file(log, log_start)
            if stopped:
                return stopped
            if code == 4 and (left := self._tokens_left()) is not None and left <= 0:
                continue  # the rollout stopped for that; reported above
            if code == 0 or (code == 4 and self._job.partial == "continue"):
                self._record_step(read_result(out), partial=code == 4)
                return None
            message = f"{arguments[0]} {error_message(code, log, log_start)}"
            if code in (2, 3, 4):
                return RunEnd("failed", code, message)
            self._update(attempts=self._run.progress.attempts + 1)
            if self._run.progress.attempts > retries.times:
                return RunEnd("failed", 1, message)
            wait = min(retries.longest, retries.wait * retries.factor ** (self._run.progress.attempts - 1))
            self._note(f"{message}; retry {self._run.progress.attempts} of {retries.times} in {wait:g} s")
            if end := self._wait(wait):
                return end

    def _record_step(self, result: Mapping[str, Any], partial: bool) -> None:
        progress = self._run.progress
        verb, tokens = self._commands[progress.step][0], count_tokens(result)
        counts = {"verb": verb} | summarize(result) | ({"partial": True} if partial else {})
        spec = self._root / str(result.get("folder")) / "spec.yaml"
        if verb == "build" and spec.is_file():
            counts["spec_digest"] = file_digest(spec)
        if tokens:
            counts["tokens"] = tokens
        self._update(step=progress.step + 1, attempts=0, crashes=0, counts=[*progress.counts, counts])
        self._update(tokens=self._tokens_used())

    # limits

    def _stop_reason(self) -> RunEnd | None:
        """Return how the run ends if it has to stop now."""
        if self._context.stop.is_set():
            return RunEnd("interrupted", 130, "it was asked to stop")
        limit = self._job.time_limit
        if limit is not None and time.monotonic() - self._start > limit:
            return RunEnd("timed out", 1, f"it took longer than {limit:g} s")
        return self._check_disk() if time.monotonic() - self._disk_checked > _DISK_CHECK_S else None

    def _wait(self, seconds: float) -> RunEnd | None:
        """Wait before a retry; return how the run ends if it has to stop meanwhile."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if end := self._stop_reason():
                return end
            self._context.stop.wait(min(_POLL_S, left))
        return None

    def _check_disk(self) -> RunEnd | None:
        budget, self._disk_checked = self._job.budget, time.monotonic()
        free = shutil.disk_usage(self._folder).free
        if budget.free_disk is not None and free < budget.free_disk:
            return RunEnd("over budget", 1, f"{free:,} bytes are free on its disk, and {budget.free_disk:,} have to be")
        if budget.disk is not None and (used := folder_bytes(self._folder)) > budget.disk:
            return RunEnd("over budget", 1, f"its folder has {used:,} bytes, and may have {budget.disk:,}")
        return None

    def _tokens_left(self) -> int | None:
        """Return the tokens that are left of the budget; None without one."""
        budget = self._job.budget.tokens
        return None if budget is None else budget - self._tokens_used()

    def _tokens_used(self) -> int:
        """Return the tokens that finished steps have used, plus those of an unfinished rollout up to now."""
        progress = self._run.progress
        used = sum(counts.get("tokens", 0) for counts in progress.counts)
        for verb, *_, world in self._commands[progress.step : progress.step + 1]:
            used += tokens_of_unfinished_rollouts(self._root / world) if verb == "rollout" else 0
        return used

    def _update(self, **values: Any) -> None:
        self._run = self._context.ledger.update(self._run.id, **values)

    def _note(self, text: str) -> None:
        self._context.note(self._run, text)


def redact_file(path: Path, start: int = 0) -> None:
    """Remove secrets from what a step wrote from byte `start` on: libraries that it uses may write anything."""
    if not path.is_file():
        return
    with path.open("r+b") as file:
        file.seek(start)
        text = file.read().decode("utf-8", "backslashreplace")
        redacted = without_secrets(text)
        if redacted != text:
            file.seek(start)
            file.truncate()
            file.write(redacted.encode())


def limit_tokens(arguments: Sequence[str], tokens_left: int | None) -> list[str]:
    """Return a command with `--token-budget`, if it is a rollout and tokens are limited."""
    if arguments[0] != "rollout" or tokens_left is None:
        return list(arguments)
    own = [int(word.partition("=")[2]) for word in arguments if word.startswith("--token-budget=")]
    end = arguments.index("--json")  # of two, the last counts
    return [*arguments[:end], f"--token-budget={min([tokens_left, *own])}", *arguments[end:]]


def error_message(code: int, log: Path, start: int) -> str:
    """Return how a step ended, with its error from the log that begins at byte `start`."""
    with log.open("rb") as file:
        file.seek(start)
        text = file.read(1 << 20).decode("utf-8", "replace")
    error = text.rpartition("error: ")[2].partition("\n")[0].strip() if "error: " in text else ""
    how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return how + (f": {error[:500]}" if error else "")
