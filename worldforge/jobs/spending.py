"""What unfinished rollouts have taken of a budget: tokens of episodes on record that no command has told of yet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

_OWN = ("n_prompt_tokens", "n_completion_tokens")
_WORDING = ("prompt_tokens", "completion_tokens")


def tokens_under_way(world: Path) -> int:
    """Add up the tokens of the episodes on record in those runs of a world that are not finished."""
    from worldforge.rollouts.run import FOLDER, RECORD

    runs = [run for run in (world / FOLDER).glob("*") if run.is_dir() and not (run / RECORD).exists()]
    return sum(_in_shard(path) for run in runs for path in run.rglob("*.parquet")) + sum(
        _in_journal(path) for run in runs for path in run.rglob("*.jsonl")
    )


def _in_shard(path: Path) -> int:
    from worldforge.rollouts.shards import read_shard
    from worldforge.rollouts.tally import COLUMNS, tally

    try:
        counted = tally([read_shard(path, COLUMNS)])
    except (OSError, ValueError):  # damaged, and played again: Arrow's errors are these
        return 0
    own = counted.n_prompt_tokens + counted.n_completion_tokens
    return own + counted.wording.prompt_tokens + counted.wording.completion_tokens


def _in_journal(path: Path) -> int:
    return sum(_in_row(line) for line in path.read_bytes().splitlines())


def _in_row(line: bytes) -> int:
    try:
        row = json.loads(line)
    except ValueError:  # torn by a kill
        return 0
    if not isinstance(row, Mapping) or _OWN[0] not in row:  # the ledger of shards, what is in quarantine
        return 0
    seen = [row.get("observations"), *(agent.get("observations") for agent in row.get("sub_agents") or ())]
    return _total(row, _OWN) + sum(_total(each, _WORDING) for observations in seen for each in observations or ())


def _total(row: Mapping[str, Any], names: Iterable[str]) -> int:
    return sum(row.get(name) or 0 for name in names)
