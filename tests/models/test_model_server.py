"""A server that fails, dawdles or talks nonsense: what is tried again, what is given up, and what is said of it."""

import asyncio
import socket

import pytest
from fault_server import completion, serving_faults
from replies import reply_all

from worldforge.core.errors import InputError
from worldforge.models.chat import Message, ReplyStructure, Request, Sampling, ToolCall, Usage
from worldforge.models.model import ModelError, ModelUnavailableError, identity_of
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import open_model
from worldforge.models.openai_server import estimate_tokens

HELLO = Request((Message("user", "hello"),))
TOOL = {"type": "function", "function": {"name": "web_search", "parameters": {"type": "object", "properties": {}}}}
KEY = "sk-very-secret-0123456789"


def fine(text="fine", wait_s=0.0, **more):
    return 200, {}, completion(text, **more), wait_s


def failed(status, message="try later", **headers):
    return (
        status,
        {name.replace("_", "-"): value for name, value in headers.items()},
        {"error": {"message": message}},
        0,
    )


def ask(url, *requests, query=""):
    """Send requests at once; return their replies or errors."""

    async def send():
        async with open_model(ModelAddress.parse(f"openai:m@{url}{query}")) as model:
            return await reply_all(model, requests)

    return asyncio.run(send())


def test_a_reply_is_read_whole():
    call = {"id": "c1", "type": "function", "function": {"name": "web_search", "arguments": "{broken"}}
    with serving_faults(fine("text", tool_calls=[call], reasoning_content="hm")) as (_, url):
        (reply,) = ask(url, HELLO)
    assert (reply.text, reply.reasoning, reply.finish) == ("text", "hm", "tool_calls")
    assert reply.tool_calls == (ToolCall("c1", "web_search", "{broken"),)
    assert reply.usage == Usage(prompt=11, cached=8, completion=3)
    assert reply.seconds > 0


def test_what_is_asked_for_is_sent():
    sampling = Sampling(0.5, 0.9, 7, 0.1, 1.5, 1.05, 99, ("END",), 3)
    messages = (
        Message("system", "s"),
        Message("user", "u"),
        Message("assistant", "a", "thought", (ToolCall("c1", "web_search", "{}"),)),
        Message("tool", "found", tool_call_id="c1"),
    )
    request = Request(messages, (TOOL,), "required", sampling, ReplyStructure("regex", "a+"), thinking=False)
    with serving_faults(fine()) as (server, url):
        ask(url, request, Request(HELLO.messages, structure=ReplyStructure("json_schema", {"type": "object"})))
    sent, formed = sorted(server.asked, key=len, reverse=True)
    expected = {"temperature": 0.5, "top_p": 0.9, "top_k": 7, "min_p": 0.1, "presence_penalty": 1.5, "max_tokens": 99}
    expected |= {"repetition_penalty": 1.05, "stop": ["END"], "seed": 3, "tool_choice": "required", "tools": [TOOL]}
    expected |= {"structured_outputs": {"regex": "a+"}, "chat_template_kwargs": {"enable_thinking": False}}
    assert {name: sent[name] for name in expected} == expected
    assert sent["messages"][2]["tool_calls"][0]["function"] == {"name": "web_search", "arguments": "{}"}
    assert sent["messages"][2]["reasoning"] == "thought"
    assert sent["messages"][3] == {"role": "tool", "content": "found", "tool_call_id": "c1"}
    assert formed["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert "chat_template_kwargs" not in formed


def test_a_model_is_known_by_what_the_server_has_loaded_and_by_a_name_that_is_given():
    async def identity(url, query):
        async with open_model(ModelAddress.parse(f"openai:m@{url}{query}")) as model:
            return identity_of(model)

    def told(query="", **loaded):
        with serving_faults(models={"data": [{"id": "m", "object": "model", **loaded}]}) as (_, url):
            return asyncio.run(identity(url, query))

    known = [
        told(),
        told(root="/a/tiny"),
        told(root="/b/tiny"),
        told(root="/b/tiny", parent="base"),
        told("?identity=step-100", root="/b/tiny"),
        told("?identity=step-200", root="/b/tiny"),
    ]
    assert len(set(known)) == len(known)
    assert told("?temperature=0.1", root="/a/tiny") == known[1]


def test_reasoning_is_given_back_as_the_server_calls_it():
    thought = Request((Message("user", "u"), Message("assistant", "a", "thought"), Message("user", "v")))

    async def twice(url):
        async with open_model(ModelAddress.parse(f"openai:m@{url}")) as model:
            await model.reply(HELLO)
            await model.reply(thought)

    with serving_faults(fine(reasoning_content="hm")) as (server, url):
        asyncio.run(twice(url))
    assert server.asked[1]["messages"][1]["reasoning_content"] == "thought"


def test_what_fails_in_passing_is_tried_again_after_longer_and_longer():
    with serving_faults(failed(500), failed(503), fine()) as (server, url):
        (reply,) = ask(url, HELLO)
    assert reply.text == "fine"
    first, second, third = server.times
    assert 0.3 < second - first < third - second


def test_a_server_that_asks_for_time_gets_it():
    with serving_faults(failed(429, Retry_After="1.5"), fine()) as (server, url):
        (reply,) = ask(url, HELLO)
    assert reply.text == "fine"
    assert server.times[1] - server.times[0] >= 1.5


@pytest.mark.parametrize(
    ("answer", "kind", "n_asked"),
    [
        (failed(500), ModelUnavailableError, 3),  # the last asks for one token: does it answer at all?
        (failed(429, retry_after="0.01"), ModelUnavailableError, 3),
        (failed(404, "no such model"), ModelUnavailableError, 2),
        (failed(400, "too long\nmore"), ModelError, 1),
    ],
)
def test_what_keeps_failing_is_given_up_with_the_servers_words(answer, kind, n_asked):
    with serving_faults(answer) as (server, url):
        (error,) = ask(url, HELLO, query="?retries=1")
    assert type(error) is kind
    assert f"m: HTTP {answer[0]}: {answer[2]['error']['message'].splitlines()[0]}" in str(error)
    assert "more" not in str(error)
    assert len(server.asked) == n_asked


@pytest.mark.parametrize("body", ["", "<html>hello</html>", "[]", "{}", '{"choices": []}', '{"choices": [{}]}', "null"])
def test_nonsense_is_a_models_error(body):
    with serving_faults((200, {}, body, 0)) as (_, url):
        (error,) = ask(url, HELLO, query="?retries=0")
    assert isinstance(error, ModelError)


def test_a_server_that_dawdles_is_given_up():
    with serving_faults(fine(wait_s=3)) as (server, url):
        (error,) = ask(url, HELLO, query="?timeout_s=0.3&retries=1")
    assert isinstance(error, ModelUnavailableError)
    assert "timed out" in str(error)
    assert len(server.asked) == 3


def test_a_server_that_answers_others_has_failed_at_that_one_request():
    with serving_faults(failed(500, "cannot"), failed(500, "cannot"), fine()) as (server, url):
        (error,) = ask(url, HELLO, query="?retries=1")
    assert type(error) is ModelError and "HTTP 500: cannot" in str(error)
    assert server.asked[-1]["max_tokens"] == 1


def test_a_server_that_dies_is_told_in_its_own_last_words():
    async def dying():
        with serving_faults(failed(500, "CPU Generator does not use offset")) as (server, url):
            async with open_model(ModelAddress.parse(f"openai:m@{url}?retries=2")) as model:
                reply = asyncio.create_task(model.reply(HELLO))
                while not server.asked:
                    await asyncio.sleep(0.01)
                server.break_off = True
                return (await asyncio.gather(reply, return_exceptions=True))[0]

    error = asyncio.run(dying())
    assert type(error) is ModelUnavailableError
    assert "before that it said HTTP 500: CPU Generator does not use offset" in str(error)


def test_a_server_that_refuses_seeds_is_asked_without():
    seeded = Request(HELLO.messages, sampling=Sampling(seed=3))
    with serving_faults(failed(400, "unsupported parameter: seed"), fine()) as (server, url):
        replies = ask(url, seeded, query="?concurrency=1")
        assert replies[0].text == "fine" and ["seed" in asked for asked in server.asked] == [True, False]


@pytest.mark.parametrize(
    ("cache", "sent"),
    [
        ('block_size="128",kv_cache_memory_bytes="1073741824",user_specified_block_size="False"', False),
        ('block_size="128",kv_cache_memory_bytes="None",user_specified_block_size="False"', False),
        ('block_size="16",kv_cache_memory_bytes="None",user_specified_block_size="False"', True),
        ("", False),  # it shows no metrics: it may run on a CPU
    ],
)
def test_a_vllm_server_gets_seeds_only_where_it_is_known_to_run_on_a_gpu(cache, sent):
    there = {"data": [{"id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 512}]}
    with serving_faults(fine(), models=there) as (server, url):
        server.metrics = f"vllm:cache_config_info{{{cache}}} 1.0\n" if cache else ""
        ask(url, Request(HELLO.messages, sampling=Sampling(seed=3)))
    assert ("seed" in server.asked[0]) is sent


def test_no_more_than_allowed_are_under_way():
    with serving_faults(fine(wait_s=0.05)) as (server, url):
        replies = ask(url, *[HELLO] * 20, query="?concurrency=3")
    assert [reply.text for reply in replies] == ["fine"] * 20
    assert server.most == 3


def test_a_key_goes_to_the_server_and_nowhere_else(monkeypatch, caplog):
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level("DEBUG")
    with serving_faults(failed(403, f"key {KEY} may not")) as (server, url):
        address = ModelAddress.parse(f"openai:m@{url}?api_key_env=MY_KEY")
        (error,) = ask(url, HELLO, query="?api_key_env=MY_KEY")
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert "key … may not" in str(error)
    assert KEY not in f"{error} {error!r} {address} {address!r} {caplog.text}"


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_told_at_once(monkeypatch, status):
    monkeypatch.setenv("MY_KEY", KEY)
    refusal = status, {"error": {"message": f"{KEY} is not welcome"}}
    with serving_faults(fine(), models=refusal) as (_, url), pytest.raises(InputError) as caught:
        ask(url, HELLO, query="?api_key_env=MY_KEY")
    assert "refuses the key" in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_key_that_is_not_set_is_told(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match="MY_KEY"):
        ask("http://127.0.0.1:1/v1", query="?api_key_env=MY_KEY")

    async def hosted():
        async with open_model(ModelAddress.parse("openai:m")):
            pass

    with pytest.raises(InputError, match="OPENAI_API_KEY is not set"):
        asyncio.run(hosted())


def test_no_server_is_told_at_once():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(InputError, match="no server answers") as caught:
        ask(url, HELLO)
    assert url in str(caught.value)


def test_a_model_that_a_server_lacks_is_told_with_those_it_has():
    there = {"data": [{"id": "other", "object": "model", "max_model_len": 512}]}
    with serving_faults(fine(), models=there) as (_, url), pytest.raises(InputError, match="there are other"):
        ask(url, HELLO)


def test_a_server_that_lists_no_models_is_asked_all_the_same():
    with serving_faults(fine(), models=(404, {})) as (_, url):
        assert ask(url, HELLO)[0].text == "fine"


def test_room_is_left_for_the_prompt_where_the_context_is_known():
    there = {"data": [{"id": "m", "object": "model", "max_model_len": 512}]}
    with serving_faults(fine(), models=there) as (server, url):
        ask(url, Request((Message("user", "word " * 100),), sampling=Sampling(max_tokens=4096)))
    assert 100 < server.asked[0]["max_tokens"] < 412


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("The harbour of Kalo", 4, 19),
        ("1874", 4, 4),
        ('{"a": [1]}', 8, 10),
        ("東京", 4, 6),
        ("a\n\n\nb", 3, 5),
    ],
)
def test_tokens_areestimate_tokensd_between_one_a_word_and_one_a_byte(text, least, most):
    assert least <= estimate_tokens(text) <= most == len(text.encode())
