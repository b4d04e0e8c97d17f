"""The third spine: trajectories of finished runs, and the world they were played in, become a dataset of many views.

    export(open_world("output/quickstart"), views=["sft", "dpo"])        ->  output/quickstart/datasets/

The folder is one dataset, as the Hub takes it: a card, a manifest, the world's spec, and a folder a view. It appears
when it is whole, and only after `datasets` has read every view in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldforge.core.engine import Engine, LocalEngine
from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.core.files import atomic, file_digest, locked, naming, remove, value_digest
from worldforge.core.progress import Progress, Silent
from worldforge.core.ranks import LOCK as RANK_LOCK
from worldforge.core.ranks import Merge, Part, Share, at_rest, clear, collect, number_of_ranks, was_merged
from worldforge.datasets.description import (
    context_of,
    describe,
    library_versions,
    record_files,
    write_card_and_spec,
)
from worldforge.datasets.loading import check_loads
from worldforge.datasets.manifest import Manifest, ViewRecord, read_manifest, write_manifest
from worldforge.datasets.replacing import replaceable
from worldforge.datasets.selection.options import Selection
from worldforge.datasets.selection.report import Report
from worldforge.datasets.selection.select import select
from worldforge.datasets.selection.selected import Selected
from worldforge.datasets.selection.shelves import Source, sources_of
from worldforge.datasets.units import Unit, Work, counted, gather, write_share, write_units
from worldforge.datasets.views.catalogue import views_named
from worldforge.datasets.views.view import View
from worldforge.datasets.writing import Written
from worldforge.rollouts.run import LOCK, RunSummary, finished_runs
from worldforge.scoring.recipe import DEFAULT, Recipe
from worldforge.world.world import World


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
    progress, selection, engine = progress or Silent(), selection or Selection(), engine or LocalEngine(workers)
    world.check_whole()
    chosen = views_named(world.spec.export.views if views is None else views)
    folder = replaceable(Path(out) if out is not None else world.path / "datasets")
    place, rows_a_file = folder.with_name(f"{folder.name}.ranks"), rows_per_file or world.spec.export.rows_per_shard
    with ExitStack() as stack:
        finished = _runs(world, runs, chosen)
        sources = stack.enter_context(_held(finished, shared=isinstance(part, Share)))
        config = _config(world, finished, sources, chosen, selection, recipe, rows_a_file)
        target = part.folder(place) if isinstance(part, Share) else folder
        if isinstance(part, Share):
            stack.enter_context(locked(target / RANK_LOCK, f"another process is at work on {part} in {place}"))
        scratch = None if engine.name == "local" else stack.enter_context(_seen_by_all(target))
        progress.start("select")
        progress.note("reads what trajectories are known by")
        selected = stack.enter_context(select(sources, selection, world, scratch=scratch))
        _check_something_is_left(chosen, selected)
        context = context_of(world, finished, recipe, selected.pass_rates)
        if isinstance(part, Share):
            work = Work(context, selected, target, rows_a_file, progress)
            units = write_share(part.mine(chosen), work, engine, part, config)
            manifest = describe(context, target, _written(units), selection, selected.report)
            return _summary(target, finished, selected, manifest, 0)
        if isinstance(part, Merge) and was_merged(place, config):
            clear(place)
            return _summary(folder, finished, selected, read_manifest(folder), 1)
        beside = stack.enter_context(atomic(folder))
        if isinstance(part, Merge):
            stack.enter_context(at_rest(place))
            units = gather(collect(place, number_of_ranks(place, part.of), config), chosen, beside)
        else:
            work = Work(context, selected, beside, rows_a_file, progress)
            units = {view.name: unit for view, unit in write_units(chosen, work, engine)}
        manifest = describe(context, beside, _written(units), selection, selected.report)
        write_card_and_spec(beside, context, chosen, manifest, counted(units, selected.n_rows), sources)
        progress.start("check")
        progress.note("reads every view as trainers do")
        check_loads(beside, manifest.configs)
        manifest = replace(manifest, files=record_files(beside, manifest.files))
        write_manifest(beside, manifest)
    if isinstance(part, Merge):
        clear(place, config)
    emit("dataset_written", folder=str(folder), rows={name: view.n_rows for name, view in manifest.views.items()})
    return _summary(folder, finished, selected, manifest, 1)


def _summary(
    folder: Path, finished: Sequence[RunSummary], selected: Selected, manifest: Manifest, n_besides: int
) -> ExportSummary:
    """Tell of a dataset; `n_besides` files are in its folder beside those that the manifest lists."""
    return ExportSummary(
        folder=folder,
        runs=tuple(run.run for run in finished),
        n_rows=selected.n_rows,
        views=dict(manifest.views),
        empty_views=tuple(manifest.empty_views),
        n_files=len(manifest.files) + n_besides,
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


def _config(
    world: World,
    runs: Sequence[RunSummary],
    sources: Sequence[Source],
    views: Sequence[View],
    selection: Selection,
    recipe: Recipe,
    rows_per_file: int,
) -> dict[str, Any]:
    """Return what decides the bytes of a dataset, as JSON values: shares of another are not to be merged."""
    shards = [[source.run, *map(file_digest, source.shards)] for source in sources]
    return {
        "world": world.digest,
        "runs": ", ".join(run.run for run in runs),
        "shards": value_digest(shards),
        "views": ", ".join(view.name for view in views),
        "selection": value_digest(selection.as_data()),
        "recipe": value_digest(recipe.to_json()),
        "rows_per_file": rows_per_file,
        "versions": ", ".join(f"{name} {number}" for name, number in library_versions().items()),
    }


def _written(units: Mapping[str, Unit]) -> dict[str, Written]:
    return {name: unit.written for name, unit in units.items()}


def _check_something_is_left(views: Sequence[View], selected: Selected) -> None:
    if selected.n_rows or all(view.takes == "world" for view in views):
        return
    steps = ", ".join(f"`{step.name}` removed {step.n_removed:,}" for step in selected.report.steps if step.n_removed)
    raise InputError(f"none of {selected.report.n_found:,} trajectories is left: {steps}", "ask for less")
