"""Scripts that submit a job to a cluster's queue: with `sbatch` or `scrontab` of Slurm, or with `ray job submit`."""

from __future__ import annotations

import math
import re
import shlex

from worldforge.core.errors import InputError
from worldforge.jobs.emit.emitted_job import WORLDFORGE, EmittedFile, EmittedJob, portable_cron

_EXTRA_MINUTES = 5
_TRAPS = """\
# Before the time is up Slurm sends USR1: the work is interrupted, and resumed after its next turn in the queue.
trap 'kill "$run"; wait "$run"; code=$?; [ $code -lt 128 ] || scontrol requeue "$SLURM_JOB_ID"; exit $code' USR1
trap 'kill "$run"; wait "$run"; exit' TERM"""
"""A shell that runs a command in the foreground hears no signal. And Slurm itself requeues no job that reached its time
limit, `--requeue` or not."""


def slurm_script(job: EmittedJob) -> list[EmittedFile]:
    """Return the batch script of a job."""
    resources, limit, schedule = job.job.resources, job.job.time_limit, job.job.schedule
    name = f"worldforge-{job.slug}"
    options = [f"--job-name={name}", f"--output={name}-%j.log", "--signal=B:USR1@90", "--requeue"]
    options += [f"--time={math.ceil(limit / 60) + _EXTRA_MINUTES}"] if limit is not None else []
    options += [f"--gres=gpu:{resources.gpus}"] if resources.gpus else []
    options += [f"--cpus-per-task={resources.cpus}"] if resources.cpus else []
    options += [f"--mem={resources.memory_mib}M"] if resources.memory_mib else []
    usage = ["# sbatch PATH-OF-THIS-FILE"]
    if schedule is not None:
        usage = [
            f"# on its schedule: scrontab -e, then this line, if the cluster's time zone is {schedule.timezone}",
            f"#   {portable_cron(schedule)} sbatch PATH-OF-THIS-FILE",
        ]
    directives = [f"#SBATCH {option}" for option in (*options, *job.options.sbatch)]
    lines = ["#!/bin/bash", *directives, f"# {job.title}", *usage, "", *_environment(job), _TRAPS]
    lines += [f"{shlex.join([*WORLDFORGE, *job.arguments()])} &", "run=$!", 'wait "$run"']
    return [EmittedFile(f"{name}.sbatch", "\n".join([*lines, ""]))]


def _environment(job: EmittedJob) -> list[str]:
    """Return lines that set variables. Secrets come from a file, or from whoever submits; here are their names."""
    resources, secrets_file = job.job.resources, job.options.secrets_file
    lines = [f"export {name}={shlex.quote(value)}" for name, value in resources.environment.items()]
    lines += [f"set -a; . {shlex.quote(str(secrets_file))} || exit; set +a"] if secrets_file is not None else []
    for name in resources.secrets:
        lines.append(f'[ -n "${{{name}:-}}" ] || {{ echo "the secret {name} is not set" >&2; exit 2; }}; export {name}')
    return lines


_SAFE = re.compile(r"[A-Za-z0-9_./=+:@,-]+")


def ray_script(job: EmittedJob) -> list[EmittedFile]:
    """Return the script of a job.

    `ray job submit` joins the words of a command for another shell. Raises InputError for words which that would read.
    """
    words = ["worldforge", *job.arguments()]
    for word in words:
        if not _SAFE.fullmatch(word):
            hint = "use letters, digits, `_`, `.` and `-` in the names of jobs and folders"
            raise InputError(f"`ray job submit` cannot carry `{word}`", hint)
    text = f"""\
#!/bin/sh
# {job.title}: submitted to the cluster whose dashboard is at RAY_ADDRESS (`http://HEAD:8265`), or to the only one on
# this machine. If that asks for a token, set RAY_AUTH_MODE=token, so that Ray reads yours.
# Its nodes need `worldforge` on the PATH that Ray was started with, and {job.path.parent} at that path.
# Ray has no schedule: let cron or the like start this script.
exec ray job submit --no-wait -- {shlex.join(words)}
"""
    return [EmittedFile(f"worldforge-{job.slug}.sh", text)]
