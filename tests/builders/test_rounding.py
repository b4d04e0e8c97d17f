"""Means and quotients are held, asked for and answered with two decimals, unless the spec rounds them itself."""

import pytest
from command import worldforge as command

import worldforge as wf
from worldforge.schema.expressions import compile_derived, decimals_of
from worldforge.schema.spec_loader import load_spec

SPEC = """
extends: quickstart
name: rounding
types:
  region:
    derived:
      mean_height: {over: town.region, sql: avg(elevation), label: mean elevation of its towns}
      per_town: {over: town.region, sql: "sum(population) / count(*)", label: people a town}
      fine: {over: town.region, sql: "round(avg(elevation), 4)", label: fine elevation}
      tops: {over: town.region, sql: max(elevation), label: highest elevation}
      is_high: {over: town.region, sql: "avg(elevation) > 100", label: high country}
tasks:
  list: null
  means: {family: list, about: [region], count: 3, rows: {low: 2, high: 5}, columns: {low: 8, high: 12}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rounding")
    (folder / "world.yaml").write_text(SPEC)
    return folder


def test_means_and_quotients_keep_two_decimals(folder):
    spec = load_spec(folder / "world.yaml")
    kept = {name: decimals_of(compile_derived(spec, "region", name)) for name in spec.types["region"].derived}
    expected = {"mean_height": 2, "per_town": 2, "fine": 6, "tops": 6, "is_high": 6}
    assert {name: kept[name] for name in expected} == expected


def test_the_question_says_how_they_are_rounded_and_gold_is(folder):
    command("build", folder / "world.yaml", "--out", folder / "world")
    world = wf.open_world(folder / "world")
    asked = 0
    for task in world.tasks:
        for place, column in enumerate(task.columns):
            cells = [row[place] for row in task.gold]
            if column.path in ("mean_height", "per_town"):
                asked += 1
                assert f"{column.label} to two decimals" in task.wording
                assert all(len(cell.partition(".")[2]) <= 2 for cell in cells)
            elif column.path == "fine":
                assert any(len(cell.partition(".")[2]) > 2 for cell in cells)
    assert asked >= 3
