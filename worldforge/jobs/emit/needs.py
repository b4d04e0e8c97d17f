"""What a job needs of the machine that another scheduler gives it: its `resources`, and where its secrets are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.jobs.plan import Resources

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Site:
    """What emitted files name of the place where they go.

    `secret` is the Kubernetes Secret whose keys are named as the variables are; `secrets_file` is a file of lines
    NAME=value, for Slurm and systemd; `directives` are further options of sbatch, `--partition=gpu`.
    """

    secret: str = "worldforge"
    secrets_file: Path | None = None
    directives: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raise InputError where a directive is none, or the file has a name that units cannot hold."""
        for directive in self.directives:
            if not directive.startswith("-") or not directive.isprintable():
                raise InputError(f"`{directive}` is no option of sbatch", "write it as `--sbatch=--partition=gpu`")
        if self.secrets_file is not None and not str(self.secrets_file).isprintable():
            raise InputError(f"{str(self.secrets_file)!r} has characters that no unit can hold", "rename it")


def mebibytes(resources: Resources) -> int | None:
    """Return the memory in MiB, rounded up; None where none is asked for."""
    return None if resources.memory is None else math.ceil(resources.memory / _MIB)
