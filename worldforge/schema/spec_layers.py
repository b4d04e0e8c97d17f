"""Layers of a spec, laid over one another: mappings merge, lists and single values replace, null removes a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worldforge.schema.problems import SpecError
from worldforge.schema.yaml_tree import Entry, Place, TreeNode, read_document

_VARIABLE = "WORLDFORGE__"


def merge(below: TreeNode, above: TreeNode) -> TreeNode:
    """Lay one tree over another. Each value keeps the place it came from."""
    if not isinstance(below.content, Mapping) or not isinstance(above.content, Mapping):
        return above
    merged = dict(below.content)
    for key, entry in above.content.items():
        if entry.is_null and key in merged:
            del merged[key]
        elif key in merged:
            merged[key] = Entry(entry.key_place, merge(merged[key].node, entry.node))
        else:
            merged[key] = entry
    return TreeNode(above.place, merged)


def override_layer(override: str, option: str = "--set", example: str = "tasks.list.count=10") -> TreeNode:
    """Read `a.b=c`, as the command line's `option` takes it; the value is YAML. Raises SpecError."""
    keys, separator, value = override.partition("=")
    place = Place(f"{option} {override}")
    if not separator or not all(keys.strip().split(".")):
        raise SpecError([place.problem((), "it is no setting", f"write `{option} {example}`")])
    return _nested(keys.strip().split("."), value, place)


def environment_layers(environment: Mapping[str, str]) -> list[TreeNode]:
    """Read the variables `WORLDFORGE__A__B=c`, in the order of their names. Raises SpecError."""
    names = sorted(name for name in environment if name.startswith(_VARIABLE))
    return [_nested(name.removeprefix(_VARIABLE).lower().split("__"), environment[name], Place(name)) for name in names]


def _nested(keys: Sequence[str], value: str, place: Place) -> TreeNode:
    node = _moved(_value(keys, value, place), place)
    for key in reversed(keys):
        node = TreeNode(place, {key: Entry(place, node)})
    return node


def _value(keys: Sequence[str], value: str, place: Place) -> TreeNode:
    if not value.strip():
        return TreeNode(place, None)
    try:
        node, problems = read_document(value, place.file)
    except SpecError as error:
        problems = list(error.problems)
    if problems:
        said = "; ".join(problem.message for problem in problems)
        raise SpecError([place.problem(tuple(keys), f"the value cannot be read: {said}")])
    return node


def _moved(node: TreeNode, place: Place) -> TreeNode:
    """Return the tree with everything in it standing at `place`."""
    if isinstance(node.content, Mapping):
        return TreeNode(place, {key: Entry(place, _moved(entry.node, place)) for key, entry in node.content.items()})
    if isinstance(node.content, Sequence) and not isinstance(node.content, str):
        return TreeNode(place, [_moved(item, place) for item in node.content])
    return TreeNode(place, node.content)
