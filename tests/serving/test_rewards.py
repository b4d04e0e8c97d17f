"""Rewards: the answer is found in whatever a trainer hands over, and only an answer is rewarded."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_world import task_on_paper

from worldforge.core.errors import InputError
from worldforge.environments.answer_rows import answer_table
from worldforge.scoring.gold_table import GoldTable, gold_of
from worldforge.scoring.strict_scorer import score_strict
from worldforge.serving.answer_reward import (
    MEASURES,
    compute_score,
    final_answer,
    measures,
    read_ground_truth,
    write_ground_truth,
)
from worldforge.serving.tool_call_text import read_calls, write_results

TASK = task_on_paper(3)
GOLD = write_ground_truth(gold_of(TASK))
ANSWER = answer_table(TASK.labels, [list(row) for row in TASK.gold])
BARE = ANSWER.replace("```markdown", "").replace("```", "")
WRONG = answer_table(TASK.labels, [["Nobody", "1"]])
CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "clubs"}}\n</tool_call>'


def result(text):
    return f"\nuser\n{write_results([text])}\nassistant\n"


def verl(solution):
    return compute_score("worldforge/widesearch", solution, GOLD, {"num_turns": 4}, reward_router_address=None)


def test_gold_tables_come_back_from_json_as_they_were():
    gold = GoldTable(*(getattr(gold_of(TASK), name) for name in ("columns", "rows", "keys", "evaluation")),
                     aliases={"Club": {"The Rovers": TASK.gold[0][0]}})  # fmt: skip
    assert read_ground_truth(write_ground_truth(gold)) == gold
    known = answer_table(TASK.labels, [["The Rovers", TASK.gold[0][1]], *map(list, TASK.gold[1:])])
    assert measures(known, write_ground_truth(gold))["item_f1"] == 1.0 > measures(known, GOLD)["item_f1"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("no json", "Expecting value"),
        ("[]", "indices"),
        ("{}", "lacks 'columns'"),
        (json.dumps(json.loads(GOLD) | {"keys": ["Town"]}), "its keys are"),
        (json.dumps(json.loads(GOLD) | {"rows": 7}), "not iterable"),
    ],
)
def test_what_is_no_gold_table_is_refused_with_a_reason(text, why):
    with pytest.raises(InputError, match=why):
        measures(ANSWER, text)


@pytest.mark.parametrize(
    "solution",
    [
        ANSWER,
        f"I will look.\n{CALL}{result('[1] …')}Here it is.\n{ANSWER}",
        f"{CALL}{result('| Club | Founded |')}{BARE}",
        f"<think>\n{WRONG}\n</think>\n\n{ANSWER}",
        f"{WRONG}\n{CALL}{result(WRONG)}<think>so</think>{ANSWER}",
        f"called\ntool text\nassistant\n{WRONG}\nanother page\n{ANSWER}",
    ],
)
def test_the_last_answer_in_a_response_is_rewarded(solution):
    scored = verl(solution)
    assert scored["score"] == scored["item_f1"] == scored["acc"] == 1.0
    assert set(scored) == {"score", "acc", *MEASURES}


@pytest.mark.parametrize(
    "solution",
    [
        "",
        f"{ANSWER}\n{CALL}",
        f"{ANSWER}\n{CALL}{result('[1] …')}",
        f'{ANSWER}\n<tool_call>\n{{"name": "sea',
        f"{CALL}{result(ANSWER)}",
        f"{CALL}\nuser\n<tool_response>\n{ANSWER}",
        f"{CALL}{result('x')}<think>\nperhaps\n{ANSWER}",
        f"tool text without marks, of a page with a table:\n{BARE}",
    ],
)
def test_what_is_no_answer_is_not_rewarded(solution):
    assert set(verl(solution).values()) == {0.0}


@given(st.text(), st.text())
def test_any_text_has_a_reward_between_0_and_1_and_what_came_before_the_last_result_does_not_matter(before, after):
    told = verl(f"{before}</tool_response>{after}")
    assert all(0.0 <= value <= 1.0 for value in told.values())
    assert told == verl(f"</tool_response>{after}")
    assert final_answer(before) in before


def test_the_reward_is_the_strict_scorers():
    half = answer_table(TASK.labels, [list(row) for row in TASK.gold[:1]])
    score = score_strict(half, gold_of(TASK))
    assert measures(half, GOLD) == {name: float(getattr(score, name)) for name in MEASURES}


def test_calls_in_a_text_are_read_and_what_cannot_be_is_said():
    (good, bad, half, last) = read_calls(f"{CALL}<tool_call>no</tool_call><tool_call>[1]</tool_call>{CALL[:-12]}")
    assert (good.name, json.loads(good.arguments), good.fault) == ("search", {"query": "clubs"}, "")
    assert "no JSON" in bad.fault and "needs" in half.fault and last == good
