"""Rubbish in: problems and exit code 2 out; never a traceback, never a world that is half there."""

import random

import pytest
from schema_mutations import mutated

from worldforge.cli.main import run
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.spec_sources import shipped_specs

QUICKSTART = shipped_specs()["quickstart"].read_text(encoding="utf-8")
SMALL = ("scale=0.1", "tasks.list.count=3")


def build(folder, spec, *settings):
    """Run the command in this process, where what it does not catch would be seen; return its exit code."""
    options = [part for setting in settings for part in ("--set", setting)]
    return run(["build", str(spec), "-o", str(folder / "world"), *options])


def numbers(value, path=()):
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in numbers(item, (*path, key))]
    return [(".".join(path), value)] if isinstance(value, int | float) else []


@pytest.fixture(autouse=True)
def defects_raise(monkeypatch):
    monkeypatch.setenv("WORLDFORGE_DEBUG", "1")


@pytest.mark.parametrize("seed", range(60))
def test_a_mutated_spec_is_refused_or_built(tmp_path, seed):
    path = tmp_path / "world.yaml"
    path.write_bytes(mutated(QUICKSTART, seed))
    code = build(tmp_path, path, *SMALL)
    assert code in (0, 2, 4)
    assert (tmp_path / "world" / "world.json").exists() == (code != 2)


@pytest.mark.parametrize("seed", range(25))
def test_a_spec_with_other_numbers_is_refused_or_built(tmp_path, seed):
    """Every number of the spec scaled, up or down: what validates must build and pass the audit, or say why not."""
    chance = random.Random(seed)
    settings = []
    for path, value in chance.sample(numbers(load_spec("quickstart", SMALL).model_dump()), 2):
        other = not value if isinstance(value, bool) else type(value)(value * chance.choice([0, 0.1, 0.5, 1.5, 4]))
        settings.append(f"{path}={str(other).lower()}")
    code = build(tmp_path, "quickstart", *SMALL, *settings)
    assert code in (0, 2, 4), settings
    assert (tmp_path / "world" / "world.json").exists() == (code != 2)
