"""`worldforge rollout`: an agent searches, trajectories are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from worldforge.cli.options import fresh_option, json_option, workers_option, world_argument
from worldforge.cli.show import print_json, progress, say, seconds

if TYPE_CHECKING:
    from worldforge.rollouts.run import RunSummary

_POSITIVE = click.IntRange(1)


@click.command()
@world_argument
@click.option("--agent", help="Who searches: `oracle`. Default: as the spec says.")
@click.option("--trials", type=_POSITIVE, help="Episodes a task. Default: as the spec says.")
@click.option("--max-steps", type=_POSITIVE, help="Tool calls an episode may take. Default: as the spec says.")
@click.option("--concurrency", type=_POSITIVE, help="Episodes under way at once in one process.")
@click.option("--limit", type=_POSITIVE, help="Play only the first tasks.")
@click.option("--run", help="The run's name. Default: the agent's.")
@workers_option
@fresh_option
@json_option
def command(
    world: Path,
    agent: str | None,
    trials: int | None,
    max_steps: int | None,
    concurrency: int | None,
    limit: int | None,
    run: str | None,
    workers: int,
    fresh: bool,
    as_json: bool,
) -> None:
    """Let an agent loose on the tasks of WORLD. Goes on where an earlier run of that name was stopped."""
    from worldforge.rollout import rollout
    from worldforge.world.world import open_world

    with progress() as shown:
        summary = rollout(
            open_world(world),
            agent=agent,
            trials=trials,
            max_steps=max_steps,
            concurrency=concurrency,
            workers=workers,
            limit=limit,
            run=run,
            fresh=fresh,
            progress=shown,
        )
    if as_json:
        print_json(as_data(summary))
    else:
        describe(summary)


def as_data(summary: RunSummary) -> dict[str, object]:
    """Give a run as JSON values."""
    from dataclasses import asdict

    return asdict(summary)


def describe(summary: RunSummary) -> None:
    """Tell a person what came of a run."""
    say(
        f"{summary.agent}: {summary.n_episodes:,} episodes over {summary.n_tasks:,} tasks, "
        f"{summary.n_failed:,} failed, {summary.n_tool_calls:,} tool calls, {summary.n_pages_opened:,} pages opened"
    )
    scores = summary.scores
    say(f"mean item F1 {scores['item_f1']:.3f}, row F1 {scores['row_f1']:.3f}, success {scores['success']:.3f}")
    say(f"{summary.folder}  ({summary.n_played:,} episodes played in {seconds(summary.wall_s)})")
