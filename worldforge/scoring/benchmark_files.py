"""Questions with gold tables, answers to them, and scores: files of the benchmark, or of a world.

    questions = read_questions(Path("output/quickstart"))
    questions["ws_en_001"].gold
    answers = read_answers(Path("answers.jsonl"), questions)

A folder in the benchmark's layout holds a questions file of JSON lines and `widesearch_gold/<instance_id>.csv`. Answers
are JSON lines with the keys of the benchmark's runner or of WorldForge; `response` may be null: nothing was answered. A
line without a trial is the question's first, number 0.

    {"instance_id": "ws_en_001", "response": "```markdown …", "messages": [...], "trial_idx": 0}
    {"task": "task/list-0007", "answer": "```markdown …", "trial": 0}
    {"id": "task/list-0007#0", "answer": "```markdown …"}
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, Json

from worldforge.core.errors import InputError
from worldforge.core.files import atomic, write_text
from worldforge.core.json_lines import read_lines
from worldforge.core.suggestions import did_you_mean
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.answer_score import MEASURES
from worldforge.scoring.gold_table import GoldTable, column_name
from worldforge.world.world import MANIFEST, SPEC, World, open_world

QUESTIONS, GOLD = "widesearch.jsonl", "widesearch_gold"
_LAYOUT = "widesearch"  # a world's folder of its tasks in the benchmark's layout
_READ = (SPEC, "tasks.parquet", "entities/", "widesearch/")
"""What of a world is read here: its questions, and the names of what they ask for."""
_QUESTION_FORM = (
    'a question is an object with "instance_id", "evaluation" (an object, or one as JSON text) and "language"'
)
_ANSWER_FORM = (
    'a line is an object with "instance_id", "response" and "trial_idx", as the benchmark\'s runner writes it'
)
METRICS = (
    *(f"{scorer}_{measure}" for scorer in ("strict", "compat") for measure in (*MEASURES, "success")),
    "strict_row_order",
)
INPUTS = (
    *("strict_version", "compat_version", "compat_day", "judge", "judge_version", "worldforge_version"),
    *("answers_sha256", "questions_sha256"),
)
"""Columns that say what all rows of a file were made of and by: the same in each. `*_sha256` are of all of them."""
SCHEMA = pa.schema(
    [
        ("instance_id", pa.string()),
        ("task", pa.string()),
        ("language", pa.string()),
        ("trial", pa.int32()),
        ("answered", pa.bool_()),
        *((name, pa.bool_() if name.endswith("success") else pa.float64()) for name in METRICS),
        ("strict_reason", pa.string()),
        ("compat_reason", pa.string()),
        ("source", pa.string()),
        *((name, pa.string()) for name in INPUTS),
    ]
)
"""One row a question and trial. `*_reason` says why a score is 0; `source` is the answer's file and line."""


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """What was asked, by the benchmark's id; `task` is a world's own, empty for a question of no world."""

    instance_id: str
    task: str
    language: str
    gold: GoldTable


def read_questions(folder: Path) -> dict[str, BenchmarkQuestion]:
    """Read the questions of a world or of a folder in the benchmark's layout, by instance id, in their order.

    A world's own folder `widesearch` is read as the world: both know the same aliases. Other folders name none.
    Raises InputError where there are none, or one cannot be read.
    """
    for world in (folder, *([folder.resolve().parent] if folder.resolve().name == _LAYOUT else [])):
        if (world / MANIFEST).exists():
            return _read_world(open_world(world))
    return {question.instance_id: question for question in _read_folder(folder)}


class _QuestionLine(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    instance_id: str
    evaluation: dict[str, Any] | Json[dict[str, Any]]
    language: str = ""


def _read_world(world: World) -> dict[str, BenchmarkQuestion]:
    world.check_whole(*_READ)
    lines = [line for _, line in read_lines(world.path / _LAYOUT / QUESTIONS, _QuestionLine, _QUESTION_FORM)]
    if len(lines) != len(world.tasks):
        raise InputError(f"{world.path}: its questions file is not of its tasks", "run `worldforge build` on its spec")
    return {
        line.instance_id: BenchmarkQuestion(line.instance_id, task.id, task.language, gold_with_aliases(world, task))
        for line, task in zip(lines, world.tasks, strict=True)
    }


def _read_folder(folder: Path) -> Iterator[BenchmarkQuestion]:
    path = _questions_file(folder)
    seen: set[str] = set()
    for where, line in read_lines(path, _QuestionLine, _QUESTION_FORM):
        if line.instance_id in seen:
            raise InputError(f"{where}: `{line.instance_id}` stands there twice")
        seen.add(line.instance_id)
        yield BenchmarkQuestion(line.instance_id, "", line.language, _read_gold(folder / GOLD, line, where))


def _questions_file(folder: Path) -> Path:
    found = [folder / QUESTIONS] if (folder / QUESTIONS).exists() else sorted(folder.glob("*.jsonl"))
    if len(found) != 1 or not (folder / GOLD).is_dir():
        hint = f"give a built world, or a folder with a questions file (`{QUESTIONS}`) and `{GOLD}/`"
        raise InputError(f"{folder} holds neither a world nor questions in the benchmark's layout", hint)
    return found[0]


def _read_gold(folder: Path, line: _QuestionLine, where: str) -> GoldTable:
    """Read a gold table: the columns that `required` names, in its order."""
    path = folder / f"{line.instance_id}.csv"
    required, keys = (_column_list(line.evaluation, part, where) for part in ("required", "unique_columns"))
    header, *rows = _read_csv(path)
    places = {column_name(label): place for place, label in reversed(list(enumerate(header)))}
    missing = [name for name in required if column_name(name) not in places]
    if missing:
        raise InputError(f"{path} has no column `{missing[0]}`, which `required` names", f"the question: {where}")
    columns = [places[column_name(name)] for name in required]
    cells = tuple(tuple(row[place] if place < len(row) else "" for place in columns) for row in rows)
    labels = tuple(header[place] for place in columns)
    try:
        return GoldTable(labels, cells, tuple(keys), line.evaluation)
    except (InputError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{where}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return error.message if isinstance(error, InputError) else f"`evaluation` is not the benchmark's: {error!r}"


def _column_list(evaluation: Mapping[str, Any], part: str, where: str) -> list[str]:
    names = evaluation.get(part)
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{where}: `evaluation` needs `{part}`, a list of columns, not {json.dumps(names)}")
    return names


def _read_csv(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file, strict=True) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: the gold table cannot be read: {error}") from error
    if not rows:
        raise InputError(f"{path}: the gold table is empty")
    wide = [number for number, row in enumerate(rows, 1) if len(row) > len(rows[0])]
    if wide:
        raise InputError(f"{path}: row {wide[0]} has more cells than there are columns")
    return rows


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
        for place, line in read_lines(file, _AnswerLine, _ANSWER_FORM):
            answer = _read_answer(line, ids, place)
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


def _read_answer(line: _AnswerLine, ids: Mapping[str, str], source: str) -> Answer:
    name, trial = line.instance_id, line.trial_idx
    if name not in ids:
        name, _, numbered = name.rpartition("#")
        trial = int(numbered) if trial is None and numbered.isdecimal() else trial
    if name not in ids:
        raise InputError(
            f"{source}: no question is called `{line.instance_id}`", did_you_mean(line.instance_id, sorted(ids))
        )
    return Answer(ids[name], trial or 0, line.response or "", source)


def write_scores(target: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows into a `.parquet` or `.jsonl` file, atomically."""
    if target.suffix == ".jsonl":
        write_text(target, "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows))
        return
    with atomic(target) as beside:
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), beside)
