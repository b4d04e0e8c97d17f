"""The reference says all there is: every key of a spec, every shipped generator and its parameters."""

import inspect
import types
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel

from worldforge.core.imports import load, shipped
from worldforge.schema.spec import WorldSpec

ROOT = Path(__file__).parent.parent
REFERENCE = (ROOT / "docs" / "world_yaml.md").read_text(encoding="utf-8")


def models(model: type[BaseModel], seen: set[type[BaseModel]] | None = None) -> set[type[BaseModel]]:
    seen = set() if seen is None else seen
    if model not in seen:
        seen.add(model)
        for field in model.model_fields.values():
            for part in parts(field.annotation):
                if isinstance(part, type) and issubclass(part, BaseModel):
                    models(part, seen)
    return seen


def parts(annotation: object) -> list[object]:
    if typing.get_origin(annotation) in (dict, list, typing.Union, types.UnionType, typing.Annotated):
        return [part for argument in typing.get_args(annotation) for part in parts(argument)]
    return [annotation]


def test_the_reference_names_every_key():
    keys = {key for model in models(WorldSpec) for key in model.model_fields}
    assert {key for key in keys if f"`{key}`" not in REFERENCE and f".{key}`" not in REFERENCE} == set()


@pytest.mark.parametrize("name", [name for name in shipped() if not name.startswith("questions.")])
def test_the_reference_names_every_generator_and_its_parameters(name):
    rows = [line for line in REFERENCE.splitlines() if line.startswith("| `")]
    line = next((row for row in rows if f"`{name}`" in row.split("|")[1]), "")
    assert line, f"docs/world_yaml.md does not list {name}"
    if not name.startswith("pages."):
        for parameter in list(inspect.signature(load(name)).parameters)[2:]:
            assert f"`{parameter}`" in line, f"docs/world_yaml.md does not give {name}'s {parameter}"


def test_what_the_readme_links_to_is_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in [part.split(")")[0] for part in text.split("](")[1:]]:
        assert target.startswith("http") or (ROOT / target).exists(), target
