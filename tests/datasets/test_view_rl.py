"""Tasks as rows for reinforcement learning: each trainer's shape field by field, and the gold table in it scores."""

import json

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from worldforge.agents.agent_prompts import system_prompt
from worldforge.core.errors import InputError
from worldforge.datasets import world_rows
from worldforge.datasets.view import ExportContext
from worldforge.datasets.views.rl_nemo_gym import VIEW as RL_NEMO_GYM
from worldforge.datasets.views.rl_skyrl import VIEW as RL_SKYRL
from worldforge.datasets.views.rl_trl import VIEW as RL_TRL
from worldforge.datasets.views.rl_verl import VIEW as RL_VERL
from worldforge.datasets.world_rows import DIFFICULTY
from worldforge.environments.answer_rows import answer_table
from worldforge.environments.search.dialects import AGENT_WORLD, PLAIN
from worldforge.scoring.reward_recipe import DEFAULT
from worldforge.serving.answer_reward import measures, read_ground_truth
from worldforge.serving.tool_call_text import describe_tools
from worldforge.world.table_files import TASKS, read_parquet, write_parquet

TABLES = [RL_VERL, RL_TRL, RL_SKYRL]
TRIED = "task/list-0001"


@pytest.fixture
def context(paper_world):
    return ExportContext(paper_world, (), "CANARY", DEFAULT, {TRIED: 0.25})


def rows_of(view, context):
    return [row for table in view.tables((), context) for row in table.to_pylist()]


def lines_of(view, context):
    return [json.loads(line) for line in view.lines((), context)]


def gold_in(row):
    """The gold table of a row of any of the views."""
    place = row.get("reward_model") or row.get("reward_spec") or row
    return place["ground_truth"]


@pytest.mark.parametrize("view", TABLES, ids=lambda view: view.name)
def test_datasets_reads_a_row_a_task_as_it_was_written(view, context, tmp_path):
    tables = list(view.tables((), context))
    assert all(table.schema == view.schema for table in tables)
    assert all(meaning for _, _, meaning in view.columns)
    pq.write_table(pa.concat_tables(tables), tmp_path / "train.parquet")
    load = {"data_files": str(tmp_path / "train.parquet"), "split": "train"}
    loaded = datasets.load_dataset("parquet", cache_dir=tmp_path / "cache", **load)
    assert loaded.to_list() == list(datasets.load_dataset("parquet", streaming=True, **load)) == rows_of(view, context)
    assert len(loaded) == len(context.world.tasks)


@pytest.mark.parametrize("view", [*TABLES, RL_NEMO_GYM], ids=lambda view: view.name)
def test_the_gold_table_in_a_row_gives_the_gold_answer_its_reward(view, context):
    rows = lines_of(view, context) if view.lines else rows_of(view, context)
    for task, row in zip(context.world.tasks, rows, strict=True):
        gold = read_ground_truth(gold_in(row))
        assert (list(gold.columns), gold.rows, gold.keys) == (task.labels, task.gold, task.keys)
        assert set(json.loads(gold_in(row))) == {"columns", "keys", "rows", "evaluation", "aliases"}
        assert set(measures(answer_table(task.labels, list(map(list, task.gold))), gold_in(row)).values()) == {1.0}
        assert set(measures("", gold_in(row)).values()) == {0.0}


@pytest.mark.parametrize("view", TABLES, ids=lambda view: view.name)
def test_rows_do_not_depend_on_the_portions_they_come_in(view, context, monkeypatch):
    at_once = rows_of(view, context)
    monkeypatch.setattr(world_rows, "ROWS_PER_PORTION", 7)
    assert {table.num_rows for table in view.tables((), context)} == {7}
    assert rows_of(view, context) == at_once


def test_a_world_without_tasks_has_no_rows(context):
    (context.world.path / "tasks.parquet").unlink()
    write_parquet(context.world.path / "tasks.parquet", [], TASKS)
    assert [rows_of(view, context) for view in TABLES] == [[], [], []]


def test_difficulty_is_the_tasks_own_and_the_pass_rate_that_of_those_who_tried(context):
    known = read_parquet(context.world.path / "tasks.parquet").select([column.name for column in DIFFICULTY][:-1])
    for view, part in [(RL_TRL, None), (RL_VERL, "extra_info"), (RL_SKYRL, "extra_info"), (RL_NEMO_GYM, "extra_info")]:
        rows = lines_of(view, context) if view.lines else rows_of(view, context)
        told = [row[part] if part else row for row in rows]
        assert [{name: row[name] for name in known.column_names} for row in told] == known.to_pylist()
        assert {row["task_id"]: row["pass_rate"] for row in told if row["pass_rate"] is not None} == {TRIED: 0.25}
        assert {row["canary"] for row in told} == {"CANARY"}
        assert {(row["world"], row["world_digest"]) for row in told} == {(context.world.name, context.world.digest)}


def test_verl_finds_every_field_where_it_looks(context):
    rows = rows_of(RL_VERL, context)
    tools = [tool["function"]["name"] for tool in AGENT_WORLD.tools]
    for index, (task, row) in enumerate(zip(context.world.tasks, rows, strict=True)):
        assert list(row) == ["data_source", "prompt", "ability", "agent_name", "reward_model", "extra_info"]
        assert row["prompt"] == [
            {"role": "system", "content": system_prompt(AGENT_WORLD.tools)},
            {"role": "user", "content": task.wording},
        ]
        assert (row["data_source"], row["ability"]) == ("worldforge/widesearch", "search")
        assert (row["agent_name"], row["reward_model"]["style"]) == ("tool_agent", "rule")
        extra = row["extra_info"]
        assert (extra["index"], extra["split"], extra["task_id"]) == (index, "train", task.id)
        assert extra["need_tools_kwargs"] is True and extra["tool_selection"] == tools
        place = {"create_kwargs": {"world": "paper", "world_digest": "d1" * 32, "task_id": task.id}}
        assert extra["tools_kwargs"] == dict.fromkeys(tools, place)
        assert (extra["dialect"], list(extra)[-1]) == ("agentworld", "canary")


def test_trl_gets_a_prompt_that_speaks_of_the_environments_own_tools(context):
    row = rows_of(RL_TRL, context)[0]
    assert row["prompt"][0] == {"role": "system", "content": system_prompt(PLAIN.tools)}
    assert (row["dialect"], list(row)[:1], list(row)[-1]) == ("plain", ["prompt"], "canary")


def test_skyrls_prompt_describes_the_tools(context):
    row = rows_of(RL_SKYRL, context)[0]
    assert list(row) == ["prompt", "env_class", "reward_spec", "data_source", "extra_info"]
    assert (row["env_class"], row["reward_spec"]["method"]) == ("worldforge", "rule")
    told = row["prompt"][0]["content"]
    assert told == f"{system_prompt(AGENT_WORLD.tools)}\n\n{describe_tools(AGENT_WORLD.tools)}"
    schemas = told.partition("<tools>\n")[2].partition("\n</tools>")[0].splitlines()
    assert list(map(json.loads, schemas)) == AGENT_WORLD.tools


def test_nemo_gyms_lines_hold_a_request_with_flat_tools(context):
    row = lines_of(RL_NEMO_GYM, context)[0]
    assert set(row["responses_create_params"]) == {"input", "tools"}
    assert [message["role"] for message in row["responses_create_params"]["input"]] == ["system", "user"]
    for flat, tool in zip(row["responses_create_params"]["tools"], AGENT_WORLD.tools, strict=True):
        assert flat == {"type": "function", **tool["function"], "strict": False}


def test_a_world_without_its_tasks_is_refused_with_a_reason(context):
    (context.world.path / "tasks.parquet").unlink()
    for view in (*TABLES, RL_NEMO_GYM):
        with pytest.raises(InputError, match=r"tasks\.parquet is missing"):
            list((view.tables or view.lines)((), context))
    (context.world.path / "tasks.parquet").write_bytes(b"no table")
    with pytest.raises(InputError, match=r"tasks\.parquet cannot be read"):
        list(RL_TRL.tables((), context))
