"""Ray: a script that submits the job to a cluster whose nodes see the folder of the jobs.yaml."""

from __future__ import annotations

import re
import shlex

from worldforge.core.errors import InputError
from worldforge.jobs.emit.units import Emitted, Unit

_SAFE = re.compile(r"[A-Za-z0-9_./=+:@,-]+")


def ray_script(emitted: Emitted) -> list[Unit]:
    """Return the script of a job. Raises InputError for names that `ray job submit` cannot carry.

    It puts the words of a command together for the shell of another system, so what that shell would read is refused.
    """
    words = ["worldforge", *emitted.arguments(emitted.file, delayed=False)]
    for word in words:
        if not _SAFE.fullmatch(word):
            raise InputError(
                f"`ray job submit` cannot carry `{word}`", "use letters, digits, `_`, `.` and `-` for jobs and folders"
            )
    text = f"""\
#!/bin/sh
# {emitted.title}: submitted to the cluster whose dashboard is at RAY_ADDRESS (`http://HEAD:8265`), or to the only one
# on this machine. Where that asks for a token, set RAY_AUTH_MODE=token, so that Ray reads yours.
# Its nodes must have `worldforge` on the PATH that Ray was started with, and see {emitted.file.parent} at that path.
# Ray has no schedule: let cron or the like start this script.
exec ray job submit --no-wait -- {shlex.join(words)}
"""
    return [Unit(f"worldforge-{emitted.slug}.sh", text)]
