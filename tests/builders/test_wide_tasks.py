"""Tasks of many sizes on a ladder, columns that lead through references, and tables whose rows have two keys."""

import csv
import json
from dataclasses import replace

import pyarrow as pa
import pytest
from command import worldforge
from hypothesis import given
from hypothesis import strategies as st

from generators.questions.question_wording import ask
from worldforge.builders.tasks.cell_ladder import MOST_TRIES, LadderStep, ladder, lowered, table_size
from worldforge.builders.tasks.gates import reading_reason
from worldforge.builders.tasks.gold_sql import gold_query, run_gold_query
from worldforge.builders.tasks.gold_walk import GoldWalker
from worldforge.builders.tasks.path_labels import PathLabels
from worldforge.builders.tasks.table_view import TableView
from worldforge.builders.tasks.task_family import load_family
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.core.chance import Stream
from worldforge.entry_points.play_run import rollout
from worldforge.environments.answer_rows import answer_table
from worldforge.environments.call_budget import oracle_steps
from worldforge.environments.registry import environment_named
from worldforge.rollouts.environments import EnvironmentSettings
from worldforge.schema.problems import SpecError
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.table_columns import columns_of
from worldforge.schema.task_section import Cells, TaskFamily
from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.gold_table import gold_of
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.graph_arrays import ArrayGraph
from worldforge.world.question_labels import Question
from worldforge.world.table_files import read_tables
from worldforge.world.task import TaskColumn, task_to_row, tasks_from_table, tasks_to_table
from worldforge.world.task_terms import AnyOf, Condition, Shape, leaves
from worldforge.world.world import open_world

COUNTS = {"town": 40, "club": 60, "player": 110, "festival": 30}
CELLS = {"low": 20, "high": 600}
TASKS = {
    "wide": {
        "family": "list",
        "count": 6,
        "cells": CELLS,
        "columns": {"low": 3, "high": 9},
        "paths": 0.4,
        "through": 0.6,
    },
    "rows": {"family": "relation_rows", "count": 5, "cells": CELLS, "columns": {"low": 3, "high": 9}, "paths": 0.3},
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wide")
    types = {name: {"count": count} for name, count in COUNTS.items()}
    spec = {"name": "wide", "extends": "quickstart", "types": types, "tasks": {"list": None, **TASKS}}
    (folder / "wide.yaml").write_text(json.dumps(spec), encoding="utf-8")
    worldforge("build", folder / "wide.yaml", "-o", folder / "world")
    return open_world(folder / "world")


def of(world, name):
    tasks = [task for task in world.tasks if task.id.startswith(f"task/{name}-")]
    assert len(tasks) == TASKS[name]["count"]
    return tasks


bounds = st.tuples(st.integers(4, 400), st.integers(1, 3600)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(bounds=bounds, n=st.integers(1, 60))
def test_a_ladder_rises_at_equal_ratios_within_its_bounds(bounds, n):
    low, high = bounds
    steps = ladder(Cells(low=low, high=high), n)
    assert len(steps) == n and steps == sorted(steps) and low <= steps[0] and steps[-1] <= high
    middle = (low * high) ** 0.5
    assert sum(step <= middle + 1 for step in steps) >= n // 2 <= sum(step >= middle - 1 for step in steps)


@given(bounds=bounds, share=st.floats(0.2, 0.8), n=st.integers(30, 60))
def test_a_ladder_has_the_mean_that_is_asked_for(bounds, share, n):
    low, high = bounds
    mean = round(low + share * (high - low))
    steps = ladder(Cells(low=low, high=high, mean=mean), n)
    assert steps == sorted(steps) and low <= steps[0] and steps[-1] <= high
    assert sum(steps) / n == pytest.approx(mean, rel=0.02, abs=2)


@given(bounds=bounds, part=st.floats(0, 1), share=st.floats(0, 0.999))
def test_tables_have_about_the_cells_of_their_step_and_no_more_than_the_most(bounds, part, share):
    low, high = bounds
    family = TaskFamily(family="list", count=1, cells=Cells(low=low, high=high), columns={"low": 3, "high": 4})
    cells = round(low + part * (high - low))
    columns, rows = table_size(family, LadderStep(0, cells), share)
    assert 3 <= columns.low == columns.high <= 4 and rows.low <= rows.high
    if high >= 2 * low:  # else no whole number of rows may fit
        assert rows.high * columns.high <= high or rows.high == 1
        assert rows.low * columns.low <= max(1.3 * cells, cells + columns.high, low + columns.high)


@given(bounds=bounds, n=st.integers(2, 60), most=st.integers(1, 5000))
def test_a_small_world_has_the_same_ladder_but_lower(bounds, n, most):
    cells = Cells(low=bounds[0], high=bounds[1])
    whole = ladder(cells, n)
    steps = [lowered(step, cells, most) for step in whole]
    assert steps == sorted(steps) and all(one <= other for one, other in zip(steps, whole, strict=True))
    assert cells.low <= steps[0] and steps[-1] <= max(most, cells.low)
    assert steps == whole or most < cells.high


def test_a_step_at_which_no_task_is_found_is_lowered_and_at_last_given_up():
    cells = Cells(low=20, high=4000)
    steps = [LadderStep(0, 4000)]
    while (further := steps[-1].further(cells)) is not None:
        steps.append(further)
    sizes = [step.cells for step in steps]
    assert len(steps) == MOST_TRIES and sizes == sorted(sizes, reverse=True) and sizes[-1] == 20


def test_tasks_are_spread_over_the_ladder_and_the_audit_finds_nothing(world):
    audit = json.loads((world.path / "audit.json").read_text())
    assert {check["check"]: check["failures"] for check in audit["checks"] if check["failures"]} == {}
    for name in TASKS:
        sizes = sorted(task.n_cells for task in of(world, name))
        wanted = ladder(Cells(**CELLS), len(sizes))
        assert sizes[0] <= 60 and sizes[-1] >= 250 and all(20 <= size <= 600 for size in sizes)
        assert (
            sum(abs(one - other) <= 0.35 * other for one, other in zip(sizes, wanted, strict=True)) >= len(sizes) // 2
        )
    assert all(task.measures.oracle_calls <= oracle_steps(task) for task in world.tasks)


def test_several_values_of_one_column_are_alternatives(world):
    either = [term for task in world.tasks for term in task.conditions if isinstance(term, AnyOf)]
    assert either and all(len({one.path for one in leaves((term,))}) == 1 for term in either)


def test_columns_lead_through_references_to_what_the_tables_hold(world):
    tables = read_tables(world.spec, world.path)
    cells = {
        f"{row['id']}#{column}": row[column]
        for table in tables.values()
        for row in table.to_pylist()
        for column in row
        if column != "aliases"
    }
    names = {row["id"]: row["name"] for kind in world.spec.types for row in tables[kind].to_pylist()}
    n_paths = 0
    for task in world.tasks:
        for row, facts in zip(task.gold, task.facts, strict=True):
            for column, cell, fact in zip(task.columns, row, facts, strict=True):
                value = cells[fact]
                n_paths += "." in column.path
                assert cell == str(names.get(value, value)).removesuffix(" 00:00:00"), (task.id, column.path, fact)
    assert n_paths > 20


def test_no_column_counts_those_who_are_asked_about(world):
    tables = read_tables(world.spec, world.path)
    columns = {name: columns_of(world.spec, name) for name in (*world.spec.types, *world.spec.relations)}
    evidence = Evidence(world.mentions)
    paths = {one.path for one in TableView("town", tables, columns, evidence).further}
    assert "region.inhabitants" in paths and "region.towns" not in paths


def test_rows_of_a_relation_are_those_of_the_entities_that_meet_the_conditions(world):
    tables = read_tables(world.spec, world.path)
    connection = connect({name: tables[name] for name in (*world.spec.types, *world.spec.relations)})
    for task in of(world, "rows"):
        plain = gold_query(world.spec, task.about, task.conditions, (TaskColumn("name", "name", "text"),))
        met = set(run_gold_query(connection, plain).ids)
        rows = [row for row in tables[task.shape.rows].to_pylist() if row[task.shape.end] in met]
        names = {row["id"]: row["name"] for row in tables[task.about].to_pylist()}
        assert [row[0] for row in task.gold] == [names[row[task.shape.end]] for row in rows]


def test_two_columns_identify_a_row(world):
    for task in of(world, "rows"):
        first, second = task.keys
        assert task.evaluation["unique_columns"] == ["".join(key.lower().split()) for key in (first, second)]
        assert [column.is_key for column in task.columns] == [True, True, *[False] * (task.n_columns - 2)]
        pairs = [row[:2] for row in task.gold]
        assert len(set(pairs)) == len(pairs) > len({first for first, _ in pairs})
        assert "rows" in task.logic.split()
    assert {task.keys[1] for task in of(world, "rows")} & {"From", "Club"}
    assert all("target" in {column.path for column in task.columns} for task in of(world, "rows"))


def test_scorers_tell_rows_apart_by_both_keys(world):
    task = max(of(world, "rows"), key=lambda task: task.n_rows)
    gold = gold_of(task)
    half = task.n_rows // 2
    exchanged = [(one[0], task.gold[place - 1][1], *one[2:]) for place, one in enumerate(task.gold)]
    for score in (score_strict, score_compatible):
        assert score(answer_table(task.labels, task.gold[::-1]), gold).success
        part = score(answer_table(task.labels, task.gold[:half]), gold)
        assert part.item_recall == pytest.approx(half / task.n_rows) and part.item_precision == 1
        assert score(answer_table(task.labels, exchanged), gold).item_f1 < 0.5


def test_the_oracles_of_both_environments_solve_all(world):
    for environment in ("search", "database"):
        settings = EnvironmentSettings(environment_named(environment))
        tally = rollout(world, agent="oracle", run=environment, environment=settings, max_steps="task").tally
        assert (tally.n_episodes, tally.scores["success"], tally.scores["coverage"]) == (11, 1, 1)


def test_questions_read_back_as_the_rows_and_conditions_that_they_ask_for(world):
    spec = load_spec(world.path.parent / "wide.yaml")
    words = vocabularies(spec, read_tables(spec, world.path), (*spec.types, *spec.relations), None)
    for task in world.tasks:
        family = load_family(task.family)
        assert reading_reason(task, words, family) == ""
        assert reading_reason(replace(task, conditions=task.conditions[:-1]), words, family)
        other = Shape() if task.shape.rows else Shape(rows="plays_for", end="source")
        assert reading_reason(replace(task, shape=other), words, family)


def test_no_article_is_wrong_before_a_label_that_begins_with_a_vowel(world):
    spec = load_spec(world.path.parent / "wide.yaml")
    words = vocabularies(spec, read_tables(spec, world.path), (*spec.types, *spec.relations), None)["en"]
    words = {name: replace(table, label="actor") for name, table in words.items()}
    for task in of(world, "rows"):
        frames = load_family(task.family).frames_in("en")
        question = Question("en", frames, task.about, task.conditions, task.shape, task.labels)
        for n in range(8):
            text = ask(Stream(n), words, question)
            assert "actor" in text and " a actor" not in text


def test_tasks_are_written_as_they_are_read(world):
    assert tasks_from_table(tasks_to_table(world.tasks)) == world.tasks
    row = task_to_row(of(world, "rows")[0])
    assert json.loads(row["shape"]) == {"rows": "plays_for", "end": "source"}
    assert len(row["keys"]) == 2
    questions = (world.path / "widesearch/widesearch.jsonl").read_text("utf-8").splitlines()
    for line, task in zip(map(json.loads, questions), world.tasks, strict=True):
        with (world.path / "widesearch/widesearch_gold" / f"{line['instance_id']}.csv").open(encoding="utf-8") as file:
            assert [*csv.reader(file)] == [task.labels, *map(list, task.gold)]


PAIRS, ONE = {"legs": 2}, {"low": 1, "high": 1}
LABELLED = WorldSpec.model_validate(
    {
        "name": "labelled",
        "languages": ["zh"],
        "types": {
            "region": {"count": 1, "label": "省份", "name": {"generator": "names.region"}},
            "town": {
                "count": 1,
                "label": "城镇",
                "name": {"generator": "names.town"},
                "attributes": {
                    "region": {"references": "region", "label": "省份"},
                    "grade": {"generator": "values.integer", "params": {"low": 1, "high": 3}, "label": "城镇等级"},
                    "people": {
                        "generator": "values.integer",
                        "params": {"low": 1, "high": 2},
                        "label": "人口",
                        "unit": "人",
                    },
                },
            },
            "club": {
                "count": 1,
                "label": "俱乐部",
                "name": {"generator": "names.club"},
                "attributes": {"home": {"references": "town", "label": "所在地"}},
            },
        },
        "relations": {
            "meets": {"source": "club", "target": "club", "pairs": PAIRS},
            "visits": {"source": "club", "target": "town", "per_source": ONE},
        },
    }
)


@pytest.mark.parametrize(
    ("table", "path", "label"),
    [
        ("club", "name", "俱乐部"),
        ("club", "home.people", "所在地的人口（人）"),
        ("meets", "source", "俱乐部"),
        ("meets", "target", "对方俱乐部"),
        ("meets", "target.home", "对方俱乐部的所在地"),
        ("meets", "round", "轮次"),
        ("visits", "target.people", "城镇的人口（人）"),
        ("visits", "target.grade", "城镇等级"),
        ("visits", "target.region", "城镇所在省份"),
        ("club", "home.region", "所在省份"),
        ("visits", "source.home.region", "俱乐部所在省份"),
    ],
)
def test_columns_at_the_end_of_a_path_are_called_by_it(table, path, label):
    tables = (*LABELLED.types, *LABELLED.relations)
    labels = PathLabels(LABELLED, {name: columns_of(LABELLED, name) for name in tables}, "zh")
    assert labels.of(table, path).replace("俱乐部所在地", "俱乐部的所在地") == label


YEAR = {"generator": "values.year", "params": {"low": 1, "high": 2}}
GRAPH = WorldSpec.model_validate(
    {
        "name": "graph",
        "types": {
            "town": {"count": 3, "name": {"generator": "names.town"}},
            "club": {
                "count": 5,
                "name": {"generator": "names.club"},
                "attributes": {"town": {"references": "town"}, "founded": YEAR},
            },
        },
        "relations": {"meets": {"source": "club", "target": "club", "pairs": PAIRS, "columns": {"year": YEAR}}},
    }
)
COLUMNS = tuple(
    TaskColumn(path, path, kind)
    for path, kind in [
        ("source", "text"),
        ("target", "text"),
        ("year", "year"),
        ("source.founded", "year"),
        ("target.town", "text"),
    ]
)


@given(
    ends=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1900, 1903)), max_size=12),
    end=st.sampled_from(["source", "target"]),
    towns=st.sets(st.integers(0, 2), min_size=1),
    after=st.integers(1899, 1903),
    years=st.tuples(st.integers(1900, 1902), st.integers(1901, 1903)),
)
def test_both_derivations_agree_on_rows_of_a_relation(ends, end, towns, after, years):
    founded, town = [1900, 1901, 1902, None, 1903], [0, 1, 2, 0, None]
    named = {"town": "ABC", "club": "VWXYZ"}
    tables = {
        kind: pa.table({"id": [f"{kind}/{n:04d}" for n in range(len(names))], "name": list(names)})
        for kind, names in named.items()
    }
    towns_of = [None if n is None else f"town/{n:04d}" for n in town]
    tables["club"] = tables["club"].append_column("town", pa.array(towns_of, pa.string()))
    tables["club"] = tables["club"].append_column("founded", pa.array(founded, pa.int32()))
    tables["meets"] = pa.table(
        {
            "id": pa.array([f"meets/{n:04d}" for n in range(len(ends))], pa.string()),
            "source": pa.array([f"club/{one:04d}" for one, _, _ in ends], pa.string()),
            "target": pa.array([f"club/{other:04d}" for _, other, _ in ends], pa.string()),
            "year": pa.array([year for _, _, year in ends], pa.int32()),
        }
    )
    either = AnyOf(tuple((Condition("town", "=", f"town/{n:04d}", named["town"][n], "text"),) for n in sorted(towns)))
    terms = (Condition("founded", ">", str(after), str(after), "year"), either)
    first, last = map(str, years)
    shape = Shape(rows="meets", end=end, where=(Condition("year", "between", first, first, "year", last, last),))
    found = run_gold_query(connect(tables), gold_query(GRAPH, "club", terms, COLUMNS, shape))
    graph = ArrayGraph(GRAPH, {name: tables[name] for name in GRAPH.types}, {"meets": tables["meets"]})
    assert found == GoldWalker(graph).gold("club", terms, COLUMNS, shape)

    def text(value):
        return None if value is None else str(value)

    expected = [
        (
            "VWXYZ"[one],
            "VWXYZ"[other],
            str(year),
            text(founded[one]),
            None if town[other] is None else "ABC"[town[other]],
        )
        for one, other, year in ends
        for own in ([one, other][end == "target"],)
        if founded[own] is not None and founded[own] > after and town[own] in towns
        if years[0] <= year <= years[1]
    ]
    assert list(found.rows) == expected


def test_a_type_at_which_no_relation_begins_has_no_rows_to_ask_for(tmp_path):
    wrong = {"family": "relation_rows", "about": ["town"], "count": 1}
    bent = {"family": "list", "count": 1, "cells": {"low": 20, "high": 40, "mean": 90}}
    for section, said in ((wrong, "no relation begins at `town`"), (bent, "`mean` lies from low to high")):
        spec = {"name": "wrong", "extends": "quickstart", "tasks": {"list": None, "one": section}}
        (tmp_path / "wrong.yaml").write_text(json.dumps(spec), encoding="utf-8")
        with pytest.raises(SpecError, match=said):
            load_spec(tmp_path / "wrong.yaml")
