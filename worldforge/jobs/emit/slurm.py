"""Slurm: a batch script for `sbatch`, or for `scrontab`, which is Slurm's cron."""

from __future__ import annotations

import math
import shlex

from worldforge.jobs.emit.units import Emitted, Unit

_SPARE_MINUTES = 5
_NOTICE_S = 90  # before Slurm kills: the run ends its step and says that it is to be gone on with


def slurm_script(emitted: Emitted) -> list[Unit]:
    """Return the batch script of a job."""
    limit = emitted.job.time_limit
    minutes = [] if limit is None else [f"#SBATCH --time={math.ceil(limit / 60) + _SPARE_MINUTES}"]
    schedule = emitted.job.schedule
    when = (
        f"# by itself: scrontab -e, then the line\n#   {schedule.cron} PATH-OF-THIS-FILE\n# in the cluster's time zone"
        if schedule is not None
        else "# sbatch PATH-OF-THIS-FILE"
    )
    head = [
        "#!/bin/bash",
        f"#SBATCH --job-name=worldforge-{emitted.slug}",
        f"#SBATCH --output=worldforge-{emitted.slug}-%j.log",
        f"#SBATCH --signal=B:TERM@{_NOTICE_S}",
        "#SBATCH --requeue",
        *minutes,
        f"# {emitted.title}",
        when,
    ]
    return [
        Unit(
            f"worldforge-{emitted.slug}.sbatch",
            "\n".join([*head, "", f"exec {shlex.join(emitted.command(delayed=False))}", ""]),
        )
    ]
