"""Find and read specs, and merge the layers that a spec consists of.

    find_spec("specs/mine.yaml")        a file
    find_spec("mine")                   a folder that holds a world.yaml
    find_spec("quickstart")             the name of a spec that is shipped

A spec may extend another, which is found in the same way from the folder of the first. Environment variables and
overrides are layers above the files; of two layers the later wins, key by key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.problems import Problem, SpecError
from worldforge.schema.yaml_tree import MAX_CHARACTERS, Entry, Place, TreeNode, read_document

FILE_NAME = "world.yaml"
EXTENDS_FROM = "WORLDFORGE_EXTENDS_FROM"
"""The variable of the environment that names folders from which specs may extend others, as PATH does."""


def shipped_specs() -> dict[str, Path]:
    """Return the specs that come with WorldForge, by name, sorted."""
    folder = Path(__file__).parents[2] / "world_schemas"
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def find_spec(source: str | Path, beside: Path | None = None) -> Path:
    """Find the file that `source` names: a path (from the folder `beside`, where given) or a shipped name.

    Raises InputError where there is none.
    """
    path = (beside or Path()) / source
    try:
        if (path / FILE_NAME).is_file():
            return path / FILE_NAME
        if path.is_file():
            return path
        if path.is_dir() and str(source) not in shipped_specs():
            raise InputError(f"{path} holds no {FILE_NAME}", f"`worldforge new {path}` writes one")
    except OSError as error:  # a name that no file can have
        raise InputError(f"`{source}` cannot be looked for: {error.strerror}") from error
    shipped = shipped_specs()
    if str(source) not in shipped:
        hint = f"give a file, a folder, or a shipped name; {did_you_mean(str(source), shipped)}"
        raise InputError(f"there is no spec `{source}`", hint)
    return shipped[str(source)]


def read_source(source: str | Path) -> tuple[TreeNode, list[Problem]]:
    """Read a spec with all that it extends, merged, and what is wrong with parts of it.

    Raises SpecError where a file of them cannot be read, InputError where there is no such spec.
    """
    return _read_chain(find_spec(source), ())


def read_foreign(text: str, name: str) -> tuple[TreeNode, list[Problem]]:
    """Read a spec that comes from elsewhere, called `name` in errors, and what is wrong with parts of it.

    It may not extend another: that would be a file of whoever reads it. Raises SpecError where it is no spec.
    """
    node, extends, problems = _read_one(text, name)
    if extends is not None:
        message = "a spec from elsewhere cannot extend another"
        problems.append(extends.key_place.problem(("extends",), message, "datasets hold their spec whole"))
    return node, problems


def _read_one(text: str, name: str) -> tuple[TreeNode, Entry | None, list[Problem]]:
    """Read a document that must be a mapping; return what it extends apart."""
    node, problems = read_document(text, name)
    if not isinstance(node.content, dict):
        hint = "a spec begins with `name: …`"
        raise SpecError([*problems, node.place.problem((), "a spec is a mapping of keys to values", hint)])
    extends = node.content.pop("extends", None)
    return node, None if extends is None or extends.is_null else extends, problems


def _read_chain(path: Path, below: tuple[Path, ...]) -> tuple[TreeNode, list[Problem]]:
    node, extends, problems = _read_one(read_text(path), str(path))
    if extends is None:
        return node, problems
    place = extends.node.place
    if not isinstance(extends.node.content, str):
        raise SpecError([*problems, place.problem(("extends",), "it must be a shipped name or a path")])
    chain = (*below, path.resolve())
    try:
        base = find_spec(extends.node.content, path.parent)
        _check_may_extend(base, path.parent)
    except InputError as error:
        raise SpecError([*problems, place.problem(("extends",), error.message, error.hint)]) from error
    if base.resolve() in chain:
        cycle = " -> ".join(step.name for step in [*chain[chain.index(base.resolve()) :], base])
        raise SpecError([*problems, place.problem(("extends",), f"specs extend one another in a circle: {cycle}")])
    extended, more = _read_chain(base, chain)
    return merge(extended, node), [*more, *problems]


def _check_may_extend(base: Path, beside: Path) -> None:
    """Raise InputError unless `base` is shipped, lies in the folder `beside` or below, or where the user allowed it.

    A spec may come from a stranger, and errors quote what they are about: no other file is read.
    """
    allowed = [beside, Path(__file__).parents[2] / "world_schemas"]
    allowed += map(Path, filter(None, os.environ.get(EXTENDS_FROM, "").split(os.pathsep)))
    if not any(base.resolve().is_relative_to(folder.resolve()) for folder in allowed):
        hint = f"put it beside the spec, or allow its folder: {EXTENDS_FROM}={base.resolve().parent}"
        raise InputError("a spec extends shipped specs, and files beside or below itself", hint)


def read_text(path: Path) -> str:
    """Read a file as UTF-8. Raises InputError, or SpecError with the place of a byte that is none."""
    try:
        content = path.read_bytes() if path.stat().st_size <= 4 * MAX_CHARACTERS else b" " * (MAX_CHARACTERS + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        place = Place(str(path), line, column)
        raise SpecError([place.problem((), "the file is not UTF-8 text", "save it as UTF-8")]) from error


_VARIABLE = "WORLDFORGE__"


def merge(below: TreeNode, above: TreeNode) -> TreeNode:
    """Merge one tree over another; each value keeps its place."""
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


def settings_layers(overrides: Sequence[str], environment: Mapping[str, str]) -> tuple[list[TreeNode], list[Problem]]:
    """Read the layers above the files, lowest first, and what is wrong with them.

    Those are the variables `WORLDFORGE__A__B=c`, in the order of their names, then the overrides `a.b=c`.
    """
    layers: list[TreeNode] = []
    problems: list[Problem] = []
    for setting in (*sorted(name for name in environment if name.startswith(_VARIABLE)), *overrides):
        try:
            if setting in environment:
                keys = setting.removeprefix(_VARIABLE).lower().split("__")
                layers.append(_nested(keys, environment[setting], Place(setting)))
            else:
                layers.append(override_layer(setting))
        except SpecError as error:
            problems += error.problems
    return layers, problems


def _nested(keys: Sequence[str], value: str, place: Place) -> TreeNode:
    """Read the value of a setting, and put it under its keys."""
    node = TreeNode(place, None)
    problems: list[Problem] = []
    if value.strip():
        try:
            node, problems = read_document(value, place.file, place)
        except SpecError as error:
            problems = list(error.problems)
    if problems:
        said = "; ".join(problem.message for problem in problems)
        raise SpecError([place.problem(tuple(keys), f"the value cannot be read: {said}")])
    for key in reversed(keys):
        node = TreeNode(place, {key: Entry(place, node)})
    return node


_SAID = re.compile(r"(extends|title|scale|types):")  # keys whose lines are read
_OF_A_TYPE = re.compile(r"  \S|    (count|scaled):")  # lines below `types` that are read


class Shipped(NamedTuple):
    """A spec that is shipped."""

    name: str
    n_entities: int
    title: str


def list_shipped() -> list[Shipped]:
    """Return the shipped specs by name, as `load_spec` would read them, in a tenth of the time."""
    paths = shipped_specs()
    specs = {name: _read(paths, name).plain() for name in paths}
    return [Shipped(name, sum(_counts(spec)), spec["title"]) for name, spec in specs.items()]


def _counts(spec: dict[str, Any]) -> Iterator[int]:
    scale = spec.get("scale", 1.0)
    for one in spec["types"].values():
        yield max(1, round(one["count"] * scale)) if one.get("scaled", True) else one["count"]


def _read(paths: dict[str, Path], name: str) -> TreeNode:
    """Read of a shipped spec, and of those that it extends, the lines that say what is listed."""
    kept, types = [], False
    for line in read_text(paths[name]).splitlines():
        if line[:1].strip():
            types = line.startswith("types:")
        if (_OF_A_TYPE if types and line.startswith(" ") else _SAID).match(line):
            kept.append(line)
            if types and line.endswith(":") and line.startswith(" "):
                kept.append("    said: more")  # a type of which no line is read is a mapping as well
    node, _ = read_document("\n".join(kept), str(paths[name]))
    extends = node.plain().get("extends")
    return node if extends is None else merge(_read(paths, extends), node)
