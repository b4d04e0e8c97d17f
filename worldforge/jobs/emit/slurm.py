"""Slurm: a batch script for `sbatch`, or for `scrontab`, which is Slurm's cron; and arrays that play rollouts."""

from __future__ import annotations

import math
import shlex
import sys

from worldforge.core.errors import InputError
from worldforge.jobs.commands import Command
from worldforge.jobs.emit.units import Emitted, Unit
from worldforge.jobs.templates import unknown_names

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


def array_scripts(emitted: Emitted, rollouts: list[Command], ranks: int) -> list[Unit]:
    """Return a script for each of the rollouts of a job, which plays them in an array of `ranks` tasks.

    Each is given the world when it is submitted, and is its own merge: once all tasks are done, `--merge` puts their
    shares together. Raises InputError where the job has no rollout, or one that moves from run to run: here is no run.
    """
    moving = [
        text for step in emitted.job.steps for text in step.get("rollout", {}).values() if unknown_names(str(text), {})
    ]
    if moving:
        raise InputError(f"`{moving[0]}` moves from run to run, and an array is none", "write a value that stays")
    if not rollouts:
        raise InputError(f"job `{emitted.name}` has no rollout that ranks could play", "leave out `--ranks`")
    return [_array(emitted, command, ranks, number) for number, command in enumerate(rollouts, 1)]


def _array(emitted: Emitted, command: Command, ranks: int, number: int) -> Unit:
    name = f"worldforge-{emitted.slug}-ranks-{number}"
    words = [word for word in command.arguments[: command.arguments.index("--")] if word != "--json"]
    run = shlex.join([sys.executable, "-P", "-m", "worldforge.cli.main", *words])
    text = f"""\
#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --output={name}-%A-%a.log
#SBATCH --signal=B:TERM@{_NOTICE_S}
#SBATCH --requeue
# {emitted.title}: its rollout, played by {ranks} tasks of an array on a world that is built, outside the ledger.
#   array=$(sbatch --parsable --array=0-{ranks - 1} {name}.sbatch WORLD)
#   sbatch --dependency="afterok:$array" {name}.sbatch WORLD --merge
world=${{1:?"name the world: sbatch --array=0-{ranks - 1} {name}.sbatch WORLD"}}
if [ "${{2:-}}" = --merge ]; then
  exec {run} --merge --of={ranks} -- "$world"
fi
exec {run} --rank="${{SLURM_ARRAY_TASK_ID:?"submit it with --array=0-{ranks - 1}"}}" --of={ranks} -- "$world"
"""
    return Unit(f"{name}.sbatch", text)
