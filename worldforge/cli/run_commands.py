"""The command `run`: build, rollout and export of a spec, and a look at the results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from worldforge.cli.dataset_commands import describe_export
from worldforge.cli.options import build_options, json_option, read_spec
from worldforge.cli.printing import heading, list_left_out, print_json, progress, say, shorten, table
from worldforge.cli.rollout_commands import describe_run
from worldforge.cli.world_commands import check_tasks_kept, describe_build

if TYPE_CHECKING:
    from worldforge.core.worker_pool import Engine
    from worldforge.entry_points.export_dataset import ExportSummary
    from worldforge.rollouts.run import Resume, RunSummary
    from worldforge.world.world import World

_SHORT = 100  # characters of a message that are shown
_FIRST, _LAST = 14, 3  # lines of a trajectory that are shown


@click.command("run")
@build_options
@json_option
def run_command(
    spec: str, overrides: tuple[str, ...], allow_code: bool, workers: Engine, fresh: bool, as_json: bool, **options: Any
) -> None:
    """Build SPEC's world, let its agent loose on the tasks, write the dataset, and show all three."""
    from worldforge.core.local_pool import local_workers
    from worldforge.datasets.view import load_views
    from worldforge.entry_points.build_world import build
    from worldforge.entry_points.export_dataset import export
    from worldforge.entry_points.play_run import rollout
    from worldforge.rollouts.run import run_folder, runs_folder, world_played
    from worldforge.world.world import open_world

    loaded, code_from = read_spec(spec, overrides, allow_code)
    with progress() as shown:
        built = build(loaded, workers=workers, fresh=fresh, code_from=code_from, progress=shown, **options)
    if not as_json:
        say(heading("world"))
        describe_build(built)
    world = open_world(built.folder)
    with progress() as shown:
        before = world_played(run_folder(runs_folder(world), world.spec.rollouts.agent))
        resume: Resume = "never" if fresh or before not in (None, world.digest) else "auto"
        played = rollout(world, workers=workers, resume=resume, progress=shown)
        views = load_views(world.spec.export.views, code_from)
        written = export(world, views, workers=local_workers(workers), progress=shown)
    if as_json:
        print_json({"build": built, "rollout": played, "export": written})
    else:
        _show(world, played, written)
    list_left_out(written.left_out)
    check_tasks_kept(built)


def _show(world: World, played: RunSummary, written: ExportSummary) -> None:
    """Print the run, one task with its gold, one trajectory in short, where the files are, and what to try next."""
    say(f"\n{heading('rollout')}")
    describe_run(played)
    task = min(world.tasks, key=lambda task: task.measures.oracle_calls)
    say(f"\n{heading('a task')}  {task.id}\n{task.wording.partition(chr(10))[0]}\n{table(task.labels, task.gold)}")
    say(f"\n{heading('a trajectory')}")
    for line in _trajectory_lines(played, task.id):
        say(line)
    say(f"\n{heading('dataset')}")
    describe_export(written)
    say(f"\n{heading('try next')}")
    about = world.spec.types[task.about].label or task.about
    say(f'  worldforge search {world.path} "{about} {task.gold[0][0]}"')
    say(f"  worldforge explain {world.path} {task.id}")
    say("  worldforge new mine")


def _trajectory_lines(played: RunSummary, task: str) -> Iterator[str]:
    """Yield the first and last messages of the first trajectory of a task, a line each, and one for its scores."""
    import pyarrow.dataset as ds

    from worldforge.rollouts.ledger import shard_paths

    shards = [str(path) for path in shard_paths(played.folder, played.tally.n_episodes)]
    (trajectory,) = ds.dataset(shards).filter(ds.field("task") == task).head(1).to_pylist()
    lines = [line for message in trajectory["messages"][1:] for line in _message_lines(message)]
    yield from lines[:_FIRST]
    if len(lines) > _FIRST + _LAST:
        yield f"  … {len(lines) - _FIRST - _LAST:,} lines more …"
    yield from lines[_FIRST:][-_LAST:]
    yield f"  item F1 {trajectory['item_f1']:.3f}, row F1 {trajectory['row_f1']:.3f}"


def _message_lines(message: dict[str, Any]) -> Iterator[str]:
    if message["reasoning_content"]:
        yield f"  thinks     {shorten(message['reasoning_content'], _SHORT)}"
    for call in message["tool_calls"] or []:
        yield f"  assistant  {call['function']['name']} {shorten(call['function']['arguments'], _SHORT)}"
    if message["content"] and not message["tool_calls"]:
        yield f"  {message['role']:9}  {shorten(message['content'], _SHORT)}"
