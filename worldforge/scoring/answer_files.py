"""Reads answers from JSON lines, with the keys of the benchmark's runner or of WorldForge.

    {"instance_id": "ws_en_001", "response": "```markdown …", "messages": [...], "trial_idx": 0}
    {"task": "task/list-0007", "answer": "```markdown …", "trial": 0}
    {"id": "task/list-0007#0", "answer": "```markdown …"}

`response` may be null: nothing was answered. A line without a trial is the question's first, number 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from worldforge.core.errors import InputError
from worldforge.core.json_lines import read_lines
from worldforge.core.suggestions import did_you_mean
from worldforge.scoring.question_files import BenchmarkQuestion


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question: its trial, and its place in the file, `answers.jsonl:3`."""

    instance_id: str
    trial: int
    text: str
    source: str


class _AnswerLine(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    instance_id: str = Field(validation_alias=AliasChoices("instance_id", "task", "id"))
    response: str | None = Field(validation_alias=AliasChoices("response", "answer"))
    trial_idx: int | None = Field(None, ge=0, validation_alias=AliasChoices("trial_idx", "trial"))


def read_answers(path: Path, questions: Mapping[str, BenchmarkQuestion], besides: Sequence[Path] = ()) -> list[Answer]:
    """Read a file of answers, or every `.jsonl` file of a folder but those in `besides`.

    Raises InputError, with file and line, for a line that is none, a question that there is not, and a trial that
    stands there twice.
    """
    ids = {name: one.instance_id for one in questions.values() for name in (one.task, one.instance_id) if name}
    found: dict[tuple[str, int], Answer] = {}
    for file in _files(path, besides):
        for place, line in read_lines(file, _AnswerLine, _FORM):
            answer = _answer(line, ids, place)
            first = found.setdefault((answer.instance_id, answer.trial), answer)
            if first is not answer:
                raise InputError(
                    f"{answer.source}: trial {answer.trial} of `{answer.instance_id}` stands in {first.source} already",
                    "number the trials of a question: `trial_idx`, from 0",
                )
    if not found:
        raise InputError(f"{path} holds no answers")
    return list(found.values())


def _files(path: Path, besides: Sequence[Path]) -> list[Path]:
    if not path.is_dir():
        return [path]
    passed_over = {one.resolve() for one in besides}
    files = [file for file in sorted(path.glob("*.jsonl")) if file.resolve() not in passed_over]
    if not files:
        raise InputError(f"{path} holds no `.jsonl` file")
    return files


def _answer(line: _AnswerLine, ids: Mapping[str, str], source: str) -> Answer:
    name, trial = line.instance_id, line.trial_idx
    if name not in ids:
        name, _, numbered = name.rpartition("#")
        trial = int(numbered) if trial is None and numbered.isdecimal() else trial
    if name not in ids:
        raise InputError(
            f"{source}: no question is called `{line.instance_id}`", did_you_mean(line.instance_id, sorted(ids))
        )
    return Answer(ids[name], trial or 0, line.response or "", source)


_FORM = 'a line is an object with "instance_id", "response" and "trial_idx", as the benchmark\'s runner writes it'
