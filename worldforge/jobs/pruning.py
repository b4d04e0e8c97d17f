"""Which folders of finished runs go, by what a job keeps. The ledger keeps every run, whatever became of its folder.

Never goes: a run that is open, the last good one, and one whose folder holds a file `pinned`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from worldforge.core.files import remove
from worldforge.jobs.ledger import BAD, GOOD, Ledger, Run, written_moment
from worldforge.jobs.plan import Keep

PINNED = "pinned"


def prune(ledger: Ledger, folder: Path, job: str, keep: Keep, now: datetime) -> Iterator[str]:
    """Remove the folders that a job no longer keeps, under `folder`/job alone; give the name of each.

    The ledger says first that one goes: what a kill leaves of it is removed by the next.
    """
    runs = ledger.runs(job, (*GOOD, *BAD))
    for run in runs:
        if run.pruned is not None and (path := _folder_of(folder, run)) is not None:
            remove(path)
    standing = [run for run in runs if run.pruned is None and _folder_of(folder, run) is not None]
    pinned = {run.id for run in standing if (folder / job / _name(run) / PINNED).exists()}
    for run in to_prune(standing, keep, now, pinned):
        path = _folder_of(folder, run)
        assert path is not None
        ledger.update(run.id, pruned=written_moment(now))
        remove(path)
        yield path.name


def to_prune(standing: Sequence[Run], keep: Keep, now: datetime, pinned: set[int]) -> list[Run]:
    """Choose the runs whose folders go, of those that stand, given newest first: whatever a limit leaves out goes."""
    safe = pinned | {run.id for run in [run for run in standing if run.state in GOOD][:1]}
    going = {run.id for run in standing} - _newest(standing, keep.last) if keep.last is not None else set[int]()
    if keep.days is not None:
        since = now - timedelta(days=keep.days)
        going |= {run.id for run in standing if datetime.fromisoformat(run.ended or run.due) < since}
    going -= safe
    if keep.size is not None:
        held = sum(run.bytes for run in standing if run.id not in going)
        for run in reversed(standing):
            if held > keep.size and run.id not in going | safe:
                going.add(run.id)
                held -= run.bytes
    return [run for run in standing if run.id in going]


def _newest(standing: Sequence[Run], last: int) -> set[int]:
    """Return the newest `last` good runs, and the newest `last` others, as far as no older than those."""
    good = [run for run in standing if run.state in GOOD][:last]
    since = standing[: standing.index(good[-1])] if len(good) == last else standing
    return {run.id for run in [*good, *[run for run in since if run.state not in GOOD][:last]]}


def _name(run: Run) -> str:
    return Path(run.folder or "").name


def _folder_of(folder: Path, run: Run) -> Path | None:
    """Return a run's folder where it stands: one of its job's, and no link to elsewhere."""
    path = folder / run.job / _name(run)
    return path if _name(run) and path.is_dir() and not path.is_symlink() else None
