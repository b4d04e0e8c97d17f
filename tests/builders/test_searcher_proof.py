"""What the searcher takes for a task: measured when tasks are posed, and the gate `searchable`."""

import shutil

import pyarrow.parquet as pq
import pytest
from command import worldforge

import worldforge as wf
from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.builders.tasks.searcher_proof import coverage_over_calls
from worldforge.core.run_async import run_sync
from worldforge.entry_points.play_run import rollout
from worldforge.environments.call_budget import agent_steps
from worldforge.environments.disclosure import Disclosure
from worldforge.environments.registry import dialect_of
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.searcher import ScriptedSearcher
from worldforge.environments.search.searcher.thoughts import Thoughts
from worldforge.environments.session import Observation
from worldforge.rollouts.environments import settings_from
from worldforge.world.evidence import Evidence

FEW = 6


@pytest.fixture
def posed(quickstart, tmp_path):
    """Pose the tasks of the quickstart world anew, with settings of the gate."""

    def pose(*settings):
        folder = tmp_path / "world"
        shutil.copytree(quickstart, folder, ignore=shutil.ignore_patterns("trajectories", "datasets"))
        options = [part for setting in (f"tasks.list.count={FEW}", *settings) for part in ("--set", setting)]
        worldforge("build", "quickstart", "--out", folder, *options)
        return wf.open_world(folder)

    return pose


def reasons(world):
    return pq.read_table(world.path / "set_aside.parquet")["reason"].to_pylist()


def test_tasks_say_what_the_searcher_took(searched):
    world = wf.open_world(searched)
    dialect = dialect_of(SearchEnvironment, world.spec.rollouts.dialect)
    environment, reader = SearchEnvironment(world, dialect), PageReader(world)
    for task in world.tasks[:4]:
        plan = ScriptedSearcher(
            world.spec, task, reader, environment.dialect, Thoughts(task.language, 0, "long")
        ).play()
        episode = run_sync(run_episode(PlannedAgent(plan), environment.session(task), EpisodeLimits(1000)))
        opened = {part.page for turn in episode.turns for one in turn.observations for part in one.disclosed}
        measures = task.measures
        assert (measures.searcher_calls, measures.searcher_pages) == (episode.n_tool_calls, len(opened))
        assert measures.searcher_calls > measures.oracle_calls and measures.searcher_tokens > 1000 * len(opened) / 4
        assert agent_steps(task) == max(50, 2 * measures.searcher_calls)
    assert all(task.measures.searcher_f1 >= 0.95 for task in world.tasks) and len(world.tasks) == 40


def test_coverage_rises_to_that_of_the_trajectory(searched):
    """The run's own coverage reads texts; that of the gate reads the index of facts."""
    world = wf.open_world(searched)
    settings = settings_from("search", world.spec.rollouts.dialect, None, None, 1)
    options = {"run": "again", "limit": 4, "max_steps": 1000}
    summary = rollout(world, agent="searcher?thoughts=none", environment=settings, **options)
    rows = [row for path in summary.folder.glob("shards/*.parquet") for row in pq.read_table(path).to_pylist()]
    shutil.rmtree(summary.folder)
    for row in rows:
        shares = world.task(row["task"]).measures.searcher_coverage
        assert list(shares) == sorted(shares) and shares[-1] == pytest.approx(row["coverage"], abs=1e-4)
        assert len(shares) == 1 or 25 * 2 ** (len(shares) - 2) < row["n_tool_calls"] <= 25 * 2 ** (len(shares) - 1)


def test_a_cell_counts_from_the_call_that_showed_its_fact(world):
    task = world.tasks[0]
    evidence = Evidence(world.mentions)

    def seen(fact):
        mention = evidence.of(fact)[0]
        start, end = int(evidence.start[mention]), int(evidence.end[mention])
        return Observation("", disclosed=(Disclosure(int(evidence.page[mention]), start, end),))

    name = seen(task.facts[0][0])
    share = round(1 / task.n_cells, 4)
    assert coverage_over_calls(evidence, task, []) == (0.0,)
    assert coverage_over_calls(evidence, task, [name]) == (share,)
    assert coverage_over_calls(evidence, task, [Observation("")] * 30 + [name]) == (0.0, share)


def test_a_task_that_the_searcher_does_not_solve_is_set_aside(posed):
    world = posed("gates.searcher={max_steps: 12, item_f1: 1}")
    assert all(task.measures.searcher_calls <= 12 and task.measures.searcher_f1 == 1 for task in world.tasks)
    searchable = [reason for reason in reasons(world) if reason.startswith("searchable: ")]
    assert searchable and all("the searcher reaches item F1 0." in reason for reason in searchable)


def test_nothing_is_set_aside_where_any_score_will_do(posed):
    world = posed("gates.searcher={max_steps: 12, item_f1: 0}")
    assert not [reason for reason in reasons(world) if "searchable" in reason]
    assert len(world.tasks) == FEW and min(task.measures.searcher_f1 for task in world.tasks) < 0.95


def test_the_searcher_need_not_play(posed):
    world = posed("gates.searcher.max_steps=0")
    assert len(world.tasks) == FEW
    assert all(task.measures.searcher_calls is None and not task.measures.searcher_coverage for task in world.tasks)
    assert agent_steps(world.tasks[0]) == max(50, 2 * world.tasks[0].measures.oracle_calls)


@pytest.mark.parametrize("setting", ["{item_f1: 1.5}", "{max_steps: -1}", "{calls: 3}", "often"])
def test_what_the_gate_cannot_be_is_said(setting, tmp_path):
    said = worldforge("build", "quickstart", "--out", tmp_path / "no", "--set", f"gates.searcher={setting}", code=2)
    assert "gates" in said.stderr and not (tmp_path / "no").exists()


def test_a_dialect_that_is_none_is_refused_before_anything_is_written(tmp_path):
    refused = worldforge("build", "quickstart", "--out", tmp_path / "world", "--set", "rollouts.dialect=foo", code=2)
    assert "no dialect `foo`" in refused.stderr
    assert not (tmp_path / "world").exists()
