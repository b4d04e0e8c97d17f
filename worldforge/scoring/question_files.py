"""Questions with their gold tables, to score answers from anywhere: those of a world, or a folder of the benchmark's.

    questions = read_questions(Path("output/quickstart"))
    questions["ws_en_001"].gold

A folder in the benchmark's layout holds a questions file of JSON lines and `widesearch_gold/<instance_id>.csv`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Json

from worldforge.core.errors import InputError
from worldforge.core.json_lines import read_lines
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.gold_table import GoldTable, column_name
from worldforge.world.world import MANIFEST, SPEC, World, open_world

QUESTIONS, GOLD = "widesearch.jsonl", "widesearch_gold"
_LAYOUT = "widesearch"  # a world's folder of its tasks in the benchmark's layout
_READ = (SPEC, "tasks.parquet", "entities/", "widesearch/")
"""What of a world is read here: its questions, and the names of what they ask for."""


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
            return _of_world(open_world(world))
    return {question.instance_id: question for question in _of_folder(folder)}


class _QuestionLine(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    instance_id: str
    evaluation: dict[str, Any] | Json[dict[str, Any]]
    language: str = ""


def _of_world(world: World) -> dict[str, BenchmarkQuestion]:
    world.check_whole(*_READ)
    lines = [line for _, line in read_lines(world.path / _LAYOUT / QUESTIONS, _QuestionLine, _FORM)]
    if len(lines) != len(world.tasks):
        raise InputError(f"{world.path}: its questions file is not of its tasks", "run `worldforge build` on its spec")
    return {
        line.instance_id: BenchmarkQuestion(line.instance_id, task.id, task.language, gold_with_aliases(world, task))
        for line, task in zip(lines, world.tasks, strict=True)
    }


def _of_folder(folder: Path) -> Iterator[BenchmarkQuestion]:
    path = _questions_file(folder)
    seen: set[str] = set()
    for where, line in read_lines(path, _QuestionLine, _FORM):
        if line.instance_id in seen:
            raise InputError(f"{where}: `{line.instance_id}` stands there twice")
        seen.add(line.instance_id)
        yield BenchmarkQuestion(line.instance_id, "", line.language, _gold(folder / GOLD, line, where))


def _questions_file(folder: Path) -> Path:
    found = [folder / QUESTIONS] if (folder / QUESTIONS).exists() else sorted(folder.glob("*.jsonl"))
    if len(found) != 1 or not (folder / GOLD).is_dir():
        hint = f"give a built world, or a folder with a questions file (`{QUESTIONS}`) and `{GOLD}/`"
        raise InputError(f"{folder} holds neither a world nor questions in the benchmark's layout", hint)
    return found[0]


_FORM = 'a question is an object with "instance_id", "evaluation" (an object, or one as JSON text) and "language"'


def _gold(folder: Path, line: _QuestionLine, where: str) -> GoldTable:
    """Read a gold table: the columns that `required` names, in its order."""
    path = folder / f"{line.instance_id}.csv"
    required, keys = (_names(line.evaluation, part, where) for part in ("required", "unique_columns"))
    header, *rows = _csv(path)
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


def _names(evaluation: Mapping[str, Any], part: str, where: str) -> list[str]:
    names = evaluation.get(part)
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{where}: `evaluation` needs `{part}`, a list of columns, not {json.dumps(names)}")
    return names


def _csv(path: Path) -> list[list[str]]:
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
