"""The third spine: trajectories of finished runs, and the world they were played in, become a dataset of many views.

    export(open_world("output/quickstart"), views=["sft", "dpo"])        ->  output/quickstart/datasets/

The folder is one dataset, as the Hub takes it: a card, a manifest, the world's spec, and a folder a view. It appears
when it is whole, and only after `datasets` has read every view in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.core.files import atomic, locked
from worldforge.core.progress import Progress, Silent
from worldforge.datasets.card.figures import Figures
from worldforge.datasets.description import context_of, describe, record_files, write_card_and_spec
from worldforge.datasets.loading import check_loads
from worldforge.datasets.manifest import ViewRecord, write_manifest
from worldforge.datasets.replacing import replaceable
from worldforge.datasets.selection.options import Selection
from worldforge.datasets.selection.report import Report
from worldforge.datasets.selection.select import select
from worldforge.datasets.selection.selected import Selected
from worldforge.datasets.selection.shelves import Source, sources_of
from worldforge.datasets.views.catalogue import views_named
from worldforge.datasets.views.view import View
from worldforge.datasets.writing import Written, write_view
from worldforge.rollouts.run import LOCK, RunSummary, finished_runs
from worldforge.scoring.recipe import DEFAULT, Recipe
from worldforge.world.world import World

ROWS_PER_PORTION, BYTES_PER_PORTION = 1_000, 16 * 2**20
"""How many trajectories a view is handed at a time: so many, or as many as fit."""


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """A finished dataset: where it is, from which runs, its views by name, how large it is in all.

    `n_rows` are the trajectories that were selected, as `report` tells. `empty_views` were asked for, and nothing that
    was selected made a row of them.
    """

    folder: Path
    runs: tuple[str, ...]
    n_rows: int
    views: dict[str, ViewRecord]
    empty_views: tuple[str, ...]
    n_files: int
    n_bytes: int
    canary: str
    report: Report


def export(
    world: World,
    *,
    views: Sequence[str] | None = None,
    runs: Sequence[str] | None = None,
    out: str | Path | None = None,
    selection: Selection | None = None,
    recipe: Recipe = DEFAULT,
    rows_per_file: int | None = None,
    progress: Progress | None = None,
) -> ExportSummary:
    """Write `views` of the trajectories of `runs` (default: all that are finished) as a dataset into the folder `out`.

    Views and rows a file are the spec's where they are not given; `out` is datasets/ in the world's folder, and a
    dataset that is there is replaced. `selection` says which trajectories (default: all, as they were played), `recipe`
    what their reward is. Raises InputError where there is no finished run and a view takes trajectories, where a run is
    damaged, where nothing is selected, for a view that does not exist, and where `out` holds anything that no export
    has written.
    """
    progress, selection = progress or Silent(), selection or Selection()
    chosen = views_named(world.spec.export.views if views is None else views)
    folder = replaceable(Path(out) if out is not None else world.path / "datasets")
    with ExitStack() as stack:
        finished, sources = stack.enter_context(_held(_runs(world, runs, chosen)))
        progress.start("select")
        progress.note("reads what trajectories are known by")
        selected = stack.enter_context(select(sources, selection, world))
        _check_something_is_left(chosen, selected)
        context = context_of(world, finished, recipe, selected.pass_rates)
        beside = stack.enter_context(atomic(folder))
        rows_a_file, figures = rows_per_file or world.spec.export.rows_per_shard, Figures()
        written: dict[str, Written] = {}
        for view in chosen:
            progress.start(view.name)
            portions = portions_of(view, selected)
            if figures.n_rows < selected.n_rows:  # counted as they pass, by the first view that reads them all
                figures = Figures()
                portions = figures.watch(portions)
            written[view.name] = write_view(view, portions, context, beside / view.name, rows_a_file, progress)
        manifest = describe(context, beside, written, selection, selected.report)
        write_card_and_spec(beside, context, chosen, manifest, figures, sources)
        progress.start("check")
        progress.note("reads every view as trainers do")
        check_loads(beside, manifest.configs)
        manifest = replace(manifest, files=record_files(beside, manifest.files))
        write_manifest(beside, manifest)
    emit("dataset_written", folder=str(folder), rows={name: view.n_rows for name, view in manifest.views.items()})
    return ExportSummary(
        folder=folder,
        runs=tuple(run.run for run in finished),
        n_rows=selected.n_rows,
        views=dict(manifest.views),
        empty_views=tuple(manifest.empty_views),
        n_files=len(manifest.files) + 1,
        n_bytes=sum(file.bytes for file in manifest.files.values()),
        canary=manifest.canary,
        report=selected.report,
    )


def _runs(world: World, names: Sequence[str] | None, views: Sequence[View]) -> list[RunSummary]:
    """Return the runs to take. Where views show the world alone, there need be none."""
    try:
        return finished_runs(world, names)
    except InputError:
        if names or any(view.takes != "world" for view in views):
            raise
        return []


@contextmanager
def _held(runs: list[RunSummary]) -> Iterator[tuple[list[RunSummary], list[Source]]]:
    """Give the runs with their shards, while no other process may change them."""
    with ExitStack() as stack:
        for run in runs:
            stack.enter_context(locked(run.folder / LOCK, f"another process is at work on the run in {run.folder}"))
        yield runs, sources_of(runs)


def _check_something_is_left(views: Sequence[View], selected: Selected) -> None:
    if selected.n_rows or all(view.takes == "world" for view in views):
        return
    steps = ", ".join(f"`{step.name}` removed {step.n_removed:,}" for step in selected.report.steps if step.n_removed)
    raise InputError(f"none of {selected.report.n_found:,} trajectories is left: {steps}", "ask for less")


def portions_of(view: View, selected: Selected) -> Iterator[pa.Table]:
    """Give what the view takes."""
    if view.takes == "world" or not selected.n_rows:
        return iter(())
    if view.takes == "groups":
        return selected.groups()
    fitting = BYTES_PER_PORTION * selected.n_rows // max(1, selected.n_bytes)
    return selected.tables(max(1, min(ROWS_PER_PORTION, fitting)))
