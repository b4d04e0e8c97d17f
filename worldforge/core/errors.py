"""The one tree of errors that reach a person, and the exit code each ends with.

    WorldForgeError            1  the command failed
    ├── InputError             2  what the user gave is wrong: a spec, a path, an option
    │   └── RowsError             it asks for what some rows cannot have; names those rows
    ├── GateError              3  a quality gate did not hold
    └── PartialError           4  done in part: some items were set aside

A message says where, what, and what to do next. Each class carries its exit code; the command line turns an error
into one message on stderr and that code, never a traceback. 130 (interrupted) has no class: it is Python's own
KeyboardInterrupt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class WorldForgeError(Exception):
    """A failure that is explained to the user: `message`, and a `hint` on what to do next."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n\nhint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.hint)


class InputError(WorldForgeError):
    """What the user gave cannot be used: a spec, a path, an option, a damaged file."""

    exit_code = 2


class RowsError(InputError):
    """What the user gave cannot hold in some rows of a column: `rows` are their places in it, from 0."""

    def __init__(self, message: str, hint: str, rows: npt.NDArray[np.int64]) -> None:
        super().__init__(message, hint)
        self.rows = rows

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.hint, self.rows)


class GateError(WorldForgeError):
    """A quality gate did not hold: the audit found a world that contradicts itself."""

    exit_code = 3


class PartialError(WorldForgeError):
    """The work was done in part: some items were set aside, each with its reason."""

    exit_code = 4
