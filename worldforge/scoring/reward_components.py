"""Computes the reward components of an episode beside its scores: coverage, cost, form.

Each is kept by itself; `recipe.py` says how they combine. Coverage and efficiency are after WebLeaper (arXiv
2510.24697), the reward for form and for opened pages after WideSeek-R1 (arXiv 2602.04634).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from worldforge.scoring.answer_score import UnscorableError
from worldforge.scoring.answer_tables import read_tables
from worldforge.scoring.cell_text import same_text

VERSION = "reward-1"

_FENCE = "```"
_MARKDOWN = re.compile(r"[ \t]*markdown[ \t]*\r?\n", re.IGNORECASE)


def coverage(n_seen: int, n_cells: int) -> float:
    """Return the share of a task's gold cells that were seen, in [0, 1]: WebLeaper's ISR, over cells."""
    return n_seen / n_cells if n_cells else 0.0


def efficiency(n_seen: int, n_calls: int) -> float:
    """Return how many gold cells were seen a tool call: WebLeaper's ISE, over cells. Unbounded; 0 without calls."""
    return n_seen / n_calls if n_calls else 0.0


def first_shown(shown: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return, of the gold cells that each observation showed, those that none before it did: a step's gain."""
    known: set[int] = set()
    gained = []
    for cells in shown:
        gained.append([cell for cell in dict.fromkeys(cells) if cell not in known])
        known.update(cells)
    return gained


def redundant(calls: Iterable[tuple[str, str, bool]]) -> list[bool]:
    """Say of each call (tool, arguments, whether it failed) if it repeats an earlier one that did not fail.

    Arguments are compared as JSON values, whatever their spacing and the order of their keys.
    """
    answered: set[tuple[str, str]] = set()
    repeated = []
    for tool, arguments, failed in calls:
        key = tool, _canonical(arguments)
        repeated.append(key in answered)
        if not failed:
            answered.add(key)
    return repeated


def format_score(answer: str, columns: Sequence[str]) -> float:
    """Score how well an answer keeps to the requested form, whatever its cells contain.

    1.0   one fenced block called markdown holds one table, and nothing else in the answer has pipes; its columns are
          those asked for, each once, in any order; its rows are as wide as its header
    0.5   a table with those columns is there, but not alone, not in such a block, or with rows of other widths
    0.25  a table is there, with other columns
    0.0   none is, or none has a row
    """
    try:
        tables = [table for table in read_tables(answer) if table.rows]
    except UnscorableError:
        return 0.0
    wanted = sorted(map(same_text, columns))
    fitting = [table for table in tables if sorted(map(same_text, table.columns)) == wanted]
    if not fitting:
        return 0.25 if tables else 0.0
    is_even = all(len(row) == len(tables[0].columns) for row in tables[0].rows)
    return 1.0 if len(tables) == 1 and is_even and _is_fenced_alone(answer) else 0.5


def _is_fenced_alone(answer: str) -> bool:
    """Say whether all lines with pipes stand in one fenced block, called markdown, that is closed."""
    parts = answer.split(_FENCE)
    piped = [index for index, part in enumerate(parts) if "|" in part]
    if len(parts) % 2 == 0 or len(piped) != 1 or piped[0] % 2 == 0:
        return False
    return _MARKDOWN.match(parts[piped[0]]) is not None


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):  # a malformed call: it is what it is
        return arguments.strip()
