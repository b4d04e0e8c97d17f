"""Which files a scheduler is given for which jobs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldforge.core.errors import InputError
from worldforge.jobs.commands import SAMPLE, Permits, commands_of, refuse_unpermitted
from worldforge.jobs.emit.crontab import crontab
from worldforge.jobs.emit.kubernetes import Pod, cron_job
from worldforge.jobs.emit.rayjob import ray_script
from worldforge.jobs.emit.slurm import array_scripts, slurm_script
from worldforge.jobs.emit.systemd import systemd_units
from worldforge.jobs.emit.units import Emitted, Unit, one_line
from worldforge.jobs.forms import Forms
from worldforge.jobs.reading import JobsPlan

_BY_TIME = ("systemd", "cron", "kubernetes")
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


def arrays_for(plan: JobsPlan, names: Sequence[str], forms: Forms, ranks: int) -> list[Unit]:
    """Return Slurm's arrays for the rollouts of jobs. Raises InputError where a job has none."""
    units = []
    for name in dict.fromkeys(names or plan.file.jobs):
        job = plan.job(name)
        commands = commands_of(job, SAMPLE, forms, Permits())
        rollouts = [command for command in commands if command.verb == "rollout"]
        units += array_scripts(Emitted(name, job, one_line(plan.path.resolve()), Permits()), rollouts, ranks)
    return units
