"""The team mode: sub-agents at work at once, in bounds, told nothing but their prompts."""

import asyncio
import json

import pytest

from worldforge.agents.agent import Action, EpisodeLimits
from worldforge.agents.agent_prompts import system_prompt
from worldforge.agents.model_agent import ModelAgent, ModelSettings
from worldforge.agents.team import AT_ONCE, TeamSession
from worldforge.environments.search.dialects import PLAIN
from worldforge.environments.session import Observation
from worldforge.environments.team_tool import MOST_SUB_AGENTS
from worldforge.models.chat import Reply, Sampling, ToolCall, Usage
from worldforge.models.scripted_model import ScriptedModel

TABLE = "```markdown\n| Club |\n| --- |\n| Kalo |\n```"


class Web:
    tools = PLAIN.tools

    def __init__(self):
        self.calls = []

    async def step(self, call):
        self.calls.append(call)
        await asyncio.sleep(0.001)
        return Observation(f"found {call.arguments}")


class Sub:
    """A sub-agent that searches for its prompt, once or for ever, and then answers; it counts those at work."""

    at_work = most_at_work = 0

    def __init__(self, prompt, number, limits, n_calls=1, tokens=0):
        self.prompt, self.number, self.limits = prompt, number, limits
        self.n_left, self.tokens = n_calls, tokens

    async def act(self, observations):
        Sub.at_work += not observations
        Sub.most_at_work = max(Sub.most_at_work, Sub.at_work)
        await asyncio.sleep(0.001)
        usage = Usage(5, 0, self.tokens)
        if self.n_left == 0:
            Sub.at_work -= 1
            if "fail" in self.prompt:
                raise ValueError("no luck\nat all")
            return Action("" if "silent" in self.prompt else f"{self.prompt}: done", usage=usage)
        self.n_left -= 1
        return Action(
            "", (ToolCall(f"call_{self.n_left}", "search", json.dumps({"query": [self.prompt]})),), usage=usage
        )


@pytest.fixture(autouse=True)
def at_rest():
    Sub.at_work = Sub.most_at_work = 0


def order(*prompts, identity="call_1", **more):
    agents = [{"index": n, "prompt": prompt} for n, prompt in enumerate(prompts, 1)]
    return ToolCall(identity, "create_sub_agents", json.dumps({"sub_agents": agents, **more}))


def call(session, *calls):
    async def together():
        return await asyncio.gather(*(session.step(one) for one in calls))

    return asyncio.run(together())


def test_answers_come_back_under_their_numbers():
    web = Web()
    session = TeamSession(web, Sub, EpisodeLimits(5))
    (seen,) = call(session, order("clubs", "towns"))
    assert seen.text == "Sub-agent 1:\nclubs: done\n\nSub-agent 2:\ntowns: done" and seen.error == ""
    assert [json.loads(one.arguments)["query"] for one in web.calls] == [["clubs"], ["towns"]]
    assert [(sub.call_id, sub.index, sub.prompt, sub.episode.n_tool_calls) for sub in session.sub_episodes] == [
        ("call_1", 1, "clubs", 1),
        ("call_1", 2, "towns", 1),
    ]


def test_the_tool_stands_beside_the_others_and_theirs_go_through():
    web = Web()
    session = TeamSession(web, Sub, EpisodeLimits(5))
    assert session.tools[:-1] == PLAIN.tools
    tool = session.tools[-1]["function"]
    assert tool["name"] == "create_sub_agents" and "$ref" not in json.dumps(tool)
    assert set(tool["parameters"]["properties"]["sub_agents"]["items"]["required"]) == {"index", "prompt"}
    (seen,) = call(session, ToolCall("1", "search", '{"query": ["a"]}'))
    assert seen.text == 'found {"query": ["a"]}' and not session.sub_episodes


def test_they_work_at_once_and_not_too_many():
    session = TeamSession(Web(), Sub, EpisodeLimits(5))
    call(session, order(*"abcdefgh"), order(*"ijkl", identity="call_2"))
    assert Sub.most_at_work == AT_ONCE
    assert [sub.prompt for sub in session.sub_episodes if sub.call_id == "call_1"] == list("abcdefgh")


def test_one_that_fails_says_so_in_the_place_of_its_answer():
    session = TeamSession(Web(), Sub, EpisodeLimits(5))
    (seen,) = call(session, order("fail", "towns", "silent"))
    assert seen.text == (
        "Sub-agent 1 failed: ValueError: no luck\n\nSub-agent 2:\ntowns: done\n\nSub-agent 3 gave no answer (answered)."
    )
    assert [sub.episode is None for sub in session.sub_episodes] == [True, False, False]


def test_one_that_goes_past_its_limit_is_ended():
    session = TeamSession(Web(), lambda *given: Sub(*given, n_calls=99), EpisodeLimits(3))
    (seen,) = call(session, order("clubs"))
    assert seen.text == "Sub-agent 1 gave no answer (step_limit)."


def test_tokens_are_shared_by_all():
    given = []

    def start(prompt, number, limits):
        given.append((number, limits.max_tokens))
        return Sub(prompt, number, limits, tokens=20)

    session = TeamSession(Web(), start, EpisodeLimits(5, max_tokens=200))
    assert not call(session, order("a", "b"))[0].error
    assert given == [(1, 100), (2, 100)]
    assert not call(session, order("c", "d", "e"))[0].error  # 200 less 4 times 20
    assert given[2:] == [(3, 40), (4, 40), (5, 40)]
    assert "Sub-agent 1 gave no answer (token_limit)" not in call(session, order("f"))[0].text
    while not (seen := call(session, order("g", "h"))[0]).error:
        assert sum(len(sub.episode.turns) for sub in session.sub_episodes) < 60
    assert seen.error == "token_limit" and "tokens" in seen.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("{}", "sub_agents"),
        ('{"sub_agents": []}', "sub_agents"),
        ('{"sub_agents": [{"prompt": "a"}]}', "index"),
        ('{"sub_agents": [{"index": 1, "prompt": ""}]}', "prompt"),
        (json.dumps({"sub_agents": [{"index": 1, "prompt": "a"}] * (MOST_SUB_AGENTS + 1)}), str(MOST_SUB_AGENTS)),
        ("not JSON", "JSON"),
    ],
)
def test_a_malformed_order_is_told_what_is_wrong(arguments, said):
    (seen,) = call(TeamSession(Web(), Sub, EpisodeLimits(5)), ToolCall("1", "create_sub_agents", arguments))
    assert seen.error == "malformed_request" and said in seen.text


def test_a_sub_agent_cannot_start_others(place):
    inner = place.environment("plain").session()
    session = TeamSession(inner, lambda *_: _Boss(), EpisodeLimits(5))
    (seen,) = call(session, order("recurse"))
    assert "there is no tool" in seen.text and len(session.sub_episodes) == 1


class _Boss:
    async def act(self, observations):
        return Action(observations[0].text) if observations else Action("", (order("deeper"),))


def test_a_team_of_models_on_a_real_world(place):
    """The main agent hands a search on; its sub-agent sees that prompt alone, and what the tools bring."""
    task = place.tasks[0]
    requests = {"main": [], "sub": []}

    def main(request):
        requests["main"].append(request)
        return Reply("", (order("Search for clubs."),)) if len(requests["main"]) == 1 else Reply(TABLE)

    def sub(request):
        requests["sub"].append(request)
        search = ToolCall("s", "search", '{"query": ["club"]}')
        return Reply("", (search,)) if len(requests["sub"]) == 1 else Reply("Kalo, founded in 1911.")

    inner = place.environment("plain").session()

    def start(prompt, number, limits):
        settings = ModelSettings(Sampling(max_tokens=200), wants_table=False)
        told = system_prompt(inner.tools, answer="report")
        return ModelAgent(
            ScriptedModel(sub), prompt, inner.tools, system_prompt=told, limits=limits, settings=settings, seed=number
        )

    session = TeamSession(inner, start, EpisodeLimits(10))
    told = system_prompt(session.tools)
    agent = ModelAgent(ScriptedModel(main), task.wording, session.tools, system_prompt=told, limits=EpisodeLimits(10))
    episode = place.play(agent, session)
    assert episode.answer == TABLE
    assert "create_sub_agents" in told and requests["main"][1].messages[-1].content.endswith("Kalo, founded in 1911.")
    assert [m.content for m in requests["sub"][0].messages] == [
        system_prompt(inner.tools, answer="report"),
        "Search for clubs.",
    ]
    assert all(task.wording not in m.content for request in requests["sub"] for m in request.messages)
    assert "create_sub_agents" not in json.dumps([request.tools for request in requests["sub"]])
    (done,) = session.sub_episodes
    assert done.episode.n_tool_calls == 1 and "https://" in done.episode.turns[0].observations[0].text
