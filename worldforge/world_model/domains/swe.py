"""SWE: a repository on a machine that the model makes up, to be read, changed and tested. Ungrounded."""

from __future__ import annotations

import re

from pydantic import Field

from worldforge.environments.arguments import Arguments
from worldforge.environments.domain import Domain, Example
from worldforge.models.chat import ToolCall
from worldforge.world_model.domains.terminal import STATUS, Run

_IN_FORM = re.compile(rf"(?s:.*\n)?(?:{STATUS}|\[done\]|\[failed\])")
_PATH = "The file's path, from the root of the repository."


class ReadFile(Arguments):
    """Read a file, or some of its lines."""

    path: str = Field(description=_PATH)
    first_line: int = Field(1, ge=1, description="The first line to read, from 1.")
    last_line: int = Field(0, ge=0, description="The last line to read; 0 for the file's end.")


class WriteFile(Arguments):
    """Write a file, a new one or in place of the old."""

    path: str = Field(description=_PATH)
    text: str = Field(description="All of the file's text.")


class ReplaceText(Arguments):
    """Replace a passage of a file. It must stand there exactly once."""

    path: str = Field(description=_PATH)
    old: str = Field(min_length=1, description="The passage as it stands, blanks and line ends included.")
    new: str = Field(description="What is to stand there.")


class FindText(Arguments):
    """Find the lines of the repository that match a regular expression."""

    pattern: str = Field(min_length=1, description="The regular expression.")
    path: str = Field(".", description="The file or folder to look in.")


def in_form(text: str) -> bool:
    """Say whether `text` ends with a status line."""
    return _IN_FORM.fullmatch(text) is not None


SWE = Domain(
    name="swe",
    grounded=False,
    role=(
        "You are a machine with a checked-out software repository, its tools and its tests. An agent reads the code, "
        "changes it and runs commands; you write what it gets to see."
    ),
    observations=(
        "- `run`: what the command prints, then `[exit code: N; directory: /…]`, or `[still running; directory: /…]` "
        "where it has not ended in time.\n"
        "- `read_file`: the lines, each after its number and a tab, then `[done]`.\n"
        "- `find_text`: a line `path:number:text` for each match, then `[done]`.\n"
        "- `write_file`, `replace_text`: `[done]` alone.\n"
        "- An action that fails: a line that says why, as the tool would, then `[failed]`.\n\n"
        "What tests print follows from the code as it stands at that moment, changes included."
    ),
    in_form=in_form,
    tools={
        "run": Run,
        "read_file": ReadFile,
        "find_text": FindText,
        "write_file": WriteFile,
        "replace_text": ReplaceText,
    },
    examples=(
        Example(
            ToolCall("1", "read_file", '{"path": "tides/clock.py", "first_line": 3, "last_line": 4}'),
            "3\tdef hours(minutes: int) -> float:\n4\t    return minutes / 60\n[done]",
        ),
        Example(
            ToolCall("2", "replace_text", '{"path": "tides/clock.py", "old": "/ 600", "new": "/ 60"}'),
            "the passage does not stand in tides/clock.py\n[failed]",
        ),
    ),
)
