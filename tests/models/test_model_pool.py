"""A pool opens each engine once, and closes all that it opened, whatever happens."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from worldforge.core.errors import InputError
from worldforge.models import model_pool as pool_module
from worldforge.models.chat import Message, Request
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool
from worldforge.models.scripted_model import ScriptedModel


@pytest.fixture
def life(monkeypatch):
    """What was opened and closed, in order; opening takes a while, and `vllm:broken` cannot be opened."""
    events = []

    @asynccontextmanager
    async def opened(address):
        events.append(f"open {address.model}")
        await asyncio.sleep(0.01)
        if address.model == "broken":
            raise InputError("it is broken")
        try:
            yield ScriptedModel(lambda request: address.model)
        finally:
            events.append(f"close {address.model}")

    monkeypatch.setattr(pool_module, "open_model", opened)
    return events


def at(text):
    return ModelAddress.parse(text)


def test_what_is_being_opened_is_told(tmp_path):
    (tmp_path / "replies.jsonl").write_text('{"text": "yes"}')
    address, told = ModelAddress.parse(f"scripted:{tmp_path}/replies.jsonl"), []

    async def open_twice():
        async with ModelPool(tell=told.append) as models:
            await models.get(address)
            await models.get(address)

    asyncio.run(open_twice())
    assert told == [f"loading the model {tmp_path}/replies.jsonl", ""]


def test_many_ask_and_one_is_opened(life):
    async def ask():
        async with ModelPool() as models:
            asked = [models.get(at(f"vllm:a?temperature={warmth}")) for warmth in (0, 0.5, 1)] * 5
            return await asyncio.gather(*asked, models.get(at("vllm:b")))

    *same, other = asyncio.run(ask())
    assert len({id(model) for model in same}) == 1
    assert other is not same[0]
    assert life == ["open a", "open b", "close b", "close a"]


def test_all_is_closed_after_an_error(life):
    async def fail():
        async with ModelPool() as models:
            await models.get(at("vllm:a"))
            raise KeyError("mine")

    with pytest.raises(KeyError):
        asyncio.run(fail())
    assert life == ["open a", "close a"]


def test_all_is_closed_when_cancelled_while_opening(life):
    async def interrupted():
        async def work():
            async with ModelPool() as models:
                await models.get(at("vllm:a"))
                await models.get(at("vllm:b"))

        task = asyncio.create_task(work())
        while "open b" not in life:
            await asyncio.sleep(0.001)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(interrupted())
    assert life == ["open a", "open b", "close a"]


def test_who_gives_up_waiting_does_not_close_it_for_others(life):
    async def ask():
        async with ModelPool() as models:
            impatient = asyncio.create_task(models.get(at("vllm:a")))
            patient = asyncio.create_task(models.get(at("vllm:a")))
            await asyncio.sleep(0.001)
            impatient.cancel()
            return await patient

    asyncio.run(ask())
    assert life == ["open a", "close a"]


def test_what_cannot_be_opened_is_told_to_all_who_ask(life):
    async def ask():
        async with ModelPool() as models:
            await models.get(at("vllm:a"))
            return await asyncio.gather(
                models.get(at("vllm:broken")), models.get(at("vllm:broken")), return_exceptions=True
            )

    assert [str(error) for error in asyncio.run(ask())] == ["it is broken"] * 2
    assert life == ["open a", "open broken", "close a"]


def test_given_models_are_used_and_left_open():
    mine = ScriptedModel(lambda request: "mine")

    async def ask():
        async with ModelPool({"scripted:agent": mine}) as models:
            model = await models.get(at("scripted:agent?temperature=0.1"))
            return await model.reply(Request((Message("user", "who?"),)))

    assert asyncio.run(ask()).text == "mine"
