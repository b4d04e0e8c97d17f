import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_action import read_action

from worldforge.models.chat import ToolCall
from worldforge.world_model.prompt import read_observation, write_action, write_observation

MARKS = [
    *("<think>", "</think>", "<predicted_observation>", "</predicted_observation>"),
    *("**Environment Observation:**", "```", "```json", "````", "\n", "a", " "),
]
SHREDS = st.lists(st.sampled_from(MARKS) | st.text(max_size=3), max_size=14).map("".join)
PLAIN = st.text("abc []é\n.:|#-*").map(lambda text: text.strip("\n").rstrip())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def test_an_action_is_written_as_published():
    call = ToolCall("7", "web_search", '{"query":  "clubs of Vélmar"}')
    assert write_action(3, call) == (
        '### Turn 3\n**Action:**\n```json\n{"name": "web_search", "arguments": {"query": "clubs of Vélmar"}}\n```'
    )


def test_instruction_and_disclosure_follow_the_action():
    text = write_action(1, ToolCall("1", "visit", "{}"), disclosed="Title: a\n\n```\nb\n```", instruction="Be slow.")
    action, instruction, disclosed = text.split("\n\n", 2)
    assert action == write_action(1, ToolCall("1", "visit", "{}"))
    assert instruction == "**Instruction:**\nBe slow."
    assert disclosed == "**Disclosed:**\nTitle: a\n\n```\nb\n```"


@given(st.integers(1, 999), st.text(max_size=20), st.dictionaries(st.text(max_size=5), VALUES, max_size=4), st.text())
def test_an_action_is_read_back(turn, name, arguments, disclosed):
    read_turn, call = read_action(write_action(turn, ToolCall("x", name, json.dumps(arguments)), disclosed))
    assert (read_turn, call.id, call.name) == (turn, str(turn), name)
    assert json.loads(call.arguments) == arguments


@given(st.text() | st.sampled_from(["[" * 100_000, '"a"', "[1]", '{"a": NaN}', "1e999", "3" * 5000]))
def test_arguments_that_are_no_object_are_read_back_as_they_stand(arguments):
    if arguments.strip().startswith("{") and arguments.strip().endswith("}") and "NaN" not in arguments:
        return
    _, call = read_action(write_action(1, ToolCall("1", "visit", arguments)))
    assert call.arguments == arguments


@given(st.text(st.characters()), st.text(st.characters()))
def test_whatever_an_agent_calls_can_be_written(name, arguments):
    text = write_action(1, ToolCall("1", name, arguments), disclosed=arguments)
    text.encode()
    assert read_action(text) is not None


@given(SHREDS | st.text())
def test_any_text_can_be_read_as_an_action(text):
    read = read_action(text)
    assert read is None or text.startswith(f"### Turn {read[1].id}\n")


@given(PLAIN)
def test_an_observation_is_read_back(text):
    assert read_observation(write_observation(text)) == text
    assert read_observation(f"<think>\nhm\n</think>\n\n{write_observation(text)}\n") == text
    assert read_observation(f"<predicted_observation>\n{text}\n</predicted_observation>") == text
    assert read_observation(write_observation(f"```text\n{text}\n```")) == text


@given(PLAIN, SHREDS)
def test_what_is_thought_is_not_observed(text, thought):
    thought = thought.replace("</think>", "")
    assert read_observation(f"<think>{thought}</think>{write_observation(text)}") == text
    assert read_observation(f"{thought.replace('<think>', '')}</think>\n{write_observation(text)}") == text
    assert read_observation(f"<think>{thought}") == ""


@given(SHREDS | st.text(st.characters()))
def test_any_reply_can_be_read(text):
    assert isinstance(read_observation(text), str)
    assert read_observation(text) == read_observation(text).strip("\r\n").rstrip()


@pytest.mark.parametrize(
    ("reply", "observation"),
    [
        ("", ""),
        ("ls\n", "ls"),
        ("  indented\n  more  \n", "  indented\n  more"),
        ("<predicted_observation>a</predicted_observation> <predicted_observation>b</predicted_observation>.", "b"),
        ("<predicted_observation>a</predicted_observation><predicted_observation>b", "a"),
        ("<predicted_observation>a", ""),
        ("</predicted_observation>a<predicted_observation>", ""),
        ("<think>a</think><think>b</think>c", "c"),
        ("<think>a</think><think>b", ""),
        ("a</think>b", "b"),
        ("### Turn 2\n**Environment Observation:**\na", "a"),
        ("**Environment Observation:** a", "a"),
        ("<think>\n**Environment Observation:**\na</think>**Environment Observation:**\n```\nb\n```", "b"),
        ("**Environment Observation:**\n```\na\n```\n\n```\nb\n```", "```\na\n```\n\n```\nb\n```"),
        ("```markdown\n# a\n```py\nb\n```\n```", "# a\n```py\nb\n```"),
        ("````\na\n```\nb\n````", "a\n```\nb"),
        ("```\n```", ""),
        ("```", "```"),
        ("```json\n{}", "```json\n{}"),
    ],
)
def test_replies_as_models_write_them(reply, observation):
    assert read_observation(reply) == observation
