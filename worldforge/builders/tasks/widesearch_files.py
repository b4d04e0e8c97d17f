"""Tasks in the layout of the WideSearch benchmark (arXiv 2508.07999): a questions file, and a gold table a task.

    widesearch/widesearch.jsonl                 instance_id, query, evaluation, language
    widesearch/widesearch_gold/ws_en_001.csv    UTF-8, no byte-order mark

Columns are compared after lower-casing and removal of spaces, so `evaluation` names them so.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from worldforge.core.files import atomic
from worldforge.world.task import CellKind, Task, TaskColumn

_PIPELINES: dict[CellKind, dict[str, Any]] = {
    "text": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
    "address": {"preprocess": ["norm_str"], "metric": ["url_match"]},
    "boolean": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
    "date": {"preprocess": ["norm_date"], "metric": ["exact_match"]},
    "year": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0},
    "integer": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0},
    "number": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0001},
}


def normalised(label: str) -> str:
    """Write a column name as the benchmark compares it."""
    return "".join(label.lower().split())


def evaluation_of(
    columns: Sequence[TaskColumn],
    keys: Sequence[str],
    *,
    ordered: bool = False,
    synonyms: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, Any]:
    """Write the benchmark's `evaluation` object for an answer's columns; rules only, no judge.

    A world's figures are exact, so numbers must match exactly (to one part in 10,000 where they have decimals).
    Two keys are not the benchmark's, whose evaluator passes over them: `row_order`, if the order of rows counts, and
    `synonyms`, by column, the value that each other wording stands for.
    """
    return {
        "unique_columns": [normalised(key) for key in keys],
        "required": [normalised(column.label) for column in columns],
        "eval_pipeline": {normalised(column.label): _PIPELINES[column.kind] for column in columns},
        **({"row_order": True} if ordered else {}),
        **({"synonyms": {normalised(label): {**own} for label, own in synonyms.items()}} if synonyms else {}),
    }


@contextmanager
def widesearch(folder: Path) -> Iterator[Callable[[Task], None]]:
    """Yield a function that writes a task; `folder` is there, whole, at the end of the block.

    A file a task takes its time: written while the next tasks are judged, it keeps nobody waiting at the end.
    """
    with atomic(folder) as beside:
        gold = beside / "widesearch_gold"
        gold.mkdir(parents=True)
        lines: list[str] = []

        def write(task: Task) -> None:
            instance = f"ws_{task.language}_{len(lines) + 1:03d}"
            question = {
                "instance_id": instance,
                "query": task.wording,
                "evaluation": task.evaluation,
                "language": task.language,
            }
            lines.append(json.dumps(question, ensure_ascii=False))
            (gold / f"{instance}.csv").write_text(_gold_csv(task), encoding="utf-8", newline="")

        yield write
        text = "".join(f"{line}\n" for line in lines)
        (beside / "widesearch.jsonl").write_text(text, encoding="utf-8", newline="")


def _gold_csv(task: Task) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(task.labels)
    writer.writerows(task.gold)
    return buffer.getvalue()
