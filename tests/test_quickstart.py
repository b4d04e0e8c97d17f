"""The whole path from outside: what the README promises, seen in the files and through other people's libraries."""

import json
import re

import datasets
import duckdb
import networkx as nx
import pyarrow.compute as pc
import pyarrow.parquet as pq
from command import worldforge

import worldforge as wf


def test_the_oracle_solves_every_task(quickstart):
    run = json.loads((quickstart / "trajectories" / "oracle" / "run.json").read_text())
    assert run["config"]["n_tasks"] == 40 and run["tally"]["n_failed"] == 0
    scores = run["tally"]["scores"]
    assert scores["item_f1"] == scores["row_f1"] == scores["success"] == 1
    assert scores["compat_item_f1"] == scores["compat_success"] == 1


def test_the_world_opens_as_tables_database_and_graph(quickstart):
    world = wf.open_world(quickstart)
    graph = world.graph()
    assert isinstance(graph, nx.MultiDiGraph)
    n_entities = sum(world.entities(name).num_rows for name in world.spec.types)
    assert graph.number_of_nodes() == n_entities
    assert world.database().sql("SELECT count(*) FROM club").fetchall() == [(world.entities("club").num_rows,)]
    clubs = world.entities("club").to_pylist()
    for club in clubs[:20]:
        assert graph.has_edge(club["id"], club["town"], key="town")
        assert graph.nodes[club["id"]]["founded"] == club["founded"]
    assert world.graph(["town", "region"]).number_of_nodes() < n_entities


def test_every_mention_is_the_text_it_points_at(quickstart):
    world = wf.open_world(quickstart)
    texts = dict(zip(world.pages["id"].to_pylist(), world.pages["text"].to_pylist(), strict=True))
    mentions = world.mentions.to_pylist()
    assert len(mentions) > 5 * len(texts)
    assert [m for m in mentions if texts[m["page"]][m["start"] : m["end"]] != m["value"]] == []


def test_pages_are_of_every_kind_and_link_to_one_another(quickstart):
    world = wf.open_world(quickstart)
    assert set(world.pages["kind"].to_pylist()) == set(world.spec.pages)
    urls = world.pages["url"].to_pylist()
    assert len(set(urls)) == len(urls) and all(re.match(r"https://[a-z0-9.-]+\.example/", url) for url in urls)
    links = nx.DiGraph((link["source"], link["target"]) for link in world.links.to_pylist() if link["target"])
    assert len(links) == len(urls) and nx.is_strongly_connected(links)  # a reader gets from any page to any other


def test_tasks_lie_in_the_benchmarks_layout(quickstart):
    lines = (quickstart / "widesearch" / "widesearch.jsonl").read_text(encoding="utf-8").splitlines()
    tasks = wf.open_world(quickstart).tasks
    assert len(lines) == len(tasks) == 40
    for line, task in zip(lines, tasks, strict=True):
        question = json.loads(line)
        assert question["query"] == task.wording
        gold = quickstart / "widesearch" / "widesearch_gold" / f"{question['instance_id']}.csv"
        rows = duckdb.read_csv(str(gold), all_varchar=True)
        columns = ["".join(name.lower().split()) for name in rows.columns]
        assert columns == question["evaluation"]["required"]
        assert set(question["evaluation"]["unique_columns"]) <= set(columns)
        assert rows.fetchall() == [tuple(row) for row in task.gold]
        assert all(label in task.wording for label in task.labels)


def test_gold_is_what_the_query_beside_it_returns(quickstart):
    world = wf.open_world(quickstart)
    database = world.database()
    for task in world.tasks:
        rows = database.sql(task.query).fetchall()
        assert [row[1:] for row in rows] == [tuple(row) for row in task.gold]
        assert [row[0] for row in rows] == [cells[0].partition("#")[0] for cells in task.facts]


def test_no_two_tasks_ask_the_same(quickstart):
    tasks = wf.open_world(quickstart).tasks
    assert len({(task.about, frozenset(task.conditions)) for task in tasks}) == len(tasks)
    assert len({task.wording for task in tasks}) == len(tasks)


def test_the_dataset_loads_and_reads_like_a_searcher(quickstart):
    files = str(quickstart / "datasets" / "trajectories" / "*.parquet")
    rows = datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=str(quickstart.parent / "cache"))
    assert rows.num_rows == 40
    for row in rows:
        roles = [message["role"] for message in row["messages"]]
        assert roles[0] == "system" and roles[1] == "user" and roles[-1] == "assistant"
        calls = [call["function"] for message in row["messages"] for call in message["tool_calls"] or []]
        assert {call["name"] for call in calls} == {"web_search", "web_extractor"}
        assert all(isinstance(json.loads(call["arguments"]), dict) for call in calls)
        assert row["messages"][-1]["content"].startswith("```markdown\n|")
        assert row["item_f1"] == row["compat_item_f1"] == 1


def test_an_oracle_says_only_what_it_saw(quickstart):
    """Every cell of an answer stands, as it is written there, in an observation, unless it is worked out from two."""
    world = wf.open_world(quickstart)
    relative = set(world.mentions.filter(pc.equal(world.mentions["stance"], "relative"))["fact"].to_pylist())
    tasks = {task.id: task for task in world.tasks}
    (file,) = (quickstart / "datasets" / "trajectories").glob("*.parquet")
    for row in pq.read_table(file).to_pylist():
        seen = "\n".join(message["content"] for message in row["messages"] if message["role"] == "tool")
        lines, facts = row["answer"].splitlines()[3:-1], tasks[row["task"]].facts
        cells = [cell.strip() for line in lines for cell in line.strip("|").split("|")]
        for cell, fact in zip(cells, (fact for row in facts for fact in row), strict=True):
            assert cell in seen or fact in relative


def test_search_and_explain_answer_from_the_command_line(quickstart):
    world = wf.open_world(quickstart)
    club = world.entities("club")["name"][3].as_py()
    assert club in worldforge("search", quickstart, club).stdout
    hits = json.loads(worldforge("search", quickstart, club, "--json").stdout)
    assert len(hits) == 10 and any(club in hit["title"] for hit in hits[:3])
    task = world.tasks[0]
    traced = json.loads(worldforge("explain", quickstart, task.id, "--json").stdout)
    assert len(traced["cells"]) == len(task.gold) * len(task.columns)
    assert all(fact["statements"] for cell in traced["cells"] for fact in cell["facts"])
    assert all(len(cell["facts"]) == 1 for cell in traced["cells"])
    assert task.gold[0][0] in worldforge("explain", quickstart, task.id).stdout
    for id_ in ("club/0003", "club/0003#founded", "page/000000", "plays_for/0000#from"):
        assert worldforge("explain", quickstart, id_).stdout
    for id_ in ("club/9999", "club/3", "page/999999", "task/no", "club/0003#nope", "nonsense", "page/x", ""):
        worldforge("explain", quickstart, id_, code=2)
