"""The ledger: every run of every job, in one SQLite file that processes and machines share.

    ledger = Ledger(folder / "jobs.sqlite")
    ledger.ask("nightly", why="manual", due=now)           a run waits
    run = ledger.take("nightly", me, gone)                 it is mine; nobody else has one of this job
    ledger.close(run.id, "done", …)

A run is `queued`, `running` or `interrupted` while it is open. Whoever works on a job holds its claim, a row with host,
process and a count of beats. All that reads and then writes does so in one exclusive transaction, so that of two who
find a claim whose holder is gone only one takes it; files beside one another could not promise that. The file has a
rollback journal: a write-ahead log needs memory that machines do not share.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.files import private

FILE = "jobs.sqlite"
OPEN = ("queued", "running", "interrupted")
GOOD = ("done", "partial")
BAD = ("failed", "timed out", "over budget", "abandoned")
PASSED = ("skipped", "missed")
_WAIT_S = 60.0  # for another process's write
_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
  id INTEGER PRIMARY KEY, job TEXT NOT NULL, number INTEGER, why TEXT NOT NULL, due TEXT NOT NULL, fire TEXT,
  state TEXT NOT NULL, folder TEXT, commands TEXT, overrides TEXT, spec TEXT, spec_digest TEXT, world_digest TEXT,
  step INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, crashes INTEGER NOT NULL DEFAULT 0,
  resumed INTEGER NOT NULL DEFAULT 0, exit_code INTEGER, started TEXT, ended TEXT, active_s REAL NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, counts TEXT NOT NULL DEFAULT '[]',
  message TEXT NOT NULL DEFAULT '', host TEXT, told INTEGER NOT NULL DEFAULT 0, pruned TEXT,
  UNIQUE (job, fire), UNIQUE (job, number), UNIQUE (job, folder));
CREATE TABLE IF NOT EXISTS claims (
  job TEXT PRIMARY KEY, run INTEGER, token TEXT NOT NULL, host TEXT NOT NULL, place TEXT NOT NULL, pid INTEGER NOT NULL,
  beats INTEGER NOT NULL, since TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS marks (job TEXT PRIMARY KEY, schedule TEXT NOT NULL, until TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Run:
    """A row of the ledger. Moments are ISO 8601 in UTC; `commands` are those that the run began with, and keeps.

    `why` is schedule, catch-up, manual or retry. `fire` is the moment of the schedule that it is for; `due` is that, or
    when it was asked for. `step` steps are done; `attempts` at the next failed, and `crashes` times the run's process
    was lost there. `counts` has an entry a step that is done. `told`: hooks were called. `number` counts the runs of a
    job that began.
    """

    id: int
    job: str
    number: int | None
    why: str
    due: str
    fire: str | None
    state: str
    folder: str | None
    commands: list[list[str]]
    overrides: dict[str, Any]
    spec: str | None
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
    told: int
    pruned: str | None

    @property
    def tokens_of_steps(self) -> int:
        """What the steps that are done have taken. `tokens` of a run that has ended counts the one under way too."""
        return sum(counts.get("tokens", 0) for counts in self.counts)


@dataclass(frozen=True, slots=True)
class Claim:
    """Who works on a job: `token` is that process's own, `place` says where its `pid` counts, `beats` goes on."""

    job: str
    run: int | None
    token: str
    host: str
    place: str
    pid: int
    beats: int
    since: str


_COLUMNS = tuple(field.name for field in fields(Run))
_JSON = {"commands": "[]", "overrides": "{}", "counts": "[]"}


def written_moment(moment: datetime) -> str:
    """Write a moment as the ledger does."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


class Ledger:
    """The ledger in one file; threads may share the object.

    All that goes wrong with the file (it is damaged, the disk is full) is an InputError that names it.
    """

    def __init__(self, path: Path) -> None:
        """Open the ledger at `path`, a new one where there is none."""
        self.path = path
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(private(path, os.O_RDWR | os.O_CREAT))
            self._connection = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from error
        try:
            with self._writing():
                for statement in _TABLES.split(";\n"):
                    self._run(statement)
        except InputError:
            self._connection.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    # what there is

    def runs(self, job: str | None = None, states: Sequence[str] = (), limit: int | None = None) -> list[Run]:
        """List runs, newest first."""
        where = ["1"] + (["job = ?"] if job is not None else []) + ([f"state IN ({_places(states)})"] if states else [])
        values: list[Any] = [*([job] if job is not None else []), *states, *([limit] if limit is not None else [])]
        tail = " LIMIT ?" if limit is not None else ""
        order = f"WHERE {' AND '.join(where)} ORDER BY due DESC, id DESC{tail}"
        return self._select(order, *values)

    def run(self, run_id: int) -> Run:
        """Return a run."""
        return self._select("WHERE id = ?", run_id)[0]

    def numbered(self, job: str, number: int) -> Run | None:
        """Return a job's run by its number; None where there is none."""
        return next(iter(self._select("WHERE job = ? AND number = ?", job, number)), None)

    def claims(self) -> dict[str, Claim]:
        """Return who works on which job."""
        names = ", ".join(field.name for field in fields(Claim))
        return {row[0]: Claim(*row) for row in self._run(f"SELECT {names} FROM claims")}

    def mark(self, job: str) -> tuple[str, datetime] | None:
        """Return the schedule that a job's fires were last reckoned by, and until when."""
        rows = self._run("SELECT schedule, until FROM marks WHERE job = ?", job)
        return (rows[0][0], datetime.fromisoformat(rows[0][1])) if rows else None

    # what is to be done

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Let nobody else write meanwhile, and undo all of it where it fails."""
        with self._writing():
            yield

    def set_mark(self, job: str, schedule: str, until: datetime) -> None:
        """Put down until when a job's fires are reckoned."""
        until_text = until.astimezone(UTC).isoformat()
        self._run("INSERT OR REPLACE INTO marks VALUES (?, ?, ?)", job, schedule, until_text)

    def ask(
        self, job: str, why: str, due: datetime, fire: datetime | None = None, state: str = "queued", message: str = ""
    ) -> int | None:
        """Put a run, or a fire that is passed over, on record; None where that fire is on record already."""
        moment = written_moment(due)
        with self._writing():
            known = fire is not None and self._run(
                "SELECT 1 FROM runs WHERE job = ? AND fire = ?", job, written_moment(fire)
            )
            if known:
                return None
            ended = moment if state in PASSED else None
            self._run(
                "INSERT INTO runs (job, why, due, fire, state, message, ended) VALUES (?, ?, ?, ?, ?, ?, ?)",
                job, why, moment, None if fire is None else written_moment(fire), state, message, ended,
            )  # fmt: skip
            return int(self._run("SELECT last_insert_rowid()")[0][0])

    def take(self, job: str, me: Claim, gone: Callable[[Claim], bool], now: datetime) -> Run | None:
        """Take the next open run of a job, and with it the claim; None where somebody else works on the job, or no run
        is open, and then the claim is let go.

        `gone` says whether the holder of a claim is no more: its run counts as interrupted, and comes first.
        """
        with self._writing():
            held = self.claims().get(job)
            if held is not None and held.token != me.token:
                if not gone(held):
                    return None
                self._run(
                    "UPDATE runs SET state = 'interrupted', crashes = crashes + 1, "
                    "message = ? WHERE job = ? AND state = 'running'",
                    f"its process ({held.host}, {held.pid}) was lost", job,
                )  # fmt: skip
            found = self._select(
                f"WHERE job = ? AND state IN ({_places(OPEN)}) ORDER BY state = 'queued', due, id LIMIT 1", job, *OPEN
            )
            if not found:
                self._run("DELETE FROM claims WHERE job = ?", job)
                return None
            run = found[0]
            values = (job, run.id, me.token, me.host, me.place, me.pid, me.beats, written_moment(now))
            self._run(f"INSERT OR REPLACE INTO claims VALUES ({_places(values)})", *values)
            self._run(
                "UPDATE runs SET state = 'running', host = ?, started = coalesce(started, ?), ended = NULL, "
                "resumed = resumed + (state != 'queued'), number = coalesce(number, "
                "(SELECT coalesce(max(number), 0) + 1 FROM runs WHERE job = ?)) WHERE id = ?",
                me.host, written_moment(now), job, run.id,
            )  # fmt: skip
            return self.run(run.id)

    def beat(self, job: str, token: str) -> bool:
        """Say that the holder of a claim is alive; False where the claim is no longer its own."""
        with self._writing():
            self._run("UPDATE claims SET beats = beats + 1 WHERE job = ? AND token = ?", job, token)
            return bool(self._run("SELECT changes()")[0][0])

    def release(self, job: str, token: str) -> None:
        """Let go of a claim."""
        self._run("DELETE FROM claims WHERE job = ? AND token = ?", job, token)

    def update(self, run_id: int, **values: Any) -> None:
        """Change columns of a run."""
        given = {name: json.dumps(v, ensure_ascii=False) if name in _JSON else v for name, v in values.items()}
        names = ", ".join(f"{name} = ?" for name in given)
        self._run(f"UPDATE runs SET {names} WHERE id = ?", *given.values(), run_id)

    # SQLite

    def _select(self, rest: str, *values: Any) -> list[Run]:
        rows = self._run(f"SELECT {', '.join(_COLUMNS)} FROM runs {rest}", *values)
        try:
            return [_run_of(dict(zip(_COLUMNS, row, strict=True))) for row in rows]
        except ValueError as error:  # of JSON
            raise self._broken(error) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock:
            if self._connection.in_transaction:
                yield
                return
            self._run("BEGIN IMMEDIATE")
            try:
                yield
                self._run("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.rollback()
                raise

    def _run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> InputError:
        hint = (
            "see that the disk has room and the file may be written; move one away that is damaged or another version's"
        )
        return InputError(f"{self.path} cannot be used: {error}", hint)


def _places(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))


def _run_of(row: Mapping[str, Any]) -> Run:
    return Run(**{name: json.loads(v or _JSON[name]) if name in _JSON else v for name, v in row.items()})
