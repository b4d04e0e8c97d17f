"""`worldforge rescore`: trajectories on disk get their scores and reward components anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from worldforge.cli.left_out import describe_left_out
from worldforge.cli.options import json_option, own_environment_option, trajectories_option, world_argument
from worldforge.cli.show import print_json, progress, say

if TYPE_CHECKING:
    from worldforge.entry_points.rescore import RescoreSummary


@click.command()
@world_argument
@click.option("--run", "runs", multiple=True, help="A run to take; may be repeated. Default: every finished one.")
@trajectories_option
@own_environment_option
@json_option
def command(world: Path, runs: tuple[str, ...], trajectories: Path | None, as_json: bool) -> None:
    """Compute scores and reward components of the trajectories of WORLD anew, in place. Nothing is played again."""
    from worldforge.entry_points.rescore import rescore
    from worldforge.rollouts.run import runs_folder
    from worldforge.rollouts.unfinished import unfinished_runs
    from worldforge.world.world import open_world

    opened = open_world(world)
    with progress() as shown:
        done = rescore(opened, runs=list(runs) or None, trajectories=trajectories, progress=shown)
    if as_json:
        print_json([as_data(summary) for summary in done])
    else:
        for summary in done:
            describe(summary)
    if not runs:
        describe_left_out(unfinished_runs(runs_folder(opened, trajectories)))


def as_data(summary: RescoreSummary) -> dict[str, object]:
    """Give a rescored run as JSON values."""
    from dataclasses import asdict

    return asdict(summary)


def describe(summary: RescoreSummary) -> None:
    """Tell a person what changed in a run, and what its scores now are."""
    run, scores = summary.run, summary.run.tally.scores
    changed = f"{summary.n_changed:,} of {summary.n_shards:,} shards changed"
    say(f"{run.run}: {run.tally.n_episodes:,} trajectories, {changed}")
    say(
        f"  mean item F1 {scores['item_f1']:.3f}, row F1 {scores['row_f1']:.3f}, success {scores['success']:.3f}, "
        f"coverage {scores['coverage']:.3f}"
    )
