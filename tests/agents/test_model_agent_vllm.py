"""Agents on a real engine with random weights: a grammar makes them call tools validly, limits bring them to an end."""

import asyncio
import json
from dataclasses import replace

import pytest

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.agent_prompts import system_prompt
from worldforge.agents.episode import run_episode
from worldforge.agents.model_agent import ModelAgent, ModelSettings
from worldforge.environments.database.mcp_dialect import MCP
from worldforge.environments.search.dialects import PLAIN
from worldforge.environments.session import Observation
from worldforge.environments.views import ErrorView
from worldforge.models.chat import ReplyStructure, Sampling

pytestmark = pytest.mark.xdist_group("vllm")

ANY = Sampling(temperature=1.0, top_p=1.0, top_k=0, max_tokens=700)


class Wordy:
    """A session that answers every call with many words."""

    tools = MCP.tools

    async def step(self, call):
        return Observation("Nothing of that kind was found in any of the tables. " * 30)


class Calling:
    """A model that a grammar holds to calls until its answer is demanded, and the tokens of each prompt and reply."""

    def __init__(self, model):
        self.model, self.sizes = model, []
        self.name, self.context_tokens, self.count_tokens = model.name, model.context_tokens, model.count_tokens

    async def reply(self, request):
        calls, *_ = request.structure.form.get("anyOf", [request.structure.form])
        reply = await self.model.reply(replace(request, structure=ReplyStructure("json_schema", calls)))
        self.sizes.append(reply.usage.prompt + reply.usage.completion)
        return reply


def play(engine, sessions, limits, model=None, **settings):
    async def one(seed, session):
        agent = ModelAgent(
            model or engine.model,
            "List all clubs of Velmar, with the year in which each was founded.",
            session.tools,
            system_prompt=system_prompt(session.tools),
            limits=limits,
            settings=ModelSettings(ANY, thinking=False, **settings),
            seed=seed,
        )
        return await run_episode(agent, session, limits)

    async def together():
        return await asyncio.gather(*(one(seed, session) for seed, session in enumerate(sessions)))

    return engine.run(together())


def test_random_weights_call_tools_validly_through_a_grammar(tiny_engine, place):
    environment = place.environment("plain")
    model = Calling(tiny_engine.model)
    episodes = play(tiny_engine, [environment.session() for _ in range(12)], EpisodeLimits(6), model, structured=True)
    made = [call for episode in episodes for turn in episode.turns for call in turn.action.tool_calls]
    assert len(made) >= 12 and {call.name for call in made} == {"search", "visit"}
    for call in made:
        assert isinstance(json.loads(call.arguments), dict)
        assert not isinstance(PLAIN.read(call), ErrorView), call
    for episode in episodes:
        assert episode.n_tool_calls <= 6 and episode.ending in ("step_limit", "token_limit")
        assert not episode.turns[-1].action.tool_calls
    later = [turn.action.usage for episode in episodes for turn in episode.turns[1:]]
    assert all(usage.cached > 0 for usage in later if usage.prompt), "what was sent before was not in the prefix cache"


def test_a_context_and_tokens_that_run_out_end_an_episode_in_good_order(tiny_engine):
    limits = EpisodeLimits(max_steps=50, max_tokens=1_000, context_tokens=5_500)
    model = Calling(tiny_engine.model)
    episodes = play(tiny_engine, [Wordy() for _ in range(4)], limits, model, structured=True)
    for episode in episodes:
        assert episode.ending in ("answered", "token_limit")
        written = sum(turn.action.usage.completion for turn in episode.turns)
        assert written <= limits.max_tokens and not episode.turns[-1].action.tool_calls
    assert max(model.sizes) <= limits.context_tokens
    assert max(model.sizes) > limits.context_tokens // 2
    assert sum(episode.n_tool_calls for episode in episodes) >= 4


def test_words_without_calls_end_an_episode(tiny_engine, place):
    environment = place.environment("plain")
    episodes = play(tiny_engine, [environment.session() for _ in range(4)], EpisodeLimits(5))
    for episode in episodes:
        assert episode.ending == "answered" and episode.n_tool_calls == 0
        assert episode.turns[-1].action.usage.completion > 0
