"""Commands on datasets: `export` and `push`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldforge.cli.options import (
    FLAG,
    PATH,
    POSITIVE,
    json_option,
    option,
    out_option,
    runs_options,
    workers_option,
    world_argument,
)
from worldforge.cli.printing import list_left_out, print_json, print_summary, progress, say, table
from worldforge.cli.selection_options import selection_options

if TYPE_CHECKING:
    from worldforge.entry_points.export_dataset import ExportSummary
    from worldforge.entry_points.push_dataset import PushPlan, PushSummary


@click.command("export")
@world_argument
@option(
    "--view views",
    "A trainer's format, or `module:attribute` of your own; may be repeated, or `all`. Default: the spec's.",
    multiple=True,
)
@option("--allow-code", "Let views import Python code that lies in the current folder.", FLAG)
@runs_options
@selection_options
@option("--recipe", "A YAML file: how the reward in views adds up.", PATH)
@option("--rows-per-file", "Most rows a file holds. Default: as the spec says.", POSITIVE, metavar="N")
@out_option("Where to. Default: WORLD/datasets.")
@workers_option
@json_option
def export_command(
    world: Path,
    views: tuple[str, ...],
    recipe: Path | None,
    allow_code: bool,
    rows_per_file: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Write a dataset from WORLD: a folder a view, a card, a manifest; and check that `datasets` loads it."""
    from worldforge.datasets.view import load_views
    from worldforge.entry_points.export_dataset import export
    from worldforge.environments.registry import allow_code as allow_environments
    from worldforge.scoring.reward_recipe import DEFAULT, read_recipe
    from worldforge.world.world import open_world

    if allow_code:
        allow_environments(Path.cwd())
    opened = open_world(world)
    if rows_per_file is not None:
        settings = opened.spec.export.model_copy(update={"rows_per_shard": rows_per_file})
        vars(opened)["spec"] = opened.spec.model_copy(update={"export": settings})  # in place of the one on disk
    options["views"] = load_views(views or opened.spec.export.views, Path.cwd() if allow_code else None)
    options["recipe"] = read_recipe(recipe) if recipe else DEFAULT
    with progress() as shown:
        summary = export(opened, progress=shown, **options)
    print_summary(summary, as_json, describe_export)
    list_left_out(summary.left_out)


def describe_export(summary: ExportSummary) -> None:
    """Print what was written, and how to load it."""
    from worldforge.datasets.card.yaml_header import default_config

    report = summary.report
    if report.steps:
        steps = [(step.name, step.asked, step.n_removed, step.n_left) for step in report.steps]
        say(f"{report.n_found:,} trajectories\n{table(('selected by', '', 'removed', 'left'), steps)}\n")
    if summary.imitated:
        taken, views = summary.imitated.report, ", ".join(summary.imitated.views)
        say(f"{views}: {taken.n_left:,} of {taken.n_found:,} trajectories, as models are to imitate them")
        say("`--any-outcome` takes failures too, `--clairvoyant` oracles' instead\n")
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


@click.command("push")
@click.argument("dataset", type=PATH)
@option("--to repository", "The dataset repository on the Hub.", required=True, metavar="OWNER/NAME")
@option("--public", "Make the repository for all to see; needed to push to one that is.", FLAG)
@option("--branch", "The branch to push to; made where it is missing.", default="main")
@option("--tag", "Name the state that is pushed: `v1`.")
@option("--append", "Add DATASET to the one that is there, as a further batch.", FLAG)
@option("--message", "What the commit says. Default: what is in it.")
@option("--dry-run", "Show files, sizes and the commit, as if the repository were empty.", FLAG)
@json_option
def push_command(dataset: Path, repository: str, dry_run: bool, as_json: bool, **options: Any) -> None:
    """Push DATASET, the folder of one or of its world, to the Hub: checked before and after, private by default.

    The token is HF_TOKEN's or that of `hf auth login`. The same command goes on where it was stopped.
    """
    from worldforge.entry_points.push_dataset import plan_push, push

    with progress() as shown:
        if dry_run:
            given = {name: options[name] for name in ("append", "message")}
            plan = plan_push(dataset, repository, progress=shown, **given)
        else:
            summary = push(dataset, repository, progress=shown, **options)
    if dry_run:
        _show_plan(plan, as_json)
    else:
        print_summary(summary, as_json, _describe_push)


def _show_plan(plan: PushPlan, as_json: bool) -> None:
    from worldforge.datasets.card.markdown import size

    files = [{"path": upload.path, "bytes": upload.n_bytes} for upload in plan.files]
    if as_json:
        commit = plan.commit and {"message": plan.commit.message, "bytes": plan.commit.n_bytes}
        print_json({"folder": str(plan.folder), "repository": plan.repository, "files": files, "commit": commit})
        return
    click.echo(table(("file", "size"), [(upload.path, size(upload.n_bytes)) for upload in plan.files]))
    say(f"\n{len(files)} files, {size(sum(upload.n_bytes for upload in plan.files))}, to {plan.repository}")
    if plan.commit is not None:
        say(f"in one commit: {plan.commit.message}")
    say("\nnothing was sent; what the repository holds already would not be sent again")


def _describe_push(done: PushSummary) -> None:
    from worldforge.datasets.card.markdown import size

    seen_by = "private" if done.private else "public"
    pushed = f"nothing to do: all {done.n_files} files are there"
    if done.commit is not None:
        pushed = f"{done.n_files_pushed} of {done.n_files} files ({size(done.n_bytes_pushed)})"
    say(f"{done.repository} ({seen_by}): {pushed}")
    batch = "" if done.batch is None else f", as batch {done.batch}"
    say(f"  {done.branch} is at {done.head[:12]}{batch}{f', tagged {done.tag}' if done.tag else ''}")
    revision = done.tag or (None if done.branch == "main" else done.branch)
    named = "" if revision is None else f', revision="{revision}"'
    say(f'  datasets.load_dataset("{done.repository}"{named})')
