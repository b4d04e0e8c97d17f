"""Tables of an entity and a year: the rows of a relation in a range of years, asked for, read back and solved."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from command import worldforge

from worldforge.builders.tasks.gates import reading_reason
from worldforge.builders.tasks.gold_sql import gold_query, run_gold_query
from worldforge.builders.tasks.task_family import load_family
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.schema.spec_loader import load_spec
from worldforge.world.database import connect
from worldforge.world.table_files import read_tables
from worldforge.world.task import TaskColumn, task_to_row, tasks_from_table, tasks_to_table
from worldforge.world.world import open_world

YEAR = "= coalesce(previous.year + 1, 2020)"
GIVEN = {
    "source": "club",
    "target": "town",
    "title": "Yearly grants",
    "series": "source",
    "distinct": False,
    "per_source": {"low": 5, "high": 8},
    "columns": {
        "year": {"generator": "values.year", "params": {"low": YEAR, "high": YEAR}},
        "grant": {"generator": "values.integer", "params": {"low": 10, "high": 90_000}, "unit": "marks"},
    },
}
SPEC = {
    "name": "years",
    "extends": "quickstart",
    "types": {"town": {"count": 20}, "club": {"count": 34}, "player": {"count": 48}, "festival": {"count": 12}},
    "relations": {"given": GIVEN},
    "tasks": {
        "list": None,
        "years": {
            "family": "rows_by_time",
            "about": ["club"],
            "count": 5,
            "cells": {"low": 20, "high": 300},
            "columns": {"low": 3, "high": 6},
        },
    },
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("years")
    (folder / "years.yaml").write_text(json.dumps(SPEC), encoding="utf-8")
    worldforge("build", folder / "years.yaml", "-o", folder / "world")
    return open_world(folder / "world")


def test_the_rows_are_those_of_the_years_that_are_asked_for(world):
    tables = read_tables(world.spec, world.path)
    connection = connect({name: tables[name] for name in world.spec.types})
    names = {row["id"]: row["name"] for row in tables["club"].to_pylist()}
    assert len(world.tasks) == 5
    for task in world.tasks:
        (years,) = task.shape.where
        assert [column.path for column in task.columns if column.is_key] == ["source", "year"]
        plain = gold_query(world.spec, "club", task.conditions, (TaskColumn("name", "name", "text"),))
        met = set(run_gold_query(connection, plain).ids)
        own = [row for row in tables["given"].to_pylist() if row["source"] in met]
        asked = [row for row in own if int(years.value) <= row["year"] <= int(years.upper)]
        assert 0 < len(asked) < len(own)
        expected = Counter((names[row["source"]], str(row["year"])) for row in asked)
        assert Counter(row[:2] for row in task.gold) == expected
        assert f"from {years.value} to {years.upper}" in task.wording.partition("\n")[0]
        assert {"rows", "between"} <= set(task.logic.split())


def test_other_years_are_read_as_another_question(world):
    spec = load_spec(world.path.parent / "years.yaml")
    words = vocabularies(spec, read_tables(spec, world.path), (*spec.types, *spec.relations), None)
    family = load_family("rows_by_time")
    for task in world.tasks:
        assert reading_reason(task, words, family) == ""
        (years,) = task.shape.where
        for where in ((), (replace(years, value="2019", written="2019"),), (replace(years, path="grant"),)):
            other = replace(task, shape=replace(task.shape, where=where))
            assert "asks something else" in reading_reason(other, words, family)


def test_the_searcher_and_the_audit_find_them(world):
    assert all(task.measures.searcher_f1 >= 0.95 for task in world.tasks)
    audit = json.loads((world.path / "audit.json").read_text())
    assert {check["check"]: check["failures"] for check in audit["checks"] if check["failures"]} == {}


def test_the_years_are_kept_with_the_task(world):
    assert tasks_from_table(tasks_to_table(world.tasks)) == world.tasks
    (where,) = json.loads(task_to_row(world.tasks[0])["shape"])["where"]
    assert (where["path"], where["operator"]) == ("year", "between")
