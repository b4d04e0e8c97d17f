"""`worldforge export`: trajectories, and the world they were played in, become a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from worldforge.cli.left_out import describe_left_out
from worldforge.cli.options import (
    engine_options,
    json_option,
    trajectories_option,
    world_argument,
)
from worldforge.cli.selection_options import selection_options
from worldforge.cli.show import print_json, progress, say, table

if TYPE_CHECKING:
    from worldforge.core.worker_pool import Engine
    from worldforge.datasets.selection.selection_settings import Selection
    from worldforge.entry_points.export import ExportSummary


@click.command()
@world_argument
@click.option(
    "--view",
    "views",
    multiple=True,
    help="A trainer's format, or `module:attribute` of your own; may be repeated, or `all`. Default: the spec's.",
)
@click.option("--allow-code", is_flag=True, help="Let views import Python code that lies in the current folder.")
@click.option("--run", "runs", multiple=True, help="A run to take; may be repeated. Default: every finished one.")
@trajectories_option
@selection_options
@click.option("--recipe", type=click.Path(path_type=Path), help="A YAML file: how the reward in views adds up.")
@click.option(
    "--rows-per-file", type=click.IntRange(1), metavar="N", help="Most rows a file holds. Default: as the spec says."
)
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Where to. Default: WORLD/datasets.")
@engine_options
@json_option
def command(
    world: Path,
    views: tuple[str, ...],
    allow_code: bool,
    runs: tuple[str, ...],
    trajectories: Path | None,
    selection: Selection,
    recipe: Path | None,
    rows_per_file: int | None,
    out: Path | None,
    engine: Engine,
    as_json: bool,
) -> None:
    """Write a dataset from WORLD: a folder a view, a card, a manifest; and check that `datasets` loads it."""
    from worldforge.entry_points.export import export
    from worldforge.environments.registry import allow_code as allow_environments
    from worldforge.scoring.reward_recipe import DEFAULT, read_recipe
    from worldforge.world.world import open_world

    if allow_code:
        allow_environments(Path.cwd())
    with progress() as shown:
        summary = export(
            open_world(world),
            views=list(views) or None,
            runs=list(runs) or None,
            trajectories=trajectories,
            out=out,
            selection=selection,
            recipe=read_recipe(recipe) if recipe else DEFAULT,
            rows_per_file=rows_per_file,
            code_from=Path.cwd() if allow_code else None,
            progress=shown,
            engine=engine,
        )
    if as_json:
        print_json(as_data(summary))
    else:
        describe(summary)
    describe_left_out(summary.left_out)


def as_data(summary: ExportSummary) -> dict[str, object]:
    """Give an export as JSON values."""
    from dataclasses import asdict

    return asdict(summary)


def describe(summary: ExportSummary) -> None:
    """Tell a person what was written, and how to load it."""
    from worldforge.datasets.card.yaml_header import default_config

    report = summary.report
    if report.steps:
        steps = [(step.name, step.asked, step.n_removed, step.n_left) for step in report.steps]
        say(f"{report.n_found:,} trajectories\n{table(('selected by', '', 'removed', 'left'), steps)}\n")
    if summary.imitated:
        taken, views = summary.imitated.report, ", ".join(summary.imitated.views)
        say(f"{views}: {taken.n_left:,} of {taken.n_found:,} trajectories, successes alone")
        say("`--any-outcome` takes failures too\n")
    rows = [(name, view.n_rows, len(view.files), round(view.n_bytes / 1000)) for name, view in summary.views.items()]
    say(table(("view", "rows", "files", "kB"), rows))
    for name, n in summary.n_without_row.items():
        say(f"{name} has no row of {n:,} trajectories: {summary.views[name].leaves_out}")
    if summary.empty_views:
        say(f"nothing to show in: {', '.join(summary.empty_views)}")
    say(f"{summary.folder}  {summary.n_files:,} files, {summary.n_bytes / 1e6:,.1f} MB")
    loaded = [name for name, view in summary.views.items() if view.files[0].endswith(".parquet")]
    if loaded:
        say(f'  datasets.load_dataset("{summary.folder}", "{default_config(loaded)}")')
