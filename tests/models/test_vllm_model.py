"""A real engine in this process, with random weights: forms hold whatever the weights are."""

import asyncio
import contextlib
import dataclasses
import itertools
import json
import re
import shutil
from dataclasses import replace

import pytest
from replies import reply_all
from tiny_model import running

from worldforge.core.errors import InputError
from worldforge.models import vllm_loading
from worldforge.models.address_settings import argument_names
from worldforge.models.chat import Message, ReplyStructure, Request, Sampling
from worldforge.models.model import ModelError
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import ModelPool, open_model
from worldforge.models.model_weights import weights_revision

pytestmark = pytest.mark.xdist_group("vllm")

QUERY = {"type": "string", "maxLength": 30}
SCHEMA = {"type": "object", "properties": {"query": QUERY}, "required": ["query"], "additionalProperties": False}
TOOL = {"type": "function", "function": {"name": "web_search", "description": "Search.", "parameters": SCHEMA}}
QUESTION = (Message("system", "You search."), Message("user", "Which towns of Kalo have a harbour? Name them all."))
BRIEF = Sampling(temperature=1.0, top_p=1.0, top_k=0, max_tokens=48)
ROOMY = replace(BRIEF, max_tokens=1_000)


def ask(engine, *requests):
    return engine.run(reply_all(engine.model, requests))


def request(**changes):
    return replace(Request(QUESTION, sampling=BRIEF, thinking=False), **changes)


def test_many_requests_at_once_are_each_answered(tiny_engine):
    replies = ask(tiny_engine, *[request(sampling=replace(BRIEF, seed=seed)) for seed in range(64)])
    assert len({reply.text for reply in replies}) > 50
    for reply in replies:
        assert reply.usage.prompt > 20
        assert reply.usage.completion <= 48
        assert reply.finish == "stop" or (reply.finish, reply.usage.completion) == ("length", 48)
        assert reply.seconds > 0


def test_weights_are_known_by_every_byte_and_not_by_their_folder(tiny_model, tmp_path):
    copy = shutil.copytree(tiny_model, tmp_path / tiny_model.name)
    assert weights_revision(str(copy)) == weights_revision(str(tiny_model))
    weights = copy / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert weights_revision(str(copy)) != weights_revision(str(tiny_model))


def test_long_prompts_with_seeds_leave_the_engine_alive(tiny_engine):
    """They come to the engine in chunks, of which vLLM's CPU worker died where it was told a seed."""
    long = (Message("user", "town " * 1_500),)
    asked = [request(messages=long, sampling=replace(BRIEF, seed=seed, max_tokens=4)) for seed in range(8)]
    assert all(reply.usage.prompt > 1_500 for reply in ask(tiny_engine, *asked))


def test_a_required_call_is_valid_whatever_the_weights(tiny_engine):
    """Cut off by `max_tokens` at worst: every whole call has the tool's name, and arguments as its schema says.

    A grammar counts what is formed like a character; random bytes may be formed so and yet be none, and are read as
    several replacement characters. Those are left out of the count.
    """
    asked = request(tools=(TOOL,), tool_choice="required", sampling=ROOMY)
    replies = ask(tiny_engine, *[replace(asked, sampling=replace(ROOMY, seed=seed)) for seed in range(16)])
    whole = [reply for reply in replies if reply.finish == "tool_calls"]
    assert len(whole) >= 8
    for reply in whole:
        assert reply.tool_calls[0].id == "call_0"
        for call in reply.tool_calls:
            assert call.name == "web_search"
            assert list(arguments := json.loads(call.arguments)) == ["query"]
            assert len(arguments["query"].replace("\N{REPLACEMENT CHARACTER}", "")) <= 30


def test_calls_are_numbered_through_a_conversation(tiny_engine):
    asked = request(tools=(TOOL,), tool_choice="required", sampling=replace(ROOMY, seed=1))
    (first,) = ask(tiny_engine, asked)
    results = tuple(Message("tool", "Nothing.", tool_call_id=call.id) for call in first.tool_calls)
    then = replace(asked, messages=(*QUESTION, Message("assistant", first.text, "", first.tool_calls), *results))
    (second,) = ask(tiny_engine, then)
    ids = [call.id for reply in (first, second) for call in reply.tool_calls]
    assert ids == [f"call_{number}" for number in range(len(ids))]


def test_without_a_choice_no_call_is_read(tiny_engine):
    (reply,) = ask(
        tiny_engine, request(tools=(TOOL,), tool_choice="none", structure=ReplyStructure("regex", r"<tool_call>\{\}"))
    )
    assert (reply.tool_calls, reply.text) == ((), "<tool_call>{}")


def test_a_structure_is_kept(tiny_engine):
    town = {
        "type": "object",
        "properties": {
            "town": {"type": "string", "maxLength": 9},
            "founded": {"type": "integer", "maximum": 2000, "minimum": 0},
        },
        "required": ["town", "founded"],
        "additionalProperties": False,
    }
    schema, regex, grammar = ask(
        tiny_engine,
        request(structure=ReplyStructure("json_schema", town), sampling=ROOMY),
        request(structure=ReplyStructure("regex", r"[a-c]{4} [0-9]{3}")),
        request(structure=ReplyStructure("grammar", 'root ::= "yes" | "no"')),
    )
    assert set(json.loads(schema.text)) == {"town", "founded"}
    assert re.fullmatch(r"[a-c]{4} [0-9]{3}", regex.text)
    assert grammar.text in ("yes", "no")


def test_a_structure_that_cannot_be_is_that_requests_error(tiny_engine):
    bad, good = ask(tiny_engine, request(structure=ReplyStructure("grammar", "root ::= (")), request())
    assert isinstance(bad, ModelError)
    assert "tiny: vLLM refused the request" in str(bad)
    assert good.usage.completion


def test_reasoning_is_parted_from_the_text(tiny_engine):
    """Random weights end every other thought with a tool call, of which there is no tool: that is no reply."""
    thinking = request(
        thinking=True, structure=ReplyStructure("regex", "it is [0-9]"), sampling=replace(BRIEF, max_tokens=2_000)
    )
    replies = ask(tiny_engine, *[thinking] * 12)
    for broken in [reply for reply in replies if isinstance(reply, ModelError)]:
        assert "vLLM broke the reply off" in str(broken)
    whole = [reply for reply in replies if not isinstance(reply, ModelError)]
    assert any(reply.reasoning and reply.text for reply in whole)
    for reply in whole:
        assert "<think>" not in reply.reasoning + reply.text
        assert reply.text == "" or re.fullmatch("it is [0-9]", reply.text)


def test_a_second_turn_finds_the_prompt_of_the_first_in_the_cache(tiny_engine):
    async def converse():
        messages = (*QUESTION, Message("user", "a number of its own: 4711"))
        told = []
        for turn in range(4):
            reply = await tiny_engine.model.reply(request(messages=messages, sampling=replace(BRIEF, seed=turn)))
            told.append(reply.usage)
            messages += (Message("assistant", reply.text), Message("user", f"And then, after turn {turn}?"))
        return told

    told = tiny_engine.run(converse())
    block = 128  # tokens that the engine caches together, on a CPU
    for before, after in itertools.pairwise(told):
        assert after.cached >= (before.prompt - 1) // block * block
    assert told[-1].cached >= block


def test_a_prompt_that_is_too_long_is_told_with_both_numbers(tiny_engine):
    long, short = ask(tiny_engine, request(messages=(Message("user", "town " * 20_000),)), request())
    assert re.search(r"the prompt has \d\d,\d{3} tokens, the model's context 8,192", str(long))
    assert short.usage.completion


def test_a_reply_ends_where_the_context_does(tiny_engine):
    model = tiny_engine.model
    filled = request(messages=(Message("user", "x" + " 1" * 8_000),), sampling=replace(BRIEF, max_tokens=1_000_000))
    (reply,) = ask(tiny_engine, filled)
    assert reply.usage.prompt + reply.usage.completion <= model.context_tokens == 8_192


def test_tokens_are_counted(tiny_engine):
    assert tiny_engine.model.count_tokens("") == 0
    assert 2 <= tiny_engine.model.count_tokens("<|im_start|>town") <= 5


def test_one_who_gives_up_holds_nobody(tiny_engine):
    async def give_up():
        long = asyncio.create_task(tiny_engine.model.reply(request(sampling=replace(BRIEF, max_tokens=6_000))))
        await asyncio.sleep(0.05)
        long.cancel()
        with contextlib.suppress(asyncio.CancelledError):  # random weights may have come to an end by then
            await long
        return await tiny_engine.model.reply(request())

    assert tiny_engine.run(give_up()).usage.completion


def test_an_engine_of_its_own_with_its_own_template_ends_with_its_processes(tiny_model, tmp_path):
    import psutil

    template = tmp_path / "mine.jinja"
    template.write_text("{% for message in messages %}{{ message.content }}{% endfor %}")
    query = f"?chat_template={template}&enforce_eager=true&max_model_len=1024"
    before = set(psutil.Process().children(recursive=True))
    with running(f"vllm:{tiny_model}{query}", {"VLLM_CPU_KVCACHE_SPACE": "1"}) as engine:  # as vLLM has it: of two
        # vLLM 0.32 dies of a first prompt of fewer than eight tokens on a CPU with AMX.
        question = "which towns of the region have a charter?"
        (reply,) = ask(engine, Request((Message("user", question),), sampling=BRIEF))
        assert engine.model.context_tokens == 1_024
        assert reply.usage.prompt == engine.model.count_tokens(question) >= 8
        with pytest.raises(InputError, match="tools need a tool parser"):
            ask(engine, request(tools=(TOOL,)))
        started = set(psutil.Process().children(recursive=True)) - before
        assert started
    _, alive = psutil.wait_procs(started, timeout=15)
    commands = [" ".join(child.cmdline()) for child in alive]
    assert [command for command in commands if "resource_tracker" not in command] == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("tool_parser=hermse", "did you mean `hermes`?"),
        ("reasoning_parser=qwen4", "did you mean `qwen3`?"),
        ("chat_template=nowhere.jinja", "nowhere.jinja: the chat template cannot be read"),
        ("max_model_len=100000000", "cannot load"),
    ],
)
def test_what_cannot_be_loaded_is_told(tiny_model, query, said):
    async def load():
        async with ModelPool() as models:
            await models.get(ModelAddress.parse(f"vllm:{tiny_model}?{query}"))

    with pytest.raises(InputError) as caught:
        asyncio.run(load())
    assert said in str(caught.value)


def test_a_model_that_is_not_there_is_told(tmp_path):
    async def load():
        async with open_model(ModelAddress.parse(f"vllm:{tmp_path / 'nowhere'}")):
            pass

    with pytest.raises(InputError, match="nowhere"):
        asyncio.run(load())


def test_arguments_of_the_engine_are_read_as_vllm_reads_them():
    query = "quantization=fp8&enable_chunked_prefill=false&max_num_batched_tokens=8k&cudagraph_capture_sizes=1,2"
    address = ModelAddress.parse(f"vllm:m?{query}&speculative_config.method=ngram")
    assert vllm_loading._further_arguments(address) == {
        "quantization": "fp8",
        "enable_chunked_prefill": False,
        "max_num_batched_tokens": 8_000,
        "cudagraph_capture_sizes": [1, 2],
        "speculative_config": {"method": "ngram"},
    }
    for query, named in (
        ("max_num_batched_tokens=lots", "max-num-batched-tokens"),
        ("dtype=int4", "dtype"),
        ("enforce_eager=perhaps", "enforce_eager"),
    ):
        with pytest.raises(InputError, match=named):
            vllm_loading._further_arguments(ModelAddress.parse(f"vllm:m?{query}"))


def test_every_argument_of_the_installed_engine_is_known():
    from vllm.engine.arg_utils import AsyncEngineArgs

    fields = {one.name for one in dataclasses.fields(AsyncEngineArgs) if not one.name.startswith("_")}
    assert argument_names() == fields
