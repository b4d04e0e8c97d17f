"""A class of one's own plays a task or a run, sync or async; what it does wrongly is told."""

import asyncio

import pytest

import worldforge as wf
from worldforge.core.errors import InputError


class Searcher:
    """Makes two calls at once, then answers with what the first brought."""

    def __init__(self, question):
        self.question = question

    def act(self, observations):
        if not observations:
            call = wf.tool_call("web_search", queries=[self.question[:80]])
            return [call, call]
        assert len(observations) == 2
        return observations[0].text


class Counting:
    """Says how many tools it was given; async."""

    version = "7"

    def __init__(self, question, tools):
        self.tools = tools

    async def act(self, observations):
        await asyncio.sleep(0)
        return f"{len(self.tools)} tools"


class Wrong(Searcher):
    def act(self, observations):
        return 5


class Mindless:
    def __init__(self, question):
        pass


def test_a_class_plays_a_task(world):
    played = wf.play(world, world.tasks[0], Searcher)
    assert played.episode.n_tool_calls == 2
    ids = [call.id for call in played.episode.turns[0].action.tool_calls]
    assert len(set(ids)) == 2 and all(ids)
    assert (
        played.answer and played.scores["item_f1"] == wf.score_answer(world, world.tasks[0], played.answer)["item_f1"]
    )


def test_the_right_answer_scores_one(world):
    task = world.tasks[0]
    rows = ["| " + " | ".join(row) + " |" for row in [task.labels, ["---"] * len(task.labels), *task.gold]]
    scores = wf.score_answer(world, task.id, "\n".join(rows))
    assert scores["success"] and scores["item_f1"] == 1


def test_an_async_class_is_given_tools(world):
    assert wf.play(world, world.tasks[0].id, Counting).answer.endswith("tools")
    assert asyncio.run(wf.play_async(world, world.tasks[0], Counting, environment="database")).answer.endswith("tools")


def test_a_run_resumes_for_the_same_class_alone(world, tmp_path):
    first = wf.rollout(world, agent=Searcher, limit=3, out=tmp_path)
    assert (first.run, first.n_played, first.tally.n_failed) == ("searcher", 3, 0)
    assert wf.rollout(world, agent=Searcher, limit=3, out=tmp_path).tally == first.tally
    assert wf.rollout(world, agent=Counting, limit=2, out=tmp_path, workers=2).config.agent == "counting@7"
    with pytest.raises(InputError, match="another configuration"):
        wf.rollout(world, agent=Wrong, limit=3, out=tmp_path, run="searcher")


def test_what_an_agent_does_wrongly_is_told(world, tmp_path):
    with pytest.raises(TypeError, match="`act` returned int"):
        wf.play(world, world.tasks[0], Wrong)
    with pytest.raises(InputError, match="is no agent"):
        wf.play(world, world.tasks[0], Mindless)
    with pytest.raises(InputError, match="no task"):
        wf.play(world, "task/none", Searcher)
    failed = wf.rollout(world, agent=Wrong, limit=2, out=tmp_path)
    assert failed.tally.n_failed == 2
