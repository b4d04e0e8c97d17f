"""Tables that are no list of some twenty rows: large ones, and those whose rows are groups of entities."""

import json
import re
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import pytest
from command import worldforge

from generators.questions import adds_up, ask, measured, read
from worldforge.builders.tasks.gates import reading_reason
from worldforge.builders.tasks.group_columns import is_halfway
from worldforge.builders.tasks.task_family import load_family
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.core.chance import Stream
from worldforge.entry_points.play_run import rollout
from worldforge.environments.answer_rows import rows_from
from worldforge.environments.call_budget import agent_steps, oracle_steps
from worldforge.environments.coverage import ComputedCells
from worldforge.world.computed_cells import Measure, facts_of, measure_of
from worldforge.world.lineage import explain
from worldforge.world.question_labels import ColumnLabels, Question, TableLabels
from worldforge.world.table_files import read_tables
from worldforge.world.task_terms import Condition, Shape
from worldforge.world.world import open_world

PAGES = {kind: {"generator": "pages.encyclopedia", "about": kind} for kind in ("region", "town")}
SIZES = {
    "region": {"references": "region"},
    "style": {"generator": "values.choice", "params": {"options": ["brick", "timber", "stone", "plaster"]}},
    "fair": {"generator": "values.date", "params": {"low": "1990-01-01", "high": "2020-12-31"}, "label": "first fair"},
    "chartered": {"generator": "values.year", "params": {"low": 1100, "high": 1900}, "label": "charter year"},
    "elevation": {"generator": "values.integer", "params": {"low": 1, "high": 900}, "unit": "m"},
    "people": {"generator": "values.integer", "params": {"low": 100, "high": 9000}, "label": "inhabitants"},
    "area": {"generator": "values.number", "params": {"low": 1, "high": 90, "decimals": 1}, "unit": "km²"},
}
TYPES = {
    "region": {"count": 5, "name": {"generator": "names.region"}},
    "town": {"count": 64, "name": {"generator": "names.town"}, "attributes": SIZES},
}
TASKS = {
    "wide": {
        "family": "list",
        "about": ["town"],
        "count": 1,
        "columns": {"low": 2, "high": 2},
        "cells": {"low": 112, "high": 124},
        "conditions": {"low": 1, "high": 1},
    },
    "groups": {
        "family": "aggregate",
        "about": ["town"],
        "count": 9,
        "columns": {"low": 3, "high": 5},
        "groups": {"members": {"low": 8, "high": 30}},
    },
}


def spec_of(folder, **changes):
    spec = {"name": "towns", "types": TYPES, "pages": PAGES, "tasks": TASKS, **changes}
    (folder / "towns.yaml").write_text(json.dumps(spec), encoding="utf-8")
    return folder / "towns.yaml"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    worldforge("build", spec_of(folder), "-o", folder / "world")
    return open_world(folder / "world")


@pytest.fixture(scope="module")
def groups(world):
    return [task for task in world.tasks if task.family == "aggregate"]


def test_a_table_of_many_pages_is_kept_where_the_oracle_has_three_calls_an_entity(world):
    wide = world.tasks[0]
    assert 56 <= len(wide.gold) <= 62
    assert 50 < wide.measures.oracle_calls <= oracle_steps(wide) == 3 * len(wide.gold) + 10
    assert agent_steps(wide) == 2 * wide.measures.searcher_calls


def test_an_agent_has_fifty_calls_or_as_many_as_its_task_gives_it(world):
    short = rollout(world, run="short", limit=1).tally
    long = rollout(world, run="long", max_steps="task").tally
    assert short.scores["success"] == 0 and short.n_tool_calls <= 50
    assert (long.n_episodes, long.scores["success"], long.scores["coverage"]) == (10, 1, 1)
    assert long.n_tool_calls == sum(task.measures.oracle_calls for task in world.tasks)
    config = json.loads((world.path / "trajectories/long/config.json").read_text(encoding="utf-8"))
    assert config["max_steps"] == "task"


@pytest.mark.parametrize("steps", ["0", "-3", "many", ""])
def test_a_limit_is_a_number_or_the_word_task(tmp_path, steps):
    assert "--max-steps" in worldforge("rollout", tmp_path, "--max-steps", steps, code=2).stderr


def test_groups_are_kept_and_the_audit_finds_nothing(world, groups):
    assert len(groups) == 9
    audit = json.loads((world.path / "audit.json").read_text(encoding="utf-8"))
    assert {check["check"]: check["failures"] for check in audit["checks"] if check["failures"]} == {}
    names = {measure.name for task in groups for column in task.columns if (measure := measure_of(column.path))}
    assert names == {"count", "sum", "mean", "min", "max"}
    assert {task.shape.group for task in groups} == {"region", "style"}
    assert all("group" in task.logic and task.measures.oracle_calls <= 50 for task in groups)
    assert {task.shape.group for task in groups if task.measures.guess_f1} == {"style"}  # a short list of options


def test_gold_is_what_the_facts_of_its_cells_come_to(world, groups):
    """Compute every cell anew from the tables, by the facts that the task names, in whole fractions."""
    towns = {row["id"]: row for row in world.entities("town").to_pylist()}
    regions = {row["id"]: row["name"] for row in world.entities("region").to_pylist()}
    for task in groups:
        members = defaultdict(set)
        for row, facts in zip(task.gold, task.facts, strict=True):
            for cell, column, fact in zip(row[1:], task.columns[1:], facts[1:], strict=True):
                measure = measure_of(column.path)
                own = list(dict.fromkeys(one.partition("#")[0] for one in facts_of(fact)))
                assert {regions.get(towns[one][task.shape.group], towns[one][task.shape.group]) for one in own} == {
                    row[0]
                }
                members[row[0]].add(frozenset(own))
                assert cell == computed(measure, [towns[one].get(measure.column) for one in own]), (task.id, column)
        assert all(len(own) == 1 for own in members.values())


def computed(measure, values):
    match measure.name:
        case "count":
            return str(len(values))
        case "mean":
            scaled = sum(Fraction(str(value)) for value in values) / len(values) * 10**measure.places
            assert scaled % 1 != Fraction(1, 2), "people would round it either way"
            return f"{float(Fraction(round(scaled), 10**measure.places)):g}"
        case "sum":
            return str(sum(values))
        case _:
            best = min(values) if measure.name == "min" else max(values)
            return f"{best:g}" if isinstance(best, float) else str(best)


def test_a_question_that_loses_a_condition_or_another_group_is_refused(world, groups):
    words = vocabularies(world.spec, read_tables(world.spec, world.path), list(world.spec.types), None)
    for task in groups:
        assert reading_reason(task, words, load_family(task.family)) == ""
        other = {"region": "style", "style": "region"}[task.shape.group]
        assert "asks something else" in reading_reason(
            replace(task, shape=replace(task.shape, group=other)), words, load_family(task.family)
        )
        assert reading_reason(replace(task, conditions=task.conditions[1:]), words, load_family(task.family))
        lost = replace(task, wording=task.wording.replace(task.labels[-1][1:], "something", 1))
        assert "cannot be read back" in reading_reason(lost, words, load_family(task.family))


def test_means_are_rounded_as_the_question_says(groups):
    for task in groups:
        said = re.search(r"Round (.+), and no other number\.", task.wording)
        means = [column.label for column in task.columns if (m := measure_of(column.path)) and m.name == "mean"]
        assert (said is None) == (not means)
        assert all(f"{label} to " in said[1] for label in means)
    assert is_halfway(Measure("mean", "x", 1), [12, 12, 12, 13]) and not is_halfway(Measure("mean", "x", 1), [12, 13])
    assert is_halfway(Measure("mean", "x", 1), [-0.2, 0.1]) and not is_halfway(Measure("mean", "x", 2), [-0.2, 0.1])


def test_an_oracle_answers_from_what_it_was_shown(groups):
    task = next(task for task in groups if "count()" in [column.path for column in task.columns])
    place = [column.path for column in task.columns].index("count()")
    counts = [int(row[place]) for row in task.gold]
    names = {fact: row[0] for row, facts in zip(task.gold, task.facts, strict=True) for fact in facts_of(facts[place])}
    known = {row[0]: gold[0] for row, gold in zip(task.facts, task.gold, strict=True)} | names
    assert [int(row[place]) for row in rows_from(task, known)] == counts
    here = counts.index(max(counts))
    moved = facts_of(task.facts[here][place])[-1]
    shown = rows_from(task, known | {moved: task.gold[here - 1][0]})
    assert [int(shown[row][place]) for row in (here, here - 1)] == [counts[here] - 1, counts[here - 1] + 1]
    unseen = rows_from(task, {fact: value for fact, value in known.items() if fact != moved})
    assert int(unseen[here][place]) == counts[here] - 1


def test_a_computed_cell_is_seen_with_the_last_of_its_facts_and_traced_to_all(world, groups):
    task = groups[0]
    facts = facts_of(task.facts[0][-1])
    cell, seen = len(task.columns) - 1, ComputedCells(task)
    shown = [list(seen.shown(fact, [cell])) for fact in facts]
    assert shown[:-1] == [[]] * (len(facts) - 1) and shown[-1] == [cell]
    traced = next(one for one in explain(world, task.id).cells if (one.row, one.column) == (0, task.labels[-1]))
    assert [one.fact for one in traced.facts] == facts and all(one.statements for one in traced.facts)


@pytest.mark.parametrize(
    "family, said",
    [
        (
            {"family": "list", "groups": {"measures": ["count"]}},
            "`groups` belongs to the families `aggregate` and `top_per_group`",
        ),
        ({"family": "aggregate", "groups": {"measures": []}}, "must hold at least one"),
        ({"family": "aggregate", "groups": {"measures": ["count", "count"]}}, "names one twice"),
        ({"family": "aggregate", "columns": {"low": 1, "high": 3}}, "columns.low must be at least 2"),
        ({"family": "aggregate", "groups": {"members": {"low": 2, "high": 4}}}, "4 members are too few for 3 groups"),
        (
            {"family": "aggregate", "groups": {"members": {"low": 90, "high": 99}}},
            "there are 64 of `town`: too few to put 90",
        ),
        (
            {"family": "list", "groups": {"of": ["people"]}},
            "`groups` belongs to the families `aggregate` and `top_per_group`",
        ),
        ({"family": "aggregate", "groups": {"by": ["regoin"]}}, "did you mean `region`"),
        ({"family": "aggregate", "groups": {"first": {"low": 2, "high": 3}}}, "`first` belongs to the groups of"),
        ({"family": "top_per_group", "groups": {"measures": ["count"]}}, "belong to the groups of"),
        ({"family": "top_per_group", "groups": {"first": {"low": 1, "high": 3}}}, "first.low must be at least 2"),
        ({"family": "top_per_group", "columns": {"low": 2, "high": 2}}, "columns.high must be at least 3"),
        ({"family": "top_per_group", "groups": {"by": ["people"]}}, "no column `people` of a reference or a text"),
        ({"family": "aggregate", "groups": {"by": ["people"]}}, "no column `people` of a reference or a text"),
        ({"family": "aggregate", "groups": {"of": ["region"]}}, "no column `region` of values"),
        ({"family": "aggregate", "about": ["region"], "rows": {"low": 2, "high": 3}}, "`region`"),
    ],
)
def test_what_cannot_be_grouped_is_refused(tmp_path, family, said):
    tasks = {"odd": {"about": ["town"], "count": 1, **family}}
    assert said in worldforge("validate", spec_of(tmp_path, tasks=tasks), code=2).stderr


ENGLISH = TableLabels(
    "football club",
    "football clubs",
    (
        ColumnLabels("town", "home town", "reference", refers="town", known=lambda text: text == "Velmar"),
        ColumnLabels("colours", "colours", "text", known=lambda text: text == "red"),
        ColumnLabels("founded", "founding year", "year"),
        ColumnLabels("capacity", "capacity", "number"),
        ColumnLabels("latest", "latest profit", "number", "million crowns"),
    ),
)
CHINESE = TableLabels(
    "足球俱乐部",
    "足球俱乐部",
    (
        ColumnLabels("town", "所在城镇", "reference", refers="town", known=lambda text: text == "甲城"),
        ColumnLabels("colours", "球衣颜色", "text", known=lambda text: text == "红色"),
        ColumnLabels("founded", "成立年份", "year"),
        ColumnLabels("capacity", "容量", "number", "人"),
        ColumnLabels("latest", "最近利润", "number", "百万克朗"),
    ),
)


@pytest.mark.parametrize("language, table, town", [("en", ENGLISH, "Velmar"), ("zh", CHINESE, "甲城")])
def test_every_opening_is_read_back_in_either_language(language, table, town):
    terms = (Condition("town", "=", "", town, "text"), Condition("founded", ">", "", "1904", "text"))
    paths = ["colours", "count()", "mean(capacity, 1)", "max(founded)"]
    labels = tuple(measured(language, table, path) for path in paths)
    assert all(labels) and len({*labels}) == 4
    assert measured(language, table, "mean(latest, 2)") == ""
    words = {"club": table, "town": TableLabels("town", "towns", ())}
    question = Question(language, "aggregate", "club", terms, Shape(group="colours"), labels, (0, 0, 1, 0))
    wordings = [ask(Stream(7, str(number)), words, question) for number in range(60)]
    assert len({wording.partition("\n")[0] for wording in wordings}) > 10
    for wording in wordings:
        found = read(words, language, "aggregate", "club", labels, wording)
        assert len(found) == 1 and found[0].says(terms, Shape(group="colours"))
        assert ", ".join(labels) in wording or "、".join(labels) in wording
    rounding = {"en": f"Round {labels[2]} to one decimal, and no", "zh": f"{labels[2]}四舍五入到一位小数"}[language]
    assert all(rounding in wording for wording in wordings)


def test_what_is_summed_adds_up():
    assert adds_up("en", "league titles", "") and adds_up("en", "number of towns", "") and adds_up("zh", "进球数", "")
    assert adds_up("en", "revenue", "million crowns") and adds_up("zh", "收入", "百万克朗")
    for language, label, unit in [("en", "shirt number", ""), ("en", "height", "cm"), ("en", "turnout", "%")]:
        assert not adds_up(language, label, unit)
    for language, label, unit in [("zh", "球衣号码", ""), ("zh", "身高", "厘米"), ("zh", "租金", "马克每平方米")]:
        assert not adds_up(language, label, unit)
