"""The card as a whole: a head that the Hub reads, then sections for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from worldforge.datasets.card.markdown import block, code, counted, folded, plain, table
from worldforge.datasets.card.plots import FOLDER, plots
from worldforge.datasets.card.provenance import limits, provenance
from worldforge.datasets.card.run_scores import TrialStatistics, run_scores
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
    figures: Histograms = field(default_factory=Histograms)
    trials: Mapping[str, TrialStatistics] = field(default_factory=dict)


def write_card(subject: Subject) -> str:
    """Return the card as Markdown with a YAML head. The views of `subject` are those that have rows."""
    world, manifest = subject.world, subject.manifest
    configs = config_names(subject.views)
    sections = [
        yaml_header(world, configs, manifest),
        _summary(subject),
        _views(subject),
        _loading(configs, default_config(configs), subject.views),
        provenance(world, manifest),
        run_scores(subject.runs, subject.trials),
        _spread(subject.figures),
        *(_columns(view) for view in subject.views if view.columns),
        limits(world, subject.runs),
        _canary(manifest.canary),
    ]
    return "\n\n".join(section.strip() for section in sections if section) + "\n"


def _summary(subject: Subject) -> str:
    world = subject.world
    parts = [
        f"# {plain(world.spec.title or world.name)}: search trajectories",
        "Trajectories of agents that search the web of an invented world to fill in tables, as the WideSearch "
        "benchmark asks for them. Each answer is scored against a gold table that is known to be exact.",
        plain(world.spec.description),
    ]
    return "\n\n".join(part for part in parts if part)


def _views(subject: Subject) -> str:
    records = subject.manifest.views
    rows = [
        (
            code(view.name),
            view.readers,
            counted(records[view.name].n_rows, "row"),
            size(records[view.name].n_bytes),
        )
        for view in subject.views
    ]
    parts = ["## Views", "The same material in the forms that its readers take.", table(("", "for", "", ""), rows)]
    for name, n in subject.manifest.n_without_row.items():
        parts.append(f"{code(name)} has no row of {n:,} trajectories: {records[name].leaves_out}.")
    if subject.manifest.empty_views:
        names = ", ".join(map(code, subject.manifest.empty_views))
        parts.append(f"Nothing that was selected made a row of {names}: such views have no folder.")
    return "\n\n".join(parts)


def size(n_bytes: int) -> str:
    """Write a number of bytes for people: `12.3 MB`."""
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:,.1f} {name}"
    return f"{-(-n_bytes // 1000):,} kB"


def _spread(figures: Histograms) -> str:
    names = plots(figures)
    if not names:
        return ""
    shown = "\n".join(f"![{name.removesuffix('.svg')}]({FOLDER}/{name})" for name in names)
    return f"{figures.n_rows:,} trajectories that were selected, by score and length:\n\n{shown}"


def _columns(view: DatasetView) -> str:
    rows = [(code(name), _type_name(kind), meaning.replace("|", "\\|")) for name, kind, meaning in view.columns]
    return folded(f"Columns of {view.name}", table(("column", "type", "holds"), rows))


def _type_name(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list of {_type_name(kind.value_type)}"
    if pa.types.is_struct(kind):
        return "record"
    return "JSON" if isinstance(kind, pa.BaseExtensionType) else str(kind)


def _canary(canary: str) -> str:
    return (
        "## Canary\n\nRows carry the string below, which stands nowhere else. A model that can complete it has been "
        f"trained on this dataset; filter by it to keep the dataset out.\n\n{code(canary)}"
    )


def _loading(configs: Sequence[str], default: str, views: Sequence[DatasetView]) -> str:
    """Show how `datasets` loads the configurations `configs`, and how the readers of `views` load these."""
    parts = [f"`{REPOSITORY}` stands for this repository, or for a folder that holds a copy of it."]
    if configs:
        parts[0] += f" The configurations are {', '.join(f'`{name}`' for name in configs)}."
        first = f'rows = load_dataset("{REPOSITORY}", "{default}", split="train", streaming=True)'
        parts.append(block("python", f"from datasets import load_dataset\n\n{first}"))
    for view in views:
        for snippet in view.loading:
            parts.append(f"`{view.name}` with {snippet.reader}:\n\n{block(snippet.language, snippet.code)}")
    return "\n\n".join(["## Loading", *parts])
