"""`worldforge export`: trajectories become a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from worldforge.cli.options import json_option, world_argument
from worldforge.cli.show import print_json, progress, say

if TYPE_CHECKING:
    from worldforge.export import ExportSummary


@click.command()
@world_argument
@click.option("--run", "runs", multiple=True, help="A run to take; may be repeated. Default: every finished one.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Where to. Default: WORLD/datasets/trajectories.")
@json_option
def command(world: Path, runs: tuple[str, ...], out: Path | None, as_json: bool) -> None:
    """Write the trajectories of WORLD as Parquet with a dataset card, and check that `datasets` loads them."""
    from worldforge.export import export
    from worldforge.world.world import open_world

    with progress() as shown:
        summary = export(open_world(world), runs=list(runs) or None, out=out, progress=shown)
    if as_json:
        print_json(as_data(summary))
    else:
        describe(summary)


def as_data(summary: ExportSummary) -> dict[str, object]:
    """Give an export as JSON values."""
    from dataclasses import asdict

    return asdict(summary)


def describe(summary: ExportSummary) -> None:
    """Tell a person what was written, and how to load it."""
    say(f"{summary.n_rows:,} trajectories in {summary.folder}")
    say(f'  datasets.load_dataset("parquet", data_files="{summary.folder}/*.parquet")')
