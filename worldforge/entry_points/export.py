"""Export: trajectories of finished runs, and the world they were played in, become a dataset of many views.

    export(open_world("output/quickstart"), views=["sft", "dpo"])        ->  output/quickstart/datasets/

The folder is one dataset, as the Hub takes it: a card, a manifest, the world's spec, and a folder a view. It appears
when it is whole, and only after `datasets` has read every view in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldforge.core.engine import Engine, LocalEngine
from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.core.files import atomic, file_digest, local, locked, naming, remove, value_digest
from worldforge.core.progress import Progress, Silent
from worldforge.core.ranks import LOCK as RANK_LOCK
from worldforge.core.ranks import Merge, Part, Share, at_rest, clear, collect, is_done, number_of_ranks
from worldforge.datasets.description import (
    context_of,
    describe,
    library_versions,
    record_files,
    write_card_and_spec,
)
from worldforge.datasets.loading import check_loads
from worldforge.datasets.manifest import MANIFEST, Manifest, ViewRecord, read_manifest, verify, write_manifest
from worldforge.datasets.replacing import replaceable
from worldforge.datasets.selection.options import Selection
from worldforge.datasets.selection.report import Report
from worldforge.datasets.selection.select import select
from worldforge.datasets.selection.selected import Selected
from worldforge.datasets.selection.shelves import Source, sources_of
from worldforge.datasets.units import Unit, Work, counted, gather, write_share, write_units
from worldforge.datasets.views.catalogue import views_named
from worldforge.datasets.views.view import Context, View
from worldforge.rollouts.run import FOLDER as RUNS
from worldforge.rollouts.run import LOCK, RunSummary, finished_runs
from worldforge.rollouts.unfinished import UnfinishedRun, unfinished_runs
from worldforge.scoring.recipe import DEFAULT, Recipe
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """A finished dataset: where it is, from which runs, its views by name, how large it is in all.

    `n_rows` are the trajectories that were selected, as `report` tells. `empty_views` were asked for, and nothing that
    was selected made a row of them. `left_out` are the runs that were not taken where none was named: they are not
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
    report: Report
    left_out: tuple[UnfinishedRun, ...] = ()


def export(
    world: World,
    *,
    views: Sequence[str] | None = None,
    runs: Sequence[str] | None = None,
    out: str | Path | None = None,
    selection: Selection | None = None,
    recipe: Recipe = DEFAULT,
    rows_per_file: int | None = None,
    workers: int = 1,
    engine: Engine | None = None,
    part: Part | None = None,
    progress: Progress | None = None,
) -> ExportSummary:
    """Write `views` of the trajectories of `runs` (default: all that are finished) as a dataset into the folder `out`.

    Views and rows a file are the spec's where they are not given; `out` is datasets/ in the world's folder, and a
    dataset that is there is replaced. `selection` says which trajectories (default: all, as they were played), `recipe`
    what their reward is. `workers` processes of this machine, or the workers of `engine` where one is given, write a
    view each. `part` is the share of a rank, every n-th view, or the dataset of what all ranks have written.

    Raises InputError where there is no finished run and a view takes trajectories, where a run is
    damaged, where nothing is selected, for a view that does not exist, and where `out` holds anything that no export
    has written.
    """
    world.check_whole()
    chosen = views_named(world.spec.export.views if views is None else views)
    folder = replaceable(local(out) if out is not None else world.path / "datasets")
    finished = _runs(world, runs, chosen)
    left_out = tuple(unfinished_runs(world.path / RUNS)) if runs is None else ()
    with _held(finished, shared=isinstance(part, Share)) as sources:
        asked = _Asked(
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
        )
        inputs = asked.inputs()
        if part is not None and is_done(part, asked.place, inputs, folder, lambda: _made_of(folder, part)):
            summary = _summary(folder, read_manifest(folder))
        elif isinstance(part, Share):
            summary = _export_share(asked, part, inputs)
        else:
            summary = _export_whole(asked, part, inputs)
        return replace(summary, left_out=left_out)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a dataset is to be made of, where, and by whom."""

    world: World
    views: Sequence[View]
    runs: Sequence[RunSummary]
    sources: Sequence[Source]
    folder: Path
    selection: Selection
    recipe: Recipe
    rows_per_file: int
    engine: Engine
    progress: Progress

    @property
    def place(self) -> Path:
        """Where ranks work."""
        return self.folder.with_name(f"{self.folder.name}.ranks")

    def inputs(self) -> dict[str, Any]:
        """Return what decides the bytes of the dataset, as JSON values: shares of another are not to be merged."""
        shards = [[source.run, *map(file_digest, source.shards)] for source in self.sources]
        return {
            "world": self.world.digest,
            "runs": ", ".join(run.run for run in self.runs),
            "shards": value_digest(shards),
            "views": ", ".join(view.name for view in self.views),
            "selection": value_digest(self.selection.as_data()),
            "recipe": value_digest(self.recipe.to_json()),
            "rows_per_file": self.rows_per_file,
            "versions": ", ".join(f"{name} {number}" for name, number in library_versions().items()),
        }

    @contextmanager
    def selected(self, target: Path) -> Iterator[tuple[Selected, Context]]:
        """Give the trajectories selected for views that are written to `target`, and what these may know of all."""
        with ExitStack() as stack:
            scratch = None if self.engine.name == "local" else stack.enter_context(_seen_by_all(target))
            self.progress.start("select")
            self.progress.note("reads what trajectories are known by")
            found = stack.enter_context(select(self.sources, self.selection, self.world, scratch=scratch))
            _check_something_is_left(self.views, found)
            yield found, context_of(self.world, self.runs, self.recipe, found.pass_rates)

    def manifest(
        self, context: Context, folder: Path, units: Mapping[str, Unit], report: Report, inputs: Mapping[str, Any]
    ) -> Manifest:
        """Describe the views that are written into `folder`."""
        written = {name: unit.written for name, unit in units.items()}
        return describe(context, folder, written, self.selection, report, inputs)


def _export_share(asked: _Asked, share: Share, inputs: Mapping[str, Any]) -> ExportSummary:
    """Write the views of a rank into a folder of its own."""
    target = share.folder(asked.place)
    with (
        locked(target / RANK_LOCK, f"another process is at work on {share} in {asked.place}"),
        asked.selected(target) as (selected, context),
    ):
        work = Work(context, selected, target, asked.rows_per_file, asked.progress)
        units = write_share(share.mine(asked.views), work, asked.engine, share, inputs)
        return _summary(target, asked.manifest(context, target, units, selected.report, inputs))


def _export_whole(asked: _Asked, merge: Merge | None, inputs: Mapping[str, Any]) -> ExportSummary:
    """Write the dataset: views written here, or by ranks; then the card, the check, and last the manifest."""
    folder, place, progress = asked.folder, asked.place, asked.progress
    with (
        asked.selected(folder) as (selected, context),
        atomic(folder) as beside,
        at_rest(place) if merge else nullcontext(),
    ):
        if merge:
            units = gather(collect(place, number_of_ranks(place, merge.of), inputs), asked.views, beside)
        else:
            work = Work(context, selected, beside, asked.rows_per_file, progress)
            units = {view.name: unit for view, unit in write_units(asked.views, work, asked.engine)}
        manifest = asked.manifest(context, beside, units, selected.report, inputs)
        figures = counted(units, selected.n_rows)
        write_card_and_spec(beside, context, asked.views, manifest, figures, asked.sources)
        progress.start("check")
        progress.note("reads every view as trainers do")
        check_loads(beside, manifest.configs)
        manifest = replace(manifest, files=record_files(beside, manifest.files))
        write_manifest(beside, manifest)
    if merge:
        clear(place)
    emit("dataset_written", folder=str(folder), rows={name: view.n_rows for name, view in manifest.views.items()})
    return _summary(folder, manifest)


def _made_of(folder: Path, part: Part) -> Mapping[str, Any] | None:
    """Return what the dataset in `folder` was made of; None where there is none, or a rank may make it anew.

    Raises InputError where a merge finds one that is damaged.
    """
    try:
        return verify(folder).inputs
    except InputError:
        if isinstance(part, Merge) and (folder / MANIFEST).exists():
            raise
        return None


def _summary(folder: Path, manifest: Manifest) -> ExportSummary:
    """Tell of a dataset, or of a rank's part of one, which has no manifest in its folder."""
    report = Report.from_data(manifest.selection["report"])
    return ExportSummary(
        folder=folder,
        runs=tuple(run["name"] for run in manifest.runs),
        n_rows=report.n_left,
        views=dict(manifest.views),
        empty_views=tuple(manifest.empty_views),
        n_files=len(manifest.files) + (folder / MANIFEST).exists(),
        n_bytes=sum(file.bytes for file in manifest.files.values()),
        canary=manifest.canary,
        report=report,
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
def _held(runs: Sequence[RunSummary], *, shared: bool) -> Iterator[list[Source]]:
    """Give the shards of the runs, while no other process may change them.

    Ranks read them at the same time, and hold nothing: what has changed meanwhile the merge will refuse.
    """
    with ExitStack() as stack:
        for run in () if shared else runs:
            stack.enter_context(locked(run.folder / LOCK, f"another process is at work on the run in {run.folder}"))
        yield sources_of(runs)


@contextmanager
def _seen_by_all(target: Path) -> Iterator[Path]:
    """Give a folder beside `target` for what workers elsewhere are to read; gone at the end, or the next time."""
    scratch = target.with_name(f".{target.name}.selection")
    with naming(scratch):
        remove(scratch)
        scratch.mkdir(parents=True)
    try:
        yield scratch
    finally:
        remove(scratch)


def _check_something_is_left(views: Sequence[View], selected: Selected) -> None:
    if selected.n_rows or all(view.takes == "world" for view in views):
        return
    steps = ", ".join(f"`{step.name}` removed {step.n_removed:,}" for step in selected.report.steps if step.n_removed)
    raise InputError(f"none of {selected.report.n_found:,} trajectories is left: {steps}", "ask for less")
