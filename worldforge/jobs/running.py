"""Runs a job: takes its open runs from the ledger one after the other, and brings each to its end.

    Runner(plan, ledger, forms, permits).drain("nightly")       the runs that were brought to an end

A run has a folder of its own: `world/`, a log, what each step printed, and `run.json`, written last. Whatever kills
this, the next that takes the run begins at the step that was not done, with the same command, which goes on by itself.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from worldforge.core.files import file_digest, private, write_json
from worldforge.core.redaction import redacted_arguments, redacted_values, without_secrets
from worldforge.jobs.child import Ended, run_step
from worldforge.jobs.claiming import Watch, beating, new_claim
from worldforge.jobs.commands import STAMP, Command, Permits, commands_of, values_for
from worldforge.jobs.forms import Forms
from worldforge.jobs.hooks import call_hooks
from worldforge.jobs.ledger import BAD, GOOD, Ledger, Run
from worldforge.jobs.plan import Job
from worldforge.jobs.pruning import prune
from worldforge.jobs.reading import JobsPlan
from worldforge.jobs.results import counts_of, folder_bytes, read_result, tokens_of
from worldforge.jobs.spending import tokens_under_way

LOG, RECORD = "log.txt", "run.json"
MOST_CRASHES = 5
"""A run whose process is lost this often at one step has failed."""
_LOOK_AT_DISK_S = 2.0
_DISK_SHARE = 50  # looking takes at most one part of so many


def result_path(folder: Path, step: int) -> Path:
    """Return where what a step printed lies, steps counted from 0."""
    return folder / f"step-{step + 1}.json"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a run ended, or the state that it is left in."""

    state: str
    exit_code: int
    message: str = ""


class Runner:
    """Runs the jobs of a plan. `stop` ends what is under way, so that it can be gone on with; `tell` hears of it."""

    def __init__(
        self,
        plan: JobsPlan,
        ledger: Ledger,
        forms: Forms,
        permits: Permits,
        stop: threading.Event | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.plan, self.ledger, self.forms, self.permits, self.tell = plan, ledger, forms, permits, tell
        self.stop = stop or threading.Event()
        self.superseded = False
        """Another runner, of a newer plan, takes the runs that have not begun."""

    def drain(self, name: str, watch: Watch | None = None) -> list[Run]:
        """Bring the open runs of a job to their ends, one by one; return them. None where another works on the job."""
        claim, watch = new_claim(name), watch or Watch()
        job = self.plan.job(name)
        ended: list[Run] = []
        run = self.ledger.take(name, claim, watch.gone, datetime.now(UTC))
        if run is None:
            return ended
        with beating(self.ledger, claim) as lost:
            self._tell_of_untold(name, job)
            while run is not None:
                ended.append(_Sitting(self, job, run, lost).bring_to_end())
                if self.stop.is_set() or lost.is_set() or self.superseded:
                    break
                run = self.ledger.take(name, claim, watch.gone, datetime.now(UTC))
        self.ledger.release(name, claim.token)
        return ended

    def conclude(self, job: Job, run: Run) -> None:
        """Call the hooks of a run that has ended, and prune what the job no longer keeps."""
        if not run.told:
            hooks = job.hooks.success if run.state in GOOD else job.hooks.failure
            for said in call_hooks(hooks, asdict(run), self.plan.root, self.permits.commands):
                self.note(run, said)
            self.ledger.update(run.id, told=1)
        if job.keep is not None:
            for gone in prune(self.ledger, self.plan.folder, run.job, job.keep, datetime.now(UTC)):
                self.tell(f"{run.job}: pruned {gone}")

    def note(self, run: Run, text: str) -> None:
        """Put a line into the log of a run, and tell it; without secrets."""
        text = without_secrets(text)
        self.tell(f"{run.job}: {text}")
        if run.folder is not None and (folder := self.plan.root / run.folder).is_dir():
            with open(folder / LOG, "a", encoding="utf-8", opener=private) as log:
                log.write(f"== {datetime.now(UTC):%Y-%m-%d %H:%M:%SZ} {text}\n")

    def _tell_of_untold(self, name: str, job: Job) -> None:
        """Call the hooks of runs whose process was lost between their end and that."""
        for run in self.ledger.runs(name, (*GOOD, *BAD)):
            if not run.told:
                self.conclude(job, run)


class _Sitting:
    """One go at a run."""

    def __init__(self, runner: Runner, job: Job, run: Run, lost: threading.Event) -> None:
        self._runner, self._job, self._run, self._lost = runner, job, run, lost
        self._ledger = runner.ledger
        self._commands: list[list[str]] = []  # as they are run: on record they hold no secrets
        self._began, self._active_before = time.monotonic(), run.active_s
        self._looked_at_disk, self._disk_took_s, self._short = 0.0, 0.0, ""

    def bring_to_end(self) -> Run:
        """Do what is left of the run; return its row."""
        changed = not self._prepare()
        self._folder.mkdir(parents=True, exist_ok=True)
        scrub(self._folder / LOG, 0)  # a kill may have left what a step had said
        again = ", goes on" if self._run.resumed else ""
        self._note(f"run {self._run.number} ({self._run.why}){again}: {self._run.folder}")
        verdict = Verdict("abandoned", 1, "the job has changed since it began") if changed else self._steps()
        return self._end(verdict)

    @property
    def _folder(self) -> Path:
        assert self._run.folder is not None
        return self._runner.plan.root / self._run.folder

    def _prepare(self) -> bool:
        """Give the run its folder and commands; say whether these are still those that it began with."""
        run, plan, job = self._run, self._runner.plan, self._job
        assert run.number is not None
        due = datetime.fromisoformat(run.due)
        folder = run.folder or self._free_folder(f"{plan.file.folder}/{run.job}/{due.strftime(STAMP)}")
        zone = job.schedule.timezone if job.schedule is not None else "UTC"
        values = values_for(run.job, run.number, due, zone, folder)
        commands = commands_of(job, values, self._runner.forms, self._runner.permits)
        self._commands = [list(command.arguments) for command in commands]
        shown = [redacted_arguments(command) for command in self._commands]
        if run.commands:
            return run.commands == shown
        overrides = redacted_values({path: value for path, value in job.set.items() if value is not None})
        self._change(folder=folder, commands=shown, overrides=overrides, spec=without_secrets(job.spec or "") or None)
        return True

    def _free_folder(self, folder: str) -> str:
        """Return a folder that is no other run's, were that one's pruned."""
        on_record = any(run.folder == folder for run in self._runner.ledger.runs(self._run.job))
        taken = on_record or (self._runner.plan.root / folder).exists()
        return f"{folder}-{self._run.number}" if taken else folder

    def _steps(self) -> Verdict:
        if self._run.crashes >= MOST_CRASHES:
            return Verdict("failed", 1, f"its process was lost {self._run.crashes} times at step {self._run.step + 1}")
        parts = any(counts.get("partial") for counts in self._run.counts)
        for number in range(self._run.step, len(self._commands)):
            ended = self._step(number)
            if isinstance(ended, Verdict):
                return ended
            parts |= ended.code == 4
            self._take_down(number, ended)
        return Verdict("partial", 4, "some items were set aside") if parts else Verdict("done", 0)

    def _step(self, number: int) -> Ended | Verdict:
        """Run a step, again where that is asked for, until it is done, in part perhaps; or say how the run ended."""
        policy = self._job.retries
        while True:
            if short := self._short_of_disk():
                return Verdict("over budget", 1, short)
            left = self._tokens_left(number)
            if left is not None and left <= 0:
                return Verdict("over budget", 1, f"all of its {self._job.budget.tokens:,} tokens are spent")
            ended = self._go(number, left)
            if ended.stopped:
                return self._stopped(ended.stopped)
            if ended.code == 4 and (spent := self._tokens_left(number)) is not None and spent <= 0:
                continue  # the rollout stopped for that, and is told so above
            if ended.code == 0 or (ended.code == 4 and self._job.partial == "continue"):
                return ended
            said = self._last_words(number, ended.code)
            if ended.code in (2, 3, 4):
                return Verdict("failed", ended.code, said)
            self._change(attempts=self._run.attempts + 1)
            if self._run.attempts > policy.times:
                return Verdict("failed", 1, said)
            wait = min(policy.longest, policy.wait * policy.factor ** (self._run.attempts - 1))
            self._note(f"{said}; tried again in {wait:g} s ({self._run.attempts} of {policy.times})")
            if reason := self._wait(wait):
                return self._stopped(reason)

    def _go(self, number: int, tokens_left: int | None) -> Ended:
        arguments = _within(self._commands[number], tokens_left)
        shown = " ".join(redacted_arguments(arguments))
        self._note(f"step {number + 1} of {len(self._commands)}: worldforge {shown}")
        environment = os.environ | {"WORLDFORGE_JOB": self._run.job, "WORLDFORGE_RUN": str(self._run.number)}
        out, log = result_path(self._folder, number), self._folder / LOG
        self._log_began = log.stat().st_size
        try:
            return run_step(arguments, self._runner.plan.root, out, log, environment, self._stopping)
        finally:
            scrub(out, 0)
            scrub(log, self._log_began)

    def _take_down(self, number: int, ended: Ended) -> None:
        result = read_result(result_path(self._folder, number))
        verb = Command(tuple(self._commands[number])).verb
        counts = counts_of(verb, result) | ({"partial": True} if ended.code == 4 else {})
        if tokens := tokens_of(result):
            counts["tokens"] = tokens
        more: dict[str, Any] = {}
        if verb == "build" and "digest" in result:
            spec = self._runner.plan.root / str(result["folder"]) / "spec.yaml"
            more = {"world_digest": result["digest"], "spec_digest": file_digest(spec) if spec.is_file() else None}
        self._change(
            step=number + 1,
            attempts=0,
            crashes=0,
            counts=[*self._run.counts, counts],
            tokens=self._run.tokens_of_steps + tokens,
            **more,
        )

    def _end(self, verdict: Verdict) -> Run:
        if self._lost.is_set():  # it is somebody else's by now
            self._runner.tell(f"{self._run.job}: another process has taken over")
            return replace(self._run, state="interrupted", exit_code=130)
        interrupted = verdict.state == "interrupted"
        self._change(
            state=verdict.state,
            exit_code=verdict.exit_code,
            message=without_secrets(verdict.message),
            ended=None if interrupted else datetime.now(UTC).isoformat(timespec="seconds"),
            active_s=self._active_s,
            bytes=folder_bytes(self._folder),
            tokens=self._run.tokens_of_steps + self._tokens_begun(self._run.step),
        )
        self._note(f"run {self._run.number}: {verdict.state}{': ' * bool(verdict.message)}{verdict.message}")
        if not interrupted:
            write_json(self._folder / RECORD, asdict(self._run), private)
            self._runner.conclude(self._job, self._run)
            self._run = self._ledger.run(self._run.id)
        return self._run

    # what stops a run

    @property
    def _active_s(self) -> float:
        return self._active_before + time.monotonic() - self._began

    def _stopping(self) -> str:
        if self._lost.is_set():
            return "lost"
        if self._runner.stop.is_set():
            return "interrupted"
        limit = self._job.time_limit
        if limit is not None and self._active_s > limit:
            return "timed out"
        pause = max(_LOOK_AT_DISK_S, self._disk_took_s * _DISK_SHARE)
        if time.monotonic() - self._looked_at_disk > pause:
            self._short = self._short_of_disk()
        return "over budget" if self._short else ""

    def _stopped(self, reason: str) -> Verdict:
        if reason == "timed out":
            return Verdict(reason, 1, f"it took longer than {self._job.time_limit:g} s")
        if reason == "over budget":
            return Verdict(reason, 1, self._short)  # as it was then: what a step leaves when it ends may have room
        return Verdict("interrupted", 130, "it was told to stop")

    def _wait(self, seconds: float) -> str:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if reason := self._stopping():
                return reason
            self._runner.stop.wait(min(0.2, max(0.0, until - time.monotonic())))
        return ""

    def _short_of_disk(self) -> str:
        """Say what the run has too little or too much of, of disk; empty where all is well."""
        budget = self._job.budget
        if budget.disk is None and budget.free_disk is None:
            return ""
        began = time.monotonic()
        free, held = shutil.disk_usage(self._folder).free, 0
        if budget.disk is not None:
            held = folder_bytes(self._folder)
        self._looked_at_disk = time.monotonic()
        self._disk_took_s = self._looked_at_disk - began
        if budget.free_disk is not None and free < budget.free_disk:
            return f"{free:,} bytes are free on its disk, and {budget.free_disk:,} must be"
        if budget.disk is not None and held > budget.disk:
            return f"its folder holds {held:,} bytes, and may hold {budget.disk:,}"
        return ""

    def _tokens_left(self, number: int) -> int | None:
        """Return the tokens that a step may take, those of a rollout that it began before counted; None: any number."""
        budget = self._job.budget.tokens
        return None if budget is None else budget - self._run.tokens_of_steps - self._tokens_begun(number)

    def _tokens_begun(self, number: int) -> int:
        """Return the tokens that a step has taken which is not done yet: 0 for all but rollouts."""
        for command in self._commands[number : number + 1]:
            if command[0] == "rollout":
                return tokens_under_way(self._runner.plan.root / command[-1])
        return 0

    # its row and its log

    def _change(self, **values: Any) -> None:
        self._ledger.update(self._run.id, **values)
        self._run = self._ledger.run(self._run.id)

    def _note(self, text: str) -> None:
        self._runner.note(self._run, text)

    def _last_words(self, number: int, code: int) -> str:
        """Give the error that a step ended with, from its log."""
        with (self._folder / LOG).open("rb") as log:
            log.seek(self._log_began)
            said = log.read(1 << 20).decode("utf-8", "replace")
        error = said.rpartition("error: ")[2].partition("\n")[0].strip() if "error: " in said else ""
        verb = self._commands[number][0]
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"{verb} {how}{': ' * bool(error)}{error[:500]}"


def scrub(path: Path, begin: int) -> None:
    """Take secrets out of what a step wrote from byte `begin` on: libraries that it uses may say anything."""
    if not path.is_file():
        return
    with path.open("r+b") as file:
        file.seek(begin)
        written = file.read().decode("utf-8", "backslashreplace")
        safe = without_secrets(written)
        if safe != written:
            file.seek(begin)
            file.truncate()
            file.write(safe.encode())


def _within(arguments: Sequence[str], tokens_left: int | None) -> list[str]:
    """Let a rollout know how many tokens are left."""
    verb, *rest = arguments
    if verb != "rollout" or tokens_left is None:
        return list(arguments)
    option = "--token-budget="
    own = [int(word.removeprefix(option)) for word in rest if word.startswith(option)]
    return [verb, f"{option}{min([tokens_left, *own])}", *(word for word in rest if not word.startswith(option))]
