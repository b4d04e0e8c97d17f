"""Slurm: a batch script for `sbatch`, or for `scrontab`, which is Slurm's cron; and arrays of ranks."""

from __future__ import annotations

import math
import shlex

from worldforge.jobs.emit.needs import mebibytes
from worldforge.jobs.emit.splitting import Split
from worldforge.jobs.emit.units import WORLDFORGE, Emitted, Unit, standard

_SPARE_MINUTES = 5
_NOTICE_S = 90  # before Slurm kills
_WORLD = "@world@"  # where the shell puts in its own
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
        *_directives(emitted),
        f"# {emitted.title}",
        when,
    ]
    command = f"{shlex.join(emitted.command(delayed=False))} &"
    lines = [*head, "", *_environment(emitted), _GUARD, command, _WAIT, ""]
    return [Unit(f"worldforge-{emitted.slug}.sbatch", "\n".join(lines))]


def _directives(emitted: Emitted) -> list[str]:
    """Return what a job asks of its node, and what the user adds."""
    resources, memory = emitted.job.resources, mebibytes(emitted.job.resources)
    asked = [f"--gres=gpu:{resources.gpus}"] if resources.gpus else []
    asked += [f"--cpus-per-task={resources.cpus}"] if resources.cpus else []
    asked += [f"--mem={memory}M"] if memory else []
    return [f"#SBATCH {option}" for option in (*asked, *emitted.site.directives)]


def _environment(emitted: Emitted) -> list[str]:
    """Return the lines that set variables. Secrets come from a file, or with whoever submits; here are their names."""
    resources, file = emitted.job.resources, emitted.site.secrets_file
    lines = [f"export {name}={shlex.quote(value)}" for name, value in resources.environment.items()]
    lines += [f"set -a; . {shlex.quote(str(file))} || exit; set +a"] if file is not None else []
    for name in resources.secrets:
        lines.append(f'[ -n "${{{name}:-}}" ] || {{ echo "the secret {name} is not set" >&2; exit 2; }}; export {name}')
    return lines


def array_script(emitted: Emitted, split: Split, ranks: int) -> list[Unit]:
    """Return the script that does a step of a job in an array of `ranks` tasks.

    It is given the world when it is submitted, and is its own merge: once all tasks are done, `--merge` puts their
    shares together. Its command runs in the folder of the jobs.yaml, as it does in a run.
    """
    name = f"worldforge-{emitted.slug}-{split.verb}-ranks-{split.number}"
    run = shlex.join([*WORLDFORGE, *split.words])
    ends = " ".join(shlex.quote(word).replace(_WORLD, '"$world"') for word in split.ends(_WORLD))
    what = "on a world that is built" if split.verb == "rollout" else "into the world's folder"
    directives = "".join(f"{line}\n" for line in _directives(emitted))
    environment = "".join(f"{line}\n" for line in _environment(emitted))
    no_gpus = " --gres=none" if emitted.job.resources.gpus else ""
    text = f"""\
#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --output={name}-%A-%a.log
#SBATCH --signal=B:USR1@{_NOTICE_S}
#SBATCH --requeue
{directives}\
# {emitted.title}: its {split.verb}, by {ranks} tasks of an array, {what}, outside the ledger.
#   array=$(sbatch --parsable --array=0-{ranks - 1} {name}.sbatch WORLD)
#   sbatch{no_gpus} --dependency="afterok:$array" --output={name}-%j.log {name}.sbatch WORLD --merge
world=${{1:?"name the world: sbatch --array=0-{ranks - 1} {name}.sbatch WORLD"}}
case $world in /*) ;; *) world=$PWD/$world ;; esac
if [ "${{2:-}}" = --merge ]; then
  share=--merge
else
  share=--rank=${{SLURM_ARRAY_TASK_ID:?"submit it with --array=0-{ranks - 1}"}}
fi
cd -- {shlex.quote(str(emitted.file.parent))} || exit
{environment}{_GUARD}
{run} "$share" --of={ranks} {ends} &
{_WAIT}
"""
    return [Unit(f"{name}.sbatch", text)]
