"""What is wrong with a spec: where, what, and what to do.

    world.yaml:12:7: types.club.atributes: unknown key `atributes`
        hint: did you mean `attributes`?

Every problem of a spec is told at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldforge.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. Lines and columns count from 1; a line of 0 means that `file` is no file (`--set a.b=c`).

    `path` leads to the key concerned: `types.club.count`, `constraints.0.sql`; it is empty for the whole document.
    """

    file: str
    line: int
    column: int
    path: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        parts = [place, *([self.path] if self.path else []), self.message]
        return ": ".join(parts) + (f"\n    hint: {self.hint}" if self.hint else "")


class SpecError(InputError):
    """A spec that cannot be used. `problems` are all of them, in the order of the files; the message lists them."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.problems,)
