"""Preferences: pairs that part at one turn, from real attempts and from attempts by hand."""

import json

import pytest
from paper_world import linked
from talks import (
    ask,
    bring,
    by_task,
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

from worldforge.datasets.views.dpo import MARGINS, MOST_PAIRS
from worldforge.datasets.views.dpo import VIEW as DPO
from worldforge.entry_points.play_run import rollout


@pytest.fixture(scope="module")
def context(paper_files, tmp_path_factory):
    return context_of(linked(paper_files, tmp_path_factory.mktemp("views") / "world"))


def attempt(trial, *queries, answer="| A |", f1=0.0, seen=0.0, ids="call", **columns):
    """An attempt that searches for the queries, one a turn, then answers."""
    messages = []
    for number, query in enumerate(queries):
        id_ = f"{ids}_{number}"
        messages += [ask((id_, "web_search", {"query": query}), content="I look."), bring(id_, f"Results of {query}.")]
    return talk(*messages, say("assistant", answer), trial=trial, item_f1=f1, coverage=seen, **columns)


def pairs(context, *attempts):
    return converted(DPO, [table_of(*attempts)], context).to_pylist()


def said(message):
    (text,) = message
    read = json.loads(text)
    return [call["function"]["arguments"]["query"] for call in read.get("tool_calls", [])] or read["content"]


def test_attempts_part_at_one_turn(context):
    better = attempt(0, "a", "b", answer="| right |", f1=1.0)
    worse = attempt(1, "a", "c", answer="| wrong |", f1=0.25, ids="other")
    (pair,) = pairs(context, worse, better)
    assert (pair["id"], pair["rejected_id"]) == ("task/list-0000#0", "task/list-0000#1")
    assert [json.loads(message)["role"] for message in pair["prompt"]] == ["system", "user", "assistant", "tool"]
    assert (said(pair["chosen"]), said(pair["rejected"])) == (["b"], ["c"])
    assert (pair["score_chosen"], pair["score_rejected"], pair["decided_by"]) == (1.0, 0.25, "item_f1")
    assert (pair["turn"], pair["item_f1"], pair["n_chosen"], pair["n_rejected"]) == (1, 1.0, 1, 1)


def test_a_turn_is_worth_what_followed_on_average(context):
    good = [attempt(trial, "a", answer=f"| {trial} |", f1=f1) for trial, f1 in enumerate((1.0, 0.0))]
    fair = attempt(2, "b", f1=0.8)
    first, *_ = sorted(pairs(context, *good, fair), key=lambda pair: pair["turn"])
    assert (said(first["chosen"]), said(first["rejected"])) == (["b"], ["a"])
    assert (first["score_chosen"], first["score_rejected"], first["n_rejected"]) == (0.8, 0.5, 2)


@pytest.mark.parametrize(
    ("first", "second", "measure"),
    [
        ({"f1": 0.5}, {"f1": 0.39}, "item_f1"),
        ({"f1": 0.5}, {"f1": 0.45}, None),
        ({"f1": 0.5, "seen": 0.9}, {"f1": 0.5, "seen": 0.7}, "coverage"),
        ({"f1": 0.5, "seen": 0.9}, {"f1": 0.5, "seen": 0.85}, None),
        ({"n_tool_calls": 3}, {"n_tool_calls": 5}, "n_tool_calls"),
        ({"n_tool_calls": 3}, {"n_tool_calls": 4}, None),
        ({}, {}, None),
    ],
)
def test_what_decides_and_by_how_much_at_least(first, second, measure, context):
    found = pairs(context, attempt(0, "a", **second), attempt(1, "b", **first))
    assert [pair["decided_by"] for pair in found] == ([measure] if measure else [])
    assert all(pair["score_chosen"] > pair["score_rejected"] and said(pair["chosen"]) == ["b"] for pair in found)
    assert [name for name, _ in MARGINS] == ["item_f1", "coverage", "n_tool_calls"]


def test_no_pair_where_tools_said_otherwise_or_the_setting_was_another(context):
    calls = ask(("a", "web_search", {"query": "a"}))
    lucky = talk(calls, bring("a", "much"), say("assistant", "| x |"), trial=0, item_f1=1.0)
    unlucky = talk(calls, bring("a", "Error: 500"), say("assistant", "| y |"), trial=1, item_f1=0.0)
    assert pairs(context, lucky, unlucky) == []
    hard = attempt(2, "b", f1=0.0, controls='{"seed": 1}')
    assert pairs(context, attempt(0, "a", f1=1.0), hard) == []


def test_the_same_deed_in_other_words_is_no_pair(context):
    def worded(trial, words, f1):
        call = ask(("a", "web_search", {"query": "a"}), content=words)
        return talk(call, bring("a", "found"), say("assistant", "| x |"), trial=trial, item_f1=f1)

    assert pairs(context, worded(0, "First, an overview.", 1.0), worded(1, "Let me start broadly.", 0.0)) == []


def test_a_mistaken_call_may_be_rejected_but_never_chosen_and_one_that_cannot_be_shown_is_neither(context):
    def called(trial, arguments, f1, error):
        call = ask(("a", "web_search", arguments))
        seen = [observed("a", error)]
        return talk(call, bring("a", "…"), say("assistant", "| x |"), trial=trial, item_f1=f1, observations=seen)

    sound, wrong = {"query": "a"}, {"input": "a"}
    (pair,) = pairs(context, called(0, sound, 1.0, ""), called(1, wrong, 0.0, "malformed_request"))
    assert json.loads(pair["rejected"][0])["tool_calls"][0]["function"]["arguments"] == wrong
    assert pairs(context, called(0, sound, 0.0, ""), called(1, wrong, 1.0, "malformed_request")) == []
    assert pairs(context, called(0, sound, 1.0, ""), called(1, '{"query"', 0.0, "malformed_request")) == []


def test_pairs_are_bounded_clearest_first_and_the_same_every_time(context):
    attempts = [attempt(trial, f"q{trial}", f1=trial / 40) for trial in range(40)]
    found = pairs(context, *attempts)
    assert len(found) == MOST_PAIRS
    margins = [pair["score_chosen"] - pair["score_rejected"] for pair in found]
    assert margins == sorted(margins, reverse=True)
    assert found == pairs(context, *attempts)


def test_real_attempts(quickstart, tmp_path):
    world = sharing(quickstart, tmp_path / "quickstart")
    table = shards_of(rollout(world, agent="noisy-searcher", trials=6, limit=12, max_steps=40).folder)
    sources = {row["id"]: row for row in table.to_pylist()}
    rows = read_back(converted(DPO, by_task(table), context_of(world)), tmp_path)
    assert rows
    for row in rows:
        assert len(row["chosen"]) == len(row["rejected"]) == 1
        assert row["chosen"] != row["rejected"] and row["score_chosen"] > row["score_rejected"]
        n_shared = len(row["prompt"])
        for id_, turn in ((row["id"], row["chosen"]), (row["rejected_id"], row["rejected"])):
            messages = sources[id_]["messages"]
            assert [one["content"] for one in messages[: n_shared + 1]] == [
                one["content"] for one in [*row["prompt"], *turn]
            ]
            assert messages[n_shared]["role"] == "assistant"
        assert row["prompt"][-1]["role"] in ("tool", "user")
