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
from worldforge.core.files import (
    add_path_to_error,
    atomic,
    check_writable,
    local,
    locked_and_removed,
    locked_for_reading,
    remove,
)
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress, Silent
from worldforge.core.worker_pool import Engine
from worldforge.datasets.export_records import (
    context_of,
    describe,
    record_files,
    write_card_and_spec,
)
from worldforge.datasets.load_check import check_loads
from worldforge.datasets.manifest import Manifest, ViewRecord, write_manifest
from worldforge.datasets.overwrite_check import check_overwritable
from worldforge.datasets.selection.select_rows import select
from worldforge.datasets.selection.selected_rows import SelectedRows
from worldforge.datasets.selection.selection_report import SelectionReport
from worldforge.datasets.selection.selection_settings import Selection, for_imitation
from worldforge.datasets.selection.shard_reader import RunShards, shards_of_runs
from worldforge.datasets.view import DatasetView, ExportContext
from worldforge.datasets.view_catalogue import load_views
from worldforge.datasets.view_export import ExportWork, WrittenView, counted, write_views
from worldforge.rollouts.run import LOCK, RunSummary, finished_runs, runs_folder
from worldforge.rollouts.unfinished import UnfinishedRun, unfinished_runs
from worldforge.scoring.reward_recipe import DEFAULT, Recipe
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class ImitatedViews:
    """Views that took successes alone, as nothing else was asked for, and the report of that selection."""

    views: tuple[str, ...]
    report: SelectionReport


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """A finished dataset: where it is, from which runs, its views by name, how large it is in all.

    `n_rows` are the trajectories that were selected, as `report` tells; for views that are imitated `imitated` tells
    which those are, where successes alone were taken because nothing else was asked for. `empty_views` were asked for,
    and nothing that was selected made a row of them; `n_without_row` are, by view, trajectories that were
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
    *,
    views: Sequence[str] | None = None,
    runs: Sequence[str] | None = None,
    trajectories: str | Path | None = None,
    out: str | Path | None = None,
    selection: Selection | None = None,
    recipe: Recipe = DEFAULT,
    rows_per_file: int | None = None,
    workers: int = 1,
    engine: Engine | None = None,
    code_from: str | Path | None = None,
    progress: Progress | None = None,
) -> ExportSummary:
    """Write `views` of the trajectories of `runs` (default: all that are finished) as a dataset into the folder `out`.

    The runs are in the folder `trajectories`, by default the world's own. A view is a shipped one (`sft`) or
    `module:attribute` of the user's own, imported from the folder `code_from` and refused without it. Views and
    rows a file are the spec's where they are not given; `out` is datasets/ in the world's folder, and a dataset that is
    there is replaced. `selection` says which trajectories (default: all, as they were played, but
    successes alone for views that are imitated, such as `sft`), `recipe` what their reward is. `workers` processes of
    this machine, or the workers of `engine` where one is given, write a view each.

    Raises InputError where there is no finished run and a view takes trajectories, where a run is
    damaged, where nothing is selected, for a view that does not exist, and where `out` holds anything that no export
    has written.
    """
    world.check_whole()
    code_from = Path(code_from) if code_from is not None else None
    chosen = load_views(world.spec.export.views if views is None else views, code_from)
    folder = check_overwritable(local(out) if out is not None else world.path / "datasets")
    check_writable(folder, "write it elsewhere with `-o FOLDER`")
    place = runs_folder(world, trajectories)
    finished = _runs(world, runs, place, chosen)
    left_out = tuple(unfinished_runs(place)) if runs is None else ()
    with _held(finished) as sources:
        asked = _ExportRequest(
            world,
            chosen,
            finished,
            sources,
            folder,
            selection or Selection(),
            recipe,
            rows_per_file or world.spec.export.rows_per_shard,
            engine or LocalEngine(workers),
            progress or Silent(),
            code_from,
        )
        return replace(_write_dataset(asked), left_out=left_out)


@dataclass(frozen=True, slots=True)
class _ExportRequest:
    """What a dataset is to be made of, where, and by whom."""

    world: World
    views: Sequence[DatasetView]
    runs: Sequence[RunSummary]
    sources: Sequence[RunShards]
    folder: Path
    selection: Selection
    recipe: Recipe
    rows_per_file: int
    engine: Engine
    progress: Progress
    code_from: Path | None

    @contextmanager
    def choices(self, target: Path) -> Iterator[_ExportChoices]:
        """Give the trajectories selected for views that are written to `target`, and what these may know of all."""
        with ExitStack() as stack:
            scratch = None if self.engine.name == "local" else stack.enter_context(_seen_by_all(target))
            self.progress.start("select")
            self.progress.note("reads what trajectories are known by")

            def chosen(selection: Selection) -> SelectedRows:
                return stack.enter_context(select(self.sources, selection, self.world, scratch=scratch))

            by_default = for_imitation(self.selection)
            kinds = {view.imitated for view in self.views if view.takes != "world"}
            first = chosen(by_default if kinds == {True} else self.selection)
            imitated = chosen(by_default) if kinds == {True, False} and by_default != self.selection else first
            found = _ExportChoices(self, first, imitated, by_default != self.selection and True in kinds)
            _check_something_is_left(self.views, found)
            yield found


@dataclass(frozen=True, slots=True)
class _ExportChoices:
    """The trajectories that views are made of: `imitated` for those that are imitated, `selected` for all others.

    Both are the same where only one kind is asked for. `by_default` says that successes alone were taken for views that
    are imitated, because the selection names no outcomes.
    """

    asked: _ExportRequest
    selected: SelectedRows
    imitated: SelectedRows
    by_default: bool

    @property
    def context(self) -> ExportContext:
        """What views may know of all trajectories."""
        asked = self.asked
        return context_of(asked.world, asked.runs, asked.recipe, self.selected.pass_rates)

    def work(self, folder: Path) -> ExportWork:
        """Return what is to be written into `folder`."""
        asked = self.asked
        return ExportWork(
            self.context,
            self.selected,
            self.imitated,
            folder,
            asked.rows_per_file,
            asked.progress,
            asked.code_from,
        )

    def manifest(self, folder: Path, units: Mapping[str, WrittenView]) -> Manifest:
        """Describe the views that are written into `folder`."""
        written = {name: unit.written for name, unit in units.items()}
        views = [view for view in self.asked.views if view.name in written]
        return describe(self.context, folder, views, written, self.record())

    def record(self) -> dict[str, Any]:
        """Return what was asked of the selection, and what came of it, as JSON values."""
        record: dict[str, Any] = {"asked": self.asked.selection.as_data(), "report": self.selected.report.as_data()}
        if self.by_default:
            views = [view.name for view in self.asked.views if view.imitated]
            record["imitated"] = {"views": views, "report": self.imitated.report.as_data()}
        return record


def _write_dataset(asked: _ExportRequest) -> ExportSummary:
    """Write the views, the card, and, after a check that the dataset loads, the manifest."""
    folder, progress = asked.folder, asked.progress
    lock = folder.with_name(f".{folder.name}.lock")
    with (
        locked_and_removed(lock, f"another process is at work on the dataset in {folder}"),
        asked.choices(folder) as choices,
        atomic(folder) as beside,
    ):
        units = {view.name: unit for view, unit in write_views(asked.views, choices.work(beside), asked.engine)}
        manifest = choices.manifest(beside, units)
        figures = counted(units, choices.selected.n_rows)
        write_card_and_spec(beside, choices.context, asked.views, manifest, figures, asked.sources)
        progress.start("check")
        progress.note("reads every view as trainers do")
        check_loads(beside, manifest.configs)
        manifest = replace(manifest, files=record_files(beside, manifest.files))
        write_manifest(beside, manifest)
    emit("dataset_written", folder=str(folder), rows={name: view.n_rows for name, view in manifest.views.items()})
    return _summary(folder, manifest)


def _summary(folder: Path, manifest: Manifest) -> ExportSummary:
    """Tell of a dataset."""
    report = SelectionReport.from_data(manifest.selection["report"])
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
        imitated=_imitated(manifest.selection.get("imitated")),
        n_without_row=manifest.n_without_row,
    )


def _imitated(record: Mapping[str, Any] | None) -> ImitatedViews | None:
    return ImitatedViews(tuple(record["views"]), SelectionReport.from_data(record["report"])) if record else None


def _runs(world: World, names: Sequence[str] | None, place: Path, views: Sequence[DatasetView]) -> list[RunSummary]:
    """Return the runs to take. Where views show the world alone, there need be none."""
    try:
        return finished_runs(world, names, place)
    except InputError:
        if names or any(view.takes != "world" for view in views):
            raise
        return []


@contextmanager
def _held(runs: Sequence[RunSummary]) -> Iterator[list[RunShards]]:
    """Give the shards of the runs, while no other process may change them; others may read them."""
    with ExitStack() as stack:
        for run in runs:
            refusal = f"another process is at work on the run in {run.folder}"
            stack.enter_context(locked_for_reading(run.folder / LOCK, refusal))
        yield shards_of_runs(runs)


@contextmanager
def _seen_by_all(target: Path) -> Iterator[Path]:
    """Give a folder beside `target` for what workers elsewhere are to read; gone at the end, or the next time."""
    scratch = target.with_name(f".{target.name}.selection")
    with add_path_to_error(scratch):
        remove(scratch)
        scratch.mkdir(parents=True)
    try:
        yield scratch
    finally:
        remove(scratch)


def _check_something_is_left(views: Sequence[DatasetView], choices: _ExportChoices) -> None:
    selected = choices.selected
    if selected.n_rows or all(view.takes == "world" for view in views):
        return
    steps = ", ".join(f"`{step.name}` removed {step.n_removed:,}" for step in selected.report.steps if step.n_removed)
    only = "`--any-outcome` takes failures too" if choices.by_default and selected is choices.imitated else ""
    raise InputError(f"none of {selected.report.n_found:,} trajectories is left: {steps}", only or "ask for less")
