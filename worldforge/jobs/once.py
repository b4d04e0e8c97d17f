"""A job run once, by hand or by another scheduler, to the end of all its open runs."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from worldforge.core.errors import InputError
from worldforge.jobs.claiming import Watch
from worldforge.jobs.commands import STAMP, Command, Permits, commands_of, refuse_unpermitted, values_for
from worldforge.jobs.fires import latest_fire
from worldforge.jobs.forms import Forms
from worldforge.jobs.ledger import BAD, Ledger, Run
from worldforge.jobs.reading import JobsPlan
from worldforge.jobs.reckoning import ON_TIME_S, reckon
from worldforge.jobs.running import Runner


def next_commands(plan: JobsPlan, ledger: Ledger, name: str, forms: Forms, permits: Permits) -> tuple[Command, ...]:
    """Return the commands that a run of a job would have now."""
    job, now = plan.job(name), datetime.now(UTC)
    number = 1 + max((run.number or 0 for run in ledger.runs(name)), default=0)
    zone = job.schedule.timezone if job.schedule is not None else "UTC"
    folder = f"{plan.file.folder}/{name}/{now.strftime(STAMP)}"
    return commands_of(job, values_for(name, number, now, zone, folder), forms, permits)


def run_now(runner: Runner, name: str) -> list[Run]:
    """Run a job now; or go on with its runs that are open. Raises InputError where one is under way."""
    watch = _free(runner, name)
    ended = runner.drain(name, watch)
    if all(run.state == "abandoned" for run in ended) and not runner.stop.is_set():
        runner.ledger.ask(name, "manual", datetime.now(UTC))
        ended += runner.drain(name, watch)
    return [run for run in ended if run.state != "abandoned"]


def run_retry(runner: Runner, name: str) -> list[Run]:
    """Go on with the last run of a job, which failed. Raises InputError where it did not, or one is under way."""
    watch = _free(runner, name)
    begun = [run for run in runner.ledger.runs(name) if run.number is not None]
    last = max(begun, key=lambda run: run.number or 0, default=None)
    if last is None or last.state not in BAD or last.pruned is not None:
        state = "it has not run yet" if last is None else f"its last run, {last.number}, is {last.state}"
        raise InputError(f"job `{name}` has nothing to be tried again: {state}", "leave out `--retry`")
    fresh = {"attempts": 0, "crashes": 0, "active_s": 0.0, "told": 0, "message": "", "exit_code": None}
    runner.ledger.update(last.id, state="interrupted", why="retry", **fresh)
    return runner.drain(name, watch)


def run_due(runner: Runner, name: str, *, delayed: bool = False, told: bool = True) -> list[Run]:
    """Run the fire of a job that is due, for a scheduler that says so; where a run is under way, by its overlap.

    Not `told`, it is only looked whether one is, as one who serves does all the time; where not, that is no news.
    `delayed`: it waits first, up to the schedule's jitter, drawn by chance.
    """
    job = runner.plan.job(name)
    refuse_unpermitted(name, job, runner.permits)
    if job.schedule is None:
        raise InputError(f"job `{name}` has no schedule", "leave out `--scheduled` or `--due`")
    now = datetime.now(UTC)
    since = now - timedelta(seconds=ON_TIME_S)
    fired = told or latest_fire(job.schedule, since, now) is not None
    if delayed and fired and runner.stop.wait(random.uniform(0, job.schedule.jitter)):  # noqa: S311  spreads load, no more
        return []
    watch = Watch()
    watch.wait_until_sure(runner.ledger, name, runner.stop)
    for said in reckon(runner.ledger, name, job.schedule, datetime.now(UTC), told=told, since=since):
        runner.tell(f"{name}: {said}")
    ended = runner.drain(name, watch)
    if not ended and told:
        runner.tell(f"{name}: nothing is to be done here: what is due is on record, or another process is at it")
    return ended


def _free(runner: Runner, name: str) -> Watch:
    """Return a watch that has seen that nobody works on a job. Raises InputError where somebody does."""
    refuse_unpermitted(name, runner.plan.job(name), runner.permits)
    watch = Watch()
    holder = watch.wait_until_sure(runner.ledger, name, runner.stop)
    if holder is not None:
        message = f"job `{name}` is under way: process {holder.pid} on {holder.host}"
        raise InputError(message, "wait until it has finished, or stop it; `worldforge jobs status` says where it is")
    return watch
