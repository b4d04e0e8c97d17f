"""A language model as renderer, played by scripts: it lies, leaks, stops short, babbles, thinks for ever, fails."""

import asyncio
import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest
from scenes import BODY, GUARD, page_scene, search_scene

from worldforge.core.store import Store
from worldforge.environments.requests import SessionBackend
from worldforge.environments.session import Rendering, Scene, ToolSession
from worldforge.environments.views import ToolView
from worldforge.models.chat import Reply, Request, Sampling, ToolCall, Usage
from worldforge.models.model import ModelError
from worldforge.world_model import guard
from worldforge.world_model.model_renderer import ModelRenderer, scene_key
from worldforge.world_model.prompt import Drafting, scene_prompt, write_observation

HONEST = BODY.replace("It is not far away.", "It is not distant.")
LYING = BODY.replace("9,850", "9,580")
PAGE = page_scene()


class Player:
    """A model that answers as it is told to: with a reply, a text, or an error; by the number of the draft."""

    name, context_tokens = "player", 0

    def __init__(self, *answers: Reply | str | Exception, wait_s: float = 0.0, identity: str = "one") -> None:
        self.identity = identity
        self.answers, self.wait_s, self.requests = answers, wait_s, list[Request]()

    async def reply(self, request: Request) -> Reply:
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        await asyncio.sleep(self.wait_s)
        if isinstance(answer, Exception):
            raise answer
        reply = Reply(answer) if isinstance(answer, str) else answer
        return replace(reply, usage=Usage(prompt=100, completion=10), seconds=0.5)

    def count_tokens(self, text: str) -> int:
        return len(text) // 4 + 1


def shown(body: str) -> str:
    return PAGE.text.replace(BODY, body)


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "observations.sqlite") as opened:
        yield opened


def rendered(store: Store, model: Player, *scenes: Scene, **drafting: object) -> list[Rendering]:
    renderer = ModelRenderer("world", model, GUARD, store, Drafting(**drafting))  # type: ignore[arg-type]

    async def all_at_once() -> list[Rendering]:
        return await asyncio.gather(*(renderer.render(scene) for scene in scenes))

    return asyncio.run(all_at_once())


def test_an_honest_draft_is_shown(store):
    (seen,) = rendered(store, model := Player(write_observation(shown(HONEST))), PAGE)
    assert seen == Rendering(
        shown(HONEST).rstrip(), "model", "clean", n_drafts=1, prompt_tokens=100, completion_tokens=10, seconds=0.5
    )
    assert model.requests[0].sampling.seed is not None


@pytest.mark.parametrize(
    "wrap",
    [
        "{}",
        "**Environment Observation:**\n{}",
        "<think>It asks for 1937, the gold.</think>\n{}",
        "so it asks\n</think>\n\n<predicted_observation>\n{}\n</predicted_observation>",
        "<predicted_observation>no</predicted_observation><predicted_observation>{}</predicted_observation>",
    ],
)
def test_an_observation_is_taken_out_of_what_stands_around_it(store, wrap):
    (seen,) = rendered(store, Player(wrap.format(shown(HONEST))), PAGE)
    assert (seen.source, seen.text) == ("model", shown(HONEST).rstrip())


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (shown(LYING), "contradicting"),
        (shown(BODY.replace("checked.", "checked. Ostrand Albion has won.")), "leaking"),
        (shown(BODY.replace("checked.", "checked. Redding has won.")), "hallucinated"),
        (shown(BODY.replace("Torvik City was founded in 1920.", "")), "incomplete"),
        (Reply(shown(HONEST), finish="length"), "truncated"),
        (shown(HONEST)[:-80], "incomplete"),
        ("<think>First I have to consider", "malformed"),
        ("<predicted_observation>" + shown(HONEST), "malformed"),
        ("", "malformed"),
        ("\x00\ud800 ∰ [1] [1]", "malformed"),
        ("I am sorry, but I cannot help with that.", "malformed"),
        ("Error: 404, no such page", "malformed"),
    ],
)
def test_a_bad_draft_is_replaced_by_the_engines_text(store, answer, verdict):
    (seen,) = rendered(store, model := Player(answer), PAGE, n_drafts=3)
    assert (seen.text, seen.source, seen.n_drafts, seen.completion_tokens) == (PAGE.text, "fallback", 3, 30)
    assert seen.verdict == verdict and seen.refused == (seen.verdict, seen.verdict)
    assert len({request.sampling.seed for request in model.requests}) == 3
    (again,) = rendered(store, Player(AssertionError("asked again")), PAGE, n_drafts=3)
    assert again == Rendering(PAGE.text, "fallback", seen.verdict, stored=True)


def test_a_bad_draft_is_drafted_again(store):
    (seen,) = rendered(store, Player(shown(LYING), "what?", shown(HONEST)), PAGE)
    assert (seen.source, seen.verdict, seen.n_drafts) == ("model", "clean", 3)
    assert seen.refused[0] == "contradicting" and len(seen.refused) == 2 and seen.seconds == 1.5


def test_a_model_that_fails_leaves_nothing_behind(store):
    (seen,) = rendered(store, Player(shown(LYING), ModelError("the server is gone")), PAGE)
    assert seen == Rendering(
        PAGE.text,
        "fallback",
        "unavailable",
        ("contradicting",),
        False,
        1,
        prompt_tokens=100,
        completion_tokens=10,
        seconds=0.5,
        failure="the server is gone",
    )
    assert len(list(store.items())) == 0
    assert rendered(store, Player(shown(HONEST)), PAGE)[0].source == "model"


def test_the_same_call_gives_the_same_text_in_other_turns_and_sessions(store):
    (first,) = rendered(store, Player(shown(HONEST)), PAGE)
    later = page_scene(history=((ToolCall("1", "web_search", '{"query": "a"}'), "nothing"),))
    other_words = replace(PAGE, call=ToolCall("9", "web_extractor", f'{{"part":1,"url":"{PAGE.request.url}"}}'))
    for scene in (PAGE, later, other_words):
        (again,) = rendered(store, Player(shown(BODY)), scene)
        assert again == Rendering(first.text, "model", "clean", stored=True)


def test_other_weights_under_the_same_name_are_asked_anew(store):
    (first,) = rendered(store, Player(shown(HONEST)), PAGE)
    (other,) = rendered(store, model := Player(shown(BODY), identity="other"), PAGE)
    assert other.text != first.text and not other.stored and len(model.requests) == 1
    (again,) = rendered(store, Player(AssertionError("asked again")), PAGE)
    assert again.stored and again.text == first.text


@pytest.mark.parametrize("changed", ["model", "guard", "drafts"])
def test_what_was_refused_is_drafted_again_where_another_might_take_it(store, changed, monkeypatch):
    (refused,) = rendered(store, Player(shown(LYING)), PAGE, n_drafts=2)
    if changed == "guard":
        monkeypatch.setattr(guard, "VERSION", guard.VERSION + 1)
    better = Player(shown(HONEST), identity="other" if changed == "model" else "one")
    (seen,) = rendered(store, better, PAGE, n_drafts=4 if changed == "drafts" else 2)
    assert refused.source == "fallback" and (seen.source, seen.stored) == ("model", False)


def test_what_a_text_depends_on_is_in_its_key():
    drafting = Drafting()
    key = scene_key("world", PAGE, "model", drafting)
    others = [
        scene_key("other", PAGE, "model", drafting),
        scene_key("world", PAGE, "other", drafting),
        scene_key("world", PAGE, "model", Drafting(Sampling(temperature=0.1))),
        scene_key("world", page_scene(LYING), "model", drafting),
        scene_key("world", page_scene(controls="seed 7"), "model", drafting),
        scene_key("world", page_scene(instruction="Searches may fail."), "model", drafting),
        scene_key("world", search_scene(), "model", drafting),
    ]
    assert len({key, *others}) == len(others) + 1
    assert scene_key("world", page_scene(), "model", Drafting(context_tokens=9)) == key


def test_calls_under_way_at_once_share_one_drafting(store):
    seen = rendered(store, model := Player(shown(LYING), shown(HONEST), wait_s=0.01), *[PAGE] * 8, search_scene())
    assert len({one.text for one in seen[:8]}) == 1
    assert sum(one.n_drafts for one in seen[:8]) == 2 and sum(one.stored for one in seen[:8]) == 7
    assert sum(request.messages[-1].content.count("web_extractor") > 0 for request in model.requests) <= 3


def test_who_waits_goes_on_where_the_first_is_cancelled(store):
    renderer = ModelRenderer("world", model := Player(shown(HONEST), wait_s=0.05), GUARD, store)

    async def cancel_the_first() -> list[Rendering | BaseException]:
        calls = [asyncio.create_task(renderer.render(PAGE)) for _ in range(4)]
        await asyncio.sleep(0.01)
        calls[0].cancel()
        calls[2].cancel()
        return await asyncio.gather(*calls, return_exceptions=True)

    first, second, third, fourth = asyncio.run(cancel_the_first())
    assert isinstance(first, asyncio.CancelledError) and isinstance(third, asyncio.CancelledError)
    assert second.text == fourth.text == shown(HONEST).rstrip() and len(model.requests) == 2


def draft(path: Path, body: str, begin: "multiprocessing.synchronize.Event", said: "multiprocessing.Queue") -> None:
    begin.wait()
    with Store(path) as opened:
        said.put([one.text for one in rendered(opened, Player(shown(body), wait_s=0.2), PAGE)])


def test_processes_that_draft_the_same_call_show_the_same_bytes(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    begin, said = spawn.Event(), spawn.Queue()
    given = [(tmp_path / "store", body, begin, said) for body in (HONEST, BODY.replace("has been", "was"))]
    drafters = [spawn.Process(target=draft, args=arguments) for arguments in given]
    for drafter in drafters:
        drafter.start()
    begin.set()
    first, second = said.get(timeout=60), said.get(timeout=60)
    for drafter in drafters:
        drafter.join()
    assert first == second


def test_a_prompt_tells_the_call_and_what_may_be_disclosed_and_nothing_else():
    history = ((ToolCall("1", "web_search", '{"query": "Velmar"}'), "[1] …"),)
    scene = page_scene(history=history, instruction="Be brief.")
    system, action, observation, last = scene_prompt(Player().count_tokens, scene, 20_000)
    assert "web_extractor" in system.content and "Be brief." in system.content and "fictional" in system.content
    assert (action.role, observation.role, last.role) == ("user", "assistant", "user")
    assert '"Velmar"' in action.content and "[1] …" in observation.content
    assert PAGE.text.strip() in last.content and "Turn 2" in last.content


def test_a_prompt_grows_by_appending_and_stays_within_its_budget():
    calls = [ToolCall(str(n), "web_search", f'{{"query": "{n}"}}') for n in range(60)]
    told = [(call, f"result {call.id} " + "text " * 100) for call in calls]
    player, before, n_cuts = Player(), (), 0
    for n in range(len(told)):
        messages = scene_prompt(player.count_tokens, search_scene(history=told[:n]), 6_000)
        assert sum(player.count_tokens(message.content) for message in messages) <= 6_000
        n_cuts += messages[: len(before)] != before
        before = messages[:-1]
    assert 0 < n_cuts < 10 and "left out" in messages[1].content


def test_a_session_passes_on_what_a_rendering_cost(store):
    class Fixed(SessionBackend):
        def answer(self, request: object) -> ToolView:
            return PAGE.view

    renderer = ModelRenderer("world", Player("no", shown(HONEST)), GUARD, store)
    session = ToolSession(PAGE.dialect, Fixed(), renderer=renderer)
    seen = asyncio.run(session.step(PAGE.call)).rendering
    assert (seen.source, seen.verdict, seen.n_drafts, seen.prompt_tokens) == ("model", "clean", 2, 200)
    assert len(seen.refused) == 1 and seen.text == shown(HONEST).rstrip()
