"""A small world with a family of each sort: built, audited, solved; and questions that lose a condition are refused."""

import json
import re
from collections import defaultdict
from dataclasses import replace

import pytest
from command import worldforge

from worldforge.builders.tasks.gates import reading_reason
from worldforge.builders.tasks.gold_sql import gold_query
from worldforge.builders.tasks.task_family import load_family
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.world.table_files import read_tables
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import AnyOf, DescribedTerm, NoneOf, split_terms
from worldforge.world.world import open_world

WIDE = {"low": 4, "high": 6}
FAMILIES = {
    "list": {"family": "list", "count": 3},
    "either": {"family": "filter", "count": 3, "conditions": {"low": 2, "high": 4}, "logic": ["or"]},
    "without": {"family": "filter", "count": 3, "conditions": {"low": 2, "high": 3}, "logic": ["not"]},
    "ranges": {"family": "filter", "count": 3, "conditions": {"low": 2, "high": 2}, "logic": ["between"]},
    "best": {"family": "ranking", "count": 3},
    "joined": {"family": "join", "count": 6, "about": ["player", "club", "town"]},
    "described": {"family": "described", "count": 4},
    "together": {"family": "union", "count": 3},
    "common": {"family": "intersection", "count": 3},
    "gaps": {"family": "completion", "count": 2, "cells": {"low": 24, "high": 60}},
    "firsts": {"family": "top_per_group", "count": 4, "columns": {"low": 3, "high": 5}, "rows": {"low": 4, "high": 20}},
    "lists": {"family": "joined_lists", "count": 4, "columns": WIDE, "conditions": {"low": 2, "high": 3}},
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("families")
    spec = written(folder / "families.yaml", FAMILIES)
    worldforge("build", spec, "-o", folder / "world")
    return open_world(folder / "world")


def written(path, tasks):
    """Write a small quickstart with other tasks."""
    counts = {"town": 20, "club": 34, "player": 48, "festival": 12}
    types = {name: {"count": count} for name, count in counts.items()}
    spec = {"name": "families", "extends": "quickstart", "types": types, "tasks": {"list": None, **tasks}}
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def of(world, name):
    tasks = [task for task in world.tasks if task.id.startswith(f"task/{name}-")]
    assert len(tasks) == FAMILIES[name]["count"], f"{name}: {len(tasks)} tasks"
    return tasks


def test_every_family_has_its_tasks_and_the_audit_finds_nothing(world):
    assert all(of(world, name) for name in FAMILIES)
    audit = json.loads((world.path / "audit.json").read_text())
    assert {check["check"]: check["failures"] for check in audit["checks"] if check["failures"]} == {}
    assert all(
        task.measures.oracle_pages and task.measures.oracle_calls <= 50 and 0 < task.measures.best_page_share <= 1
        for task in world.tasks
    )


def test_tasks_take_the_logic_that_was_asked_for(world):
    assert all("or" in task.logic.split() for task in of(world, "either"))
    assert all("not" in task.logic.split() for task in of(world, "without"))
    assert all("between" in task.logic.split() for task in of(world, "ranges"))
    for task in of(world, "best"):
        (by,) = (number for number, column in enumerate(task.columns) if column.path == task.shape.order)
        assert len(task.gold) == task.shape.limit and all(row[by] for row in task.gold)

    assert all({"related", "window"} & set(task.logic.split()) for task in of(world, "joined"))
    assert all("described" in task.logic.split() and task.measures.n_hops for task in of(world, "described"))
    assert all("or" in task.logic.split() for task in of(world, "together"))
    assert all(len(task.conditions) == 2 for task in of(world, "common"))
    for task in of(world, "gaps"):
        assert all(row[0] in task.wording for row in task.gold) and 24 <= len(task.gold) * len(task.columns) <= 60


def test_the_first_of_each_group_are_those_that_the_tables_rank_first(world):
    for task in of(world, "firsts"):
        shape, by_path = task.shape, {column.path: place for place, column in enumerate(task.columns)}
        assert [column.path for column in task.columns if column.is_key] == ["name", shape.within]
        names = {row["id"]: row["name"] for name in world.spec.types for row in world.entities(name).to_pylist()}
        own = {row["id"]: row for row in world.entities(task.about).to_pylist()}
        compared = re.sub(r" QUALIFY rank\(\) OVER \(PARTITION BY .*?\) <= \d+", "", task.query)
        groups = defaultdict(list)
        for id_, *_ in world.database().sql(compared).fetchall():
            groups[own[id_][shape.within]].append(own[id_])
        assert len(groups) > 1 and sum(len(one) > shape.limit for one in groups.values()) * 2 >= len(groups)
        expected = set()
        for group, members in groups.items():
            ranked = sorted(members, key=lambda row: row[shape.order], reverse=shape.highest)
            if len(ranked) > shape.limit:
                assert ranked[shape.limit - 1][shape.order] != ranked[shape.limit][shape.order]
            expected |= {(row["name"], names.get(group, group)) for row in ranked[: shape.limit]}
        assert {(row[by_path["name"]], row[by_path[shape.within]]) for row in task.gold} == expected
        assert "each" in task.logic.split() and "row_order" not in task.evaluation
        assert "list all there are" in task.wording and "in any order" in task.wording


def test_joined_lists_pair_those_who_meet_their_conditions_with_whom_they_refer_to(world):
    for task in of(world, "lists"):
        reference, paths = task.shape.owners, [column.path for column in task.columns]
        assert [column.path for column in task.columns if column.is_key] == [reference, "name"] == paths[:2]
        further = {path.partition(".")[0] == reference for path in paths[2:]}
        assert further == {True, False}, "columns of both lists are asked for"
        kinds = world.spec.types[task.about].attributes
        owners, own = split_terms(task.conditions, reference)
        assert owners and own
        there = str(kinds[reference].references)
        first, second = (
            world.database().sql(gold_query(world.spec, about, terms, (TaskColumn("name", "name", "text"),))).fetchall()
            for about, terms in ((there, owners), (task.about, own))
        )
        owner_of = {row["id"]: row[reference] for row in world.entities(task.about).to_pylist()}
        pairs = {(dict(first)[owner_of[id_]], name) for id_, name in second if owner_of[id_] in dict(first)}
        assert {row[:2] for row in task.gold} == pairs and len({row[0] for row in task.gold}) > 1
        assert {"each"} <= set(task.logic.split()) and task.measures.n_hops


def test_another_group_number_or_end_of_the_ranking_is_read_as_another_question(world):
    spec = load_spec(world.path.parent / "families.yaml")
    words = vocabularies(spec, read_tables(spec, world.path), (*spec.types, *spec.relations), None)
    for task in of(world, "firsts"):
        for change in ({"within": ""}, {"limit": task.shape.limit + 1}, {"highest": not task.shape.highest}):
            other = replace(task, shape=replace(task.shape, **change))
            assert "asks something else" in reading_reason(other, words, load_family(task.family))


def test_a_described_entity_is_not_named(world):
    for task in of(world, "described"):
        (named,) = (term.written for term in task.conditions if isinstance(term, DescribedTerm))
        assert named not in task.wording.partition("\n")[0]


def test_specs_that_ask_for_too_much_are_told_so(tmp_path):
    for wrong, said in (
        ({"family": "ranking", "count": 1, "logic": ["or"]}, "belongs to the family `filter`"),
        ({"family": "list", "count": 1, "cells": {"low": 4, "high": 5000}}, "to 4096"),
        ({"family": "list", "count": 1, "cells": {"low": 4, "high": 8}, "rows": {"low": 1, "high": 2}}, "one of"),
        ({"family": "join", "about": ["festival"], "count": 1}, "nothing refers to `festival`"),
        ({"family": "described", "about": ["region"], "count": 1}, "`region` refers to nothing"),
        ({"family": "joined_lists", "about": ["region"], "count": 1, "columns": WIDE}, "no reference of `region`"),
        ({"family": "joined_lists", "count": 1, "columns": {"low": 2, "high": 3}}, "names of both lists"),
        ({"family": "joined_lists", "count": 1, "columns": WIDE, "conditions": {"low": 1, "high": 1}}, "one on each"),
        ({"family": "joined_lists", "count": 1, "columns": WIDE, "include": ["website"]}, "`include` does not belong"),
        ({"family": "lists", "count": 1}, "`list`"),
    ):
        with pytest.raises(SpecError) as refused:
            load_spec(written(tmp_path / "wrong.yaml", {"one": wrong}))
        assert said in str(refused.value) + "".join(problem.hint for problem in refused.value.problems)


def lesser(terms):
    """Give the same terms with one condition less, each in turn."""
    for place, term in enumerate(terms):
        yield (*terms[:place], *terms[place + 1 :])
        if isinstance(term, AnyOf | NoneOf):
            for part in range(len(term.parts)):
                yield (*terms[:place], type(term)((*term.parts[:part], *term.parts[part + 1 :])), *terms[place + 1 :])


def test_a_wording_that_adds_or_loses_a_condition_is_refused(world):
    spec = load_spec(world.path.parent / "families.yaml")  # with its phrasebook, which questions are worded by
    words = vocabularies(spec, read_tables(spec, world.path), (*spec.types, *spec.relations), None)
    for task in world.tasks:
        assert reading_reason(task, words, load_family(task.family)) == ""
        for terms in lesser(task.conditions):
            assert reading_reason(replace(task, conditions=terms), words, load_family(task.family)), task.wording
        others = [one for one in world.tasks if one.about == task.about and one != task]
        assert all(
            reading_reason(replace(one, wording=task.wording), words, load_family(task.family)) for one in others
        )
        first, stop, rest = task.wording.partition(". ")  # what follows tells the columns
        shortened = first.replace(" and ", " or ", 1).replace("except", "including", 1)
        if shortened != first:
            other = replace(task, wording=shortened + stop + rest)
            assert reading_reason(other, words, load_family(task.family)), other.wording


@pytest.mark.parametrize(("code", "message"), [("raise ValueError('no')", "my_family:FAMILY` failed: ValueError: no"),
                                               ("return 5", "my_family:FAMILY` failed")])  # fmt: skip
def test_a_family_of_ones_own_that_fails_is_named(code, message, tmp_path):
    (tmp_path / "my_family.py").write_text(
        "from worldforge.builders.tasks.task_family import Family\n"
        f"def draw(given):\n    {code}\nFAMILY = Family(draw, frames='list')\n"
    )
    written(tmp_path / "mine.yaml", {"own": {"family": "my_family:FAMILY", "count": 2}})
    refused = worldforge("build", tmp_path / "mine.yaml", "-o", tmp_path / "world", "--allow-code", code=2)
    assert message in refused.stderr
    assert "--allow-code" in worldforge("validate", tmp_path / "mine.yaml", code=2).stderr
