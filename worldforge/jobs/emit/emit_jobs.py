"""Write the files for a scheduler."""

from __future__ import annotations

from collections.abc import Sequence

from worldforge.core.errors import InputError
from worldforge.jobs.emit.batch_scripts import ray_script, slurm_script
from worldforge.jobs.emit.emitted_job import EmitOptions, EmittedFile, EmittedJob, check_printable
from worldforge.jobs.emit.kubernetes import cron_job
from worldforge.jobs.emit.timers import crontab, systemd_units
from worldforge.jobs.jobs_loader import JobsPlan
from worldforge.jobs.step_commands import Permissions, check_permissions

_WRITERS = {"systemd": systemd_units, "slurm": slurm_script, "kubernetes": cron_job, "ray": ray_script}
_BY_TIME = ("systemd", "cron", "kubernetes")


def emit_jobs(
    scheduler: str, plan: JobsPlan, names: Sequence[str], permissions: Permissions, options: EmitOptions
) -> list[EmittedFile]:
    """Return the files for a scheduler: of the jobs `names`, or of all that it can run.

    Raises InputError if a job cannot be emitted so, or asks for what `permissions` does not allow.
    """
    if scheduler == "kubernetes" and not options.image:
        raise InputError(
            "Kubernetes needs an image with WorldForge in it", "name it: `--image registry/worldforge:0.1`"
        )
    known = plan.file.jobs.items()
    by_time = scheduler in _BY_TIME
    names = names or [name for name, job in known if job.schedule is not None or not by_time]
    if not names:
        raise InputError(f"no job of {plan.path} has a schedule", 'add one to a job: `schedule: {cron: "0 2 * * *"}`')
    path = check_printable(plan.path.resolve())
    jobs = [EmittedJob(name, plan.job(name), path, permissions, options) for name in dict.fromkeys(names)]
    for job in jobs:
        check_permissions(job.name, job.job, permissions)
    return [crontab(jobs)] if scheduler == "cron" else [file for job in jobs for file in _WRITERS[scheduler](job)]
