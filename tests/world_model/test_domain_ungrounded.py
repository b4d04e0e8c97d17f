import asyncio
import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_action import read_action

from worldforge.environments.session import Rendering
from worldforge.models.chat import Message, Reply, Sampling, ToolCall, Usage
from worldforge.models.model import ModelError, ModelUnavailableError
from worldforge.world_model.domains import DOMAINS
from worldforge.world_model.prompt import History
from worldforge.world_model.ungrounded_session import UngroundedSession

TERMINAL = DOMAINS["terminal"]
DONE = "[exit code: 0; directory: /home/ada]"


class Model:
    """Replies what it is told to, one after the other, the last from then on; counts words as tokens."""

    name = "stub"

    def __init__(self, *replies, context_tokens=0):
        self.replies, self.context_tokens, self.requests = list(replies), context_tokens, []

    async def reply(self, request):
        self.requests.append(request)
        await asyncio.sleep(0)
        said = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Reply) else Reply(said, usage=Usage(10, 0, 5), seconds=0.5)

    def count_tokens(self, text):
        return len(text.split())


def run(session, *commands):
    calls = [ToolCall("1", "run", json.dumps({"command": command})) for command in commands]

    async def together():
        return await asyncio.gather(*(session.step(call) for call in calls))

    return asyncio.run(together())


def test_an_action_is_answered_by_the_model():
    model = Model(f"<think>hm</think>\n\n**Environment Observation:**\nnotes.txt\n{DONE}")
    session = UngroundedSession(TERMINAL, model, initial_state="Home is /home/ada.", instruction="Be slow.")
    (seen,) = run(session, "ls")
    assert seen.text == f"notes.txt\n{DONE}"
    told = Rendering(seen.text, "model", "ungrounded", n_drafts=1, prompt_tokens=10, completion_tokens=5, seconds=0.5)
    assert (seen.error, seen.rendering) == ("", told)
    system, action = model.requests[0].messages
    assert "Home is /home/ada." in system.content and "Be slow." in system.content
    assert read_action(action.content) == (1, ToolCall("1", "run", '{"command": "ls"}'))


def test_each_prompt_begins_with_the_one_before():
    model = Model(f"a\n{DONE}", f"b\n{DONE}", f"c\n{DONE}")
    session = UngroundedSession(TERMINAL, model)
    run(session, "1", "2", "3")
    prompts = [request.messages for request in model.requests]
    for before, after in pairwise(prompts):
        assert after[: len(before)] == before
    assert prompts[2][-2] == Message("assistant", f"**Environment Observation:**\nb\n{DONE}")
    assert [read_action(message.content)[0] for message in prompts[2] if message.role == "user"] == [1, 2, 3]


def test_calls_made_together_are_answered_in_order():
    model = Model(*(f"{n}\n{DONE}" for n in range(5)))
    seen = run(UngroundedSession(TERMINAL, model), *"abcde")
    assert [one.text[0] for one in seen] == list("01234")


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("run", "{", "malformed_request"),
        ("run", "{}", "malformed_request"),
        ("fly", "{}", "unknown_tool"),
    ],
)
def test_a_call_that_is_wrong_reaches_no_model(name, arguments, error):
    model = Model(f"a\n{DONE}")
    seen = asyncio.run(UngroundedSession(TERMINAL, model).step(ToolCall("1", name, arguments)))
    assert (seen.error, seen.rendering.source, model.requests) == (error, "engine", [])


def test_what_is_out_of_form_is_drawn_once_more():
    model = Model("no status line", f"a\n{DONE}")
    (seen,) = run(UngroundedSession(TERMINAL, model), "ls")
    assert (seen.text, seen.error, seen.rendering.n_drafts, seen.rendering.refused) == (
        f"a\n{DONE}",
        "",
        2,
        ("out_of_form",),
    )
    assert (seen.rendering.prompt_tokens, seen.rendering.completion_tokens, seen.rendering.seconds) == (20, 10, 1.0)
    first, second = model.requests
    assert first.messages == second.messages and first.sampling.seed != second.sampling.seed


def test_what_stays_out_of_form_is_shown_and_said_to_be():
    (seen,) = run(UngroundedSession(TERMINAL, Model("a", "b")), "ls")
    assert (seen.text, seen.error, seen.rendering.verdict) == ("b", "out_of_form", "ungrounded")
    (cut,) = run(UngroundedSession(TERMINAL, Model(Reply(f"a\n{DONE}", finish="length"))), "ls")
    assert (cut.error, cut.rendering.n_drafts) == ("out_of_form", 2)


@pytest.mark.parametrize("replies", [[ModelError("gone at http://10.0.0.1")], ["<think>on and on"], ["", "x</think>"]])
def test_a_model_that_fails_is_an_environment_that_is_not_there(replies):
    model = Model(*replies)
    session = UngroundedSession(TERMINAL, model)
    (seen,) = run(session, "ls")
    assert seen.error == "environment_unavailable" and seen.text.startswith("Error: ") and "10.0.0.1" not in seen.text
    assert (seen.rendering.source, seen.rendering.verdict) == ("model", "ungrounded")
    model.replies = [f"a\n{DONE}"]
    (seen,) = run(session, "pwd")
    assert seen.error == "" and read_action(model.requests[-1].messages[1].content)[0] == 1


def test_a_model_that_is_gone_ends_the_session():
    with pytest.raises(ModelUnavailableError):
        run(UngroundedSession(TERMINAL, Model(ModelUnavailableError("connection refused"))), "ls")


def test_sampling_is_the_callers_with_a_seed_for_each_draft():
    def seeds(seed):
        model = Model(f"a\n{DONE}")
        run(UngroundedSession(TERMINAL, model, sampling=Sampling(temperature=0.1), seed=seed), "1", "2")
        assert {request.sampling.temperature for request in model.requests} == {0.1}
        assert all("\n### Turn " in request.sampling.stop for request in model.requests)
        return [request.sampling.seed for request in model.requests]

    assert seeds(1) == seeds(1) != seeds(2) and len(set(seeds(1))) == 2


def test_a_grounded_domain_is_a_worlds_to_play():
    with pytest.raises(ValueError, match="grounded"):
        UngroundedSession(DOMAINS["search"], Model("a"))


def test_a_session_has_room_for_what_the_model_takes():
    many = [f"{'word ' * 100}\n{DONE}"] * 20
    small, large = Model(*many, context_tokens=1_500), Model(*many, context_tokens=100_000)
    for model in (small, large):
        run(UngroundedSession(TERMINAL, model, sampling=Sampling(max_tokens=200)), *"a" * 20)
    assert len(large.requests[-1].messages) == 40
    assert max(len(request.messages) for request in small.requests) < 40


def prompts_of(sizes, budget):
    """The prompts of a session whose actions have 10 words and whose observations have `sizes` words."""
    history = History(Model("").count_tokens, Message("system", "s " * 20), budget)
    for size in sizes:
        action = Message("user", "a " * 10)
        yield history.before(action)
        history.add(action, Message("assistant", "o " * size))


@given(st.lists(st.integers(0, 300), max_size=30), st.integers(100, 1_000))
def test_a_history_fits_where_the_action_does(sizes, budget):
    for prompt in prompts_of(sizes, budget):
        assert prompt[0].role == "system" and prompt[-1].content.endswith("a " * 10)
        assert len(prompt) == 2 or sum(len(message.content.split()) + 8 for message in prompt) <= budget


def test_a_history_is_cut_seldom_and_by_half():
    prompts = list(prompts_of([20] * 200, 1_000))  # a turn takes 46 tokens: there is room for 19
    cuts = [after for before, after in pairwise(prompts) if after[: len(before)] != before]
    assert 200 // 12 <= len(cuts) <= 200 // 9
    assert all(len(cut) < 24 for cut in cuts)
    assert cuts[0][1].content.startswith("(Turns 1 to ")
