"""The searcher: it types and opens what it was shown, thinks what is so, and answers well."""

import json
import re
import statistics
from dataclasses import replace

import pytest

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.core.errors import InputError
from worldforge.core.run_async import run_sync
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.registry import dialect_of
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.requests import OpenRequest
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.planner import SearcherSettings
from worldforge.environments.search.searcher.searcher import ScriptedSearcher
from worldforge.environments.search.searcher.thoughts import Thoughts
from worldforge.models.chat import ToolCall
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.task import TaskMeasures

DIALECTS = ("agentworld", "agentworld+find_in_page", "plain", "widesearch")
MANY = 100_000


@pytest.fixture(scope="module")
def reader(world):
    return PageReader(world)


@pytest.fixture(scope="module")
def play(world, reader):
    def play(task, *, seed=7, dialect="agentworld+find_in_page", length="long", max_steps=0, controls=None):
        environment = SearchEnvironment(world, dialect_of(SearchEnvironment, dialect))
        thoughts = Thoughts(task.language, seed, length)
        plan = ScriptedSearcher(world.spec, task, reader, environment.dialect, thoughts).play()
        open_controls = environment.controls(controls).session(task.id, seed) if controls else None
        session = environment.session(task, controls=open_controls)
        limits = EpisodeLimits(max_steps=max_steps or MANY)
        return run_sync(run_episode(PlannedAgent(plan, max_steps=max_steps), session, limits))

    return play


@pytest.fixture(scope="module")
def episodes(world, play):
    """An episode of each third task, by task."""
    return [(task, play(task)) for task in world.tasks[::3]]


@pytest.fixture(scope="module")
def names(world):
    """All names that entities bear."""
    tables = [world.entities(name) for name in world.spec.types]
    own = {name for table in tables for name in table["name"].to_pylist()}
    return own | {name for table in tables for aliases in table["aliases"].to_pylist() for name in aliases}


def turns_with_text_before(task, episode):
    """Yield each turn with all that was shown before: the question, and the observations until then."""
    shown = task.wording
    for turn in episode.turns:
        yield turn, shown
        shown = "\n".join([shown, *(observation.text for observation in turn.observations)])


def named_in(text, names):
    """The names that a text holds, as words of their own."""
    return {name for name in names if name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)}


def score(world, task, answer):
    return score_strict(answer, gold_with_aliases(world, task)).item_f1


def test_each_address_opened_and_each_name_typed_was_shown_before(episodes, names):
    n_calls = 0
    for task, episode in episodes:
        for turn, shown in turns_with_text_before(task, episode):
            for call in turn.action.tool_calls:
                arguments = json.loads(call.arguments)
                assert arguments.get("url", "") in shown
                typed = " ".join(
                    [*arguments.get("queries", []), *(arguments.get(key, "") for key in ("query", "words"))]
                )
                assert all(name in shown for name in named_in(typed, names)), typed
                n_calls += 1
    assert n_calls > 1000


def test_it_finds_nearly_all_without_a_limit_and_less_in_few_calls(world, play, episodes):
    found = [score(world, task, episode.answer) for task, episode in episodes]
    assert statistics.mean(found) > 0.95
    hurried = [score(world, task, play(task, max_steps=25).answer) for task, _ in episodes[:6]]
    assert statistics.mean(hurried) < statistics.mean(found[:6]) - 0.1


def test_answers_have_dates_and_numbers_in_the_form_that_the_question_asks_for(world, play):
    dated = next(task for task in world.tasks if any(column.kind == "date" for column in task.columns))
    rows = [line.strip("| ").split(" | ") for line in play(dated).answer.splitlines()[3:-1]]
    for at, column in enumerate(dated.columns):
        cells = [row[at] for row in rows]
        if column.kind == "date":
            assert all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", cell) for cell in cells), cells
        if column.kind in ("integer", "number"):
            assert not any("," in cell for cell in cells), cells


def test_it_keeps_within_its_calls_and_says_why_it_ends(world, play):
    episode = play(world.tasks[0], max_steps=12)
    assert episode.n_tool_calls <= 12 and episode.ending == "step_limit" and "| " in episode.answer
    assert "calls" in episode.turns[-1].action.reasoning


def test_thoughts_name_what_was_shown_and_do_not_repeat(episodes, names):
    for task, episode in episodes:
        thoughts = []
        for turn, shown in turns_with_text_before(task, episode):
            thought = turn.action.reasoning
            assert thought and not re.search(r"[{}#]|\w/\d", thought)
            assert all(name in shown for name in named_in(thought, names)), thought
            typed = " ".join(call.arguments for call in turn.action.tool_calls)
            assert all(quoted in shown or quoted in typed for quoted in re.findall(r"“([^”]+)”", thought)), thought
            thoughts.append(thought)
        assert len(set(thoughts)) > 0.9 * len(thoughts)


def test_thoughts_are_short_or_absent_if_wished(world, play):
    task = world.tasks[1]
    lengths = {
        length: [len(turn.action.reasoning) for turn in play(task, length=length).turns]
        for length in ("long", "short", "none")
    }
    assert sum(lengths["long"]) > sum(lengths["short"]) > 0 and not any(lengths["none"])
    assert len(lengths["long"]) == len(lengths["none"])  # they change nothing of what is done


def test_long_searches_write_notes_and_read_them_before_the_answer(episodes):
    n_long = 0
    for task, episode in episodes:
        calls = [(call, turn) for turn in episode.turns for call in turn.action.tool_calls]
        acts = [json.loads(call.arguments)["action"] for call, _ in calls if call.name == "dict_memory"]
        assert not acts or acts[-1] == "retrieve_all" == json.loads(calls[-1][0].arguments)["action"]
        assert not acts or len(calls) > 40
        if "add" in acts:
            n_long += 1
            seen = episode.turns[-2].observations[0].text
            answered = {line.split(" | ")[0].strip("| ") for line in episode.answer.splitlines()[3:-1]}
            if not task.shape.group and not task.shape.limit:
                noted = {name for text in json.loads(seen).values() for name in _first_cells(text)}
                assert noted <= answered, "what was noted is answered"
    assert n_long > 3


def _first_cells(text):
    return [line.split(" | ")[0] for line in text.splitlines()[1:]]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_it_speaks_each_dialect(world, play, dialect):
    task = world.tasks[5]
    assert score(world, task, play(task, dialect=dialect).answer) == 1


def test_the_same_seed_gives_the_same_trajectory(world, play):
    task = world.tasks[3]
    assert play(task) == play(task)
    assert play(task).turns != play(task, seed=8).turns
    assert play(task).answer == play(task, seed=8).answer


def test_it_knows_nothing_of_the_gold(world, play):
    for task in world.tasks[1:4]:
        unknown = {"gold": (), "facts": (), "evidence": (), "query": "", "measures": TaskMeasures(), "evaluation": {}}
        assert play(replace(task, **unknown)) == play(task)


def test_it_tries_again_what_fails(world, play):
    task = world.tasks[5]
    episode = play(task, controls=ControlPlan.model_validate({"errors": {"rate": 0.2}}))
    assert any(observation.error for turn in episode.turns for observation in turn.observations)
    assert score(world, task, episode.answer) == 1


def test_what_is_not_shown_is_not_read(world, reader):
    environment = SearchEnvironment(world)
    session = environment.session(world.tasks[0])
    url = next(page for page in world.pages["url"].to_pylist() if "club-guide" in page)
    ((tool, arguments),) = environment.dialect.ask(OpenRequest(url))
    whole = run_sync(session.step(ToolCall("1", tool, json.dumps(arguments))))
    (reading,) = reader.read(whole)
    assert len(reading.statements) > 10 and all(name in whole.text for name in reading.names.values())
    cut = whole._replace(text=whole.text[:600])
    (less,) = reader.read(cut)
    assert len(less.statements) < len(reading.statements)
    assert not reader.read(whole._replace(disclosed=()))


def test_settings_that_are_none_are_refused():
    assert SearcherSettings.parse("").thoughts == "long" and SearcherSettings.parse("thoughts=none").thoughts == "none"
    for text in ("thoughts=loud", "speed=3", "thoughts"):
        with pytest.raises(InputError, match="searcher"):
            SearcherSettings.parse(text)
