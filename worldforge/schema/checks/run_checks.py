"""Run every check on a spec: its shape first, then what its parts say of one another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from worldforge.schema.checks.check_constraints import check_contradictions
from worldforge.schema.checks.check_counts import check_near_duplicates, check_references, check_unique_values
from worldforge.schema.checks.check_expressions import check_cycles, check_expressions, check_kinds
from worldforge.schema.checks.check_generators import check_draws, check_generators
from worldforge.schema.checks.check_languages import check_languages
from worldforge.schema.checks.check_pages import check_pages, check_styles
from worldforge.schema.checks.check_structure import check_structure
from worldforge.schema.checks.check_tasks import check_tasks
from worldforge.schema.checks.checker import Checker, check_shape
from worldforge.schema.document import Document
from worldforge.schema.problems import Problem
from worldforge.schema.spec import WorldSpec

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

    `code_from` is the folder from which the spec's own generators may be imported; without it they are refused.
    """
    checker, problems = check_shape(document, code_from)
    for check in _CHECKS:
        if checker is not None and checker.spec.types:
            _run(check, checker)
    return (checker.spec if checker is not None and not problems else None), problems


def _run(check: Callable[[Checker], None], checker: Checker) -> None:
    """Repeat a check until it breaks nothing more. A broken part takes with it the expressions that name it."""
    n_broken = -1
    while n_broken != len(checker.broken):
        n_broken = len(checker.broken)
        check(checker)
        if n_broken != len(checker.broken):
            checker.prune()
            if check is not check_expressions:
                _run(check_expressions, checker)
