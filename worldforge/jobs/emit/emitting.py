"""Which files a scheduler is given for which jobs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldforge.core.errors import InputError
from worldforge.jobs.commands import SAMPLE, Command, Permits, commands_of, refuse_unpermitted
from worldforge.jobs.emit.crontab import crontab
from worldforge.jobs.emit.kubernetes import Pod, cron_job, rank_jobs
from worldforge.jobs.emit.rayjob import ray_script
from worldforge.jobs.emit.slurm import array_script, slurm_script
from worldforge.jobs.emit.systemd import systemd_units
from worldforge.jobs.emit.units import Emitted, Unit, one_line
from worldforge.jobs.forms import Forms
from worldforge.jobs.reading import JobsPlan
from worldforge.jobs.templates import unknown_names

_BY_TIME = ("systemd", "cron", "kubernetes")
_WITH_RANKS = ("slurm", "kubernetes")
_CLAIM = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


def units_for(
    scheduler: str, plan: JobsPlan, names: Sequence[str], permits: Permits, image: str | None, claim: str
) -> list[Unit]:
    """Return the files for a scheduler: of the jobs `names`, or of all, where it goes by time of those with a schedule.

    Raises InputError where a job cannot be had so, or asks for what `permits` does not allow.
    """
    timed = [name for name, job in plan.file.jobs.items() if job.schedule is not None or scheduler not in _BY_TIME]
    file = one_line(plan.path.resolve())
    emitted = [Emitted(name, plan.job(name), file, permits) for name in dict.fromkeys(names or timed)]
    if not emitted:
        raise InputError(f"no job of {plan.path} has a schedule", 'give one to a job: `schedule: {cron: "0 2 * * *"}`')
    for each in emitted:
        refuse_unpermitted(each.name, each.job, permits)
    if scheduler == "cron":
        return crontab(emitted)
    if scheduler == "kubernetes":
        pod = _pod(image, claim)
        return [unit for each in emitted for unit in cron_job(each, pod)]
    write = {"systemd": systemd_units, "slurm": slurm_script, "ray": ray_script}[scheduler]
    return [unit for each in emitted for unit in write(each)]


def _pod(image: str | None, claim: str) -> Pod:
    if not image:
        raise InputError(
            "Kubernetes needs an image with WorldForge in it", "name it: `--image registry/worldforge:0.1`"
        )
    if not _CLAIM.fullmatch(claim):
        raise InputError(f"`{claim}` can be no claim's name", "small letters, digits, `-` and `.`")
    return Pod(image, claim)


def ranks_for(
    scheduler: str,
    plan: JobsPlan,
    names: Sequence[str],
    forms: Forms,
    ranks: int,
    image: str | None,
    claim: str,
    world: str | None,
) -> list[Unit]:
    """Return the files by which ranks play the rollouts of jobs: Slurm's arrays, or indexed Jobs of Kubernetes.

    Raises InputError where a job has no rollout, or one that moves from run to run: here is no run.
    """
    if scheduler not in _WITH_RANKS:
        raise InputError(f"`--ranks` is for Slurm and Kubernetes, not for {scheduler}", "leave it out")
    pod = _pod(image, claim) if scheduler == "kubernetes" else None
    if pod is not None and world is None:
        raise InputError(
            "ranks play a world that is built", "name it, from the folder of jobs.yaml: `--world worlds/mine`"
        )
    units = []
    for name in dict.fromkeys(names or plan.file.jobs):
        emitted = Emitted(name, plan.job(name), one_line(plan.path.resolve()), Permits())
        for number, command in enumerate(_rollouts(emitted, forms), 1):
            if pod is None:
                units += array_script(emitted, command, ranks, number)
            else:
                units += rank_jobs(emitted, command, ranks, number, pod, str(world))
    return units


def _rollouts(emitted: Emitted, forms: Forms) -> list[Command]:
    rollouts = [options for step in emitted.job.steps for verb, options in step.items() if verb == "rollout"]
    moving = [str(text) for options in rollouts for text in options.values() if unknown_names(str(text), {})]
    if moving:
        raise InputError(f"`{moving[0]}` moves from run to run, and ranks have no run", "write a value that stays")
    if not rollouts:
        raise InputError(f"job `{emitted.name}` has no rollout that ranks could play", "leave out `--ranks`")
    return [command for command in commands_of(emitted.job, SAMPLE, forms, Permits()) if command.verb == "rollout"]
