"""Hold a spec while it is checked: its valid parts, and the paths of excluded parts.

A check looks at the valid parts only, and reports nothing that may follow from an excluded part. So one mistake is
reported once, and hides no other.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from worldforge.core.suggestions import did_you_mean, nearest
from worldforge.schema.column_paths import UnknownColumnError, built_in_columns, follow, references_of
from worldforge.schema.problems import Problem
from worldforge.schema.shape_errors import ShapeError, section_at, validate_tree
from worldforge.schema.spec import WorldSpec
from worldforge.schema.yaml_tree import Entry, Path, Place, TreeNode

_UNITS: tuple[Path, ...] = (
    ("types", "*", "attributes", "*"),
    ("types", "*", "derived", "*"),
    ("relations", "*", "columns", "*"),
    ("types", "*"),
    ("relations", "*"),
    ("constraints", "*"),
    ("sites", "*"),
    ("pages", "*"),
    ("tasks", "*"),
)
_PLACEHOLDERS: dict[Path, object] = {
    ("name",): "unnamed",
    ("types", "*", "count"): 1,
    ("types", "*", "name"): {"generator": "names.place"},
    ("relations", "*", "per_source"): {"low": 0, "high": 0},
    ("constraints", "*"): {"on": "nothing", "sql": "true"},
}
_MEANINGFUL = {"generator", "params", "references", "sql", "over", "where", "kind", "on"}
_COLUMNS = (("types", "attributes"), ("types", "derived"), ("relations", "columns"))
_MAX_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Rejection:
    """A finding of a check: a problem (None where it follows from another), and the part to exclude."""

    problem: Problem | None
    exclude: Path | None = None


@dataclass(frozen=True, slots=True)
class PartialSpec:
    """The tree as read, its valid parts as a tree and as a spec, and the paths of the excluded parts."""

    tree: TreeNode
    valid_tree: TreeNode
    spec: WorldSpec
    excluded: frozenset[Path]
    code_from: pathlib.Path | None

    def at_key(self, path: Path, message: str, hint: str = "") -> Problem:
        """Return a problem that stands at the key which ends `path`."""
        return self.tree.key_place(path).problem(path, message, hint)

    def at_value(self, path: Path, message: str, hint: str = "") -> Problem:
        """Return a problem that stands at the value under `path`."""
        return self.tree.value_place(path).problem(path, message, hint)

    def at_text(self, path: Path, offset: int, message: str, hint: str = "") -> Problem:
        """Return a problem that stands at a character of the text under `path`."""
        return self.tree.text_place(path, offset).problem(path, message, hint)

    def is_excluded(self, path: Path) -> bool:
        """Say whether the part at `path`, or one around it, was excluded."""
        return any(path[:length] in self.excluded for length in range(1, len(path) + 1))

    def may_have_table(self, table: str) -> bool:
        """Say whether a type or relation that is missing may be missing only because it was excluded."""
        return self.is_excluded(("types", table)) or self.is_excluded(("relations", table))

    def may_have_column(self, table: str, column: str) -> bool:
        """Say whether a column that is missing may be missing only because it was excluded."""
        return any(self.is_excluded((section, table, part, column)) for section, part in _COLUMNS)

    def check_known(
        self, path: Path, name: str, known: Iterable[str], what: str, *, excluded: bool, exclude: Path | None = None
    ) -> Iterator[Rejection]:
        """Check that `name`, which stands at `path`, is one of the `known`; no problem where it was `excluded`."""
        known = list(known)
        if name not in known:
            problem = self.at_value(path, f"unknown {what} `{name}`", did_you_mean(name, known))
            yield Rejection(None if excluded else problem, exclude)

    def check_references(
        self, path: Path, table: str, references: str, exclude: Path | None = None
    ) -> Iterator[Rejection]:
        """Check that the text at `path` is a path of references from `table`."""
        try:
            route = follow(self.spec, table, references.split("."))
        except UnknownColumnError as error:
            excluded = self.may_have_column(error.table, error.column)
            yield Rejection(None if excluded else self.at_value(path, error.message, error.hint), exclude)
            return
        known = references_of(self.spec, route.table)
        if route.column not in known:
            message = f"`{references}` is no reference"
            yield Rejection(self.at_value(path, message, did_you_mean(route.column, known)), exclude)

    def declared_columns(self, table: str) -> list[str]:
        """List the columns of a table that the tree declares, those excluded ones included."""
        built_in = built_in_columns(self.spec, table)
        declared = ["name"] if table in self.spec.types else ["source", "target", *built_in]
        for section, part in _COLUMNS:
            node = self.tree.at((section, table, part))
            declared += list(node.content) if node is not None and isinstance(node.content, Mapping) else []
        return declared

    def without(self, paths: Iterable[Path]) -> PartialSpec | None:
        """Exclude parts; None where nothing that could be checked is left."""
        whole, broken = self.valid_tree, set(self.excluded)
        for path in paths:
            whole = _without(whole, path)
            broken.add(path)
        spec, _ = validate_tree(whole)
        return None if spec is None else replace(self, valid_tree=whole, spec=spec, excluded=frozenset(broken))


def check_shape(tree: TreeNode, code_from: pathlib.Path | None) -> tuple[PartialSpec | None, list[Problem]]:
    """Validate the shape of a spec; return the valid rest, if there is one, and the problems."""
    spec, faults = validate_tree(tree)
    empty = [path for pattern in _UNITS for path in _empty_units(tree, pattern)]
    problems = [fault.problem for fault in faults] + [_empty_problem(tree, path) for path in empty]
    whole, broken = tree, set(empty)
    for _ in range(_MAX_ROUNDS):
        if spec is not None:
            return PartialSpec(tree, whole, spec, frozenset(broken), code_from), problems
        for fault in faults:
            path = _part_around(fault)
            broken |= {path, *_meant_keys(whole, fault)}
            whole = _without(whole, path)
        spec, faults = validate_tree(whole)
    return None, problems


def _empty_units(tree: TreeNode, pattern: Path, path: Path = ()) -> Iterator[Path]:
    """Find the keys of a pattern that nothing is written under."""
    node = tree.at(path)
    if node is None or not isinstance(node.content, Mapping):
        return
    step, *rest = pattern
    for key in node.content if step == "*" else [str(step)]:
        if rest:
            yield from _empty_units(tree, tuple(rest), (*path, key))
        elif node.content[key].is_null:
            yield (*path, key)


def _empty_problem(tree: TreeNode, path: Path) -> Problem:
    hint = "write `{}` where nothing is to be said of it, or remove the key"
    return tree.key_place(path).problem(path, f"nothing is written under `{path[-1]}`", hint)


def _part_around(fault: ShapeError) -> Path:
    """Return the smallest part whose exclusion leaves the rest meaningful."""
    path = fault.path
    if fault.rule in ("extra_forbidden", "key"):
        return path
    if _pattern(path, _PLACEHOLDERS) is not None:
        return path[: len(_pattern(path, _PLACEHOLDERS) or ())]
    unit = path[: len(_pattern(path, _UNITS) or ("",))]
    section = section_at(unit)
    if len(path) > len(unit) and section is not None:
        known = section.model_fields.get(str(path[len(unit)]))
        if known is not None and not known.is_required() and path[len(unit)] not in _MEANINGFUL:
            return path[: len(unit) + 1]
    return unit


def _meant_keys(whole: TreeNode, fault: ShapeError) -> set[Path]:
    """Return the key that a misspelled key was probably meant to be, so that its absence is not reported."""
    around, key = fault.path[:-1], str(fault.path[-1])
    section = section_at(around)
    if fault.rule == "key":
        return {(*around, key.lower())}
    if fault.rule != "extra_forbidden" or section is None:
        return set()
    near = nearest(key, section.model_fields)
    return {(*around, near)} if near and whole.at((*around, near)) is None else set()


def _pattern(path: Path, patterns: Iterable[Path]) -> Path | None:
    for pattern in patterns:
        if len(path) >= len(pattern) and all(want in ("*", step) for want, step in zip(pattern, path, strict=False)):
            return pattern
    return None


def _without(node: TreeNode, path: Path) -> TreeNode:
    """Return the tree without the part at `path`, or with a placeholder where one is required."""
    pattern = _pattern(path, _PLACEHOLDERS)
    placeholder = _PLACEHOLDERS[pattern] if pattern is not None and len(pattern) == len(path) else None
    return _put(node, path, None if placeholder is None else _as_tree(placeholder, node.place))


def _put(node: TreeNode, path: Path, value: TreeNode | None) -> TreeNode:
    if not path:
        return value or TreeNode(node.place, None)
    step, *rest = path
    content = node.content
    if isinstance(content, Mapping):
        entry = content.get(str(step))
        if entry is None and (value is None or rest):
            return node
        if value is None and not rest:
            return TreeNode(node.place, {key: kept for key, kept in content.items() if key != str(step)})
        below = _put(entry.node if entry else node, tuple(rest), value)
        key_place = entry.key_place if entry else node.place
        return TreeNode(node.place, {**content, str(step): Entry(key_place, below)})
    if isinstance(content, list) and isinstance(step, int) and step < len(content):
        return TreeNode(node.place, [*content[:step], _put(content[step], tuple(rest), value), *content[step + 1 :]])
    return node


def _as_tree(value: object, place: Place) -> TreeNode:
    if isinstance(value, dict):
        return TreeNode(place, {key: Entry(place, _as_tree(item, place)) for key, item in value.items()})
    return TreeNode(place, value)  # type: ignore[arg-type]
