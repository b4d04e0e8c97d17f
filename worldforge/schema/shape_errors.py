"""Validate the shape of a spec with pydantic, and report errors with places, messages and hints."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.problems import Problem
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Section
from worldforge.schema.yaml_tree import Path, TreeNode

Whole = TypeVar("Whole", bound=Section)

_NAME_HINT = "a name begins with a small letter, and holds small letters, digits and `_`, 40 at most"
_PATTERN_HINTS = {
    "as_of": "write it as 2031-06-30",
    "host": "every host ends in `.example`: `herald.example`",
    "name": "small letters, digits, `_` and `-`, 64 at most",
}
_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "`true` or `false`",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_WRITTEN: tuple[tuple[Path, str], ...] = (
    (("types", "*", "name"), "write `{generator: names.club}`, with `params` where it takes some"),
    (("types", "*", "attributes", "*"), "write `{generator: …, params: {…}}`, or `{references: …}`: "
     "one of several texts is drawn by `{generator: values.choice, params: {options: [red, blue]}}`"),
    (("relations", "*", "columns", "*"), "write `{generator: …, params: {…}}`, or `{references: …}`"),
    (("types", "*", "attributes"), "write each column as a key of its own, without `- ` before it"),
    (("relations", "*", "per_source"), "write how many as `{low: 1, high: 2}`"),
    (("relations", "*", "per_target"), "write how many as `{low: 1, high: 2}`"),
)  # fmt: skip
"""How a mapping is written, by where it stands."""
_LIMITS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


@dataclass(frozen=True, slots=True)
class ShapeError:
    """An error in the shape of a spec: its path, the rule of pydantic's, and the problem."""

    path: Path
    rule: str
    problem: Problem


def validate_tree(tree: TreeNode) -> tuple[WorldSpec | None, list[ShapeError]]:
    """Validate a tree: the spec, or every fault of its shape."""
    return validate_tree_as(tree, WorldSpec)


def validate_tree_as(tree: TreeNode, whole: type[Whole]) -> tuple[Whole | None, list[ShapeError]]:
    """Validate a tree as `whole`, the record that another document than a spec holds: that record, or every fault."""
    try:
        return whole.model_validate(_plain(tree, whole)), []
    except ValidationError as error:
        return None, _told(tree, error.errors(include_url=False), whole)
    except RecursionError:
        problem = tree.place.problem((), "it is nested too deeply")
        return None, [ShapeError((), "recursion", problem)]


def section_at(path: Path, whole: type[Section] = WorldSpec) -> type[Section] | None:
    """Return the kind of section that stands at `path` (`types.club` is an EntityType); None where none does."""
    annotation = _annotation(path, whole)
    return annotation if isinstance(annotation, type) and issubclass(annotation, Section) else None


def _plain(node: TreeNode, annotation: Any) -> Any:
    """Return a value as dicts, lists and scalars. A key whose value is null is left out, unless no field is called so.

    Such a key is what YAML makes of a comma too many: `{unit: per 1,000 heads}`.
    """
    if isinstance(node.content, Mapping):
        section = annotation if isinstance(annotation, type) and issubclass(annotation, Section) else None
        return {
            key: _plain(entry.node, _step(annotation, key))
            for key, entry in node.content.items()
            if not entry.is_null or (section is not None and _field(section, key) is None)
        }
    if isinstance(node.content, Sequence) and not isinstance(node.content, str):
        return [_plain(child, _step(annotation, place)) for place, child in enumerate(node.content)]
    return node.content


def _step(annotation: Any, step: str | int) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        known = _field(annotation, step)
        annotation = known.annotation if known is not None else None
    elif typing.get_origin(annotation) in (dict, list):
        annotation = typing.get_args(annotation)[-1]
    else:
        return None
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        annotation = typing.get_args(annotation)[0]
    return annotation


def _told(tree: TreeNode, errors: Sequence[ErrorDetails], whole: type[Section]) -> list[ShapeError]:
    faults: dict[Path, ShapeError] = {}
    for error in errors:
        path, is_key, union = _located(tree, error)
        if union is None:
            problem = _problem(tree, path, is_key, error, whole)
        elif not _is_list(tree.at(union)):
            path = union
            single = "a name" if isinstance(path[-1], int) else "`all`"
            message = f"must be {single} or a list of names, not {_given(tree, path)}"
            problem = tree.value_place(path).problem(path, message, _description(path, whole))
        elif error["type"] != "literal_error" and (error["type"], path) != ("string_type", union):
            problem = _problem(tree, path, is_key, error, whole)
        else:
            continue
        faults.setdefault(path, ShapeError(path, "key" if is_key else error["type"], problem))
    return list(faults.values())


def _located(tree: TreeNode, error: ErrorDetails) -> tuple[Path, bool, Path | None]:
    """Read pydantic's location as a path of the tree, whether it is about a key, and the union around it, if any."""
    path: Path = ()
    node: TreeNode | None = tree
    union: Path | None = None
    for step in error["loc"]:
        if step == "[key]":
            return path, True, union
        child = node.child(step) if node is not None else None
        if child is not None or (error["type"] == "missing" and step == error["loc"][-1]):
            path, node = (*path, step), child
        else:
            union = path
    return path, False, union


def _problem(tree: TreeNode, path: Path, is_key: bool, error: ErrorDetails, whole: type[Section]) -> Problem:
    rule = error["type"]
    if is_key:
        return tree.key_place(path).problem(path, f"`{path[-1]}` cannot be a name", _NAME_HINT)
    if rule == "missing":
        return tree.key_place(path[:-1]).problem(path[:-1], f"missing key `{path[-1]}`", _description(path, whole))
    if rule == "extra_forbidden":
        hint = _known_keys(path[:-1], str(path[-1]), whole)
        section = section_at(path[:-1], whole)
        if section is not None and "params" in section.model_fields and not hint.startswith("did you"):
            hint = f"what a generator takes stands under `params`: `params: {{{path[-1]}: …}}`"
        return tree.key_place(path).problem(path, f"unknown key `{path[-1]}`", hint)
    if rule == "value_error":
        said = str(error.get("ctx", {}).get("error", error["msg"]))
        return tree.key_place(path).problem(path, said, _description(path, whole))
    return tree.value_place(path).problem(path, *_wrong_value(tree, path, error, whole))


def _wrong_value(tree: TreeNode, path: Path, error: ErrorDetails, whole: type[Section]) -> tuple[str, str]:
    """Return the message and the hint for a wrong value."""
    rule, context, given = error["type"], error.get("ctx", {}), _given(tree, path)
    if rule in _EXPECTED:
        return f"must be {_EXPECTED[rule]}, not {given}", _written(tree, path) or _description(path, whole)
    if rule in _LIMITS:
        words, key = _LIMITS[rule]
        return f"must be {words} {context[key]:g}, not {given}", _description(path, whole)
    if rule == "literal_error":
        known = typing.get_args(_annotation(path, whole))
        return f"must not be {given}", did_you_mean(str(error["input"]), map(str, known))
    if rule == "string_pattern_mismatch":
        return f"must not be {given}", _PATTERN_HINTS.get(str(path[-1]), _NAME_HINT)
    if rule == "too_short":
        return "must hold at least one", _description(path, whole)
    return error["msg"].lower(), _description(path, whole)


def _written(tree: TreeNode, path: Path) -> str:
    """Return a hint on how a value is written, by where it stands or by what was written; empty for no hint."""
    node = tree.at(path)
    content = node.content if node is not None else None
    if isinstance(content, str):
        plain = content.replace(",", "").replace("_", "").replace(" ", "")
        if plain.isdecimal():
            return f"write it as {plain}"
        if content.endswith("%") and content[:-1].strip().replace(".", "", 1).isdecimal():
            return f"write it as a share from 0 to 1: {float(content[:-1]) / 100:g}"
    for pattern, hint in _WRITTEN:
        if len(pattern) == len(path) and all(want in ("*", step) for want, step in zip(pattern, path, strict=True)):
            return hint
    return ""


def _given(tree: TreeNode, path: Path) -> str:
    node = tree.at(path)
    content = node.content if node is not None else None
    if content is None:
        return "empty"
    if isinstance(content, bool):
        return f"`{str(content).lower()}`"
    if isinstance(content, str):
        return f"the text `{content if len(content) <= 60 else content[:57] + '…'}`"
    if isinstance(content, int | float):
        return f"{content}"
    return "a list" if _is_list(node) else "a mapping"


def _is_list(node: TreeNode | None) -> bool:
    return node is not None and isinstance(node.content, Sequence) and not isinstance(node.content, str)


def _annotation(path: Path, whole: type[Section]) -> Any:
    annotation: Any = whole
    for step in path:
        annotation = _step(annotation, step)
    return annotation


def _field(section: type[Section], key: str | int) -> FieldInfo | None:
    """Return the field that `key` is for: its name, or where that would be a word of Python's, its alias."""
    return next((known for name, known in section.model_fields.items() if key in (name, known.validation_alias)), None)


def _description(path: Path, whole: type[Section]) -> str:
    section = section_at(path[:-1], whole) if path else None
    known = _field(section, path[-1]) if section is not None else None
    return (known.description or "") if known is not None else ""


def _known_keys(path: Path, key: str, whole: type[Section]) -> str:
    section = section_at(path, whole)
    fields = section.model_fields if section is not None else {}
    return did_you_mean(key, [str(field.validation_alias or name) for name, field in fields.items()])
