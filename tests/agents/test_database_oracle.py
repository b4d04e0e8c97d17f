"""The oracle at the database tools: it answers every task, and goes on when calls fail."""

import asyncio
import dataclasses
import json

import numpy as np
import pytest

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.core.chance import Stream
from worldforge.environments.controls.control_plan import load_controls
from worldforge.environments.database.environment import DatabaseEnvironment
from worldforge.environments.database.mcp_dialect import MCP
from worldforge.environments.database.oracle import DatabaseOracle
from worldforge.environments.database.requests import TablesRequest
from worldforge.environments.session import Observation
from worldforge.environments.views import Failure
from worldforge.rollouts.scores import score_row
from worldforge.scoring.gold_table import gold_of


@pytest.fixture(scope="module")
def database(world):
    return DatabaseEnvironment(world)


def play(task, session, max_steps=50):
    return asyncio.run(
        run_episode(
            PlannedAgent(DatabaseOracle(task, MCP).play(), max_steps=max_steps), session, EpisodeLimits(max_steps)
        )
    )


def test_every_task_is_answered(world, database):
    for task in world.tasks:
        episode = play(task, database.session())
        scores = score_row(gold_of(task), episode.answer)
        assert scores["item_f1"] == scores["compat_item_f1"] == 1.0 and scores["success"], task.id
        assert episode.n_tool_calls <= 7 and episode.ending == "answered"


class Meddler:
    """Stands between an oracle and its session, and lets `meddle` change what comes back."""

    def __init__(self, session, meddle):
        self.session, self.meddle, self.tools, self.n_calls = session, meddle, session.tools, 0

    async def step(self, call):
        seen = await self.session.step(call)
        self.n_calls += 1
        return Observation(self.meddle(self.n_calls, MCP.read(call), seen.text))


def error(code):
    return lambda request, text: json.dumps({"isError": True, "code": code, "message": "Try again later."})


def a_part_fails(request, text):
    view = MCP.parse(request, text)
    if not view.records or not hasattr(request, "ids"):
        return text
    lost = tuple(Failure(record["id"], "server_error", "Try again.") for record in view.records[1::2])
    return MCP.write(request, dataclasses.replace(view, records=view.records[::2], failures=lost))


def less(request, text):
    view = MCP.parse(request, text)
    return MCP.write(request, dataclasses.replace(view, records=view.records[: len(view.records) // 2]))


FAULTS = {
    "rate limited": error("rate_limited"),
    "server error": error("server_error"),
    "timed out": error("timeout"),
    "plain words": lambda request, text: "Error: 429 Too Many Requests",
    "garbled": lambda request, text: text.replace('"', "", 1),
    "cut off": lambda request, text: text[: len(text) // 2],
    "a part fails": a_part_fails,
    "less than all": less,
    "nothing": lambda request, text: "",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_it_goes_on_when_every_other_call_fails(world, database, fault):
    def meddle(n_calls, request, text):
        return text if n_calls % 2 == 0 or not touches(request) else FAULTS[fault](request, text)

    def touches(request):
        return fault != "less than all" or not isinstance(request, TablesRequest)

    for task in world.tasks[:12]:
        episode = play(task, Meddler(database.session(), meddle))
        assert score_row(gold_of(task), episode.answer)["item_f1"] == 1.0, task.id


def test_it_goes_on_through_a_storm_of_faults(world, database):
    faults = [FAULTS[name] for name in FAULTS if name != "less than all"]
    for number, task in enumerate(world.tasks):
        draws = Stream(7).child("storm", number).integers(np.arange(100), 0, 2 * len(faults) - 1).tolist()

        def meddle(n_calls, request, text, draws=draws):
            drawn = draws[n_calls]
            return faults[drawn](request, text) if drawn < len(faults) else text

        episode = play(task, Meddler(database.session(), meddle))
        assert score_row(gold_of(task), episode.answer)["item_f1"] == 1.0, task.id


BROKEN = "errors.rate=0.6,truncation.rate=0.6,malformed.rate=0.6,partial.rate=0.6,batch.rate=0.6,pagination.rate=1"


@pytest.mark.parametrize("plan", ["mild", "harsh", f"harsh,{BROKEN}", "harsh,fields.rate=1,withheld.rate=1,seed=5"])
def test_no_control_keeps_it_from_the_answer(world, database, plan):
    controls = database.controls(load_controls(plan))
    touched = set()
    for number, task in enumerate(world.tasks):
        episode = play(task, database.session(controls=controls.session(task.id, number)), max_steps=100)
        touched |= {name for turn in episode.turns for seen in turn.observations for name in seen.controls}
        assert score_row(gold_of(task), episode.answer)["item_f1"] == 1.0, task.id
    assert touched


def test_it_gives_up(world, database):
    for fault in ("rate limited", "cut off"):
        session = Meddler(database.session(), lambda n_calls, request, text, fault=fault: FAULTS[fault](request, text))
        episode = play(world.tasks[0], session)
        assert episode.answer.count("\n") == 3 and episode.n_tool_calls <= 50
        assert score_row(gold_of(world.tasks[0]), episode.answer)["item_f1"] == 0.0


def test_it_minds_its_limit(world, database):
    task = world.tasks[0]
    episode = play(task, database.session(), max_steps=1)
    assert episode.n_tool_calls == 1 and episode.ending == "step_limit" and episode.answer.startswith("```markdown")


def test_lists_are_walked_page_by_page(world, database):
    task = next(task for task in world.tasks if len(task.gold) > 5 and all("." not in c.path for c in task.conditions))

    class Small(Meddler):
        async def step(self, call):
            given = json.loads(call.arguments)
            if call.name == "list_records":
                call = dataclasses.replace(call, arguments=json.dumps(given | {"limit": 3}))
            return await super().step(call)

    episode = play(task, Small(database.session(), lambda n_calls, request, text: text))
    cursors = [
        json.loads(call.arguments).get("cursor") for turn in episode.turns for call in turn.action.tool_calls[:1]
    ]
    assert len({cursor for cursor in cursors if cursor}) >= 2
    assert score_row(gold_of(task), episode.answer)["item_f1"] == 1.0


def renaming(told):
    def meddle(n_calls, request, text):
        view = MCP.parse(request, text)
        if view.verb == "tables":
            return text
        names = {f"the_{name}": name for record in view.records for name in record}
        shown = tuple({f"the_{name}": value for name, value in reversed(record.items())} for record in view.records)
        return MCP.write(request, dataclasses.replace(view, records=shown, renamed=names if told else {}))

    return meddle


@pytest.mark.parametrize(("told", "score"), [(True, 1.0), (False, 0.0)])
def test_fields_under_other_names_are_known_by_what_is_said(world, database, told, score):
    for task in world.tasks[:5]:
        episode = play(task, Meddler(database.session(), renaming(told)))
        assert score_row(gold_of(task), episode.answer)["item_f1"] == score


def test_what_it_has_not_seen_it_leaves_empty(world, database):
    task = next(task for task in world.tasks if len(task.columns) > 2)
    hidden = task.columns[-1].path

    def meddle(n_calls, request, text):
        view = MCP.parse(request, text)
        kept = tuple({name: value for name, value in record.items() if name != hidden} for record in view.records)
        return MCP.write(request, dataclasses.replace(view, records=kept))

    episode = play(task, Meddler(database.session(), meddle))
    rows = episode.answer.splitlines()[3:-1]
    assert len(rows) == len(task.gold) and all(row.endswith("|  |") for row in rows)
    assert episode.n_tool_calls <= 4
