"""Export: trajectories of finished runs, and the world they were played in, become a dataset of many views.

    export(open_world("output/quickstart"), views=["sft", "dpo"])        ->  output/quickstart/datasets/

The folder is one dataset, as the Hub takes it: a card, a manifest, the world's spec, and a folder a view. It appears
when it is whole, and only after `datasets` has read every view in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.core.files import atomic, check_writable, locked, output_path
from worldforge.core.progress import Progress
from worldforge.datasets.export_records import context_of, describe, record_files, write_card_and_spec
from worldforge.datasets.load_check import check_loads
from worldforge.datasets.manifest import Manifest, ViewRecord, check_overwritable, write_manifest
from worldforge.datasets.selection.select_rows import select
from worldforge.datasets.selection.selected_rows import RunShards, SelectedRows, shards_of_runs
from worldforge.datasets.selection.selection_report import SelectionReport
from worldforge.datasets.selection.selection_settings import Selection, for_imitation
from worldforge.datasets.view import DatasetView, load_views
from worldforge.datasets.view_writer import ExportWork, write_views
from worldforge.rollouts.run import LOCK, RunSummary, UnfinishedRun, finished_runs, runs_folder, unfinished_runs
from worldforge.scoring.reward_recipe import DEFAULT, Recipe
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class ImitatedViews:
    """Views that took less by default (`for_imitation`), and the report of that selection."""

    views: tuple[str, ...]
    report: SelectionReport


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """A finished dataset: where it is, from which runs, its views by name, how large it is in all.

    `n_rows` are the trajectories that were selected, as `report` tells; for views that are imitated `imitated` tells
    which those are, where less was taken because nothing else was asked for (`for_imitation`). `empty_views` were asked
    for, and nothing that was selected made a row of them; `n_without_row` are, by view, trajectories that were
    selected and make none. `left_out` are the runs that were not taken where none was named: they are not
    finished.
    """

    folder: Path
    runs: tuple[str, ...]
    n_rows: int
    views: dict[str, ViewRecord]
    empty_views: tuple[str, ...]
    n_files: int
    n_bytes: int
    canary: str
    report: SelectionReport
    imitated: ImitatedViews | None = None
    n_without_row: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[UnfinishedRun, ...] = ()


def export(
    world: World,
    views: Sequence[str | DatasetView] | None = None,
    *,
    selection: Selection | None = None,
    recipe: Recipe = DEFAULT,
    trajectories: str | Path | None = None,
    out: str | Path | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> ExportSummary:
    """Write `views` of the trajectories of finished runs as a dataset into the folder `out`.

    A view is a shipped one by its name (`sft`), or a `DatasetView`: `load_views` finds one's own by `module:attribute`.
    The views and how many rows a file holds are the spec's by default; `out` is datasets/ in the world's folder, and a
    dataset that is there is replaced. `selection` says which runs and trajectories (default: all, as they were played,
    but for views that are imitated, such as `sft`, what `for_imitation` says), `recipe` what their reward is. The runs
    are in the folder `trajectories`, by default the world's own. So many `workers` of this machine write a
    view each.

    Raises InputError where there is no finished run and a view takes trajectories, where a run is
    damaged, where nothing is selected, for a view that does not exist, and where `out` holds anything that no export
    has written.
    """
    world.check_whole()
    chosen = load_views(world.spec.export.views if views is None else views)
    folder = check_overwritable(output_path(out) if out is not None else world.path / "datasets")
    check_writable(folder, "write it elsewhere with `-o FOLDER`")
    selection, place = selection or Selection(), runs_folder(world, trajectories)
    runs = _find_runs(world, selection.runs, place, chosen)
    left_out = () if selection.runs else tuple(unfinished_runs(place))
    lock = folder.with_name(f".{folder.name}.lock")
    with (
        _lock_runs(runs) as sources,
        locked(lock, f"another process is at work on the dataset in {folder}", then_remove=True),
        _select(sources, selection, world, chosen, folder.parent) as choice,
        atomic(folder) as beside,
    ):
        context = context_of(world, runs, recipe, choice.selected.pass_rates)
        work = ExportWork(context, choice.selected, choice.imitated, beside, progress or Progress())
        manifest = _write_dataset(work, chosen, sources, choice.record(selection, chosen), workers)
    emit("dataset_written", folder=str(folder), rows={name: view.n_rows for name, view in manifest.views.items()})
    return _summary(folder, manifest, left_out)


@dataclass(frozen=True, slots=True)
class _ViewSelection:
    """The trajectories that views are made of: `imitated` for those that are imitated, `selected` for all others.

    Both are the same where only one kind is asked for. `by_default` says that less was taken for views that
    are imitated, because the selection says nothing else.
    """

    selected: SelectedRows
    imitated: SelectedRows
    by_default: bool

    def record(self, selection: Selection, views: Sequence[DatasetView]) -> dict[str, Any]:
        """Return what was asked of the selection, and what came of it, as JSON values."""
        record: dict[str, Any] = {"asked": selection.as_data(), "report": self.selected.report.as_data()}
        if self.by_default:
            names = [view.name for view in views if view.imitated]
            record["imitated"] = {"views": names, "report": self.imitated.report.as_data()}
        return record


@contextmanager
def _select(
    sources: Sequence[RunShards], selection: Selection, world: World, views: Sequence[DatasetView], scratch: Path
) -> Iterator[_ViewSelection]:
    """Give the trajectories selected; what does not stay in memory is in `scratch`."""
    scratch.mkdir(parents=True, exist_ok=True)
    by_default = for_imitation(selection)
    kinds = {view.imitated for view in views if view.takes != "world"}
    with ExitStack() as stack:
        first = by_default if kinds == {True} else selection
        selected = imitated = stack.enter_context(select(sources, first, world, scratch=scratch))
        if kinds == {True, False} and by_default != selection:
            imitated = stack.enter_context(select(sources, by_default, world, scratch=scratch))
        choice = _ViewSelection(selected, imitated, by_default != selection and True in kinds)
        if kinds and not selected.n_rows:
            steps = [f"`{step.name}` removed {step.n_removed:,}" for step in selected.report.steps if step.n_removed]
            hint = _how_to_take_more(selected.report) if choice.by_default and selected is imitated else ""
            raise InputError(
                f"none of {selected.report.n_found:,} trajectories is left: {', '.join(steps)}", hint or "ask for less"
            )
        yield choice


def _how_to_take_more(report: SelectionReport) -> str:
    """Say which option takes what the default of imitated views has removed."""
    removed = {step.name for step in report.steps if step.n_removed}
    ways = {"clairvoyant": "`--clairvoyant` takes oracles' instead", "success": "`--any-outcome` takes failures too"}
    return "; ".join(way for name, way in ways.items() if name in removed)


def _write_dataset(
    work: ExportWork,
    views: Sequence[DatasetView],
    sources: Sequence[RunShards],
    selection: Mapping[str, Any],
    workers: int,
) -> Manifest:
    """Write the views, the card, and, after a check that the dataset loads, the manifest."""
    written = write_views(views, work, workers)
    manifest = describe(work.context, work.folder, views, written, selection)
    write_card_and_spec(work.folder, work.context, views, manifest, work.selected.histograms, sources)
    work.progress.start("check")
    work.progress.note("reads every view as trainers do")
    check_loads(work.folder, manifest.configs)
    manifest = replace(manifest, files=record_files(work.folder, manifest.files))
    write_manifest(work.folder, manifest)
    return manifest


def _summary(folder: Path, manifest: Manifest, left_out: tuple[UnfinishedRun, ...]) -> ExportSummary:
    report = SelectionReport.from_data(manifest.selection["report"])
    imitated = manifest.selection.get("imitated")
    return ExportSummary(
        folder=folder,
        runs=tuple(run["name"] for run in manifest.runs),
        n_rows=report.n_left,
        views=dict(manifest.views),
        empty_views=tuple(manifest.empty_views),
        n_files=len(manifest.files) + 1,
        n_bytes=sum(file.bytes for file in manifest.files.values()),
        canary=manifest.canary,
        report=report,
        imitated=imitated and ImitatedViews(tuple(imitated["views"]), SelectionReport.from_data(imitated["report"])),
        n_without_row=manifest.n_without_row,
        left_out=left_out,
    )


def _find_runs(world: World, names: Sequence[str], place: Path, views: Sequence[DatasetView]) -> list[RunSummary]:
    """Return the runs to take. Where views show the world alone, there need be none."""
    try:
        return finished_runs(world, names or None, place)
    except InputError:
        if names or any(view.takes != "world" for view in views):
            raise
        return []


@contextmanager
def _lock_runs(runs: Sequence[RunSummary]) -> Iterator[list[RunShards]]:
    """Give the shards of the runs, while no other process may change them; others may read them."""
    with ExitStack() as stack:
        for run in runs:
            refusal = f"another process is at work on the run in {run.folder}"
            stack.enter_context(locked(run.folder / LOCK, refusal, shared=True))
        yield shards_of_runs(runs)
