"""Load control plans: presets by name, files, and changes to either.

load_controls("mild")                                   a preset
load_controls("mild,errors.rate=0.3,seed=4")            a preset, changed
load_controls("controls.yaml")                          a file; `preset: harsh` in it says what it begins from
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.environments.controls.control_plan import PRESETS, ControlPlan
from worldforge.schema.problems import SpecError
from worldforge.schema.shape_errors import validate_tree_as
from worldforge.schema.spec_sources import merge, override_layer, read_text
from worldforge.schema.yaml_tree import TreeNode, read_document

_BETWEEN = re.compile(r",(?![^\[{]*[\]}])")  # a comma that no bracket holds
_OPTION, _EXAMPLE = "--controls", "mild,errors.rate=0.3"


def load_controls(source: str | Path) -> ControlPlan:
    """Load a plan: a preset's name or a YAML file, then `,key=value` for changes.

    Raises SpecError with every problem and its place, InputError where there is no such preset or file.
    """
    name, *overrides = _BETWEEN.split(str(source))
    tree = _named(name)
    for override in overrides:
        tree = merge(tree, override_layer(override, _OPTION, _EXAMPLE))
    return _checked(tree)


def _named(name: str) -> TreeNode:
    path = Path(name)
    if name in PRESETS:
        return _preset_tree(name)
    if not path.is_file():
        raise InputError(
            f"there is no preset and no file of controls `{name}`", f"give a file, or: {did_you_mean(name, PRESETS)}"
        )
    tree, problems = read_document(read_text(path), name)
    if not isinstance(tree.content, Mapping):
        problems.append(
            tree.place.problem((), "a control plan is a mapping of keys to values", "`errors: {rate: 0.1}`")
        )
    if problems:
        raise SpecError(problems)
    return _based(tree)


def _based(tree: TreeNode) -> TreeNode:
    """Merge a document into the preset that it names."""
    assert isinstance(tree.content, Mapping)
    begins = tree.content.get("preset")
    if begins is None or begins.is_null:
        return tree
    word = begins.node.content
    if not isinstance(word, str) or word not in PRESETS:
        hint = did_you_mean(str(word), PRESETS)
        raise SpecError([begins.node.place.problem(("preset",), f"there is no preset `{begins.node.plain()}`", hint)])
    own = TreeNode(tree.place, {key: entry for key, entry in tree.content.items() if key != "preset"})
    return merge(_preset_tree(word), own)


def _preset_tree(name: str) -> TreeNode:
    tree, _ = read_document(PRESETS[name].model_dump_json(by_alias=True, exclude_unset=True), f"preset {name}")
    return tree


def _checked(tree: TreeNode) -> ControlPlan:
    plan, faults = validate_tree_as(tree, ControlPlan)
    if plan is None:
        raise SpecError([fault.problem for fault in faults])
    return plan
