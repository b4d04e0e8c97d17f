"""The world's tasks in the layout of the WideSearch benchmark (arXiv 2508.07999), so that its own runner can ask them.

    widesearch.jsonl              for its loader of local files: instance_id, query, evaluation, language
    full.jsonl                    for its loader of a Hub repository: the same, but `evaluation` is a JSON string
    widesearch_gold/ws_en_001.csv the gold table of one question
    README.md                     a card of its own: the split `full` is full.jsonl, and the gold tables are no data

The loaders take those keys and no other, so no question bears the canary. The Hub loader reads the split `full` of a
repository whose root this folder is; as an object, `evaluation` would be given every column of every question there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from worldforge.datasets.view import ExportContext, shipped_view
from worldforge.world.table_files import damage_as_input_error

_FOLDER, _QUESTIONS, _GOLD = "widesearch", "widesearch.jsonl", "widesearch_gold"
SPLIT, FULL = "full", "full.jsonl"
_CARD = """\
---
license: {license}
language: {languages}
task_categories: ["question-answering"]
tags: ["synthetic", "widesearch", "worldforge"]
configs:
- config_name: default
  data_files: [{{split: {split}, path: {full}}}]
---

# {title}: questions in the layout of the WideSearch benchmark

As the root of a repository, this folder is what the benchmark's loader of the Hub reads:
`load_dataset(name)["{split}"]` gives the questions, and `{gold}/<instance_id>.csv` is the gold table of each.
`{questions}` holds the same questions for its loader of local files.
"""


def _files(_taken: Iterable[pa.Table], context: ExportContext) -> Iterator[tuple[str, bytes, int]]:
    """Give the files as the world was built with them, and the questions once more as the Hub has them."""
    folder = context.world.path / _FOLDER
    questions = _read(folder / _QUESTIONS)
    rows = [json.loads(line) for line in questions.splitlines()]
    yield _QUESTIONS, questions, len(rows)
    hub = [
        json.dumps(row | {"evaluation": json.dumps(row["evaluation"], ensure_ascii=False)}, ensure_ascii=False)
        for row in rows
    ]
    yield FULL, "".join(f"{line}\n" for line in hub).encode(), 0
    yield "README.md", _card(context).encode(), 0
    for row in rows:
        name = f"{_GOLD}/{row['instance_id']}.csv"
        yield name, _read(folder / name), 0


def _card(context: ExportContext) -> str:
    """Write the folder's own card. Without one, `datasets` takes every gold table for rows of one table."""
    spec = context.world.spec
    return _CARD.format(
        license=json.dumps(spec.export.license),
        languages=json.dumps(spec.languages),
        title=spec.title or context.world.name,
        split=SPLIT,
        full=FULL,
        gold=_GOLD,
        questions=_QUESTIONS,
    )


def _read(path: Path) -> bytes:
    with damage_as_input_error(path):
        return path.read_bytes()


VIEW = shipped_view("widesearch", "the WideSearch benchmark's runner and scorer", "world", files=_files)
"""Questions, and a gold table each."""
