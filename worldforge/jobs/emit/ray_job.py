"""Ray: a script that submits the job to a cluster whose nodes see the folder of the jobs.yaml."""

from __future__ import annotations

import re
import shlex

from worldforge.core.errors import InputError
from worldforge.jobs.emit.emitted_job import EmittedFile, EmittedJob

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
