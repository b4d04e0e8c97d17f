"""Writes scores, a row for each question and trial, as Parquet or JSON lines.

Files of the same inputs hold the same rows, whoever made them: one process or several.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.files import atomic, write_text

MEASURES = ("item_f1", "item_precision", "item_recall", "row_f1", "row_precision", "row_recall", "success")
METRICS = (*(f"{scorer}_{measure}" for scorer in ("strict", "compat") for measure in MEASURES), "strict_row_order")
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

Row = dict[str, Any]


def write_scores(target: Path, rows: Sequence[Row]) -> None:
    """Write rows into a `.parquet` or `.jsonl` file, atomically."""
    if target.suffix == ".jsonl":
        write_text(target, "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows))
        return
    with atomic(target) as beside:
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), beside)
