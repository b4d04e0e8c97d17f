"""Write a dataset's manifest and card from the records of the world, the runs and the selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from worldforge.core.files import files_below, value_digest, write_text
from worldforge.datasets.card.card import SPEC, TRIED, trial_scores, write_card
from worldforge.datasets.card.plots import FOLDER, plots
from worldforge.datasets.manifest import CARD, File, Manifest, ViewRecord, canary_of, record_file
from worldforge.datasets.selection.selected_rows import RunShards
from worldforge.datasets.selection.selection_report import Histograms
from worldforge.datasets.view import DatasetView, ExportContext
from worldforge.datasets.view_writer import Written
from worldforge.rollouts.run import RunSummary
from worldforge.rollouts.shards import read_shard
from worldforge.scoring.reward_recipe import Recipe
from worldforge.world.world import SPEC as WORLD_SPEC
from worldforge.world.world import World

_LIBRARIES = ("worldforge", "pyarrow")  # what decides the bytes of a dataset


def context_of(
    world: World, runs: Sequence[RunSummary], recipe: Recipe, pass_rates: Mapping[str, float]
) -> ExportContext:
    """Return the context that views get, for a dataset of `runs` on `world`."""
    canary = canary_of(world.digest, [asdict(run.config) for run in runs])
    return ExportContext(world, runs, canary, recipe, pass_rates, world.spec.export.rows_per_shard)


def describe(
    context: ExportContext,
    folder: Path,
    views: Sequence[DatasetView],
    written: Mapping[str, Written],
    selection: Mapping[str, Any],
) -> Manifest:
    """Return the manifest of the views `written` below `folder`; of `files`, it has theirs alone."""
    world = context.world
    files: dict[str, File] = {}
    records: dict[str, ViewRecord] = {}
    for view in views:
        own = {path.relative_to(folder).as_posix(): record_file(path) for path in written[view.name]}
        n_rows, n_bytes = sum(written[view.name].values()), sum(file.bytes for file in own.values())
        files |= own
        if own:
            columns = value_digest([[name, str(kind)] for name, kind, _ in view.columns])
            records[view.name] = ViewRecord(n_rows, n_bytes, tuple(own), view.takes, view.leaves_out, columns)
    return Manifest(
        world={name: world.manifest[name] for name in ("name", "title", "seed", "scale", "digest", "counts")},
        runs=[_run(run) for run in context.runs],
        selection=selection,
        recipe=context.recipe.to_json(),
        canary=context.canary,
        license=world.spec.export.license,
        versions={name: version(name) for name in _LIBRARIES},
        views=records,
        empty_views=[name for name, paths in written.items() if not paths],
        files=files,
    )


def write_card_and_spec(
    folder: Path,
    context: ExportContext,
    views: Sequence[DatasetView],
    manifest: Manifest,
    figures: Histograms,
    sources: Sequence[RunShards],
) -> None:
    """Write the card with its plots, and the world's spec, into the dataset in `folder`."""
    present = [view for view in views if view.name in manifest.views]
    trials = {
        run.run: trial_scores(pa.concat_tables(read_shard(shard, ["task", *TRIED]) for shard in source.shards))
        for run, source in zip(context.runs, sources, strict=True)
        if run.config.trials > 1
    }
    write_text(folder / CARD, write_card(context, present, manifest, figures, trials))
    for name, plot in plots(figures).items():
        write_text(folder / FOLDER / name, plot)
    write_text(folder / SPEC, (context.world.path / WORLD_SPEC).read_text(encoding="utf-8"))


def record_files(folder: Path, known: Mapping[str, File]) -> dict[str, File]:
    """Record every file of the dataset in `folder` by its path; those `known` are not read again."""
    paths = {path.relative_to(folder).as_posix(): path for path in files_below(folder)}
    return {name: known[name] if name in known else record_file(path) for name, path in paths.items()}


def _run(run: RunSummary) -> dict[str, Any]:
    config = asdict(run.config)
    return {
        "name": run.run,
        "config_sha256": value_digest(config),
        "identity": run.config.identity,
        "config": config,
        "n_episodes": run.tally.n_episodes,
        "n_failed": run.tally.n_failed,
        "scores": run.tally.scores,
    }
