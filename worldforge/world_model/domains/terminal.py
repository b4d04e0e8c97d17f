"""Terminal: a shell on a machine that the model makes up. Ungrounded."""

from __future__ import annotations

import re

from pydantic import Field

from worldforge.environments.arguments import Arguments
from worldforge.environments.domain import Domain, Example
from worldforge.models.chat import ToolCall

STATUS = r"\[(?:exit code: \d{1,3}|still running); directory: /[^\n]*\]"
"""The line that ends what a command prints, as a regular expression."""
_IN_FORM = re.compile(rf"(?s:.*\n)?{STATUS}")


class Run(Arguments):
    """Run a command in the shell, and see what it prints until it ends or the time is over."""

    command: str = Field(min_length=1, description="The command line.")
    timeout_s: int = Field(60, ge=1, le=3600, description="Seconds to wait; 60 if left out.")


class TypeKeys(Arguments):
    """Type into the program that is still running."""

    keys: str = Field(min_length=1, description="What to type; a line end is the enter key, `^C` control and C.")


def in_form(text: str) -> bool:
    """Say whether `text` ends with a status line."""
    return _IN_FORM.fullmatch(text) is not None


TERMINAL = Domain(
    name="terminal",
    grounded=False,
    role="You are a Linux machine with a shell. An agent types commands; you write what its terminal shows.",
    observations=(
        "Write what the command prints, standard output and errors as they come, without prompt and without the "
        "command. The last line is `[exit code: N; directory: /…]`, with the shell's directory after the command, or "
        "`[still running; directory: /…]` where the command has not ended in time or waits to be typed to."
    ),
    in_form=in_form,
    tools={"run": Run, "type_keys": TypeKeys},
    examples=(
        Example(
            ToolCall("1", "run", '{"command": "cd logs && wc -l *.txt && cat march.md"}'),
            "  41 april.txt\n   7 may.txt\n  48 total\ncat: march.md: No such file or directory\n"
            "[exit code: 1; directory: /home/ada/logs]",
        ),
    ),
)
