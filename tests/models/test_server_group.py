"""Several servers of one model: where conversations go, how many are under way, and what happens when one fails."""

import asyncio
from collections import Counter

import pytest
from fault_server import completion, serving_faults
from replies import reply_all

from worldforge.core.errors import InputError
from worldforge.models.chat import Message, Request
from worldforge.models.model import ModelUnavailableError
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool, open_model


def fine(wait_s=0.0):
    return 200, {}, completion("fine"), wait_s


def conversation(name, turns=1):
    said = [Message("system", "You search."), Message("user", f"question {name}")]
    return Request((*said, *(Message("user", f"turn {turn}") for turn in range(1, turns))))


def ask(urls, requests, query="?retries=0"):
    async def send():
        async with open_model(ModelAddress.parse(f"openai:m@{','.join(urls)}{query}")) as model:
            return await reply_all(model, requests)

    return asyncio.run(send())


def asked_of(server):
    return Counter(request["messages"][1]["content"] for request in server.asked)


def test_conversations_are_spread_and_each_stays_at_one_server():
    with serving_faults(fine()) as (first, a), serving_faults(fine()) as (second, b):
        for turns in (1, 2, 3):
            ask([a, b], [conversation(name, turns) for name in range(12)])
    parts = asked_of(first), asked_of(second)
    assert sum(parts, Counter()) == {f"question {name}": 3 for name in range(12)}
    assert not parts[0].keys() & parts[1].keys() and all(parts)


def test_a_busy_server_leaves_requests_to_another():
    with serving_faults(fine(0.1)) as (first, a), serving_faults(fine(0.1)) as (second, b):
        ask([a, b], [conversation("same")] * 16, "?concurrency=16")
    assert len(first.asked) + len(second.asked) == 16 and min(len(first.asked), len(second.asked)) >= 4


def test_the_limit_of_requests_is_one_for_all_servers():
    with serving_faults(fine(0.05)) as (first, a), serving_faults(fine(0.05)) as (second, b):
        replies = ask([a, b], [conversation(name) for name in range(20)], "?concurrency=3")
    assert [reply.text for reply in replies] == ["fine"] * 20
    assert first.most + second.most <= 3 + 1  # the most of each was not at the same time


def test_requests_to_a_server_that_is_gone_are_answered_by_the_other():
    with serving_faults(fine()) as (first, a), serving_faults(fine()) as (second, b):

        async def send():
            async with open_model(ModelAddress.parse(f"openai:m@{a},{b}?retries=0")) as model:
                first.break_off = True
                return await reply_all(model, [conversation(name) for name in range(12)])

        assert [reply.text for reply in asyncio.run(send())] == ["fine"] * 12
        assert len(second.asked) == 12


def test_a_model_whose_servers_are_all_gone_is_unavailable():
    with serving_faults(fine()) as (first, a), serving_faults(fine()) as (second, b):

        async def send():
            async with open_model(ModelAddress.parse(f"openai:m@{a},{b}?retries=0")) as model:
                first.break_off = second.break_off = True
                return await reply_all(model, [conversation(1)])

        (error,) = asyncio.run(send())
    assert isinstance(error, ModelUnavailableError)


def test_servers_of_different_weights_are_refused():
    def serving(root):
        return serving_faults(fine(), models={"data": [{"id": "m", "object": "model", "root": root}]})

    with serving("/a") as (_, a), serving("/b") as (_, b), pytest.raises(InputError, match="different weights"):
        ask([a, b], [conversation(1)])


def test_a_server_that_is_not_there_at_the_start_is_refused():
    with serving_faults(fine()) as (_, a), serving_faults(fine()) as (_, b):
        pass
    with serving_faults(fine()) as (_, a), pytest.raises(InputError, match="no server answers"):
        ask([a, b], [conversation(1)])


def test_a_worker_has_its_part_of_the_limit():
    with serving_faults(fine(0.05)) as (server, url):

        async def send():
            async with ModelPool(n_workers=4) as models:
                model = await models.get(ModelAddress.parse(f"openai:m@{url}?concurrency=8"))
                await reply_all(model, [conversation(name) for name in range(12)])

        asyncio.run(send())
    assert server.most == 2
    with pytest.raises(InputError, match="cannot be shared by 16 workers"):
        ModelAddress.parse(f"openai:m@{url}?concurrency=8").shared_by(16)
