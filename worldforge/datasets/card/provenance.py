"""The card's sections on provenance: the world, how to rebuild it, the selection, the reward recipe."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from worldforge.datasets.card.markdown import block, code, plain, table
from worldforge.datasets.manifest import Manifest
from worldforge.rollouts.run import RunSummary
from worldforge.schema.spec import WorldSpec
from worldforge.world.world import World

SPEC = "spec/spec.yaml"
"""Where the world's spec lies in a dataset."""
_INVENTED = (
    "Everything here is invented: people, places, hosts and figures. Nothing in it is a fact about the real world. "
    "Train on what agents say and do, not on what tools bring (`assistant_only_loss`, `loss`): a model that learns "
    "observations learns a fiction by heart."
)
_ORACLE = (
    "The agent `oracle` reads the plan of each task: it proves that the task can be solved with the tools, and shows a "
    "searcher who knows where to look. It does not show how to recover from a wrong turn."
)
_NOISY = "The agent `noisy-oracle` errs by chance, at rates it was given; its errors are not those of a model."
_ALTERED = "Controls had {n:,} facts shown otherwise than they are; `observations.altered` names them."
_TEMPLATES = "Pages are written from templates: their language is plainer and more regular than that of the real web."
_MODEL = "A model worded pages around facts that stay; a guard checked that no fact was lost or added."


def facts(world: World, manifest: Manifest) -> str:
    """Describe the world and the runs of the dataset."""
    counts = world.manifest["counts"]
    configs = [run["config"] for run in manifest.runs]
    controls = {config["controls"] for config in configs}
    rows = {
        "world": f"{code(world.name)}, seed {world.spec.seed}, scale {world.spec.scale:g}",
        "digest": code(world.digest),
        "entities": f"{sum(counts['entities'].values()):,} of {len(counts['entities'])} types",
        "pages": f"{counts['pages']:,}, which state {counts['mentions']:,} facts",
        "tasks": f"{counts['tasks']:,}",
        "agents": _listed(config["agent"] for config in configs),
        "environments": _listed(config["environment"] for config in configs),
        "observations worded by": _listed(config["world_model"] or "engine" for config in configs),
        "controls": "none" if controls == {""} else "on purpose, see each run's configuration in `manifest.json`",
        "made with": ", ".join(f"{name} {version}" for name, version in manifest.versions.items()),
    }
    return table(("", ""), list(rows.items()))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(code, dict.fromkeys(names)))


def rebuilding(spec: WorldSpec) -> str:
    """Describe how to rebuild the world."""
    command = block("console", f"$ worldforge build {SPEC}")
    sentence = "The same world, with the same digest, is built again from the specification:"
    if has_own_code(spec):
        sentence = "The world is built again from the specification, which needs code of its author's beside it:"
    elif is_worded_by_model(spec):
        sentence = (
            "The same facts and tasks are built again from the specification. A model worded pages: without what it "
            "wrote, they will read otherwise."
        )
    return f"{sentence}\n\n{command}"


def is_worded_by_model(spec: WorldSpec) -> bool:
    """Say whether a model worded pages of the world."""
    return any(kind.prose == "model" for kind in spec.pages.values())


def has_own_code(spec: WorldSpec) -> bool:
    """Say whether the spec names generators or task families of its author's own (`module:name`)."""
    return any(":" in name for name in _generators(spec.model_dump(mode="json")))


def _generators(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (named for key in ("generator", "family") if isinstance(named := value.get(key), str))
        for part in value.values():
            yield from _generators(part)
    elif isinstance(value, list):
        for part in value:
            yield from _generators(part)


def selection(record: Mapping[str, Any]) -> str:
    """Describe the selection that the manifest records."""
    report = record["report"]
    parts = [f"{report['n_left']:,} of {report['n_found']:,} trajectories were selected.", _steps(report)]
    if imitated := record.get("imitated"):
        taken = imitated["report"]
        parts.append(
            f"{_listed(imitated['views'])}: {taken['n_left']:,} of {taken['n_found']:,} trajectories, successes alone, "
            "as their rows are imitated."
        )
        parts += [_steps(taken)] if taken != report else []
    if report.get("tokenizer"):
        counted = report["tokenizer"]
        parts.append(f"Tokens were counted with {plain(counted['name'])} (SHA-256 {code(counted['sha256'])}).")
    if report.get("near_duplicates"):
        parts.append(f"Near-duplicates were found with {plain(report['near_duplicates'])}.")
    passed = [(f"{at['k']}", f"{at['value']:.3f}", f"{at['n_tasks']:,}") for at in report.get("pass_at", ())]
    parts += [f"Over all that was found:\n\n{table(('k', 'pass@k', 'tasks'), passed)}"] if len(passed) > 1 else []
    return "\n\n".join(part for part in parts if part)


def _steps(report: Mapping[str, Any]) -> str:
    steps = [
        (code(step["name"]), code(str(step["asked"])), f"{step['n_removed']:,}", f"{step['n_left']:,}")
        for step in report["steps"]
    ]
    return table(("step", "asked", "removed", "left"), steps) if steps else ""


def recipe(terms: Mapping[str, Any]) -> str:
    """Show the recipe of the reward."""
    return f"`reward`, where a view has it, adds up as this recipe says:\n\n{block('json', json.dumps(terms))}"


def limits(world: World, runs: Sequence[RunSummary]) -> str:
    """List the limits of a dataset of `runs` on `world`."""
    agents = {run.config.agent.partition("@")[0] for run in runs}
    n_altered = sum(run.tally.n_altered for run in runs)
    lines = [_INVENTED]
    lines += [_ORACLE] if any(agent == "oracle" for agent in agents) else []
    lines += [_NOISY] if any(agent.startswith("noisy-oracle") for agent in agents) else []
    lines += [_ALTERED.format(n=n_altered)] if n_altered else []
    lines.append(_MODEL if is_worded_by_model(world.spec) else _TEMPLATES)
    return "\n".join(f"- {line}" for line in lines)
