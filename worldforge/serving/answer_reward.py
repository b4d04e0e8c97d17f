"""The reward of an answer: the strict scorer's measures, by the gold table (JSON) that a trainer's row carries.

text = write_ground_truth(gold)     {"columns": […], "keys": […], "rows": [[…]], "evaluation": {…}, "aliases": {…}}
measures("| Club | …", text)        {"item_f1": 0.8, …, "success": 0.0}
"""

from __future__ import annotations

import json
from functools import lru_cache

from worldforge.core.errors import InputError
from worldforge.scoring.gold_table import GoldTable
from worldforge.scoring.strict_scorer import score_strict

MEASURES = ("item_f1", "item_precision", "item_recall", "row_f1", "row_precision", "row_recall", "row_order", "success")
"""What `measures` gives, each in [0, 1]. `item_f1` is what trainers are given as the reward."""

_OPENINGS = ("<tool_call>", "<tool_response>", "<think>")
_TURNS = ("</tool_response>", "</tool_call>", "</think>", "<|im_start|>assistant\n")
_FENCE, _TABLE = "```", "```markdown"
_KEPT = 1_024  # gold tables: one is asked for by every completion of a group


def measures(answer: str, ground_truth: str) -> dict[str, float]:
    """Score the text of an answer by the strict scorer; success counts 1. Raises InputError for a bad `ground_truth`.

    An answer that cannot be read is worth 0 in everything.
    """
    score = score_strict(answer, read_ground_truth(ground_truth))
    return {name: float(getattr(score, name)) for name in MEASURES}


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
        table = json.loads(text)
        columns, keys, rows = tuple(table["columns"]), tuple(table["keys"]), tuple(map(tuple, table["rows"]))
        return GoldTable(columns, rows, keys, evaluation=table["evaluation"], aliases=table["aliases"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(
            f"ground_truth is no gold table: {why}",
            "take the rows of a view that `worldforge export` wrote: rl_trl, …",
        ) from error


def final_answer(text: str) -> str:
    """Return the answer in a whole response decoded to one text: all turns of the agent and all that tools brought.

    It is what follows the last tool call, tool result or thought, where these are marked as Qwen's templates mark them;
    nothing where one of these is the last, and not closed. Where no turns can be told apart it is the last block fenced
    as markdown: a table on a page that a tool showed is nobody's answer.
    """
    begins = max(text.rfind(mark) for mark in _OPENINGS)
    turn, after = max((text.rfind(mark), len(mark)) for mark in _TURNS)
    if begins > turn:
        return ""
    return text[turn + after :] if turn >= 0 else _last_table(text)


def _last_table(text: str) -> str:
    start = text.lower().rfind(_TABLE)
    if start < 0:
        return ""
    end = text.find(_FENCE, start + len(_TABLE))
    return text[start : end + len(_FENCE)] if end >= 0 else text[start:]
