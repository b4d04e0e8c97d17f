"""Which gold cells an observation showed: by hand on paper, and over whole episodes of worlds that were built."""

import dataclasses
import json

import pyarrow.parquet as pq
import pytest
from paper_world import task_on_paper

from worldforge.entry_points.play_run import rollout
from worldforge.environments.coverage import readers_of_facts
from worldforge.environments.database.mcp_dialect import TOOLS
from worldforge.environments.database.record_coverage import readers_of_records
from worldforge.rollouts.environments import settings_from
from worldforge.rollouts.factories import TaskMentions
from worldforge.rollouts.scores import turns_of
from worldforge.scoring.reward_components import first_shown
from worldforge.world.task import TaskColumn
from worldforge.world.world import open_world

TASK = task_on_paper(0)  # clubs 0, 1 and 3: name and year, cells 0 to 5
PAGE = "# Velmar Rovers\n\nVelmar Rovers was founded in 1901.\n"


def seen(disclosed=(), altered=()):
    return {
        "disclosed": [dict(zip(("page", "start", "end"), part, strict=True)) for part in disclosed],
        "altered": [{"fact": fact, "shown": "", "true": ""} for fact in altered],
    }


@pytest.fixture
def shown(paper_world):
    reader = readers_of_facts(TaskMentions(paper_world, [TASK]))(TASK)
    return lambda text, *spans, altered=(): reader("web_extractor", text, seen(spans, altered))


@pytest.mark.parametrize(
    ("spans", "cells"),
    [
        ([(0, 0, len(PAGE))], [0, 1]),
        ([(0, 0, 20)], [0]),
        ([(0, PAGE.index("1901"), len(PAGE))], [1]),
        ([(0, PAGE.index("1901") + 1, len(PAGE))], []),
        ([(0, 0, 15), (0, 40, len(PAGE))], [0, 1]),
        ([(2, 0, 60)], []),
        ([], []),
    ],
)
def test_a_page_shows_what_is_stated_in_the_stretches_that_were_shown(shown, spans, cells):
    assert shown(PAGE, *spans) == cells


def test_only_values_that_stand_in_the_text_and_are_true_count(shown):
    whole = (0, 0, len(PAGE))
    assert shown("Velmar Rovers is a club of long standing.", whole) == [0]
    assert shown(PAGE, whole, altered=["club/0000#founded"]) == [0]
    assert shown(PAGE, whole, altered=["club/0005#founded"]) == [0, 1]


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("Founded 1901", True),
        ("founded in 1901.", True),
        ("(1901)", True),
        ("1901, 1902", True),
        ("成立于1901年", True),
        ("21901", False),
        ("19017", False),
        ("1901.5", False),
        ("12,1901", False),
        ("A1901", False),
        ("11901 and 1901", True),
    ],
)
def test_a_value_stands_by_itself(shown, text, stands):
    assert shown(text, (0, 0, len(PAGE))) == ([1] if stands else [])


def test_tasks_that_no_page_knows_of_show_nothing(paper_world):
    unknown = dataclasses.replace(TASK, facts=(("club/9999#name", "club/9999#founded"),))
    reader = readers_of_facts(TaskMentions(paper_world, [unknown]))(unknown)
    assert reader("open", PAGE, seen([(0, 0, len(PAGE))])) == []


def test_a_fact_of_several_rows_is_several_cells_and_an_outdated_one_is_none(paper_world):
    shared = dataclasses.replace(TASK, id="task/shared", facts=(TASK.facts[0], TASK.facts[0], TASK.facts[2]))
    reader = readers_of_facts(TaskMentions(paper_world, [shared, TASK]))(shared)
    assert reader("open", PAGE, seen([(0, 0, len(PAGE))])) == [0, 1, 2, 3]
    mentions = paper_world.mentions
    stances = ["outdated" if fact.endswith("#founded") else "current" for fact in mentions["fact"].to_pylist()]
    old = mentions.set_column(mentions.schema.get_field_index("stance"), "stance", [stances])
    paper_world.__dict__["_tables"]["mentions.parquet"] = old
    reader = readers_of_facts(TaskMentions(paper_world, [TASK]))(TASK)
    assert reader("open", PAGE, seen([(0, 0, len(PAGE))])) == [0]


COLUMNS = (*TASK.columns, TaskColumn("open", "Open", "boolean"), TaskColumn("town", "Town", "text"))
CLUBS = dataclasses.replace(
    TASK,
    columns=COLUMNS,
    gold=(("Velmar Rovers", "1901", "yes", "Velmar"), ("Torvik City", "12.5", "no", "Torvik")),
    facts=tuple(tuple(f"club/{row:04d}#{column.path}" for column in COLUMNS) for row in (0, 7)),
)
ROVERS = {"id": "club/0000", "name": "Velmar Rovers", "founded": 1901, "open": True, "town": "town/0002"}
VELMAR = {"id": "town/0002", "name": "Velmar"}


def listed(*records, **more):
    return json.dumps({"table": "club", "records": list(records), **more}, separators=(",", ":"))


@pytest.fixture
def recorded():
    reader = readers_of_records(TaskMentions(None, [CLUBS]))(CLUBS)
    return lambda text, tool="get_records", altered=(): reader(tool, text, seen(altered=altered))


def test_a_record_shows_the_cells_that_hold_golds_values(recorded):
    assert recorded(listed(ROVERS)) == [0, 1, 2]
    assert recorded(listed({"id": "club/0007", "founded": 12.5, "open": False})) == [5, 6]
    assert recorded(listed(ROVERS | {"founded": 1999, "open": 1, "name": None})) == []
    assert recorded(listed(ROVERS), altered=["club/0000#name"]) == [1, 2]
    assert recorded(listed({"id": "club/0000", "est": 1901}, renamed={"est": "founded"})) == [1]
    assert recorded(listed({"id": "club/0009", "name": "Velmar Rovers"})) == []


def test_a_reference_shows_its_cell_once_the_name_is_known_whichever_came_first(recorded):
    assert recorded(listed(ROVERS)) == [0, 1, 2]
    assert recorded(listed(VELMAR)) == [3]
    assert recorded(listed(ROVERS)) == [0, 1, 2, 3]
    assert recorded(listed(VELMAR | {"name": "Elsewhere"})) == []


def test_one_observation_may_show_both_ends_of_a_reference(recorded):
    assert recorded(listed(VELMAR, ROVERS)) == [0, 1, 2, 3]


def test_what_an_agent_wrote_itself_was_not_shown(recorded):
    assert {"list_records", "get_records"} <= TOOLS.keys()
    for tool in TOOLS.keys() - {"list_records", "get_records"}:
        assert recorded(listed(ROVERS), tool) == []


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"records":3}', '{"records":[1,{"id":2}]}', '{"records":['])
def test_a_text_without_records_shows_nothing(recorded, text):
    assert recorded(text) == []


def test_of_a_text_that_breaks_off_the_whole_records_count(recorded):
    text = listed(ROVERS, {"id": "club/0007", "name": "Torvik City", "open": False})
    cuts = [recorded(text[:end]) for end in range(len(text))]
    assert cuts[0] == [] and cuts[-1] == [0, 1, 2, 4, 6]
    assert set(map(tuple, cuts)) == {(), (0, 1, 2), (0, 1, 2, 4, 6)}


def rows_of(summary):
    return [row for path in sorted((summary.folder / "shards").iterdir()) for row in pq.read_table(path).to_pylist()]


@pytest.fixture(scope="module")
def world(quickstart, tmp_path_factory):
    """The quickstart world, in a folder of its own."""
    folder = tmp_path_factory.mktemp("seen") / "world"
    folder.mkdir()
    for path in quickstart.iterdir():
        if path.name not in ("trajectories", "datasets"):
            (folder / path.name).symlink_to(path)
    return open_world(folder)


@pytest.mark.parametrize("kind", ["search", "database"])
@pytest.mark.parametrize("controls", [None, "harsh"])
def test_the_oracle_sees_every_cell_that_it_answers(world, kind, controls):
    environment = settings_from(kind, None, controls, None, 1)
    summary = rollout(world, environment=environment, run=f"{kind}-{controls}", limit=12, max_steps="task")
    assert summary.tally.scores["coverage"] == summary.tally.scores["format_score"] == 1.0
    for row, task in zip(rows_of(summary), world.tasks, strict=False):
        n_cells = len(task.gold) * len(task.columns)
        gained = first_shown(turn.observation["gold_seen"] for turn in turns_of(row))
        assert sorted(cell for cells in gained for cell in cells) == list(range(n_cells))
        assert row["efficiency"] == n_cells / row["n_tool_calls"]
        assert row["n_answer_characters"] == len(row["answer"]) and row["reward_version"]
        assert (kind == "search") == (row["n_pages_opened"] > 0)


def test_a_searcher_that_errs_sees_less_and_repeats_itself(world):
    rows = rows_of(rollout(world, agent="noisy-searcher", limit=20, max_steps=60))
    assert 0 < sum(row["coverage"] for row in rows) / len(rows) < 1
    assert any(row["n_redundant_calls"] for row in rows)
    assert all(0 <= row["coverage"] <= 1 for row in rows)


def test_facts_shown_wrong_are_not_seen_where_they_were(world):
    environment = settings_from("search", None, "none,wrong_facts.rate=0.3", None, 1)
    rows = rows_of(rollout(world, environment=environment, run="wrong", limit=12))
    tasks = {task.id: task for task in world.tasks}
    assert any(row["coverage"] < 1 for row in rows)
    for row in rows:
        facts = [fact for facts in tasks[row["task"]].facts for fact in facts]
        for turn in turns_of(row):
            seen = {facts[cell] for cell in turn.observation["gold_seen"]}
            assert not seen & {was["fact"] for was in turn.observation["altered"]}
