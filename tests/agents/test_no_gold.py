"""No gold can reach a prompt: a model that acts is given the wording and what its calls brought, nothing else."""

import ast
import inspect
import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

import worldforge.agents
from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.agent_prompts import system_prompt
from worldforge.agents.model_agent import ModelAgent, ModelSettings
from worldforge.agents.team import TeamSession
from worldforge.environments.database.mcp_dialect import MCP
from worldforge.environments.search.dialects import SEARCH_DIALECTS
from worldforge.models.chat import Reply, ToolCall
from worldforge.models.scripted_model import ScriptedModel
from worldforge.world.task import Task, TaskMeasures

MARK = "GOLDEN-SECRET"
OPEN = {"wording", "id", "family", "about", "language", "columns", "shape"}  # what the wording says, and labels
MODULES = ["model_agent", "context_window", "tool_call_format", "team", "agent_prompts"]


def marked(task):
    """Put a marker in every field of a task that tells of its answer."""
    cells = tuple(tuple(f"{MARK}-{n}-{m}" for m in range(len(row))) for n, row in enumerate(task.gold))
    secrets = {
        "gold": cells,
        "facts": cells,
        "evidence": (f"{MARK}-evidence",),
        "query": f"SELECT '{MARK}'",
        "conditions": tuple(replace(c, value=MARK, written=MARK) for c in task.conditions),
        "evaluation": {MARK: MARK},
        "measures": TaskMeasures(*(123_456_789 for _ in fields(TaskMeasures))),
        "side": f"{MARK}-side",
    }
    assert set(secrets) | OPEN == {field.name for field in fields(Task)}
    return replace(task, **secrets)


class Curious:
    """A model that calls every tool it has, one after another, with words of the question, and then answers."""

    def __init__(self, *, structured):
        self.requests, self.structured = [], structured

    def __call__(self, request):
        self.requests.append(request)
        n = len(self.requests)
        question = request.messages[1].content.partition(".")[0]
        last = request.messages[-1].content
        url = next((word for word in last.split() if word.startswith("https://")), "https://nowhere.example")
        calls = [("search", {"query": [question]}), ("visit", {"url": url})]
        name, arguments = calls[n % 2]
        if self.structured:
            said = {"calls": [{"name": name, "arguments": arguments}]} if n < 5 else {"answer": "None."}
            return Reply(json.dumps({"thought": "Hm.", **said}))
        return Reply("Hm.", (ToolCall(f"c{n}", name, json.dumps(arguments)),) if n < 5 else ())


@pytest.mark.parametrize("structured", [False, True])
def test_nothing_of_a_tasks_answer_is_in_any_request(place, structured):
    environment = place.environment("plain")
    for task in map(marked, place.tasks):
        model, session = Curious(structured=structured), environment.session()
        agent = ModelAgent(
            ScriptedModel(model),
            task.wording,
            session.tools,
            system_prompt=system_prompt(session.tools),
            limits=EpisodeLimits(6),
            settings=ModelSettings(structured=structured),
        )
        episode = place.play(agent, session)
        assert episode.n_tool_calls == 4 and len(model.requests) >= 5
        sent = repr(model.requests)
        assert MARK not in sent and "123456789" not in sent
        assert task.wording in model.requests[0].messages[1].content


def test_first_prompts_differ_by_the_wording_alone(place):
    tools = place.environment().session().tools
    model = Curious(structured=False)
    for task in place.tasks:
        agent = ModelAgent(
            ScriptedModel(model),
            task.wording,
            tools,
            system_prompt=system_prompt(tools),
            limits=EpisodeLimits(0),
            settings=ModelSettings(),
        )
        place.play(agent, place.environment().session(), EpisodeLimits(0))
    assert len({request.messages[0].content for request in model.requests}) == 1
    assert len({request.messages[1].content for request in model.requests}) == len(place.tasks)


def test_nothing_that_knows_a_task_can_be_given_to_it():
    for made in (ModelAgent, TeamSession, system_prompt):
        for parameter in inspect.signature(made).parameters.values():
            assert "Task" not in str(parameter.annotation) and "World" not in str(parameter.annotation)


@pytest.mark.parametrize("name", MODULES)
def test_its_modules_know_neither_worlds_nor_plans(name):
    source = (Path(worldforge.agents.__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert not node.module.startswith(("worldforge.world", "worldforge.search", "worldforge.builders"))
            assert node.module not in (
                "worldforge.environments.search.evidence_plan",
                "worldforge.environments.search.oracle",
            )


@pytest.mark.parametrize("dialect", [*SEARCH_DIALECTS.values(), MCP], ids=lambda dialect: dialect.name)
def test_a_prompt_names_every_tool_and_no_other(dialect):
    names = {tool["function"]["name"] for tool in dialect.tools}
    others = {t["function"]["name"] for d in (*SEARCH_DIALECTS.values(), MCP) for t in d.tools} - names
    told = [system_prompt(dialect.tools, language, kind) for kind in ("table", "report") for language in ("en", "zh")]
    for prompt in told:
        assert all(f"`{name}`" in prompt for name in names) and not any(f"`{name}`" in prompt for name in others)
