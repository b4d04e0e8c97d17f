"""The ledger: every run of every job, in one SQLite file that processes and machines share.

    ledger = JobLedger(folder)
    ledger.add("nightly", trigger="manual", due=now)    queue a run
    run = ledger.start_next("nightly")                  start it, while holding the lock of the job
    ledger.update(run.id, state="done", …)

A run is `queued`, `running` or `interrupted` while it is open. The file has a rollback journal: a write-ahead log
needs memory that machines do not share.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import BaseModel, Json, ValidationError

from worldforge.core.errors import InputError
from worldforge.core.files import is_locked, private
from worldforge.jobs.jobs_file import LEDGER_FILE

OPEN = ("queued", "running", "interrupted")
GOOD = ("done", "partial")
BAD = ("failed", "timed out", "over budget", "abandoned")
_BUSY_TIMEOUT_S = 60.0  # for another process's write
_LOCK_TIMEOUT_S = 1.0  # `status` holds a lock for a moment
_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
  id INTEGER PRIMARY KEY, job TEXT NOT NULL, number INTEGER, trigger TEXT NOT NULL, due TEXT NOT NULL, fire_time TEXT,
  state TEXT NOT NULL, folder TEXT, started TEXT, ended TEXT, exit_code INTEGER, message TEXT NOT NULL DEFAULT '',
  hooks_called INTEGER NOT NULL DEFAULT 0, pruned TEXT, progress TEXT NOT NULL DEFAULT '{}',
  UNIQUE (job, fire_time), UNIQUE (job, number), UNIQUE (job, folder));
CREATE TABLE IF NOT EXISTS schedules (job TEXT PRIMARY KEY, expression TEXT NOT NULL, recorded_until TEXT NOT NULL);
"""


class RunProgress(BaseModel, frozen=True):
    """How far a run is: `step` of its `commands` are done, and `counts` has an entry for each.

    `commands` are those that the run started with, without secrets. The next one failed `attempts` times, and its
    process, `pid` on `host`, was lost `crashes` times. `tokens` includes an unfinished step.
    """

    commands: list[list[str]] = []
    step: int = 0
    attempts: int = 0
    crashes: int = 0
    resumed: int = 0
    counts: list[dict[str, Any]] = []
    active_s: float = 0.0
    tokens: int = 0
    bytes: int = 0
    host: str = ""
    pid: int = 0

    @property
    def process(self) -> str:
        """The process that runs it, or ran it last."""
        return f"process {self.pid} on {self.host}"


class JobRun(BaseModel, frozen=True):
    """A row of the ledger, one field a column. Times are ISO 8601 in UTC.

    `trigger` is schedule, catch-up, manual or retry. `fire_time` is the time of the schedule that the run is for; `due`
    is that, or when it was requested. `number` counts the runs of a job that started.
    """

    id: int
    job: str
    number: int | None
    trigger: str
    due: str
    fire_time: str | None
    state: str
    folder: str | None
    started: str | None
    ended: str | None
    exit_code: int | None
    message: str
    hooks_called: int
    pruned: str | None
    progress: Json[RunProgress]

    @property
    def world_digest(self) -> str | None:
        """The digest of the world that the run has built."""
        return next((counts["digest"] for counts in self.progress.counts if "digest" in counts), None)

    def as_data(self) -> dict[str, Any]:
        """Return the run as one flat JSON object."""
        values = self.model_dump()
        return values | values.pop("progress") | {"world_digest": self.world_digest}


class JobBusyError(InputError):
    """Another process or thread is running the job."""


class JobLedger:
    """The ledger in one file; threads may share the object.

    A file that cannot be used (it is damaged, the disk is full) raises InputError with its name.
    """

    def __init__(self, folder: Path) -> None:
        """Open the ledger in the folder of jobs, or create it."""
        self.path = folder / LEDGER_FILE
        self._thread_lock = threading.RLock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            os.close(private(self.path, os.O_RDWR | os.O_CREAT))
            self._connection = sqlite3.connect(
                self.path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            self._connection.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def close(self) -> None:
        """Close the file."""
        with self._thread_lock:
            self._connection.close()

    @contextmanager
    def lock_job(self, job: str) -> Iterator[None]:
        """Hold the lock of a job: one process at a time, on all machines that share the folder, runs it.

        The system releases the lock when its process ends, also when it is killed. Raises JobBusyError if it is held.
        """
        lock = FileLock(self._lock_path(job), timeout=_LOCK_TIMEOUT_S, mode=0o600)
        try:
            self._lock_path(job).parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except Timeout as error:
            running = next(iter(self.runs(job, ("running",))), None)
            who = f": {running.progress.process}" if running is not None else ""
            hint = "wait until it has ended, or stop it; `worldforge jobs status` shows where it is"
            raise JobBusyError(f"job `{job}` is being run{who}", hint) from error
        except OSError as error:
            raise self._unusable(error) from error
        try:
            yield
        finally:
            lock.release()

    def is_locked(self, job: str) -> bool:
        """Return whether a process holds the lock of a job."""
        return is_locked(self._lock_path(job))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Let nobody else write meanwhile; undo everything if it fails."""
        with self._thread_lock:
            self._execute("BEGIN IMMEDIATE")
            try:
                with self._connection:
                    yield
            except sqlite3.Error as error:
                raise self._unusable(error) from error

    def runs(self, job: str | None = None, states: Sequence[str] = (), limit: int | None = None) -> list[JobRun]:
        """Return runs, the newest first."""
        where = "(?1 IS NULL OR job = ?1) AND (?2 = '[]' OR state IN (SELECT value FROM json_each(?2)))"
        return self._select(f"WHERE {where} ORDER BY due DESC, id DESC LIMIT ?3", job, json.dumps(states), limit or -1)

    def run(self, run_id: int) -> JobRun:
        """Return a run by its id."""
        return self._select("WHERE id = ?", run_id)[0]

    def last_started(self, job: str, number: int | None = None) -> JobRun | None:
        """Return the run of a job that started last, or that with a number; None if there is none."""
        numbered = "number = ?" if number is not None else "number IS NOT ?"
        return next(iter(self._select(f"WHERE job = ? AND {numbered} ORDER BY number DESC LIMIT 1", job, number)), None)

    def next_number(self, job: str) -> int:
        """Return the number of the next run of a job to start."""
        return int(self._execute("SELECT 1 + coalesce(max(number), 0) FROM runs WHERE job = ?", job)[0][0])

    def add(
        self, job: str, trigger: str, due: datetime, fire_time: datetime | None = None, state: str = "queued",
        message: str = "",
    ) -> int | None:  # fmt: skip
        """Record a run, or a fire time that is skipped or missed; return its id, or None if it is on record already."""
        ended = format_time(due) if state not in OPEN else None
        rows = self._execute(
            "INSERT INTO runs (job, trigger, due, fire_time, state, message, ended) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (job, fire_time) DO NOTHING RETURNING id",
            job, trigger, format_time(due), format_time(fire_time) if fire_time else None, state, message, ended,
        )  # fmt: skip
        return int(rows[0][0]) if rows else None

    def start_next(self, job: str) -> JobRun | None:
        """Start the next open run of a job; None if there is none. The caller holds the lock of the job.

        So the process of a run that is `running` was lost: that run, or one that was interrupted, comes first.
        """
        for run in self.runs(job, ("running",)):
            lost = {"crashes": run.progress.crashes + 1, "message": f"{run.progress.process} was lost"}
            self.update(run.id, state="interrupted", **lost)
        open_runs = self.runs(job, ("queued", "interrupted"))
        if not open_runs:
            return None
        run = min(open_runs, key=lambda run: (run.state == "queued", run.due, run.id))
        return self.update(
            run.id,
            state="running",
            number=run.number or self.next_number(job),
            started=run.started or format_time(datetime.now(UTC)),
            ended=None,
            resumed=run.progress.resumed + (run.state != "queued"),
            host=socket.gethostname(),
            pid=os.getpid(),
        )

    def update(self, run_id: int, **values: Any) -> JobRun:
        """Change columns of a run, or fields of its progress, and return it."""
        if changed := {name: values.pop(name) for name in RunProgress.model_fields if name in values}:
            values["progress"] = self.run(run_id).progress.model_copy(update=changed).model_dump_json()
        columns = ", ".join(f"{name} = ?" for name in values)
        self._execute(f"UPDATE runs SET {columns} WHERE id = ?", *values.values(), run_id)
        return self.run(run_id)

    def recorded_until(self, job: str, expression: str) -> datetime | None:
        """Return until when the fire times of a job were recorded; None if never, or for another expression."""
        rows = self._execute("SELECT recorded_until FROM schedules WHERE job = ? AND expression = ?", job, expression)
        return datetime.fromisoformat(rows[0][0]) if rows else None

    def set_recorded_until(self, job: str, expression: str, until: datetime) -> None:
        """Note until when the fire times of a job are recorded."""
        text = until.astimezone(UTC).isoformat()
        self._execute("INSERT OR REPLACE INTO schedules VALUES (?, ?, ?)", job, expression, text)

    def _lock_path(self, job: str) -> Path:
        return self.path.parent / job / ".lock"

    def _select(self, rest: str, *values: Any) -> list[JobRun]:
        columns = [*JobRun.model_fields]
        rows = self._execute(f"SELECT {', '.join(columns)} FROM runs {rest}", *values)
        try:
            return [JobRun.model_validate(dict(zip(columns, row, strict=True))) for row in rows]
        except ValidationError as error:
            raise self._unusable(error) from error

    def _execute(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            with self._thread_lock:
                return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> InputError:
        hint = "check that the disk has room and the file is writable; move a damaged file, or another version's, away"
        return InputError(f"{self.path} cannot be used: {error}", hint)


def format_time(time: datetime) -> str:
    """Format a time as in the ledger."""
    return time.astimezone(UTC).isoformat(timespec="seconds")
