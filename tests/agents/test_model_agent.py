"""A language model as an agent, played by a script: what it is told, what comes of what it says, where it must end."""

import asyncio
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.agent_prompts import final_demand, system_prompt
from worldforge.agents.episode import run_episode
from worldforge.agents.model_agent import ModelAgent, ModelSettings
from worldforge.environments.search.dialects import PLAIN
from worldforge.environments.session import Observation
from worldforge.models.chat import Message, Reply, Sampling, ToolCall, Usage
from worldforge.models.model import ModelError
from worldforge.models.scripted_model import ScriptedModel

TABLE = "```markdown\n| Club |\n| --- |\n| Kalo |\n```"
WORDING = "List all clubs of Velmar."


class Echo:
    """A session that answers each call with its name, its number and its arguments."""

    tools = PLAIN.tools

    def __init__(self, size=0):
        self.calls, self.size = [], size

    async def step(self, call):
        self.calls.append(call)
        return Observation(f"{call.name} {len(self.calls)}: {call.arguments}{' word' * self.size}")


class Played:
    """A model that says its lines in turn, the last one for ever, and keeps the requests."""

    def __init__(self, *lines, tokens=0):
        self.lines, self.requests, self.tokens = lines, [], tokens
        self.model = ScriptedModel(self.answer)

    def answer(self, request):
        self.requests.append(request)
        line = self.lines[min(len(self.requests), len(self.lines)) - 1]
        line = line(request) if callable(line) else line
        reply = line if isinstance(line, Reply) else Reply(line)
        return replace(reply, usage=Usage(10, 0, self.tokens)) if self.tokens else reply

    def play(self, session=None, limits=EpisodeLimits(), context=0, seed=1, **settings):  # noqa: B008
        self.model.context_tokens = context
        session = session or Echo()
        agent = ModelAgent(
            self.model,
            WORDING,
            session.tools,
            system_prompt=system_prompt(session.tools),
            limits=limits,
            settings=ModelSettings(**settings),
            seed=seed,
        )
        return asyncio.run(run_episode(agent, session, limits))


def calling(*calls, text="", reasoning="", finish="tool_calls"):
    made = tuple(ToolCall(f"id_{n}", name, arguments) for n, (name, arguments) in enumerate(calls))
    return Reply(text, made, reasoning, finish=finish)


FINAL_TABLE, FINAL_REPORT = (final_demand("en", wants_table=wants) for wants in (True, False))
SEARCH = ("search", '{"query": ["clubs"]}')
VISIT = ("visit", '{"url": "https://a.example"}')


def roles(request):
    return [message.role for message in request.messages]


def test_it_calls_reads_and_answers():
    played = Played(calling(SEARCH, VISIT, text="Let me look.", reasoning="Hm."), TABLE)
    episode = played.play()
    first, second = played.requests
    assert [m.role for m in first.messages] == ["system", "user"] and first.messages[1].content == WORDING
    assert first.tools == tuple(PLAIN.tools) and (first.tool_choice, first.structure) == ("auto", None)
    assert second.messages[: len(first.messages)] == first.messages
    said, *told = second.messages[2:]
    assert (said.role, said.content, said.reasoning, len(said.tool_calls)) == ("assistant", "Let me look.", "Hm.", 2)
    assert [(m.role, m.name, m.tool_call_id) for m in told] == [("tool", "search", "id_0"), ("tool", "visit", "id_1")]
    assert told[0].content == f"search 1: {SEARCH[1]}"
    action = episode.turns[0].action
    assert (action.content, action.reasoning, action.before) == ("Let me look.", "Hm.", ())
    assert (episode.answer, episode.ending, episode.n_tool_calls) == (TABLE, "answered", 2)
    assert episode.turns[1].action.usage.prompt > action.usage.prompt > 0


def test_a_prompt_grows_by_appending_alone():
    played = Played(*[calling(SEARCH) for _ in range(8)], TABLE)
    played.play()
    for before, after in zip(played.requests, played.requests[1:], strict=False):
        assert after.messages[: len(before.messages)] == before.messages and after.tools == before.tools


def test_a_chinese_task_is_played_in_chinese():
    played = Played(*[calling(SEARCH)] * 4, TABLE)
    played.play(limits=EpisodeLimits(max_steps=4), language="zh")
    told = [m.content for m in played.requests[-1].messages if m.role == "user"]
    assert told == [WORDING, "你还可以调用3次工具。", final_demand("zh", wants_table=True)]
    assert "请立即停止调用工具" in told[-1] and "```markdown" in told[-1]


def test_the_last_calls_are_announced_once_and_then_the_answer_is_demanded():
    played = Played(*[calling(SEARCH)] * 6, TABLE)
    episode = played.play(limits=EpisodeLimits(max_steps=6))
    told = [m.content for m in played.requests[-1].messages if m.role == "user"]
    assert told == [WORDING, "You can make 3 more tool calls.", FINAL_TABLE]
    assert [turn.action.before for turn in episode.turns if turn.action.before] == [
        (Message("user", "You can make 3 more tool calls."),),
        (Message("user", FINAL_TABLE),),
    ]
    assert played.requests[-1].tool_choice == "none" and played.requests[-1].tools == played.requests[0].tools
    assert (episode.ending, episode.answer, episode.n_tool_calls) == ("step_limit", TABLE, 6)


def test_of_more_calls_than_are_left_only_those_are_made():
    session = Echo()
    played = Played(calling(*[SEARCH] * 9), "Nothing yet.")
    episode = played.play(session, EpisodeLimits(max_steps=4))
    assert len(session.calls) == episode.n_tool_calls == 4 and episode.ending == "step_limit"
    assert len(played.requests[1].messages[2].tool_calls) == 4
    assert roles(played.requests[1]) == ["system", "user", "assistant", *["tool"] * 4, "user"]


def test_neither_calls_nor_a_table_is_followed_by_a_demand():
    played = Played(Reply("I will now search.", reasoning="Hm."), TABLE)
    episode = played.play()
    assert [(m.role, m.content) for m in played.requests[1].messages[2:]] == [
        ("assistant", "I will now search."),
        ("user", FINAL_TABLE),
    ]
    assert (episode.answer, episode.ending, len(episode.turns)) == (TABLE, "answered", 1)
    said, demand = episode.turns[0].action.before
    assert (said.content, said.reasoning, demand.content) == ("I will now search.", "Hm.", FINAL_TABLE)


def test_who_need_not_give_a_table_may_answer_in_words():
    played = Played("Kalo was founded in 1911.")
    assert played.play(wants_table=False).answer == "Kalo was founded in 1911." and len(played.requests) == 1
    played = Played(calling(SEARCH), "Kalo.")
    played.play(limits=EpisodeLimits(max_steps=1), wants_table=False)
    assert played.requests[1].messages[-1].content == FINAL_REPORT


@pytest.mark.parametrize("line", ["", "   ", Reply("I was going to say", finish="length"), Reply("", finish="length")])
def test_what_cannot_be_used_is_asked_for_again_but_not_for_ever(line):
    played = Played(line)
    episode = played.play()
    assert 4 <= len(played.requests) <= 5 and episode.ending == "answered"
    assert [request.tool_choice for request in played.requests[:4]] == ["auto"] * 3 + ["none"]
    assert played.requests[2].messages == played.requests[0].messages
    assert len({request.sampling.seed for request in played.requests}) == len(played.requests)
    played = Played(line, TABLE)
    assert played.play().answer == TABLE and len(played.requests) == 2


def test_a_table_that_was_cut_off_is_an_answer():
    cut = Reply(TABLE.removesuffix("\n```"), finish="length")
    assert Played(cut).play().answer == cut.text


def test_calls_whose_arguments_do_not_parse_are_made_and_stand_in_an_object():
    session = Echo()
    played = Played(calling(("search", '{"query": '), ("search", "[]"), ("nonsense", "{}")), TABLE)
    episode = played.play(session)
    assert [call.arguments for call in session.calls] == ['{"query": ', "[]", "{}"]
    assert [call.arguments for call in episode.turns[0].action.tool_calls] == ['{"query": ', "[]", "{}"]
    shown = [json.loads(call.arguments) for call in played.requests[1].messages[2].tool_calls]
    assert shown == [{"malformed": '{"query": '}, {"malformed": "[]"}, {}]


def test_no_two_calls_have_one_id():
    session = Echo()
    Played(*[calling(SEARCH, VISIT)] * 3, TABLE).play(session)
    assert len({call.id for call in session.calls}) == 6


def test_a_model_that_fails_is_an_error():
    def fail(request):
        raise ModelError("the server is gone")

    with pytest.raises(ModelError, match="gone"):
        Played(calling(SEARCH), fail).play()


def test_seeds_follow_from_the_episode_and_the_reply():
    seeds = {}
    for seed in (1, 2, 1):
        played = Played(calling(SEARCH), calling(SEARCH), TABLE)
        played.play(seed=seed)
        seeds.setdefault(seed, []).append([request.sampling.seed for request in played.requests])
    assert seeds[1][0] == seeds[1][1] and len({*seeds[1][0], *seeds[2][0]}) == 6
    assert all(0 <= seed < 2**31 for seed in seeds[1][0])


def test_what_is_set_goes_into_every_request():
    played = Played(calling(SEARCH), TABLE)
    played.play(sampling=Sampling(temperature=0.1, max_tokens=77), thinking=False)
    for request in played.requests:
        assert (request.sampling.temperature, request.sampling.max_tokens, request.thinking) == (0.1, 77, False)


@given(st.integers(40, 2_000), st.integers(16, 400), st.data())
def test_tokens_written_stay_within_their_limit(limit, longest, data):
    """However many tokens each reply takes of those that it may have, and whatever it holds."""
    written = []

    def line(request):
        used = data.draw(st.integers(1, request.sampling.max_tokens))
        written.append(used)
        whole = data.draw(st.sampled_from([calling(SEARCH), Reply(""), Reply("Hm."), Reply("H", finish="length")]))
        return replace(whole, usage=Usage(5, 0, used))

    played = Played(line)
    episode = played.play(limits=EpisodeLimits(50, limit), sampling=Sampling(max_tokens=longest))
    assert sum(written) <= limit
    assert sum(turn.action.usage.completion for turn in episode.turns) == sum(written)
    assert episode.ending in ("answered", "step_limit", "token_limit")
    assert not episode.turns[-1].action.tool_calls, "it was ended, and did not end"


def test_when_its_tokens_end_it_answers_with_those_kept_for_it():
    played = Played(*[calling(SEARCH)] * 3, TABLE, tokens=100)
    episode = played.play(limits=EpisodeLimits(50, 400), sampling=Sampling(max_tokens=100))
    assert (episode.ending, episode.answer) == ("token_limit", TABLE)
    assert [request.tool_choice for request in played.requests] == ["auto"] * 3 + ["none"]


@pytest.mark.parametrize("structured", [False, True])
def test_a_context_is_kept_and_what_was_cut_is_said(structured):
    call = json.dumps({"thought": "Hm.", "calls": [{"name": "search", "arguments": {"query": ["a"]}}]})
    answer = json.dumps({"thought": "", "answer": TABLE})
    lines = (*[call] * 30, answer) if structured else (*[calling(SEARCH)] * 30, TABLE)
    played = Played(*lines)
    sampling = Sampling(max_tokens=100)
    episode = played.play(Echo(size=150), context=2_500, structured=structured, sampling=sampling)
    assert (episode.ending, episode.n_tool_calls, episode.answer) == ("answered", 30, TABLE)
    sizes = [sum(len(m.content.split()) for m in request.messages) for request in played.requests]
    assert max(sizes) <= 2_400
    assert any("[removed to save space" in m.content for m in played.requests[-1].messages)
    assert "word word" in played.requests[-1].messages[-1].content
    n_cuts = sum(
        after.messages[: len(before.messages)] != before.messages
        for before, after in zip(played.requests, played.requests[1:], strict=False)
    )
    assert 1 <= n_cuts <= 8


@given(st.integers(1, 12), st.integers(0, 900), st.integers(0, 100), st.booleans(), st.booleans())
def test_the_final_answer_is_asked_for_within_the_context_too(n_calls, size, n_words, structured, limited):
    """Wherever the calls are used up, and however many words that are no answer come in place of it."""
    call = json.dumps({"thought": "", "calls": [{"name": "search", "arguments": {"query": ["a"]}}]})
    words, table = " word" * n_words, json.dumps({"thought": "", "answer": TABLE}) if structured else TABLE
    wordy = json.dumps({"thought": "", "answer": words}) if structured else words
    played = Played(*[call if structured else calling(SEARCH)] * n_calls, *([] if limited else [wordy]), table)
    limits, sampling = EpisodeLimits(n_calls if limited else 50), Sampling(max_tokens=100)
    episode = played.play(Echo(size), limits, context=2_000, structured=structured, sampling=sampling)
    assert episode.answer == TABLE
    assert not limited or FINAL_TABLE in played.requests[-1].messages[-1].content
    for request in played.requests:
        prompt = sum(len(message.content.split()) for message in request.messages)
        assert prompt + request.sampling.max_tokens <= 2_000


def test_where_the_prompt_takes_all_of_the_context_the_answer_is_empty():
    played = Played(TABLE)
    episode = played.play(context=20)
    assert (episode.answer, episode.ending, len(played.requests)) == ("", "token_limit", 0)


def test_the_smaller_of_two_contexts_counts():
    for context, limit in ((3_000, 1_200), (1_200, 3_000), (0, 1_200), (1_200, 0)):
        played = Played(*[calling(SEARCH)] * 10, TABLE)
        played.play(Echo(size=100), EpisodeLimits(50, 0, limit), context=context, sampling=Sampling(max_tokens=50))
        assert any("[removed" in m.content for m in played.requests[-1].messages)
    played = Played(*[calling(SEARCH)] * 10, TABLE)
    played.play(Echo(size=100), EpisodeLimits(50, 0, 3_000), context=3_000, sampling=Sampling(max_tokens=50))
    assert not any("[removed" in m.content for m in played.requests[-1].messages)


STRUCTURED = json.dumps(
    {
        "thought": "Let me look.",
        "calls": [{"name": "search", "arguments": {"query": ["é"]}}, {"name": "visit", "arguments": {"url": "u"}}],
    }
)


def test_structured_calls_are_made_and_observed_in_the_users_words():
    session = Echo()
    played = Played(STRUCTURED, json.dumps({"thought": "Done.", "answer": TABLE}))
    episode = played.play(session, structured=True)
    first, second = played.requests
    assert first.tools == () and first.structure.kind == "json_schema" and first.tool_choice == "auto"
    assert '"search"' in first.messages[0].content and "JSON object" in first.messages[0].content
    assert roles(second) == ["system", "user", "assistant", "user"]
    assert second.messages[2].content == STRUCTURED
    assert second.messages[3].content == 'search (1):\nsearch 1: {"query": ["é"]}\n\nvisit (2):\nvisit 2: {"url": "u"}'
    assert [(call.id, call.name) for call in session.calls] == [("call_1", "search"), ("call_2", "visit")]
    assert episode.turns[0].action.content == "Let me look." and episode.answer == TABLE


def test_a_structured_final_answer_is_of_the_one_form():
    played = Played(STRUCTURED, json.dumps({"thought": "", "answer": "None."}))
    episode = played.play(limits=EpisodeLimits(max_steps=1), structured=True)
    assert set(played.requests[1].structure.form["properties"]) == {"thought", "answer"}
    assert episode.answer == "None." and episode.n_tool_calls == 1
    assert roles(played.requests[1]) == ["system", "user", "assistant", "user"]
    assert played.requests[1].messages[-1].content.endswith(FINAL_TABLE)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"thought": "x", "answer": "| Club |\\n|---|\\n| Ka', "| Club |\n|---|\n| Ka"),
        ('{"thought": "x", "answer": "| Club |\\n|---|\\n| Ka\\', "| Club |\n|---|\n| Ka"),
        ('{"thought": "x", "answer": "| Club |\\n|---|\\n| K\\u00e9', "| Club |\n|---|\n| Ké"),
    ],
)
def test_of_a_structured_answer_that_was_cut_off_what_there_is_is_taken(text, answer):
    assert Played(Reply(text, finish="length")).play(structured=True).answer == answer


@given(st.text(max_size=60) | st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists).map(json.dumps))
def test_whatever_a_model_writes_in_place_of_structure_it_comes_to_an_end(text):
    for finish in ("stop", "length"):
        played = Played(Reply(text, finish=finish))
        assert played.play(structured=True).ending == "answered" and len(played.requests) <= 5


def test_lone_surrogates_come_to_nobody():
    line = '{"thought": "\\ud800", "calls": [{"name": "search", "arguments": {"query": ["\\udfff"]}}]}'
    session = Echo()
    episode = Played(line, json.dumps({"thought": "", "answer": TABLE})).play(session, structured=True)
    for call in session.calls:
        call.arguments.encode()
    for turn in episode.turns:
        turn.action.content.encode()
