"""A gold table as one JSON string, as a trainer's row carries it and a reward reads it back.

text = write_ground_truth(gold)     {"columns": […], "keys": […], "rows": [[…]], "evaluation": {…}, "aliases": {…}}
score_strict(answer, read_ground_truth(text))
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from worldforge.core.errors import InputError
from worldforge.scoring.gold_table import GoldTable

_KEPT = 1_024  # gold tables: one is asked for by every completion of a group


def write_ground_truth(gold: GoldTable) -> str:
    """Write a gold table as JSON: all that the strict scorer needs."""
    table = {
        "columns": gold.columns,
        "keys": gold.keys,
        "rows": gold.rows,
        "evaluation": dict(gold.evaluation),
        "aliases": {column: dict(names) for column, names in gold.aliases.items()},
    }
    return json.dumps(table, ensure_ascii=False)


@lru_cache(_KEPT)
def read_ground_truth(text: str) -> GoldTable:
    """Read back what `write_ground_truth` wrote. Raises InputError where `text` is something else."""
    try:
        return _gold_table(json.loads(text))
    except KeyError as error:
        raise _no_gold(f"it lacks {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise _no_gold(str(error)) from error


def _gold_table(table: Mapping[str, Any]) -> GoldTable:
    return GoldTable(
        columns=tuple(table["columns"]),
        rows=tuple(map(tuple, table["rows"])),
        keys=tuple(table["keys"]),
        evaluation=table["evaluation"],
        aliases=table["aliases"],
    )


def _no_gold(why: str) -> InputError:
    return InputError(
        f"ground_truth is no gold table: {why}", "take the rows of a view that `worldforge export` wrote: rl_trl, …"
    )
