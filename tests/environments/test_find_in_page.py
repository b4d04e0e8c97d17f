"""The tool `find_in_page`, which is added to a search dialect by name, and goes the way of every other call."""

import asyncio
import json

import pytest
from paper_world import paper_files, paper_world

from worldforge.core.errors import InputError
from worldforge.entry_points.bench_model import export_transitions
from worldforge.entry_points.play_run import rollout
from worldforge.environments.controls.control_plan import load_controls
from worldforge.environments.registry import dialect_named
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.tools.find_in_page import FindInPage
from worldforge.environments.session import Rendering
from worldforge.models.chat import ToolCall
from worldforge.rollouts.environments import settings_from
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world_model.guard import Guard

__all__ = ["paper_files", "paper_world"]
URL = "https://wiki.example/torvik-rovers"


def found(world, words, controls=None, renderer=None):
    environment = SearchEnvironment(world, dialect_named("plain+find_in_page"))
    made = environment.controls(load_controls(controls)).session("task/list-0001", 1) if controls else None
    session = environment.session(controls=made, renderer=renderer)
    call = ToolCall("1", "find_in_page", json.dumps({"url": URL, "words": words}))
    return asyncio.run(session.step(call))


def test_it_shows_the_lines_and_discloses_them(paper_world):
    seen = found(paper_world, "was FOUNDED")
    assert seen.text.endswith("\n\n[1] part 1: Torvik Rovers was founded in 1902.") and not seen.error
    text = paper_world.pages["text"][seen.disclosed[0].page].as_py()
    assert [text[one.start : one.end] for one in seen.disclosed] == ["Torvik Rovers was founded in 1902."]
    assert dialect_named("plain+find_in_page").parse(FindInPage(URL, "was FOUNDED"), seen.text) == seen.view


@pytest.mark.parametrize(("words", "error"), [("sunk", "nothing_found"), ("", "malformed_request")])
def test_what_it_does_not_find_is_said(paper_world, words, error):
    assert found(paper_world, words).error == error


def test_controls_make_its_facts_wrong(paper_world):
    seen = found(paper_world, "founded", "none,wrong_facts.rate=1")
    (altered,) = seen.altered
    assert altered.fact == "club/0001#founded" and altered.shown in seen.text and "1902" not in seen.text
    assert found(paper_world, "founded", "none,errors.rate=1,errors.tools=[find]").controls == ("errors",)


def test_a_guard_lets_its_lines_be_reworded_and_keeps_their_facts(paper_world):
    class Keeper:
        async def render(self, scene):
            self.scene = scene
            return Rendering(scene.text)

    keeper = Keeper()
    text = found(paper_world, "founded", renderer=keeper).text
    guard = Guard(Lexicon.of_world(paper_world))
    reworded = text.replace("Torvik Rovers was founded in 1902.", "Torvik Rovers has been there since 1902.")
    assert guard.check(keeper.scene, reworded).kind == "clean"
    assert guard.check(keeper.scene, text.replace("1902", "1903")).kind != "clean"
    assert guard.check(keeper.scene, text.replace("part 1", "part 2")).kind != "clean"


def test_runs_and_benches_have_it(paper_world, tmp_path):
    settings = settings_from("search", "plain+find_in_page", None, None, 1)
    run = rollout(paper_world, environment=settings, limit=5)
    assert run.run == "oracle-plain-find_in_page" and run.tally.scores["success"] == 1
    assert "find_in_page" in run.config.system_prompt or run.config.environment == "search/plain+find_in_page"
    assert export_transitions(paper_world, tmp_path / "bench").n


def test_a_tool_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="no tool `find_in_pag`"):
        dialect_named("plain+find_in_pag")
    with pytest.raises(InputError, match="no dialect `plan`"):
        dialect_named("plan+find_in_page")
