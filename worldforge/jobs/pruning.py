"""Remove the folders of ended runs that a job does not keep. The ledger keeps every run.

Never removed: the folder of an open run, that of the last good run, and any with a file `pinned`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from worldforge.core.files import remove
from worldforge.jobs.job_ledger import BAD, GOOD, JobLedger, JobRun, format_time
from worldforge.jobs.jobs_file import Keep


def prune(ledger: JobLedger, folder: Path, job: str, keep: Keep, now: datetime) -> Iterator[str]:
    """Remove the folders that a job does not keep, in `folder`/job only; yield the name of each.

    The ledger is updated first: what a kill leaves of a folder is removed the next time.
    """
    runs = [run for run in ledger.runs(job, (*GOOD, *BAD)) if run.folder]
    paths = {run.id: folder / job / Path(run.folder or "").name for run in runs}
    runs = [run for run in runs if paths[run.id].is_dir() and not paths[run.id].is_symlink()]
    kept = [run for run in runs if run.pruned is None]
    pinned = {run.id for run in kept if (paths[run.id] / "pinned").exists()}
    for run in choose_expired(kept, keep, now, pinned):
        ledger.update(run.id, pruned=format_time(now))
        remove(paths[run.id])
        yield paths[run.id].name
    for run in runs:
        if run.pruned is not None:
            remove(paths[run.id])


def choose_expired(runs: Sequence[JobRun], keep: Keep, now: datetime, pinned: set[int]) -> list[JobRun]:
    """Return the runs whose folders are removed, of `runs`, newest first: those beyond any limit."""
    good = [run for run in runs if run.state in GOOD]
    safe = pinned | {run.id for run in good[:1]}
    expired: set[int] = set()
    if keep.last is not None:
        oldest = runs.index(good[keep.last - 1]) if len(good) >= keep.last else len(runs)
        failed = [run for run in runs[:oldest] if run.state not in GOOD]
        expired = {run.id for run in runs} - {run.id for run in (*good[: keep.last], *failed[: keep.last])}
    if keep.days is not None:
        since = now - timedelta(days=keep.days)
        expired |= {run.id for run in runs if datetime.fromisoformat(run.ended or run.due) < since}
    expired -= safe
    if keep.size is not None:
        n_bytes = sum(run.bytes for run in runs if run.id not in expired)
        for run in reversed(runs):
            if n_bytes > keep.size and run.id not in expired | safe:
                expired.add(run.id)
                n_bytes -= run.bytes
    return [run for run in runs if run.id in expired]
