"""Reads a spec as a world keeps it, whole and checked: without what reading and checking an author's takes."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.schema.problems import SpecError
from worldforge.schema.shape_errors import find_faults
from worldforge.schema.spec import WorldSpec
from worldforge.schema.yaml_tree import read_document


def read_resolved(path: Path) -> WorldSpec:
    """Read a spec as `load.write_resolved` wrote it. Raises InputError where it is missing or damaged."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    try:
        return _resolved(text)
    except SpecError as error:
        raise SpecError([replace(problem, file=str(path)) for problem in error.problems]) from error


@lru_cache(16)
def _resolved(text: str) -> WorldSpec:
    """Read a resolved spec: once, however often a world is opened, and wherever copies of it lie."""
    tree, problems = read_document(text, "spec.yaml")
    spec, faults = find_faults(tree)
    if spec is None or problems:
        raise SpecError([*problems, *(fault.problem for fault in faults)])
    return spec
