"""What a command that takes all finished runs says of those that it did not take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from worldforge.cli.show import say

if TYPE_CHECKING:
    from worldforge.rollouts.unfinished import UnfinishedRun


def describe_left_out(runs: Sequence[UnfinishedRun]) -> None:
    """Name the runs that were left out, each with the reason and what finishes it."""
    for run in runs:
        say(f"left out: run `{run.run}`: {run.reason}; {run.hint}")
