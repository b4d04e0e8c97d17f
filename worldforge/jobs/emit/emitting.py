"""Which files a scheduler is given for which jobs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldforge.core.errors import InputError
from worldforge.jobs.commands import Permits, refuse_unpermitted
from worldforge.jobs.emit.crontab import crontab
from worldforge.jobs.emit.kubernetes import Pod, cron_job, rank_jobs
from worldforge.jobs.emit.needs import Site
from worldforge.jobs.emit.rayjob import ray_script
from worldforge.jobs.emit.slurm import array_script, slurm_script
from worldforge.jobs.emit.splitting import splits_of
from worldforge.jobs.emit.systemd import systemd_units
from worldforge.jobs.emit.units import Emitted, Unit, one_line
from worldforge.jobs.forms import Forms
from worldforge.jobs.reading import JobsPlan

_BY_TIME = ("systemd", "cron", "kubernetes")
_WITH_RANKS = ("slurm", "kubernetes")
_NOWHERE = Site()
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


def units_for(
    scheduler: str,
    plan: JobsPlan,
    names: Sequence[str],
    permits: Permits,
    image: str | None,
    claim: str,
    site: Site = _NOWHERE,
) -> list[Unit]:
    """Return the files for a scheduler: of the jobs `names`, or of all, where it goes by time of those with a schedule.

    Raises InputError where a job cannot be had so, or asks for what `permits` does not allow.
    """
    timed = [name for name, job in plan.file.jobs.items() if job.schedule is not None or scheduler not in _BY_TIME]
    file = one_line(plan.path.resolve())
    emitted = [Emitted(name, plan.job(name), file, permits, site) for name in dict.fromkeys(names or timed)]
    if not emitted:
        raise InputError(f"no job of {plan.path} has a schedule", 'give one to a job: `schedule: {cron: "0 2 * * *"}`')
    for each in emitted:
        refuse_unpermitted(each.name, each.job, permits)
    if scheduler == "cron":
        return crontab(emitted)
    if scheduler == "kubernetes":
        pod = _pod(image, claim, site.secret)
        return [unit for each in emitted for unit in cron_job(each, pod)]
    write = {"systemd": systemd_units, "slurm": slurm_script, "ray": ray_script}[scheduler]
    return [unit for each in emitted for unit in write(each)]


def _pod(image: str | None, claim: str, secret: str) -> Pod:
    if not image:
        raise InputError(
            "Kubernetes needs an image with WorldForge in it", "name it: `--image registry/worldforge:0.1`"
        )
    for name, what in ((claim, "claim"), (secret, "Secret")):
        if not _NAME.fullmatch(name):
            raise InputError(f"`{name}` can be no {what}'s name", "small letters, digits, `-` and `.`")
    return Pod(image, claim)


def ranks_for(
    scheduler: str,
    plan: JobsPlan,
    names: Sequence[str],
    forms: Forms,
    permits: Permits,
    ranks: int,
    image: str | None,
    claim: str,
    world: str | None,
    site: Site = _NOWHERE,
) -> list[Unit]:
    """Return the files by which ranks do builds and rollouts of jobs: Slurm's arrays, or indexed Jobs of Kubernetes.

    Raises InputError where a job has neither, or one that moves from run to run: here is no run.
    """
    if scheduler not in _WITH_RANKS:
        raise InputError(f"`--ranks` is for Slurm and Kubernetes, not for {scheduler}", "leave it out")
    pod = _pod(image, claim, site.secret) if scheduler == "kubernetes" else None
    if pod is not None and world is None:
        raise InputError("ranks work on one world", "name its folder, from that of jobs.yaml: `--world worlds/mine`")
    units = []
    for name in dict.fromkeys(names or plan.file.jobs):
        emitted = Emitted(name, plan.job(name), one_line(plan.path.resolve()), permits, site)
        for split in splits_of(emitted, forms):
            if pod is None:
                units += array_script(emitted, split, ranks)
            else:
                units += rank_jobs(emitted, split, ranks, pod, str(world))
    return units
