"""Load and check a world.yaml as a `WorldSpec`.

    spec = load_spec("world_schemas/quickstart.yaml", overrides=["tasks.list.count=10"])

What a spec extends comes first, then the spec itself, then the environment (`WORLDFORGE__TASKS__LIST__COUNT=10`), then
overrides; the later wins. Dates are text (`1992-01-01`), so that a spec is plain JSON throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.schema.apply_strategies import apply_strategies
from worldforge.schema.checks.check_expressions import check_cycles, check_expressions, check_kinds
from worldforge.schema.checks.check_generators import check_draws, check_generators
from worldforge.schema.checks.check_pages_and_tasks import check_pages, check_styles, check_tasks
from worldforge.schema.checks.check_phrasebook import check_book
from worldforge.schema.checks.check_rows import (
    check_contradictions,
    check_near_duplicates,
    check_references,
    check_unique_values,
)
from worldforge.schema.checks.check_structure import check_languages, check_structure
from worldforge.schema.checks.checker import Checker, check_shape
from worldforge.schema.checks.spec_warnings import spec_warnings
from worldforge.schema.column_paths import record_places
from worldforge.schema.document import Document
from worldforge.schema.phrasebook import book_file, read_book, value_wordings
from worldforge.schema.problems import Problem, SpecError
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_sources import find_spec, read_foreign, read_source, settings_layers
from worldforge.schema.translations import in_first_language


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
    spec = _checked(*read_source(source), overrides, code_from, environment, on_warning)
    return _load_books(spec, find_spec(source).parent)


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
    return _load_books(_checked(*read_foreign(text, name), overrides, None, environment, on_warning), None)


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


_MAX_ROUNDS = 20  # a chain of columns that need one another may be as long as the spec
_CHECKS: tuple[Callable[[Checker], None], ...] = (
    check_structure,
    check_styles,
    check_generators,
    check_expressions,
    check_cycles,
    check_kinds,
    check_references,
    check_unique_values,
    check_contradictions,
    check_pages,
    check_tasks,
    check_near_duplicates,
    check_languages,
    check_draws,
)


def run_checks(document: Document, code_from: Path | None) -> tuple[WorldSpec | None, list[Problem]]:
    """Check a document: return the spec, if nothing is wrong with it, and every problem found.

    A broken part takes with it what names it: where a check breaks parts, all begin again without these.
    `code_from` is the folder from which the spec's own generators may be imported; without it they are refused.
    """
    checker = check_shape(document, code_from)
    for _ in range(_MAX_ROUNDS):
        if not checker.prune():
            break
        if not any(checker.breaks_more(check) for check in _CHECKS):
            return (None if checker.problems else checker.spec), checker.problems
    return None, checker.problems


def _load_books(spec: WorldSpec, beside: Path | None) -> WorldSpec:
    """Give a spec its phrasebooks, of the languages that it is in. Raises SpecError where one of them is wrong.

    They are looked for in the folder `phrases/` of `beside`, and among the shipped ones.
    """
    if not spec.phrases:
        return spec
    problems: list[Problem] = []
    for language in spec.languages:
        path = book_file(spec.phrases, language, beside)
        if path is not None:
            spec.books[language] = read_book(path)
            problems += check_book(spec, spec.books[language], path)
    if problems:
        raise SpecError(problems)
    if not spec.books:
        where = (beside or Path()) / "phrases" / f"{spec.phrases}.{spec.languages[0]}.yaml"
        raise InputError(f"phrases: there is no phrasebook `{spec.phrases}`", f"write one: {where}")
    found = {language: value_wordings(book) for language, book in spec.books.items()}
    return spec.model_copy(update={"value_wordings": {language: own for language, own in found.items() if own}})
