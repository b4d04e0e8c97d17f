"""Fine-tuning views: from real rollouts and from conversations by hand, through Parquet, as `datasets` reads them."""

import json
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_world import linked
from talks import (
    TOOLS,
    ask,
    bring,
    context_of,
    converted,
    observed,
    read_back,
    say,
    shards_of,
    sharing,
    table_of,
    talk,
)

from worldforge.core.errors import InputError
from worldforge.datasets.conversations import UNPARSED, arguments_object, read_messages, to_json, write_message
from worldforge.datasets.views.sft import VIEW as SFT
from worldforge.datasets.views.sft_sharegpt import VIEW as SFT_SHAREGPT
from worldforge.datasets.views.sft_str import VIEW as SFT_STR
from worldforge.entry_points.play_run import rollout
from worldforge.models.chat import Message
from worldforge.rollouts.environments import settings_from
from worldforge.rollouts.trajectory import MESSAGE
from worldforge.scoring.reward_recipe import DEFAULT, reward

TABLE = "```markdown\n| Club |\n| --- |\n| 维尔马 |\n```"


@pytest.fixture(scope="module")
def context(paper_files, tmp_path_factory):
    return context_of(linked(paper_files, tmp_path_factory.mktemp("views") / "world"))


@pytest.fixture(scope="module")
def noisy(quickstart, tmp_path_factory):
    """Trajectories of the noisy searcher on the quickstart world, under controls, and the world."""
    world = sharing(quickstart, tmp_path_factory.mktemp("noisy") / "quickstart")
    environment = settings_from("search", None, "mild", None, 3)
    summary = rollout(world, agent="noisy-searcher", environment=environment, trials=4, limit=8, max_steps=40)
    return shards_of(summary.folder), context_of(world)


def loss_of(row):
    return [message.get("loss") for message in row["messages"]]


def test_real_trajectories_come_back_as_they_were_said(noisy, tmp_path):
    table, context = noisy
    rows = read_back(converted(SFT, [table.slice(0, 20), table.slice(20)], context), tmp_path)
    sources = {row["id"]: row for row in table.to_pylist()}
    assert [row["id"] for row in rows] == table["id"].to_pylist()
    for row in rows:
        source = sources[row["id"]]
        assert row["tools"] == json.loads(source["tools"])
        for message, original in zip(row["messages"], source["messages"], strict=True):
            assert None not in message.values()
            assert (message["role"], message["content"]) == (original["role"], original["content"])
            calls, made = message.get("tool_calls", []), original["tool_calls"] or []
            assert all(isinstance(call["function"]["arguments"], dict) for call in calls)
            assert [call["id"] for call in calls] == [call["id"] for call in made]
        assert (row["reward"], row["canary"]) == (reward(DEFAULT, source), context.canary)
        assert (row["item_f1"], row["coverage"]) == (source["item_f1"], source["coverage"])
    mistaken = [row for row in rows if row["n_unlearnt"]]
    assert mistaken and len(mistaken) < len(rows)


def test_what_is_not_learnt_is_what_went_wrong_by_the_agents_doing(noisy):
    table, context = noisy
    for written, source in zip(converted(SFT, [table], context).to_pylist(), table.to_pylist(), strict=True):
        messages = [json.loads(message) for message in written["messages"]]
        errors = iter(source["observations"])
        for message in messages:
            failed = [next(errors)["error"] for _ in message.get("tool_calls", [])]
            if message["role"] == "assistant":
                assert message["loss"] == (not {"malformed_request", "unknown_tool"} & set(failed))
            else:
                assert "loss" not in message
        assert sum(message.get("loss") is False for message in messages) == written["n_unlearnt"]


def test_conversations_by_hand(context, tmp_path):
    parallel = talk(
        ask(
            ("a", "web_search", {"query": "维尔马"}),
            ("b", "web_extractor", {"url": "u", "part": None}),
            content="",
            reasoning="两次",
        ),
        bring("a", ""),
        bring("b", "页", "web_extractor"),
        say("assistant", TABLE, reasoning_content="done"),
    )
    (row,) = read_back(converted(SFT, [table_of(parallel)], context), tmp_path)
    first = row["messages"][2]
    assert first == {
        "role": "assistant",
        "content": "",
        "reasoning_content": "两次",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "web_search", "arguments": {"query": "维尔马"}}},
            {
                "id": "b",
                "type": "function",
                "function": {"name": "web_extractor", "arguments": {"url": "u", "part": None}},
            },
        ],
        "loss": True,
    }
    assert row["messages"][3] == {"role": "tool", "content": "", "tool_call_id": "a", "name": "web_search"}
    assert row["messages"][-1]["reasoning_content"] == "done"


@pytest.mark.parametrize(
    "arguments",
    ['{"query": "Vel', '["a"]', '"text"', "", '{"part": 1e999}', '{"part": NaN}', '{"part": 99999999999999999999}'],
)
def test_arguments_that_are_no_object_stand_as_they_were_and_are_not_learnt(arguments, context, tmp_path):
    row = talk(
        ask(("a", "web_search", arguments)),
        bring("a", "Error: malformed request"),
        ask(("b", "web_search", {"query": "x"})),
        bring("b", "found"),
        say("assistant", TABLE),
        observations=[observed("a", "malformed_request"), observed("b")],
    )
    (read,) = read_back(converted(SFT, [table_of(row)], context), tmp_path)
    assert read["messages"][2]["tool_calls"][0]["function"]["arguments"] == {UNPARSED: arguments}
    assert loss_of(read) == [None, None, False, None, True, None, True]
    (as_text,) = converted(SFT_STR, [table_of(row)], context).to_pylist()
    assert as_text["messages"][2]["tool_calls"][0]["function"]["arguments"] == arguments
    assert as_text["loss_mask"] == [False, False, False, False, True, False, True]
    assert converted(SFT_SHAREGPT, [table_of(row)], context).num_rows == 0


def test_odd_endings(context):
    call, found = ask(("a", "web_search", {"query": "x"})), bring("a", "found")
    failed = talk(call, found, trial=0, ending="failed", error="ModelError: gone")
    silent = talk(call, found, say("assistant", " "), trial=1, ending="token_limit")
    demanded = talk(call, found, say("assistant", "Hm."), say("user", "Answer now."), say("assistant", TABLE), trial=2)
    nothing = talk(trial=3, ending="failed", error="ModelError: gone")
    mistaken = talk(ask(("a", "strange", {})), found, trial=4, observations=[observed("a", "unknown_tool")])
    table = table_of(failed, silent, demanded, nothing, mistaken)
    rows = converted(SFT, [table], context).to_pylist()
    assert [row["trial"] for row in rows] == [0, 1, 2]
    assert [len(row["messages"]) for row in rows] == [3, 3, 7]
    assert [loss_of({"messages": map(json.loads, row["messages"])})[2:] for row in rows] == [
        [True],
        [True],
        [True, None, False, None, True],
    ]
    assert [len(row["messages"]) for row in converted(SFT_STR, [table], context).to_pylist()] == [3, 3, 7]


def test_strings_are_the_trajectorys_own(noisy, tmp_path):
    table, context = noisy
    view = converted(SFT_STR, [table.slice(3, 9)], context)
    assert view.schema.field("messages").type == pa.list_(MESSAGE)
    for row, source in zip(read_back(view, tmp_path), table.slice(3, 9).to_pylist(), strict=True):
        assert row["messages"] == source["messages"] and row["tools"] == source["tools"]
        assert len(row["loss_mask"]) == len(row["messages"])
        roles = {message["role"] for message, learnt in zip(row["messages"], row["loss_mask"], strict=True) if learnt}
        assert roles == {"assistant"}


def formatted(value):
    """Read a function_call's value as LLaMA-Factory 0.9.5's formatter does: the words, the calls."""
    marked = re.search(r"<tool_call>(.*?)</tool_call>", value, re.DOTALL)
    thought = re.search(r"<think>\n(.*?)\n</think>\n\n", value, re.DOTALL)
    if marked:
        words, calls = value.replace(marked[0], ""), json.loads(marked[1])
    else:
        words, calls = (thought[0] if thought else ""), json.loads(value.replace(thought[0], "") if thought else value)
    return words, [(call["name"], call["arguments"]) for call in (calls if isinstance(calls, list) else [calls])]


def accepted(row):
    """Whether LLaMA-Factory 0.9.5 takes a row: roles alternate, and come in pairs."""
    odd, even = {"human", "observation"}, {"gpt", "function_call"}
    turns = row["conversations"]
    return len(turns) % 2 == 0 and all(
        turn["from"] in (even if number % 2 else odd) for number, turn in enumerate(turns)
    )


def test_llama_factory_takes_every_row(noisy, tmp_path):
    table, context = noisy
    rows = read_back(converted(SFT_SHAREGPT, [table], context), tmp_path)
    sources = {row["id"]: row for row in table.to_pylist()}
    assert rows and all(accepted(row) for row in rows)
    for row in rows:
        source = sources[row["id"]]
        calls = [message["tool_calls"] for message in source["messages"] if message["tool_calls"]]
        read = [formatted(turn["value"])[1] for turn in row["conversations"] if turn["from"] == "function_call"]
        assert read == [
            [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in together]
            for together in calls
        ]
        thought = source["messages"][-1]["reasoning_content"]
        assert row["conversations"][-1]["value"] == f"<think>\n{thought}\n</think>\n\n{source['answer']}"
        assert [tool["name"] for tool in json.loads(row["tools"])] == ["web_search", "web_extractor", "dict_memory"]
        assert row["system"] == source["messages"][0]["content"]


def test_sharegpt_inlines_thought_and_joins_what_comes_between(context):
    row = talk(
        ask(
            ("a", "web_search", {"query": "<tool_call> in </tool_call> a query"}),
            ("b", "web_search", {"query": "y"}),
            reasoning="look up",
        ),
        bring("a", "one"),
        bring("b", "two"),
        say("user", "You can make one more tool call."),
        ask(("c", "web_search", {"query": "z"}), content="Once more.", reasoning="why not"),
        bring("c", "three"),
        say("assistant", TABLE, reasoning_content="done"),
    )
    (read,) = converted(SFT_SHAREGPT, [table_of(row)], context).to_pylist()
    turns = read["conversations"]
    assert [turn["from"] for turn in turns] == ["human", *["function_call", "observation"] * 2, "gpt"]
    assert formatted(turns[1]["value"]) == (
        "<think>\nlook up\n</think>\n\n",
        [("web_search", {"query": "<tool_call> in </tool_call> a query"}), ("web_search", {"query": "y"})],
    )
    assert turns[2]["value"] == "one\n\ntwo\n\nYou can make one more tool call."
    words, calls = formatted(turns[3]["value"])
    assert words.strip() == "<think>\nwhy not\n</think>\n\nOnce more." and calls == [("web_search", {"query": "z"})]
    assert turns[-1]["value"] == f"<think>\ndone\n</think>\n\n{TABLE}"
    assert json.loads(read["tools"]) == [tool["function"] for tool in json.loads(TOOLS)]


def test_a_chat_template_renders_rows_as_if_no_loss_were_marked(noisy, tiny_model):
    from transformers import AutoTokenizer

    table, context = noisy
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    for row in converted(SFT, [table.slice(0, 8)], context).to_pylist():
        messages = [json.loads(message) for message in row["messages"]]
        tools = [json.loads(tool) for tool in row["tools"]]
        bare = [{key: value for key, value in message.items() if key != "loss"} for message in messages]
        text = tokenizer.apply_chat_template(messages, tools=tools, tokenize=False)
        assert text == tokenizer.apply_chat_template(bare, tools=tools, tokenize=False)
        assert "None" not in text.replace("None of", "") and '"arguments": {"' in text


def test_portions_do_not_matter_and_neither_do_empty_ones(noisy):
    table, context = noisy
    for view in (SFT, SFT_STR, SFT_SHAREGPT):
        at_once = converted(view, [table], context)
        apart = converted(view, [table.slice(0, 0), *(table.slice(row, 1) for row in range(table.num_rows))], context)
        assert at_once.to_pylist() == apart.to_pylist()
        assert converted(view, [table.slice(0, 0)], context).num_rows == 0


def test_rows_from_before_there_were_components_are_refused_with_what_to_do(noisy):
    table, context = noisy
    old = table.set_column(
        table.column_names.index("format_score"), "format_score", pa.nulls(table.num_rows, pa.float64())
    )
    with pytest.raises(InputError, match="format_score") as refused:
        converted(SFT, [old], context)
    assert "rescore" in refused.value.hint


@given(st.lists(st.text(), min_size=1, max_size=5), st.booleans())
def test_any_text_is_quoted_as_json(texts, marked):
    fit = [text.encode("utf-8", "replace").decode() for text in texts]
    column = pa.array([[say("user", text) for text in fit]], pa.list_(MESSAGE))
    written = [json.loads(write_message(message, marked or None)) for message in next(read_messages(column))]
    assert [message["content"] for message in written] == fit


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)),
       st.booleans())  # fmt: skip
def test_arguments_mean_what_they_meant(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "replace").decode()
    written = arguments_object(text)
    if not isinstance(value, dict):
        assert written is None
    else:
        assert json.loads(to_json(written)) == json.loads(
            json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace")
        )


def test_escaped_halves_of_letters_do_not_reach_readers():
    assert json.loads(to_json(arguments_object('{"query": "\\ud83d\\ude00 \\ud83d"}'))) == {"query": "😀 ?"}
    assert json.loads(write_message(Message("user", "a\x07\u2028\\"))) == {"role": "user", "content": "a\x07\u2028\\"}
