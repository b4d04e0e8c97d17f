"""Slurm: a batch script for `sbatch`, or for `scrontab`, which is Slurm's cron; and arrays that play rollouts."""

from __future__ import annotations

import math
import shlex

from worldforge.jobs.commands import Command
from worldforge.jobs.emit.units import WORLDFORGE, Emitted, Unit, options_of, standard

_SPARE_MINUTES = 5
_NOTICE_S = 90  # before Slurm kills
_GUARD = """\
# Before its time is up Slurm sends USR1: the work ends where it can be gone on with, and waits for its next turn.
trap 'kill "$run"; wait "$run"; code=$?; [ $code -lt 128 ] || scontrol requeue "$SLURM_JOB_ID"; exit $code' USR1
trap 'kill "$run"; wait "$run"; exit' TERM"""
_WAIT = """\
run=$!
wait "$run\""""
"""A job that ends by itself is not requeued, `--requeue` or not; nor is one that Slurm ends for its time. The shell
waits, since one that runs a command hears no signal until that has ended."""


def slurm_script(emitted: Emitted) -> list[Unit]:
    """Return the batch script of a job."""
    limit = emitted.job.time_limit
    minutes = [] if limit is None else [f"#SBATCH --time={math.ceil(limit / 60) + _SPARE_MINUTES}"]
    schedule = emitted.job.schedule
    when = (
        f"# by itself: scrontab -e, then this line, where the cluster's time is that of {schedule.timezone}\n"
        f"#   {standard(schedule)} sbatch PATH-OF-THIS-FILE"
        if schedule is not None
        else "# sbatch PATH-OF-THIS-FILE"
    )
    head = [
        "#!/bin/bash",
        f"#SBATCH --job-name=worldforge-{emitted.slug}",
        f"#SBATCH --output=worldforge-{emitted.slug}-%j.log",
        f"#SBATCH --signal=B:USR1@{_NOTICE_S}",
        "#SBATCH --requeue",
        *minutes,
        f"# {emitted.title}",
        when,
    ]
    command = f"{shlex.join(emitted.command(delayed=False))} &"
    return [Unit(f"worldforge-{emitted.slug}.sbatch", "\n".join([*head, "", _GUARD, command, _WAIT, ""]))]


def array_script(emitted: Emitted, command: Command, ranks: int, number: int) -> list[Unit]:
    """Return the script that plays the rollout of a job in an array of `ranks` tasks.

    It is given the world when it is submitted, and is its own merge: once all tasks are done, `--merge` puts their
    shares together.
    """
    name = f"worldforge-{emitted.slug}-ranks-{number}"
    run = shlex.join([*WORLDFORGE, *options_of(command)])
    text = f"""\
#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --output={name}-%A-%a.log
#SBATCH --signal=B:USR1@{_NOTICE_S}
#SBATCH --requeue
# {emitted.title}: its rollout, played by {ranks} tasks of an array on a world that is built, outside the ledger.
#   array=$(sbatch --parsable --array=0-{ranks - 1} {name}.sbatch WORLD)
#   sbatch --dependency="afterok:$array" --output={name}-%j.log {name}.sbatch WORLD --merge
world=${{1:?"name the world: sbatch --array=0-{ranks - 1} {name}.sbatch WORLD"}}
if [ "${{2:-}}" = --merge ]; then
  share=--merge
else
  share=--rank=${{SLURM_ARRAY_TASK_ID:?"submit it with --array=0-{ranks - 1}"}}
fi
{_GUARD}
{run} "$share" --of={ranks} -- "$world" &
{_WAIT}
"""
    return [Unit(f"{name}.sbatch", text)]
