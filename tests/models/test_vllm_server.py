"""vLLM's own server on loopback, asked as any OpenAI-compatible server is."""

import asyncio
import json
from dataclasses import replace

import pytest
from replies import reply_all

from worldforge.core.errors import InputError
from worldforge.models.chat import Message, ReplyStructure, Request, Sampling
from worldforge.models.model import ModelError
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import open_model
from worldforge.models.openai_server import open_endpoint

pytestmark = pytest.mark.xdist_group("vllm")

TOWN = {
    "type": "object",
    "properties": {"town": {"enum": ["Kalo", "Mira"]}},
    "required": ["town"],
    "additionalProperties": False,
}
TOOL = {"type": "function", "function": {"name": "look_up", "parameters": TOWN, "strict": True}}
QUESTION = (Message("system", "You search. " * 40), Message("user", "Which towns of Kalo have a harbour?"))
REQUEST = Request(QUESTION, sampling=Sampling(temperature=1.0, max_tokens=400), thinking=False)


def ask(url, *requests):
    async def send():
        async with open_model(ModelAddress.parse(f"openai:tiny@{url}")) as model:
            return model.context_tokens, await reply_all(model, requests)

    return asyncio.run(send())


def test_text_calls_and_structures_come_back(tiny_server):
    brief = replace(REQUEST, sampling=Sampling(max_tokens=24, seed=1))
    context, replies = ask(
        tiny_server,
        brief,
        replace(REQUEST, structure=ReplyStructure("regex", "[a-c]{4} [0-9]{3}")),
        replace(REQUEST, structure=ReplyStructure("grammar", 'root ::= "yes" | "no"')),
        *[replace(brief, thinking=True)] * 6,
    )
    text, matched, decided, *thoughts = replies
    assert context == 8_192
    assert 0 < text.usage.completion <= 24 < text.usage.prompt
    assert len(matched.text) == 8
    assert decided.text in ("yes", "no")
    assert any(thought.reasoning for thought in thoughts)  # random weights may end theirs before they begin


def test_calls_and_json_are_valid_where_they_are_whole(tiny_server):
    """A server lets random weights write blanks between the parts of JSON until `max_tokens`: not all are whole."""
    called = replace(REQUEST, tools=(TOOL,), tool_choice="required")
    formed = replace(REQUEST, structure=ReplyStructure("json_schema", TOWN))
    samplings = [replace(REQUEST.sampling, seed=seed) for seed in range(12)]
    _, replies = ask(tiny_server, *[replace(one, sampling=way) for one in (called, formed) for way in samplings])
    calls = [call for reply in replies[:12] for call in reply.tool_calls]
    texts = [reply.text for reply in replies[12:] if reply.finish == "stop"]
    assert calls
    assert texts
    assert {call.name for call in calls} == {"look_up"}
    for told in [*(call.arguments for call in calls), *texts]:
        assert json.loads(told)["town"] in ("Kalo", "Mira")


def test_the_server_tells_which_weights_it_has_loaded(tiny_server, tiny_model):
    async def loaded():
        async with open_endpoint(ModelAddress.parse(f"openai:tiny@{tiny_server}"), tiny_server) as model:
            return model._loaded

    assert asyncio.run(loaded()) == (str(tiny_model), None)


def test_the_prefix_cache_is_told_of(tiny_server):
    ask(tiny_server, REQUEST)
    _, (reply,) = ask(tiny_server, REQUEST)
    assert 0 < reply.usage.cached < reply.usage.prompt


def test_a_conversation_with_calls_goes_on(tiny_server):
    asked = replace(REQUEST, tools=(TOOL,), tool_choice="required")
    _, (first,) = ask(tiny_server, asked)
    results = tuple(Message("tool", "Found nothing.", tool_call_id=call.id) for call in first.tool_calls)
    then = (*QUESTION, Message("assistant", first.text, "hm", first.tool_calls), *results)
    _, (second,) = ask(tiny_server, replace(asked, messages=then))
    assert second.usage.prompt > first.usage.prompt


def test_a_prompt_that_is_too_long_is_that_requests_error(tiny_server):
    _, (long, short) = ask(tiny_server, replace(REQUEST, messages=(Message("user", "town " * 20_000),)), REQUEST)
    assert type(long) is ModelError
    assert "8192" in str(long)
    assert short.usage.completion


def test_another_model_is_not_there(tiny_server):
    async def connect():
        async with open_model(ModelAddress.parse(f"openai:huge@{tiny_server}")):
            pass

    with pytest.raises(InputError, match="has no model called `huge`"):
        asyncio.run(connect())
