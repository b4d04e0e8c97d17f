"""A team of searchers: a lead that shares work out, sub-searchers that know their question alone, reports as text."""

import json
import re
import statistics
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.agents.team import TeamSession
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.run_async import run_sync
from worldforge.entry_points.export_dataset import export
from worldforge.entry_points.play_run import rollout
from worldforge.environments.registry import dialect_of
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.planner import SearcherPlanner
from worldforge.environments.search.searcher.searcher import ScriptedSearcher
from worldforge.environments.search.searcher.sub_questions import SubQuestionWriter, TeamWordings
from worldforge.environments.search.searcher.sub_reports import SubReport, read_sub_report, write_sub_report
from worldforge.environments.search.searcher.thoughts import Thoughts
from worldforge.environments.team_tool import CREATE_SUB_AGENTS
from worldforge.rollouts.agents import agent_named
from worldforge.rollouts.environments import settings_from
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.task import TaskColumn, TaskMeasures
from worldforge.world.task_terms import AnyOf, Condition, GivenEntities, RelatedTerm
from worldforge.world.world import open_world

MANY = 100_000
TASKS = (2, 6, 8, 10, 13, 20, 22, 27)


@pytest.fixture(scope="module")
def environment(world):
    return SearchEnvironment(world, dialect_of(SearchEnvironment, "agentworld+find_in_page"))


@pytest.fixture(scope="module")
def play(world, environment):
    """Plays a task by a team; gives the lead's episode and its sub-episodes."""
    make = SearcherPlanner(SearchEnvironment, "").prepare_team(world, None, environment.dialect)

    def play(task, *, seed=7, max_steps=0):
        plans = make(task, seed, max_steps)
        limits = EpisodeLimits(max_steps=max_steps or MANY)

        def start(prompt, number, share):
            return PlannedAgent(plans.sub_plan(prompt, number), max_steps=max_steps)

        session = TeamSession(environment.session(task), start, limits)
        episode = run_sync(run_episode(PlannedAgent(plans.lead, max_steps=max_steps), session, limits))
        return episode, session.sub_episodes

    return play


@pytest.fixture(scope="module")
def played(world, play):
    """Some tasks, each with its lead's episode and sub-episodes."""
    return [(task, *play(task)) for task in (world.tasks[number] for number in TASKS)]


@pytest.fixture(scope="module")
def names(world):
    """All names that entities bear."""
    tables = [world.entities(name) for name in world.spec.types]
    own = {name for table in tables for name in table["name"].to_pylist()}
    return own | {name for table in tables for aliases in table["aliases"].to_pylist() for name in aliases}


def item_f1(world, task, answer):
    return score_strict(answer, gold_with_aliases(world, task)).item_f1


def orders_of(episode):
    """The sub-questions of each round, as the lead wrote them."""
    calls = [call for turn in episode.turns for call in turn.action.tool_calls if call.name == CREATE_SUB_AGENTS]
    return [[order["prompt"] for order in json.loads(call.arguments)["sub_agents"]] for call in calls]


def test_a_team_finds_as_much_as_a_lone_searcher_and_its_lead_calls_far_less(world, environment, played):
    reader, alone = PageReader(world), []
    for task, _, _ in played:
        searcher = ScriptedSearcher(world.spec, task, reader, environment.dialect, Thoughts("en", 7, "none"))
        limits = EpisodeLimits(max_steps=MANY)
        alone.append(run_sync(run_episode(PlannedAgent(searcher.play()), environment.session(task), limits)))
    own = [item_f1(world, task, episode.answer) for (task, _, _), episode in zip(played, alone, strict=True)]
    of_teams = [item_f1(world, task, episode.answer) for task, episode, _ in played]
    assert statistics.mean(of_teams) > statistics.mean(own) - 0.03
    calls = [episode.n_tool_calls for _, episode, _ in played]
    assert sum(calls) < 0.5 * sum(episode.n_tool_calls for episode in alone)
    assert all(subs for _, _, subs in played)


def shown_before(question, episode):
    """Yield each call with all that its agent had been shown: its question, and its observations until then."""
    shown = question
    for turn in episode.turns:
        for call in turn.action.tool_calls:
            yield call, shown
        shown = "\n".join([shown, *(observation.text for observation in turn.observations)])


def test_each_agent_types_and_opens_what_it_was_shown_itself(played, names):
    n_calls = 0
    for task, episode, subs in played:
        for question, own in [(task.wording, episode), *((sub.prompt, sub.episode) for sub in subs)]:
            for call, shown in shown_before(question, own):
                given = json.loads(call.arguments)
                typed = " ".join([*given.get("queries", []), given.get("query", ""), given.get("words", "")])
                typed += " ".join(order["prompt"] for order in given.get("sub_agents", []))
                assert given.get("url", "") in shown
                assert all(url in shown for url in re.findall(r"https?://[^\s)]+", typed))
                assert all(name in shown for name in names if name in typed), typed
                n_calls += 1
    assert n_calls > 1000


def test_names_in_thoughts_and_reports_were_shown(played, names):
    for task, episode, subs in played:
        for question, own in [(task.wording, episode), *((sub.prompt, sub.episode) for sub in subs)]:
            shown = "\n".join([question, *(seen.text for turn in own.turns for seen in turn.observations)])
            said = "\n".join([own.answer, *(turn.action.reasoning for turn in own.turns)])
            assert all(turn.action.reasoning for turn in own.turns) and not re.search(r"[{}#]|\w/\d", said)
            assert all(name in shown for name in names if name in said)


def test_a_sub_question_says_all_that_its_searcher_knows(world, played):
    for task, episode, subs in played:
        assert [prompt for prompts in orders_of(episode) for prompt in prompts] == [sub.prompt for sub in subs]
        for sub in subs:
            assert all(one.written in sub.prompt for one in task.conditions if isinstance(one, Condition))
            header = re.findall(r"^\| (.+) \|$", sub.episode.answer, re.MULTILINE)[:1]
            assert all(label in sub.prompt for line in header for label in line.split(" | "))


def test_a_list_of_names_is_divided_and_all_report(played):
    for _, episode, subs in played:
        for prompts in orders_of(episode):
            assert 2 <= len(prompts) <= 10 and len(set(prompts)) == len(prompts)
        assert {sub.ending for sub in subs} == {"answered"}


def test_where_few_rows_lack_many_columns_these_are_divided(world, play):
    task = next(task for task in world.tasks if task.about == "club")
    clubs, paths = world.entities("club").slice(3, 3), ("stadium", "founded", "colours", "titles", "squad")
    ids, called = (tuple(clubs[column].to_pylist()) for column in ("id", "name"))
    columns = (TaskColumn("name", "Club", "text", True), *(TaskColumn(path, path, "text") for path in paths))
    few = replace(task, wording=f"Complete this: {', '.join(called)}", conditions=(GivenEntities(ids, called),))
    episode, subs = play(replace(few, columns=columns, gold=(), facts=(), evidence=()))
    assert len(subs) == 3 and "column" in episode.turns[0].action.reasoning
    headers = [re.search(r"^\| (.+) \|$", sub.episode.answer, re.MULTILINE)[1].split(" | ") for sub in subs]
    assert [path for header in headers for path in header[1:]] == list(paths)
    for sub in subs:
        assert all(name in sub.prompt and name in sub.episode.answer for name in called)
    cells = [cell for line in episode.answer.split("\n")[3:-1] for cell in line.strip("| ").split(" | ")]
    assert len(cells) == 18 and sum(map(bool, cells)) > 15


def test_the_same_seed_gives_the_same_team(world, play, played):
    task, episode, subs = played[4]
    assert play(task) == (episode, subs)
    other, _ = play(task, seed=8)
    assert other.turns != episode.turns and other.answer == episode.answer


def test_a_team_knows_nothing_of_the_gold(world, play, played):
    task, episode, subs = played[4]
    unknown = {"gold": (), "facts": (), "evidence": (), "query": "", "measures": TaskMeasures(), "evaluation": {}}
    assert play(replace(task, **unknown)) == (episode, subs)


def test_all_keep_within_their_calls_and_answer(world, play):
    task = next(task for task in world.tasks if task.about == "player" and task.n_columns > 3)
    episode, subs = play(task, max_steps=40)
    assert subs and all(own.n_tool_calls <= 40 for own in (episode, *(sub.episode for sub in subs)))
    assert episode.ending == "step_limit" and "| " in episode.answer
    assert any(sub.ending == "step_limit" for sub in subs) and all(sub.episode.answer for sub in subs)
    assert item_f1(world, task, episode.answer) > 0


def test_agents_of_a_team_share_no_beliefs(world, environment):
    make = SearcherPlanner(SearchEnvironment, "").prepare_team(world, None, environment.dialect)
    task = world.tasks[20]
    plans, limits, kept = make(task, 7, 0), EpisodeLimits(max_steps=MANY), []

    def start(prompt, number, share):
        kept.append((prompt, number))
        return PlannedAgent(plans.sub_plan(prompt, number))

    session = TeamSession(environment.session(task), start, limits)
    run_sync(run_episode(PlannedAgent(plans.lead), session, limits))
    prompt, number = kept[0]
    again = run_sync(run_episode(PlannedAgent(plans.sub_plan(prompt, number)), environment.session(task), limits))
    assert again == session.sub_episodes[0].episode  # whatever the lead and the others have learnt since


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_report_is_read_back_as_it_was_written(language):
    report = SubReport(5, ("Club", "Founded"), [("Ostra", "1911"), ("Velm", "")])
    report.not_counting, report.unsettled, report.others = ["Kalo Inc.", "Bru"], ["Sarn"], ["Irmo, FC"]
    report.sources = [f"“Page {number}”" for number in range(10)]
    for seed in range(12):
        for report.is_whole in (True, False):
            wordings = TeamWordings(language, Stream(seed))
            read = read_sub_report(write_sub_report(report, wordings), wordings)
            assert (read.columns, read.rows) == (report.columns, report.rows)
            assert read.not_counting == report.not_counting and read.unsettled == report.unsettled
            assert read.others == report.others and read.is_whole == report.is_whole


def test_what_no_report_says_is_not_read():
    read = read_sub_report("I gave up.", TeamWordings("en", Stream(0)))
    assert read == SubReport()


def test_conditions_are_put_into_words_or_the_question_is_quoted(world):
    task = next(task for task in world.tasks if task.about == "player")
    writer = SubQuestionWriter(world.spec, task, TeamWordings("en", Stream(0)))
    low = Condition("height", "<", "190", "190", "integer")
    born = Condition("birthplace", "=", "town/0001", "Velmar", "text")
    either = AnyOf(((born,), (replace(born, value="town/0002", written="Ostra"),)))
    text = writer.on_entities({"player/0001": "A B", "player/0002": "C D"}, (low, either), ("position",), 0).text
    assert "the height is below 190 cm and the birthplace is Velmar or Ostra" in text and "A B and C D" in text
    elsewhere = RelatedTerm("plays_for", "source", (low,))
    assert not writer.can_ask((elsewhere,), (elsewhere, low)) and writer.can_ask((elsewhere,), (elsewhere,))
    quoted = writer.on_entities({"player/0001": "A B", "player/0002": "C D"}, (elsewhere,), (), 0).text
    assert task.wording.partition("\n\n")[0] in quoted


def test_only_who_can_lead_is_taken_for_a_lead():
    settings = settings_from("search", None, None, None, 3)
    assert agent_named("team:searcher?thoughts=short", settings).name == "team:searcher"
    assert not agent_named("team:searcher", settings).clairvoyant
    for name, reason in (("team:oracle", "leads no team"), ("team:searcher?speed=3", "speed")):
        with pytest.raises(InputError, match=reason):
            agent_named(name, settings)


def test_teams_are_rows_like_those_of_a_model_and_views_show_their_agents(searched, tmp_path):
    world = open_world(searched)
    played = rollout(world, agent="team:searcher?thoughts=short", limit=4, out=tmp_path / "runs", max_steps=40)
    assert played.folder.name == "team-searcher"
    rows = pq.read_table(played.folder / "shards").to_pylist()
    row = next(row for row in rows if row["task"] == world.tasks[3].id)
    assert row["agent"].startswith("team:searcher@") and row["clairvoyant"] is False
    assert CREATE_SUB_AGENTS in row["tools"] and CREATE_SUB_AGENTS in row["messages"][0]["content"]
    assert len(row["sub_agents"]) > 1
    n_calls = len(row["observations"]) + sum(len(sub["observations"]) for sub in row["sub_agents"])
    assert row["n_tool_calls"] == n_calls
    for sub in row["sub_agents"]:
        system, question, *_, report = sub["messages"]
        assert CREATE_SUB_AGENTS not in system["content"] and question["role"] == "user" and report["content"]
    export(world, ["steps", "sft"], trajectories=tmp_path / "runs", out=tmp_path / "dataset")
    steps = [one for one in pq.read_table(tmp_path / "dataset" / "steps").to_pylist() if one["id"] == row["id"]]
    assert {step["sub_agent"] for step in steps} == {None, *range(len(row["sub_agents"]))}
    talks = pq.read_table(tmp_path / "dataset" / "sft").to_pylist()
    assert any(CREATE_SUB_AGENTS in json.dumps(talk["messages"], default=str) for talk in talks)
