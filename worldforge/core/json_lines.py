"""JSON lines from anywhere: one object a line, each held to the form of a record.

    for place, line in read_lines(Path("answers.jsonl"), Answer, "an answer is an object with …"):
        place                       "answers.jsonl:3"

Lines end with a line feed alone: texts may hold other separators of lines (U+2028) as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from worldforge.core.errors import InputError

Record = TypeVar("Record", bound=BaseModel)


def read_lines(path: Path, record: type[Record], form: str = "") -> Iterator[tuple[str, Record]]:
    """Give the place and the record of each line that is not blank.

    Raises InputError where the file cannot be read, or a line is no such record: which, why, and `form` as the hint.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield f"{path}:{number}", _parsed(line, record, f"{path}:{number}", form)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def _parsed(line: str, record: type[Record], place: str, form: str) -> Record:
    try:
        return record.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{place}: {where + ': ' if where else ''}{message}", form) from error
