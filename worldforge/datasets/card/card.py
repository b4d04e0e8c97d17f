"""The dataset card: contents, provenance, how to load it, and limits.

Written from records and counts alone: the same dataset has the same card. Words of a world's author are shown, and do
nothing: neither Markdown nor YAML is read in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.datasets.card.markdown import block, code, collapsible, count_of, plain, size, table
from worldforge.datasets.card.plots import FOLDER, plots
from worldforge.datasets.card.yaml_header import default_config, yaml_header
from worldforge.datasets.manifest import Manifest
from worldforge.datasets.selection.selection_report import Histograms
from worldforge.datasets.view import REPOSITORY, DatasetView, ExportContext
from worldforge.rollouts.run import RunSummary
from worldforge.schema.spec import WorldSpec
from worldforge.world.world import World

SPEC = "spec/spec.yaml"
"""Where the world's spec lies in a dataset."""
TRIED = {"item_f1": "item F1", "row_f1": "row F1", "success": "success"}
"""Scores of which runs with several trials a task show the mean, the best and the worst; and their names."""
_KINDS = ("mean", "max", "min")
_RATES = ("leaking", "contradicting", "hallucinated", "refused_otherwise", "fallback", "unavailable", "stored")
_OWN_CODE = re.compile(r'"(?:generator|family)": "[^"]*:')

TrialScores = Mapping[str, Sequence[float]]
"""For each of `TRIED` the mean, the best and the worst of a task's trials, each a mean over tasks."""


def write_card(
    context: ExportContext,
    views: Sequence[DatasetView],
    manifest: Manifest,
    figures: Histograms,
    trials: Mapping[str, TrialScores],
) -> str:
    """Return the card as Markdown with a YAML head.

    `views` are those with rows; the manifest needs their files alone; `trials` are by run, where tasks had several.
    """
    world, runs = context.world, context.runs
    configs = [view.name for view in views if view.tables is not None]
    values = {
        "head": yaml_header(world, configs, manifest),
        "title": plain(world.spec.title or world.name),
        "description": plain(world.spec.description),
        "views": "\n\n".join(_views(views, manifest)),
        "repository": REPOSITORY,
        "configurations": f" The configurations are {_listed(configs)}." if configs else "",
        "loading": "\n\n".join(_loading(default_config(configs), views)),
        "facts": _facts(world, manifest),
        "rebuilding": _rebuilding(world.spec),
        "selection": "\n\n".join(_selection(manifest.selection)),
        "recipe": block("json", json.dumps(manifest.recipe)),
        "scores": _scores(runs),
        "trials": _trials(runs, trials),
        "wording": _wording(runs),
        "plots": _plots(figures),
        "columns": "\n\n".join(_columns(view) for view in views if view.columns),
        "limits": "\n".join(f"- {line}" for line in _limits(world, runs)),
        "canary": code(manifest.canary),
    }
    template = Path(__file__).with_name("template.md").read_text(encoding="utf-8")
    parts = [Template(part).substitute(values).strip() for part in template.split("\n\n")]
    return "\n\n".join(part for part in parts if part) + "\n"


def trial_scores(rows: pa.Table) -> TrialScores:
    """Reduce a run's rows, with the columns `task` and `TRIED`, to what the trials of a task come to."""
    numbers = pa.table({"task": rows["task"], **{name: rows[name].cast(pa.float64()) for name in TRIED}})
    columns = [(name, kind) for name in TRIED for kind in _KINDS]
    by_task = numbers.group_by("task", use_threads=False).aggregate(columns)
    return {name: [pc.mean(by_task[f"{name}_{kind}"]).as_py() for kind in _KINDS] for name in TRIED}


def has_own_code(spec: WorldSpec) -> bool:
    """Say whether the spec names generators or task families of its author's own (`module:name`)."""
    return _OWN_CODE.search(json.dumps(spec.model_dump(mode="json"))) is not None


def _views(views: Sequence[DatasetView], manifest: Manifest) -> Iterator[str]:
    of_views = [(view, manifest.views[view.name]) for view in views]
    yield table(
        ("", "for", "", ""),
        [(code(view.name), view.readers, count_of(of.n_rows, "row"), size(of.n_bytes)) for view, of in of_views],
    )
    for name, n in manifest.n_without_row.items():
        yield f"{code(name)} has no row of {n:,} trajectories: {manifest.views[name].leaves_out}."
    if manifest.empty_views:
        names = _listed(manifest.empty_views)
        yield f"Nothing that was selected made a row of {names}: such views have no folder."


def _loading(default: str, views: Sequence[DatasetView]) -> Iterator[str]:
    """Show how `datasets` loads the configuration `default`, and how the readers of `views` load these."""
    if default:
        first = f'rows = load_dataset("{REPOSITORY}", "{default}", split="train", streaming=True)'
        yield block("python", f"from datasets import load_dataset\n\n{first}")
    for view in views:
        for snippet in view.loading:
            yield f"`{view.name}` with {snippet.reader}:\n\n{block(snippet.language, snippet.code)}"


def _facts(world: World, manifest: Manifest) -> str:
    """Describe the world and the runs of the dataset."""
    counts = world.manifest["counts"]
    configs = [run["config"] for run in manifest.runs]
    controlled = any(config["controls"] for config in configs)
    rows = {
        "world": f"{code(world.name)}, seed {world.spec.seed}, scale {world.spec.scale:g}",
        "digest": code(world.digest),
        "entities": f"{sum(counts['entities'].values()):,} of {len(counts['entities'])} types",
        "pages": f"{counts['pages']:,}, which state {counts['mentions']:,} facts",
        "tasks": f"{counts['tasks']:,}",
        "agents": _listed(config["agent"] for config in configs),
        "environments": _listed(config["environment"] for config in configs),
        "observations worded by": _listed(config["world_model"] or "engine" for config in configs),
        "controls": "on purpose, see each run's configuration in `manifest.json`" if controlled else "none",
        "made with": ", ".join(f"{name} {version}" for name, version in manifest.versions.items()),
    }
    return table(("", ""), list(rows.items()))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(code, dict.fromkeys(names)))


def _rebuilding(spec: WorldSpec) -> str:
    """Describe how to rebuild the world."""
    sentence = "The same world, with the same digest, is built again from the specification:"
    if has_own_code(spec):
        sentence = "The world is built again from the specification, which needs code of its author's beside it:"
    elif _is_worded_by_model(spec):
        sentence = (
            "The same facts and tasks are built again from the specification. A model worded pages: without what it "
            "wrote, they will read otherwise."
        )
    return f"{sentence}\n\n{block('console', f'$ worldforge build {SPEC}')}"


def _is_worded_by_model(spec: WorldSpec) -> bool:
    return any(kind.prose == "model" for kind in spec.pages.values())


def _selection(record: Mapping[str, Any]) -> Iterator[str]:
    """Describe the selection that the manifest records."""
    report = record["report"]
    yield f"{report['n_left']:,} of {report['n_found']:,} trajectories were selected."
    yield from _steps(report)
    if imitated := record.get("imitated"):
        taken = imitated["report"]
        counts = f"{taken['n_left']:,} of {taken['n_found']:,} trajectories"
        yield f"{_listed(imitated['views'])}: {counts}, as their rows are imitated."
        yield from _steps(taken) if taken != report else ()
    if counted := report.get("tokenizer"):
        yield f"Tokens were counted with {plain(counted['name'])} (SHA-256 {code(counted['sha256'])})."
    if report.get("near_duplicates"):
        yield f"Near-duplicates were found with {plain(report['near_duplicates'])}."
    passed = [(f"{at['k']}", f"{at['value']:.3f}", f"{at['n_tasks']:,}") for at in report.get("pass_at", ())]
    if len(passed) > 1:
        yield f"Over all that was found:\n\n{table(('k', 'pass@k', 'tasks'), passed)}"


def _steps(report: Mapping[str, Any]) -> Iterator[str]:
    steps = [
        (code(step["name"]), code(str(step["asked"])), f"{step['n_removed']:,}", f"{step['n_left']:,}")
        for step in report["steps"]
    ]
    if steps:
        yield table(("step", "asked", "removed", "left"), steps)


def _scores(runs: Sequence[RunSummary]) -> str:
    """Show the scores of the runs, over all of their trajectories."""
    names = TRIED.values()
    shown = [*TRIED, *(f"compat_{name}" for name in TRIED)]
    rows = [
        [run.run, code(run.config.agent), f"{run.tally.n_episodes:,}", f"{run.tally.n_failed:,}"]
        + [f"{run.tally.scores[name]:.3f}" for name in shown]
        for run in runs
    ]
    return table(("run", "agent", "trajectories", "failed", *names, *(f"compatible {name}" for name in names)), rows)


def _trials(runs: Sequence[RunSummary], trials: Mapping[str, TrialScores]) -> str:
    rows = [
        [run.run, f"{run.config.trials}", *(f"{value:.3f}" for name in TRIED for value in trials[run.run][name])]
        for run in runs
        if run.run in trials
    ]
    header = ("run", "N", *(f"{name} {kind}@N" for name in TRIED.values() for kind in ("avg", "max", "min")))
    caption = "Of N trials a task their mean, the best and the worst; each a mean over tasks."
    return f"{caption}\n\n{table(header, rows)}" if rows else ""


def _wording(runs: Sequence[RunSummary]) -> str:
    """Show the results of world models: shares of drafts and of observations, by outcome."""
    rows = [
        [run.run, code(run.config.world_model), f"{run.tally.wording.n_rendered:,}"]
        + [f"{getattr(run.tally.rates, name):.3f}" for name in _RATES]
        for run in runs
        if run.tally.wording.n_rendered
    ]
    header = ("run", "world model", "observations", *(name.replace("_", " ") for name in _RATES))
    caption = (
        "Observations that a world model was to word. A guard refuses drafts that leak, contradict or invent; they are "
        "drawn again, or the engine words the observation (fallback). Shares of drafts, then of observations."
    )
    return f"{caption}\n\n{table(header, rows)}" if rows else ""


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


def _limits(world: World, runs: Sequence[RunSummary]) -> Iterator[str]:
    """List the limits of a dataset of `runs` on `world`."""
    agents = {run.config.agent.partition("@")[0] for run in runs}
    n_altered = sum(run.tally.n_altered for run in runs)
    if "oracle" in agents:
        yield (
            "The agent `oracle` reads the plan of each task: it proves that the task can be solved with the tools, and "
            "shows a searcher who knows where to look. It does not show how to recover from a wrong turn."
        )
    if any(agent.startswith("searcher") for agent in agents):
        yield (
            "The agent `searcher` is a script: it acts on the question and on what it has observed, reads perfectly "
            "what it is shown, and words its thoughts from set sentences."
        )
    if any(agent.startswith("noisy-searcher") for agent in agents):
        yield (
            "The agent `noisy-searcher` errs by chance, at rates it was given; its errors are not those of a model, "
            "and its thoughts say what it believes, which may be misread."
        )
    if n_altered:
        yield f"Controls had {n_altered:,} facts shown otherwise than they are; `observations.altered` names them."
    if _is_worded_by_model(world.spec):
        yield "A model worded pages around facts that stay; a guard checked that no fact was lost or added."
    else:
        yield "Pages are written from templates: their language is plainer and more regular than that of the real web."
