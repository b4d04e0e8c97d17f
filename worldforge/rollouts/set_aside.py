"""The episodes of a run that its controls make unsolvable: they are not played, and their file says why.

    set_aside.jsonl     {"id": "task/list-0007#0", "task": "task/list-0007", "trial": 0, "reason": "out of steps"}

Beside config.json, and written before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldforge.core.files import remove, write_text
from worldforge.rollouts import journal
from worldforge.rollouts.trials import Trial

SET_ASIDE = "set_aside.jsonl"


def lines_of(trials: Sequence[Trial], reasons: Mapping[str, str]) -> list[dict[str, object]]:
    """Return the lines of the file for those of `trials` that are set aside, given the reason of each by id."""
    return [
        {"id": trial.id, "task": trial.task.id, "trial": trial.trial, "reason": reasons[trial.id]}
        for trial in trials
        if trial.id in reasons
    ]


def write_lines(folder: Path, lines: Sequence[Mapping[str, object]]) -> None:
    """Write the file; where nothing is set aside there is none."""
    if lines:
        write_text(folder / SET_ASIDE, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    else:
        remove(folder / SET_ASIDE)


def read_lines(folder: Path) -> list[dict[str, Any]]:
    """Read the file of the run, or of a rank's share of it, in `folder`; no file has no lines."""
    return journal.recover(folder / SET_ASIDE)


def without_set_aside(trials: Sequence[Trial], folder: Path) -> list[Trial]:
    """Return the trials that are to be played, numbered anew."""
    set_aside = {line["id"] for line in read_lines(folder)}
    kept = [trial for trial in trials if trial.id not in set_aside]
    return [replace(trial, index=index) for index, trial in enumerate(kept)]
