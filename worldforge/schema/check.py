"""Every problem of a spec at once."""

from __future__ import annotations

from pathlib import Path

from worldforge.schema.documents import Node
from worldforge.schema.problems import Problem
from worldforge.schema.spec import WorldSpec
from worldforge.schema.validation import find_faults


def check(tree: Node, code_from: Path | None) -> tuple[WorldSpec | None, list[Problem]]:
    """Check a tree: the spec, where its shape allows one, and every problem found."""
    spec, faults = find_faults(tree)
    return spec, [fault.problem for fault in faults]
