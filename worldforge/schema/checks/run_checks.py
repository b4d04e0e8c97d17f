"""Every problem of a spec at once: its shape first, then what its parts say of one another.

Each question is asked of what is left whole by those before it, so that a mistake is told once and hides no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from worldforge.schema.checks.check_contradictions import check_contradictions
from worldforge.schema.checks.check_counts import check_cardinalities
from worldforge.schema.checks.check_expressions import check_cycles, check_expressions, check_kinds
from worldforge.schema.checks.check_generators import check_generators
from worldforge.schema.checks.check_languages import check_languages
from worldforge.schema.checks.check_near_duplicates import check_twins
from worldforge.schema.checks.check_pages import check_pages
from worldforge.schema.checks.check_structure import check_structure
from worldforge.schema.checks.check_styles import check_styles
from worldforge.schema.checks.check_tasks import check_tasks
from worldforge.schema.checks.check_trial_draws import check_draws
from worldforge.schema.checks.check_unique import check_value_counts
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection, first_draft
from worldforge.schema.problems import Problem
from worldforge.schema.prose_default import spread_prose
from worldforge.schema.spec import WorldSpec
from worldforge.schema.yaml_tree import TreeNode

_QUESTIONS: tuple[Callable[[PartialSpec], Iterator[Rejection]], ...] = (
    check_structure,
    check_styles,
    check_generators,
    check_expressions,
    check_cycles,
    check_kinds,
    check_cardinalities,
    check_value_counts,
    check_contradictions,
    check_pages,
    check_tasks,
    check_twins,
    check_languages,
)


def check(tree: TreeNode, code_from: Path | None) -> tuple[WorldSpec | None, list[Problem]]:
    """Check a tree: the spec, if nothing is wrong with it, and every problem found.

    `code_from` is the folder from which the spec's own generators may be imported; without it they are refused.
    """
    tree, misplaced = spread_prose(tree)
    draft, problems = first_draft(tree, code_from)
    problems += misplaced
    for question in _QUESTIONS:
        draft = _ask(question, draft, problems) if draft is not None else None
    if draft is not None:
        faulty = {problem.path for problem in problems}
        problems += [one.problem for one in check_draws(draft, faulty) if one.problem is not None]
    return (draft.spec if draft is not None and not problems else None), problems


def _ask(
    question: Callable[[PartialSpec], Iterator[Rejection]], draft: PartialSpec, problems: list[Problem]
) -> PartialSpec | None:
    """Ask until nothing more is to be set aside, adding to `problems`; return what is still whole.

    What is set aside takes with it the expressions that name it.
    """
    asked: PartialSpec | None = draft
    while asked is not None:
        findings = list(question(asked))
        found = dict.fromkeys(finding.problem for finding in findings if finding.problem is not None)
        problems += [problem for problem in found if problem not in problems]
        aside = [one.aside for one in findings if one.aside is not None and one.aside not in asked.broken]
        if not aside:
            break
        asked = asked.without(aside)
        if asked is not None and question is not check_expressions:
            asked = _ask(check_expressions, asked, problems)
    return asked
