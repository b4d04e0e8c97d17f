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
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

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
  state TEXT NOT NULL, folder TEXT, commands TEXT NOT NULL DEFAULT '[]', spec_digest TEXT, world_digest TEXT,
  step INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, crashes INTEGER NOT NULL DEFAULT 0,
  resumed INTEGER NOT NULL DEFAULT 0, exit_code INTEGER, started TEXT, ended TEXT, active_s REAL NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, counts TEXT NOT NULL DEFAULT '[]',
  message TEXT NOT NULL DEFAULT '', host TEXT, pid INTEGER, hooks_called INTEGER NOT NULL DEFAULT 0, pruned TEXT,
  UNIQUE (job, fire_time), UNIQUE (job, number), UNIQUE (job, folder));
CREATE TABLE IF NOT EXISTS schedules (job TEXT PRIMARY KEY, expression TEXT NOT NULL, recorded_until TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class JobRun:
    """A row of the ledger, one field a column. Times are ISO 8601 in UTC.

    `trigger` is schedule, catch-up, manual or retry. `fire_time` is the time of the schedule that the run is for; `due`
    is that, or when it was requested. `number` counts the runs of a job that started. `commands` are those that the
    run started with, without secrets; `step` of them are done, and `counts` has an entry for each. The next failed
    `attempts` times, and its process was lost `crashes` times.
    """

    id: int
    job: str
    number: int | None
    trigger: str
    due: str
    fire_time: str | None
    state: str
    folder: str | None
    commands: list[list[str]]
    spec_digest: str | None
    world_digest: str | None
    step: int
    attempts: int
    crashes: int
    resumed: int
    exit_code: int | None
    started: str | None
    ended: str | None
    active_s: float
    tokens: int
    bytes: int
    counts: list[dict[str, Any]]
    message: str
    host: str | None
    pid: int | None
    hooks_called: int
    pruned: str | None

    @property
    def tokens_of_steps(self) -> int:
        """Tokens of the steps that are done; `tokens` includes an unfinished step."""
        return sum(counts.get("tokens", 0) for counts in self.counts)


_COLUMNS = tuple(field.name for field in fields(JobRun))
_JSON = ("commands", "counts")


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
            who = f": process {running.pid} on {running.host}" if running is not None else ""
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
                yield
                self._execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.rollback()
                raise

    def runs(self, job: str | None = None, states: Sequence[str] = (), limit: int | None = None) -> list[JobRun]:
        """Return runs, the newest first."""
        where, values = ["1"], []
        if job is not None:
            where, values = [*where, "job = ?"], [job]
        if states:
            where, values = [*where, f"state IN ({', '.join('?' * len(states))})"], [*values, *states]
        return self._select(
            f"WHERE {' AND '.join(where)} ORDER BY due DESC, id DESC LIMIT ?", *values, -1 if limit is None else limit
        )

    def run(self, run_id: int) -> JobRun:
        """Return a run by its id."""
        return self._select("WHERE id = ?", run_id)[0]

    def last_started(self, job: str, number: int | None = None) -> JobRun | None:
        """Return the run of a job that started last, or that with a number; None if there is none."""
        numbered = "number = ?" if number is not None else "number IS NOT ?"
        return next(iter(self._select(f"WHERE job = ? AND {numbered} ORDER BY number DESC LIMIT 1", job, number)), None)

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
        self._execute(
            "UPDATE runs SET state = 'interrupted', crashes = crashes + 1, "
            "message = coalesce('process ' || pid || ' on ' || host, 'its process') || ' was lost' "
            "WHERE job = ? AND state = 'running'",
            job,
        )
        rows = self._execute(
            "UPDATE runs SET state = 'running', host = ?, pid = ?, started = coalesce(started, ?), ended = NULL, "
            "resumed = resumed + (state != 'queued'), "
            "number = coalesce(number, (SELECT coalesce(max(number), 0) + 1 FROM runs WHERE job = ?)) "
            "WHERE id = (SELECT id FROM runs WHERE job = ? AND state IN ('queued', 'interrupted') "
            "ORDER BY state = 'queued', due, id LIMIT 1) RETURNING id",
            socket.gethostname(), os.getpid(), format_time(datetime.now(UTC)), job, job,
        )  # fmt: skip
        return self.run(rows[0][0]) if rows else None

    def update(self, run_id: int, **values: Any) -> JobRun:
        """Change columns of a run, and return it."""
        encoded = [json.dumps(v, ensure_ascii=False) if name in _JSON else v for name, v in values.items()]
        self._execute(f"UPDATE runs SET {', '.join(f'{name} = ?' for name in values)} WHERE id = ?", *encoded, run_id)
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
        rows = self._execute(f"SELECT {', '.join(_COLUMNS)} FROM runs {rest}", *values)
        try:
            named = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
            return [JobRun(**row | {name: json.loads(row[name]) for name in _JSON}) for row in named]
        except ValueError as error:  # of JSON
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
