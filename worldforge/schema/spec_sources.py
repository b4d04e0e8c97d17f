"""Find and read specs, and merge the layers that a spec consists of.

    find_spec("specs/mine.yaml")        a file
    find_spec("mine")                   a folder that holds a world.yaml
    find_spec("quickstart")             the name of a spec that is shipped

A spec may extend another, which is found in the same way from the folder of the first. Environment variables and
overrides are layers above the files; of two layers the later wins, key by key.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.document import MAX_CHARACTERS, Document, Place, merge, read_document
from worldforge.schema.problems import Problem, SpecError

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


def read_source(source: str | Path) -> tuple[Document, list[Problem]]:
    """Read a spec with all that it extends, merged, and what is wrong with parts of it.

    Raises SpecError where a file of them cannot be read, InputError where there is no such spec.
    """
    return _read_chain(find_spec(source), ())


def read_foreign(text: str, name: str) -> tuple[Document, list[Problem]]:
    """Read a spec that comes from elsewhere, called `name` in errors, and what is wrong with parts of it.

    It may not extend another: that would be a file of whoever reads it. Raises SpecError where it is no spec.
    """
    document, extends, problems = _read_one(text, name)
    if extends is not None:
        message = "a spec from elsewhere cannot extend another"
        problems.append(document.problem(("extends",), message, "datasets hold their spec whole", key=True))
    return document, problems


def _read_one(text: str, name: str) -> tuple[Document, Any, list[Problem]]:
    """Read a document that must be a mapping; return what it extends apart."""
    document, problems = read_document(text, name)
    if not isinstance(document.data, dict):
        hint = "a spec begins with `name: …`"
        raise SpecError([*problems, document.problem((), "a spec is a mapping of keys to values", hint)])
    return document, document.data.pop("extends", None), problems


def _read_chain(path: Path, below: tuple[Path, ...]) -> tuple[Document, list[Problem]]:
    document, extends, problems = _read_one(read_text(path), str(path))
    if extends is None:
        return document, problems
    chain = (*below, path.resolve())
    try:
        if not isinstance(extends, str):
            raise InputError("it must be a shipped name or a path")
        base = find_spec(extends, path.parent)
        _check_may_extend(base, path.parent)
        if base.resolve() in chain:
            cycle = " -> ".join(step.name for step in [*chain[chain.index(base.resolve()) :], base])
            raise InputError(f"specs extend one another in a circle: {cycle}")
    except InputError as error:
        raise SpecError([*problems, document.problem(("extends",), error.message, error.hint)]) from error
    extended, more = _read_chain(base, chain)
    return extended.merged(document), [*more, *problems]


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


def override_layer(override: str, option: str = "--set", example: str = "tasks.list.count=10") -> Document:
    """Read `a.b=c`, as the command line's `option` takes it; the value is YAML. Raises SpecError."""
    keys, separator, value = override.partition("=")
    place = Place(f"{option} {override}")
    if not separator or not all(keys.strip().split(".")):
        raise SpecError([place.problem((), "it is no setting", f"write `{option} {example}`")])
    return _nested(keys.strip().split("."), value, place)


def settings_layers(overrides: Sequence[str], environment: Mapping[str, str]) -> tuple[list[Document], list[Problem]]:
    """Read the layers above the files, lowest first, and what is wrong with them.

    Those are the variables `WORLDFORGE__A__B=c`, in the order of their names, then the overrides `a.b=c`.
    """
    layers: list[Document] = []
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


def _nested(keys: Sequence[str], value: str, place: Place) -> Document:
    """Read the value of a setting, and put it under its keys."""
    try:
        read, problems = read_document(value if value.strip() else "~", place.file, place)
    except SpecError as error:
        problems = list(error.problems)
    if problems:
        messages = "; ".join(problem.message for problem in problems)
        raise SpecError([place.problem(tuple(keys), f"the value cannot be read: {messages}")])
    return read.under(keys)


class Shipped(NamedTuple):
    """A spec that is shipped."""

    name: str
    n_entities: int
    title: str


def list_shipped() -> list[Shipped]:
    """Return the shipped specs by name, read as plain YAML and not checked."""
    return [_summary(name) for name in shipped_specs()]


def _summary(name: str) -> Shipped:
    spec = _read_unchecked(name)
    scale, types = spec.get("scale", 1.0), spec["types"].values()
    counts = [max(1, round(one["count"] * scale)) if one.get("scaled", True) else one["count"] for one in types]
    return Shipped(name, sum(counts), spec["title"])


@cache
def _read_unchecked(name: str) -> dict[str, Any]:
    """Read a shipped spec, merged over what it extends: many times faster than with the places of its keys."""
    spec: dict[str, Any] = yaml.load(read_text(shipped_specs()[name]), yaml.CSafeLoader)
    return merge(_read_unchecked(spec["extends"]), spec) if "extends" in spec else spec
