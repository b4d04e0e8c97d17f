"""Tables of more rows than 50 calls reach: kept, solved, and played by agents whose limit follows the task."""

import json

import pytest
from command import worldforge

from worldforge.agents.budget import agent_steps, oracle_steps
from worldforge.rollout import rollout
from worldforge.world.world import open_world

PAGES = {"town_article": {"generator": "pages.encyclopedia", "about": "town"}}
TYPES = {
    "town": {
        "count": 76,
        "name": {"generator": "names.town"},
        "attributes": {
            "chartered": {"generator": "values.year", "params": {"low": 1100, "high": 1900}},
            "elevation": {"generator": "values.integer", "params": {"low": 1, "high": 900}},
        },
    }
}
TASKS = {
    "wide": {
        "family": "list",
        "count": 1,
        "columns": {"low": 2, "high": 2},
        "cells": {"low": 132, "high": 148},
        "conditions": {"low": 1, "high": 1},
    }
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    spec = {"name": "large", "types": TYPES, "pages": PAGES, "tasks": TASKS}
    (folder / "large.yaml").write_text(json.dumps(spec), encoding="utf-8")
    worldforge("build", folder / "large.yaml", "-o", folder / "world")
    return open_world(folder / "world")


def test_a_table_of_many_pages_is_kept_where_the_oracle_has_two_calls_a_row(world):
    (task,) = world.tasks
    assert 66 <= len(task.gold) <= 74
    assert 50 < task.n_tool_calls <= oracle_steps(task) == 2 * len(task.gold) + 10
    assert agent_steps(task) == 2 * task.n_tool_calls


def test_an_agent_has_fifty_calls_or_as_many_as_its_task_gives_it(world):
    short, long = rollout(world, run="short").tally, rollout(world, run="long", max_steps="task").tally
    assert short.scores["success"] == 0 and short.n_tool_calls <= 50
    assert long.scores["success"] == 1 and long.n_tool_calls == world.tasks[0].n_tool_calls
    config = json.loads((world.path / "trajectories/long/config.json").read_text(encoding="utf-8"))
    assert config["max_steps"] == "task"


@pytest.mark.parametrize("steps", ["0", "-3", "many", ""])
def test_a_limit_is_a_number_or_the_word_task(world, steps):
    said = worldforge("rollout", world.path, "--max-steps", steps, code=2)
    assert "--max-steps" in said.stderr
