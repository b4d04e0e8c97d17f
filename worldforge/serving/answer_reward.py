"""The reward of an answer: the strict scorer's measures, by the gold table that a trainer's row carries."""

from __future__ import annotations

from worldforge.scoring.strict_scorer import score_strict
from worldforge.serving.ground_truth import read_ground_truth

MEASURES = ("item_f1", "item_precision", "item_recall", "row_f1", "row_precision", "row_recall", "row_order", "success")
"""What `measures` gives, each in [0, 1]. `item_f1` is what trainers are given as the reward."""

_OPENINGS = ("<tool_call>", "<tool_response>", "<think>")
_TURNS = ("</tool_response>", "</tool_call>", "</think>", "<|im_start|>assistant\n")
_FENCE, _TABLE = "```", "```markdown"


def measures(answer: str, ground_truth: str) -> dict[str, float]:
    """Score the text of an answer by the strict scorer; success counts 1. Raises InputError for a bad `ground_truth`.

    An answer that cannot be read is worth 0 in everything.
    """
    score = score_strict(answer, read_ground_truth(ground_truth))
    return {name: float(getattr(score, name)) for name in MEASURES}


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
