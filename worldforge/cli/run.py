"""`worldforge run`: everything a spec says, one after the other, and a look at what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldforge.cli import build as build_verb
from worldforge.cli import export as export_verb
from worldforge.cli import rollout as rollout_verb
from worldforge.cli.left_out import describe_left_out
from worldforge.cli.options import (
    embedder_option,
    engine_options,
    fresh_option,
    json_option,
    out_option,
    prose_model_option,
    read_spec,
    spec_options,
)
from worldforge.cli.show import heading, print_json, progress, say, table

if TYPE_CHECKING:
    from worldforge.core.worker_pool import Engine
    from worldforge.entry_points.export import ExportSummary
    from worldforge.rollouts.run import Resume, RunSummary
    from worldforge.world.world import World

_SHORT = 100  # characters of a message that are shown


@click.command()
@spec_options
@out_option
@engine_options
@prose_model_option
@embedder_option
@fresh_option
@json_option
def command(
    spec: str,
    overrides: tuple[str, ...],
    allow_code: bool,
    out: Path | None,
    engine: Engine,
    model: str | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Build SPEC's world, let its agent loose on the tasks, write the dataset, and show all three."""
    from worldforge.entry_points.build import build
    from worldforge.entry_points.export import export
    from worldforge.entry_points.rollout import rollout
    from worldforge.world.world import open_world

    loaded, code_from = read_spec(spec, overrides, allow_code)
    with progress() as shown:
        built = build(loaded, out, engine=engine, fresh=fresh, code_from=code_from, progress=shown, model=model)
    if not as_json:
        say(heading("world"))
        build_verb.describe(built)
    world = open_world(built.folder)
    with progress() as shown:
        resume: Resume = "never" if fresh or _outdated(world) else "auto"
        played = rollout(world, engine=engine, resume=resume, progress=shown)
        written = export(world, engine=engine, code_from=code_from, progress=shown)
    if as_json:
        build_data, rollout_data = build_verb.as_data(built), rollout_verb.as_data(played)
        print_json({"build": build_data, "rollout": rollout_data, "export": export_verb.as_data(written)})
    else:
        say(f"\n{heading('rollout')}")
        rollout_verb.describe(played)
        _show(world, played, written)
    describe_left_out(written.left_out)
    build_verb.check_complete(built)


def _outdated(world: World) -> bool:
    """Say whether the run on file was played in a world that has since been built anew."""
    from worldforge.rollouts.run import run_folder, runs_folder, world_played

    return world_played(run_folder(runs_folder(world), world.spec.rollouts.agent)) not in (None, world.digest)


def _show(world: World, played: RunSummary, written: ExportSummary) -> None:
    """Show one task with its gold, one trajectory in short, where the files are, and what to try next."""
    task = min(world.tasks, key=lambda task: task.n_tool_calls)
    say(f"\n{heading('a task')}  {task.id}\n{task.wording.partition(chr(10))[0]}\n{table(task.labels, task.gold)}")
    say(f"\n{heading('a trajectory')}")
    for line in _in_short(_trajectory(played, task.id)):
        say(line)
    say(f"\n{heading('dataset')}")
    export_verb.describe(written)
    say(f"\n{heading('try next')}")
    about = world.spec.types[task.about].label or task.about
    say(f'  worldforge search {world.path} "{about} {task.gold[0][0]}"')
    say(f"  worldforge explain {world.path} {task.id}")
    say("  worldforge new mine")


def _trajectory(played: RunSummary, task: str) -> dict[str, Any]:
    """Read the first trajectory of a task back from the run."""
    import pyarrow.dataset as ds

    from worldforge.rollouts.ledger import shard_paths

    shards = [str(path) for path in shard_paths(played.folder, played.tally.n_episodes)]
    rows: list[dict[str, Any]] = ds.dataset(shards).filter(ds.field("task") == task).head(1).to_pylist()
    return rows[0]


def _in_short(trajectory: dict[str, Any]) -> list[str]:
    """Give a line for each message but the system's, and the scores."""
    lines = []
    for message in trajectory["messages"][1:]:
        for call in message["tool_calls"] or []:
            lines.append(f"  assistant  {call['function']['name']} {_cut(call['function']['arguments'])}")
        if message["content"] and not message["tool_calls"]:
            lines.append(f"  {message['role']:9}  {_cut(message['content'])}")
    return [*lines, f"  item F1 {trajectory['item_f1']:.3f}, row F1 {trajectory['row_f1']:.3f}"]


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
