"""A script answers as it says, alike however many conversations are under way."""

import asyncio
import json

import pytest
from replies import reply_all

from worldforge.core.errors import InputError
from worldforge.models.chat import Message, Reply, Request, ToolCall, Usage
from worldforge.models.model import ModelError
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import open_model
from worldforge.models.scripted_model import ScriptedModel, read_script


def ask(*contents):
    """A conversation of the user's and the assistant's turns, in turn, the user's first."""
    roles = ("user", "assistant")
    return Request(tuple(Message(roles[turn % 2], content) for turn, content in enumerate(contents)))


def script(tmp_path, *lines):
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


def test_a_script_is_known_by_what_stands_in_it(tmp_path):
    known = []
    for folder, text in (("a", "yes"), ("b", "no"), ("c", "yes")):
        path = tmp_path / folder / "replies.jsonl"
        path.parent.mkdir()
        path.write_text(json.dumps({"text": text}))
        known.append(read_script(path))
    first, second, same = (model.identity for model in known)
    assert first == same != second and {model.name for model in known} == {"replies"}


def test_a_function_answers_with_text_or_a_reply():
    async def shout(request):
        await asyncio.sleep(0)
        return Reply(request.messages[-1].content.upper(), usage=Usage(7, 0, 7))

    reply = asyncio.run(
        ScriptedModel(lambda request: f"{len(request.messages)} messages").reply(ask("one two", "three", "x"))
    )
    assert (reply.text, reply.usage, reply.finish) == ("3 messages", Usage(prompt=4, completion=2), "stop")
    assert asyncio.run(ScriptedModel(shout).reply(ask("hear"))).text == "HEAR"
    assert asyncio.run(ScriptedModel(shout).reply(ask("hear"))).usage == Usage(7, 0, 7)


def test_what_a_function_raises_is_a_models_error():
    def fail(request):
        raise KeyError("nothing")

    replies = asyncio.run(reply_all(ScriptedModel(fail, "mine"), [ask("a"), ask("b")]))
    assert [type(reply) for reply in replies] == [ModelError, ModelError]
    assert "mine: KeyError: 'nothing'" in str(replies[0])


def test_a_file_answers_turn_by_turn_and_what_a_message_calls_for(tmp_path):
    path = script(
        tmp_path,
        {"text": "first", "tool_calls": [{"name": "web_search", "arguments": {"query": "Kalo é"}}]},
        {"text": "last", "reasoning": "so"},
        "\n",
        {"when": "HTTP 429", "text": "again", "tool_calls": [{"name": "web_search", "arguments": "{broken"}]},
    )

    async def answers():
        async with open_model(ModelAddress.parse(f"scripted:{path}")) as model:
            return await reply_all(
                model, [ask("q"), ask("q", "a", "r"), ask("q", "a", "r", "a", "r"), ask("q", "a", "HTTP 429: wait")]
            )

    first, second, third, retried = asyncio.run(answers())
    assert (first.text, first.finish) == ("first", "tool_calls")
    assert first.tool_calls == (ToolCall("call_0_0", "web_search", '{"query": "Kalo é"}'),)
    assert (second.text, second.reasoning, second.finish) == ("last", "so", "stop")
    assert third.text == "last"
    assert retried.tool_calls == (ToolCall("call_1_0", "web_search", "{broken"),)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['{"text": 1}\n'], "replies.jsonl:1: text: "),
        (['{"text": "a"}\n', "{oops\n"], "replies.jsonl:2: "),
        (['{"txt": "a"}\n'], "txt: Extra inputs"),
        (['{"when": "x", "text": "a"}\n'], "without `when`"),
        ([], "without `when`"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path, lines, said):
    with pytest.raises(InputError) as caught:
        read_script(script(tmp_path, *lines))
    assert said in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere"):
        read_script(tmp_path / "nowhere.jsonl")
