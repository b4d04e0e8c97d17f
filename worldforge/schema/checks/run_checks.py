"""Run every check on a spec: its shape first, then what its parts say of one another.

A check sees only the parts that earlier checks left, so that one mistake is reported once and hides no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from worldforge.schema.checks.check_constraints import check_contradictions
from worldforge.schema.checks.check_counts import check_near_duplicates, check_references, check_unique_values
from worldforge.schema.checks.check_expressions import check_cycles, check_expressions, check_kinds
from worldforge.schema.checks.check_generators import check_draws, check_generators
from worldforge.schema.checks.check_languages import check_languages
from worldforge.schema.checks.check_pages import check_pages, check_styles
from worldforge.schema.checks.check_structure import check_structure
from worldforge.schema.checks.check_tasks import check_tasks
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection, check_shape
from worldforge.schema.problems import Problem
from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import spread_prose
from worldforge.schema.yaml_tree import TreeNode

_CHECKS: tuple[Callable[[PartialSpec], Iterator[Rejection]], ...] = (
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
)


def run_checks(tree: TreeNode, code_from: Path | None) -> tuple[WorldSpec | None, list[Problem]]:
    """Check a tree: return the spec, if nothing is wrong with it, and every problem found.

    `code_from` is the folder from which the spec's own generators may be imported; without it they are refused.
    """
    tree, misplaced = spread_prose(tree)
    partial, problems = check_shape(tree, code_from)
    problems += misplaced
    for check in _CHECKS:
        partial = _run(check, partial, problems)
    if partial is not None:
        faulty = {problem.path for problem in problems}
        problems += [one.problem for one in check_draws(partial, faulty) if one.problem is not None]
    return (partial.spec if partial is not None and not problems else None), problems


def _run(
    check: Callable[[PartialSpec], Iterator[Rejection]], partial: PartialSpec | None, problems: list[Problem]
) -> PartialSpec | None:
    """Repeat a check until it excludes nothing more; add to `problems`, and return the parts that are left.

    An excluded part takes with it the expressions that name it.
    """
    while partial is not None:
        rejections = list(check(partial))
        found = dict.fromkeys(one.problem for one in rejections if one.problem is not None)
        problems += [problem for problem in found if problem not in problems]
        excluded = [
            one.exclude for one in rejections if one.exclude is not None and one.exclude not in partial.excluded
        ]
        if not excluded:
            break
        partial = partial.without(excluded)
        if check is not check_expressions:
            partial = _run(check_expressions, partial, problems)
    return partial
