"""The dataset card: contents, provenance, how to load it, and limits.

Written from records and counts alone: the same dataset has the same card. Words of a world's author are shown, and do
nothing: neither Markdown nor YAML is read in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

import pyarrow as pa

from worldforge.datasets.card.markdown import block, code, collapsible, count_of, plain, size, table
from worldforge.datasets.card.plots import FOLDER, plots
from worldforge.datasets.card.provenance import facts, limits, rebuilding, recipe, selection
from worldforge.datasets.card.run_scores import TrialStatistics, scores, trials, wording
from worldforge.datasets.card.yaml_header import config_names, default_config, yaml_header
from worldforge.datasets.manifest import Manifest
from worldforge.datasets.selection.selection_report import Histograms
from worldforge.datasets.view import REPOSITORY, DatasetView
from worldforge.rollouts.run import RunSummary
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class Subject:
    """What a card is about. `manifest` needs the files of views alone; `trials` are by run, where tasks had several."""

    world: World
    runs: Sequence[RunSummary]
    views: Sequence[DatasetView]
    manifest: Manifest
    figures: Histograms
    trials: Mapping[str, TrialStatistics]


def write_card(subject: Subject) -> str:
    """Return the card as Markdown with a YAML head. The views of `subject` are those that have rows."""
    world, manifest = subject.world, subject.manifest
    configs = config_names(subject.views)
    values = {
        "head": yaml_header(world, configs, manifest),
        "title": plain(world.spec.title or world.name),
        "description": plain(world.spec.description),
        "views": "\n\n".join(_views(subject)),
        "repository": REPOSITORY,
        "configurations": f" The configurations are {', '.join(map(code, configs))}." if configs else "",
        "loading": "\n\n".join(_loading(default_config(configs), subject.views)),
        "facts": facts(world, manifest),
        "rebuilding": rebuilding(world.spec),
        "selection": selection(manifest.selection),
        "recipe": recipe(manifest.recipe),
        "scores": scores(subject.runs),
        "trials": trials(subject.trials),
        "wording": wording(subject.runs),
        "plots": _plots(subject.figures),
        "columns": "\n\n".join(_columns(view) for view in subject.views if view.columns),
        "limits": limits(world, subject.runs),
        "canary": code(manifest.canary),
    }
    template = Path(__file__).with_name("template.md").read_text(encoding="utf-8")
    parts = [Template(part).substitute(values).strip() for part in template.split("\n\n")]
    return "\n\n".join(part for part in parts if part) + "\n"


def _views(subject: Subject) -> Iterator[str]:
    records = subject.manifest.views
    of_views = [(view, records[view.name]) for view in subject.views]
    yield table(
        ("", "for", "", ""),
        [(code(view.name), view.readers, count_of(of.n_rows, "row"), size(of.n_bytes)) for view, of in of_views],
    )
    for name, n in subject.manifest.n_without_row.items():
        yield f"{code(name)} has no row of {n:,} trajectories: {records[name].leaves_out}."
    if subject.manifest.empty_views:
        names = ", ".join(map(code, subject.manifest.empty_views))
        yield f"Nothing that was selected made a row of {names}: such views have no folder."


def _loading(default: str, views: Sequence[DatasetView]) -> Iterator[str]:
    """Show how `datasets` loads the configuration `default`, and how the readers of `views` load these."""
    if default:
        first = f'rows = load_dataset("{REPOSITORY}", "{default}", split="train", streaming=True)'
        yield block("python", f"from datasets import load_dataset\n\n{first}")
    for view in views:
        for snippet in view.loading:
            yield f"`{view.name}` with {snippet.reader}:\n\n{block(snippet.language, snippet.code)}"


def _plots(figures: Histograms) -> str:
    if not figures.n_rows:
        return ""
    shown = "\n".join(f"![{name.removesuffix('.svg')}]({FOLDER}/{name})" for name in plots(figures))
    return f"{figures.n_rows:,} trajectories that were selected, by score and length:\n\n{shown}"


def _columns(view: DatasetView) -> str:
    rows = [(code(name), _type_name(kind), meaning.replace("|", "\\|")) for name, kind, meaning in view.columns]
    return collapsible(f"Columns of {view.name}", table(("column", "type", "holds"), rows))


def _type_name(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list of {_type_name(kind.value_type)}"
    if pa.types.is_struct(kind):
        return "record"
    return "JSON" if isinstance(kind, pa.BaseExtensionType) else str(kind)
