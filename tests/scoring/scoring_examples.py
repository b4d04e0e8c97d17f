"""Small gold tables and answers that the scoring tests share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldforge.scoring.gold_table import GoldTable, column_name

TEXT = {"preprocess": ["norm_str"], "metric": ["exact_match"]}
NUMBER = {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.05}
EXACT_NUMBER = {"preprocess": ["extract_number"], "metric": ["exact_match"]}
DATE = {"preprocess": ["norm_date"], "metric": ["exact_match"]}
DATE_NEAR = {"preprocess": ["norm_date"], "metric": ["date_near"]}
IN_MATCH = {"preprocess": ["norm_str"], "metric": ["in_match"]}
URL = {"preprocess": [], "metric": ["url_match"]}
JUDGED = {"preprocess": [], "metric": ["llm_judge"], "criterion": "the same colour"}


def gold_table(
    columns: Mapping[str, Mapping[str, Any]],
    rows: Sequence[Sequence[str]],
    n_keys: int = 1,
    aliases: Mapping[str, Mapping[str, str]] | None = None,
) -> GoldTable:
    """Make a gold table of `columns` (label to pipeline), the first `n_keys` of them its keys."""
    labels = tuple(columns)
    names = [column_name(label) for label in labels]
    evaluation = {
        "unique_columns": names[:n_keys],
        "required": names,
        "eval_pipeline": dict(zip(names, columns.values(), strict=True)),
    }
    return GoldTable(labels, tuple(map(tuple, rows)), labels[:n_keys], evaluation, aliases or {})


def fenced(labels: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table as the question asks for it."""
    lines = [labels, ["---"] * len(labels), *rows]
    return "\n".join(["```markdown", *("| " + " | ".join(cells) + " |" for cells in lines), "```"])


class Synonyms:
    """A judge by rote: names mean what the mapping says, and cells to be judged are alike where it maps both to one."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def match(self, names: Sequence[str], gold_names: Sequence[str]) -> Mapping[str, str]:
        return {name: self.names[name] for name in names if name in self.names}

    def grade(self, cells: Sequence[str], gold_cells: Sequence[str], criterion: str) -> Sequence[float]:
        pairs = zip(cells, gold_cells, strict=True)
        return [float(self.names.get(cell, cell) == self.names.get(gold, gold)) for cell, gold in pairs]
