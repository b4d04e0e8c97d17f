"""`worldforge push`: a dataset goes to the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from worldforge.cli.options import json_option
from worldforge.cli.show import print_json, progress, say, table

if TYPE_CHECKING:
    from worldforge.entry_points.push import PushPlan, PushSummary


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--to", "repository", required=True, metavar="OWNER/NAME", help="The dataset repository on the Hub.")
@click.option("--public", is_flag=True, help="Make the repository for all to see; needed to push to one that is.")
@click.option("--branch", default="main", show_default=True, help="The branch to push to; made where it is missing.")
@click.option("--tag", help="Name the state that is pushed: `v1`.")
@click.option("--append", is_flag=True, help="Add DATASET to the one that is there, as a further batch.")
@click.option("--message", help="What the commits say. Default: what is in them.")
@click.option("--load-after", is_flag=True, help="Also load every config from the Hub when all is there.")
@click.option("--dry-run", is_flag=True, help="Show files, sizes and commits, as if the repository were empty.")
@json_option
def command(
    dataset: Path,
    repository: str,
    public: bool,
    branch: str,
    tag: str | None,
    append: bool,
    message: str | None,
    load_after: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Push DATASET, the folder of one or of its world, to the Hub: checked before and after, private by default.

    The token is HF_TOKEN's or that of `hf auth login`. The same command goes on where it was stopped.
    """
    from worldforge.entry_points.push import plan_push, push

    with progress() as shown:
        if dry_run:
            plan = plan_push(dataset, repository, append=append, message=message, progress=shown)
        else:
            done = push(
                dataset,
                repository,
                public=public,
                branch=branch,
                tag=tag,
                append=append,
                message=message,
                load_after=load_after,
                progress=shown,
            )
    if dry_run:
        _show_plan(plan, as_json)
    else:
        _show(done, as_json)


def _show_plan(plan: PushPlan, as_json: bool) -> None:
    from worldforge.datasets.card.card import size

    files = [{"path": upload.path, "bytes": upload.n_bytes} for upload in plan.files]
    if as_json:
        commits = [
            {"message": commit.message, "files": [upload.path for upload in commit.uploads], "bytes": commit.n_bytes}
            for commit in plan.commits
        ]
        print_json({"folder": str(plan.folder), "repository": plan.repository, "files": files, "commits": commits})
        return
    click.echo(table(("file", "size"), [(upload.path, size(upload.n_bytes)) for upload in plan.files]))
    say(f"\n{len(files)} files, {size(sum(upload.n_bytes for upload in plan.files))}, to {plan.repository}")
    rows = [(commit.message, len(commit.uploads), size(commit.n_bytes)) for commit in plan.commits]
    click.echo("\n" + table(("commit", "files", "size"), rows))
    say("\nnothing was sent; what the repository holds already would not be sent again")


def _show(done: PushSummary, as_json: bool) -> None:
    if as_json:
        from dataclasses import asdict

        print_json(asdict(done))
        return
    seen_by = "private" if done.private else "public"
    said = f"nothing to do: all {done.n_files} files are there"
    if done.commits:
        from worldforge.datasets.card.card import size

        n_bytes, n_commits = size(done.n_bytes_pushed), len(done.commits)
        said = f"{done.n_files_pushed} of {done.n_files} files ({n_bytes}) in {n_commits} commit{'s' * (n_commits > 1)}"
    say(f"{done.repository} ({seen_by}): {said}")
    batch = "" if done.batch is None else f", as batch {done.batch}"
    say(f"  {done.branch} is at {done.head[:12]}{batch}{f', tagged {done.tag}' if done.tag else ''}")
    revision = done.tag or (None if done.branch == "main" else done.branch)
    say(f"  datasets.load_dataset({', '.join(_quoted(done.repository, revision))})")


def _quoted(repository: str, revision: str | None) -> list[str]:
    return [f'"{repository}"', *([] if revision is None else [f'revision="{revision}"'])]
