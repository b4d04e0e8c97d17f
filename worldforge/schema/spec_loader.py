"""Load and check a world.yaml as a `WorldSpec`.

    spec = load_spec("world_schemas/quickstart.yaml", overrides=["tasks.list.count=10"])

What a spec extends comes first, then the spec itself, then the environment (`WORLDFORGE__TASKS__LIST__COUNT=10`), then
overrides; the later wins. Dates are text (`1992-01-01`), so that a spec is plain JSON throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from worldforge.schema.apply_strategies import apply_strategies
from worldforge.schema.checks.run_checks import run_checks
from worldforge.schema.checks.spec_warnings import spec_warnings
from worldforge.schema.column_paths import record_places
from worldforge.schema.document import Document
from worldforge.schema.problems import Problem, SpecError
from worldforge.schema.resolved_spec import emit_yaml
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_sources import find_spec, read_foreign, read_source, settings_layers, shipped_specs
from worldforge.schema.translations import in_first_language

__all__ = [
    "find_spec", "load_foreign_spec", "load_spec", "shipped_specs", "write_resolved",
]  # fmt: skip


def load_spec(
    source: str | Path,
    overrides: Sequence[str] = (),
    code_from: Path | None = None,
    environment: Mapping[str, str] | None = None,
    on_warning: Callable[[Problem], None] | None = None,
) -> WorldSpec:
    """Load and check a spec: a file, a folder that holds a world.yaml, or a shipped spec's name.

    `overrides` are settings `a.b=c`. `code_from` is the folder from which the spec's own generators may be imported;
    without it they are refused. `environment` are variables to take settings from, none by default.
    `on_warning` is called with what can be built but is hardly meant, such as a label that breaks sentences.
    Raises SpecError with every problem found; InputError where there is no such spec.
    """
    return _checked(*read_source(source), overrides, code_from, environment, on_warning)


def load_foreign_spec(
    text: str,
    name: str,
    overrides: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    on_warning: Callable[[Problem], None] | None = None,
) -> WorldSpec:
    """Load and check a spec that comes from elsewhere, called `name` in errors: it extends nothing and runs no code.

    Raises SpecError with every problem found.
    """
    return _checked(*read_foreign(text, name), overrides, None, environment, on_warning)


def _checked(
    document: Document,
    problems: list[Problem],
    overrides: Sequence[str],
    code_from: Path | None,
    environment: Mapping[str, str] | None,
    on_warning: Callable[[Problem], None] | None,
) -> WorldSpec:
    """Merge settings over the document, check it, and apply its strategies."""
    layers, more = settings_layers(overrides, environment or {})
    for layer in layers:
        document = document.merged(layer)
    spec, found = run_checks(document, code_from)
    problems += more + found
    if spec is None or problems:
        raise SpecError(sorted(problems, key=lambda problem: (problem.file, problem.line, problem.column)))
    if on_warning is not None:
        for warning in spec_warnings(document, spec, code_from):
            on_warning(warning)
    return record_places(in_first_language(apply_strategies(spec, code_from)), document)


def write_resolved(spec: WorldSpec) -> str:
    """Write a spec whole, every default included, as YAML: the same text for the same spec."""
    return emit_yaml(spec.model_dump(mode="json"))
