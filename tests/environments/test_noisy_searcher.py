"""A searcher that errs: imperfect in measure, the same for the same seed, and true in what it says of what it did."""

import json
import re
import statistics
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.searcher import n_unseen, names_of
from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.episode import run_episode
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.run_async import run_sync
from worldforge.environments.controls.control_plan import load_controls
from worldforge.environments.registry import dialect_of
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.searcher.beliefs import Known
from worldforge.environments.search.searcher.noisy_searcher import NoiseRates, NoisySearcher
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.environments.search.searcher.planner import NoisySearcherPlanner, NoisySearcherSettings
from worldforge.environments.search.searcher.searcher import ScriptedSearcher
from worldforge.environments.search.searcher.slips import Slips
from worldforge.environments.search.searcher.thoughts import PHRASES, Thoughts
from worldforge.models.chat import ToolCall
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.strict_scorer import score_strict

RATES = tuple(NoiseRates.model_fields)
NONE = NoiseRates(**dict.fromkeys(RATES, 0.0))
DIALECT = "agentworld+find_in_page"
MANY = 100_000


def only(**rates):
    return NONE.model_copy(update=rates)


@pytest.fixture(scope="module")
def reader(world):
    return PageReader(world)


@pytest.fixture(scope="module")
def play(world, reader):
    def play(task, rates=None, seed=7, *, dialect=DIALECT, max_steps=0, controls=None):
        """Play the noisy searcher, or without `rates` the searcher."""
        environment = SearchEnvironment(world, dialect_of(SearchEnvironment, dialect))
        parts = (world.spec, task, reader, environment.dialect, Thoughts(task.language, seed, "long"))
        agent = ScriptedSearcher(*parts) if rates is None else NoisySearcher(*parts, rates, seed)
        open_controls = environment.controls(controls).session(task.id, seed) if controls else None
        limits = EpisodeLimits(max_steps=max_steps or MANY)
        session = environment.session(task, controls=open_controls)
        return run_sync(run_episode(PlannedAgent(agent.play(), max_steps=max_steps), session, limits))

    return play


@pytest.fixture(scope="module")
def episodes(world, play):
    """An episode of each second task at the default rates, by task."""
    return [(task, play(task, NoiseRates(), seed)) for seed, task in enumerate(world.tasks[::2])]


@pytest.fixture(scope="module")
def score(world):
    return lambda task, episode: score_strict(episode.answer, gold_with_aliases(world, task)).item_f1


def calls(episode):
    return [(call.name, call.arguments) for turn in episode.turns for call in turn.action.tool_calls]


def turns_thinking(occasion, episode, language="en"):
    """The numbers of the turns whose thought has a sentence of an occasion."""
    sentences = [re.sub(r"\\\{\w+\\\}", ".+", re.escape(text)) for text in PHRASES[language][occasion]]
    pattern = re.compile("|".join(sentences))
    return [number for number, turn in enumerate(episode.turns) if pattern.search(turn.action.reasoning)]


def test_at_its_own_rates_it_is_useful_and_imperfect(episodes, score):
    scores = [score(task, episode) for task, episode in episodes]
    assert 0.5 < statistics.mean(scores) < 0.85
    assert min(scores) < 0.4 and max(scores) == 1
    ends = ("give_up", "give_up_one", "give_up_none")
    early = [any(turns_thinking(end, episode) for end in ends) for _, episode in episodes]
    assert 0 < sum(early) < len(early)


def test_each_address_opened_and_each_name_typed_was_shown_before(world, episodes):
    names = names_of(world)
    assert sum(n_unseen(task, episode, names) for task, episode in episodes) == 0
    assert sum(len(calls(episode)) for _, episode in episodes) > 1000
    task, episode = episodes[1]
    assert n_unseen(task, replace(episode, turns=episode.turns[2:]), names) > 0


def test_the_same_seed_gives_the_same_trajectory(world, play):
    task = world.tasks[4]
    assert play(task, NoiseRates(), max_steps=40) == play(task, NoiseRates(), max_steps=40)
    assert len({tuple(calls(play(task, NoiseRates(), seed, max_steps=40))) for seed in range(6)}) > 3


def test_without_noise_it_does_and_thinks_as_the_searcher_does(world, play):
    for task in world.tasks[::8]:
        assert play(task, NONE) == play(task)


@pytest.mark.parametrize("rate", ["misread", "forget"])
def test_slips_of_reading_cost_cells_and_second_looks_bring_some_back(world, play, score, rate):
    sober, lost, mended = [], [], []
    for seed, task in enumerate(world.tasks[::7]):
        sober.append(score(task, play(task, NONE, seed)))
        lost.append(score(task, play(task, only(**{rate: 0.25}), seed)))
        mended.append(score(task, play(task, only(**{rate: 0.25, "recover": 1.0}), seed)))
    assert statistics.mean(lost) < statistics.mean(mended)
    assert statistics.mean(lost) < statistics.mean(sober) - 0.03


def pages_of(world, folder, n):
    """Open pages of a part of a site."""
    session = SearchEnvironment(world).session(world.tasks[0])
    urls = [url for url in world.pages["url"].to_pylist() if folder in url][:n]
    asked = [ToolCall("1", "web_extractor", json.dumps({"url": url})) for url in urls]
    return [run_sync(session.step(call)) for call in asked]


def slips(reader, misread=0.0, forget=0.0):
    return Slips(reader, misread, forget, Stream(5).draws(np.zeros(1, np.int64))[0])


def test_a_misread_value_stands_on_the_page_in_the_same_column_or_as_a_figure_as_long(world, reader):
    n_rows = n_figures = 0
    for seen in pages_of(world, "/players-by-town/", 6) + pages_of(world, "/wiki/", 30):
        (stated,) = reader.read(seen)
        (noted,) = [slips(reader, misread=1.0).read(stated, seen.text, lambda _: None)]
        column = {(one.fact.partition("/")[0], one.fact.partition("#")[2], one.written) for one in stated.statements}
        assert len(noted.statements) == len(stated.statements)
        for one, other in zip(stated.statements, noted.statements, strict=True):
            assert one.fact == other.fact and type(one.value) is type(other.value)
            if one.value == other.value:
                continue
            assert one.fact.partition("#")[2] != "name"
            if (one.fact.partition("/")[0], one.fact.partition("#")[2], other.written) in column:
                n_rows += 1
            else:
                n_figures += 1
                assert other.written in seen.text and len(other.written) == len(one.written)
    assert n_rows > 50 and n_figures > 10


def test_what_is_overlooked_stays_so_until_the_page_is_read_with_care(world, reader):
    (seen,) = pages_of(world, "/players-by-town/", 1)
    (stated,) = reader.read(seen)
    reads = slips(reader, misread=0.3, forget=0.3)
    noted = reads.read(stated, seen.text, lambda _: None)
    assert len(noted.statements) < len(stated.statements)
    assert reads.read(stated, seen.text, lambda _: None) == noted
    found = reads.mend(stated)
    assert {slip.stated for slip in found} == set(stated.statements) - set(noted.statements)
    assert {slip.noted for slip in found} - {None} == set(noted.statements) - set(stated.statements)
    assert reads.mend(stated) == [] and reads.read(stated, seen.text, lambda _: None) == stated


def test_what_is_known_is_read_as_it_stands(world, reader):
    (seen,) = pages_of(world, "/players-by-town/", 1)
    (stated,) = reader.read(seen)
    known = {one.fact: Known(one.value, one.written) for one in stated.statements}
    assert slips(reader, misread=0.5, forget=0.5).read(stated, seen.text, known.get) == stated


def test_chinese_thoughts_have_no_word_of_the_english_ones(world, play):
    task = replace(world.tasks[2], language="zh")
    rates = NoiseRates(wander=0.3, repeat=0.2, malformed=0.2, give_up=0, recover=1.0)
    episode = play(task, rates, max_steps=120)
    for occasion in ("repeat", "same", "back", "mended_cut", "misread"):
        assert turns_thinking(occasion, episode, "zh"), occasion
    outside = [re.sub(r"[“《].*?[”》]|`.*?`", "", turn.action.reasoning) for turn in episode.turns]
    assert not [thought for thought in outside if re.search(r"[{}]|\b(is|I|my|have|again)\b", thought)]


def test_it_wanders_to_what_it_was_shown_and_comes_back(world, play, score):
    task = world.tasks[5]
    sober, wandering = play(task, NONE), play(task, only(wander=0.5))
    assert score(task, wandering) == score(task, sober)
    off_path = [*turns_thinking("wander_open", wandering), *turns_thinking("wander_search", wandering)]
    assert len(off_path) > 5 and len(calls(wandering)) > len(calls(sober))
    assert len(turns_thinking("back", wandering)) > 3


def test_it_repeats_calls(world, play, score):
    task = world.tasks[5]
    sober, repeating = (play(task, rates, dialect="plain") for rates in (NONE, only(repeat=1.0)))
    assert len(repeating.turns) == 2 * len(sober.turns) - 1 and repeating.answer == sober.answer
    for before, again in zip(repeating.turns[:-1:2], repeating.turns[1::2], strict=True):
        (call,) = again.action.tool_calls
        assert (call.name, call.arguments) in [(one.name, one.arguments) for one in before.action.tool_calls]
    assert len(turns_thinking("same", repeating)) == len(sober.turns) - 1


@pytest.mark.parametrize("dialect", ["agentworld", DIALECT, "plain", "widesearch"])
def test_malformed_calls_get_their_errors_and_are_mended(world, play, score, dialect):
    errors, task = set(), world.tasks[5]
    episode = play(task, only(malformed=1.0), dialect=dialect)
    for wrong, right in zip(episode.turns[:-1:2], episode.turns[1:-1:2], strict=True):
        (seen,) = [seen for seen in wrong.observations if seen.error]
        errors.add(seen.error)
        assert [seen.error for seen in right.observations if seen.error] in ([], ["nothing_found"])
        (call,) = right.action.tool_calls
        named = re.findall(r"`(\w+)`", right.action.reasoning)
        assert all(word in seen.text + call.arguments + call.name for word in named)
    assert errors == {"malformed_request", "unknown_tool"}
    assert score(task, episode) == 1


def test_it_gives_up_and_says_so(world, play):
    task = world.tasks[0]
    episode = play(task, only(give_up=1.0))
    assert len(episode.turns) == 2 and turns_thinking("give_up_none", episode) == [1]
    assert "```markdown" in episode.answer


def test_second_looks_have_a_cause_that_was_seen_and_say_what_was_found(world, play):
    """Pages are read again because they disagree, for a missing cell or to check; corrections follow that alone."""
    n_looks = n_corrected = 0
    for seed, task in enumerate(world.tasks[::7]):
        episode = play(task, only(misread=0.15, forget=0.15, recover=1.0), seed)
        opened: set[str] = set()
        for number, turn in enumerate(episode.turns):
            urls = [json.loads(call.arguments).get("url") for call in turn.action.tool_calls]
            if number in looks_again(episode):
                n_looks += 1
                assert opened.issuperset(urls)
            opened |= set(urls)
        for number in [*turns_thinking("misread", episode), *turns_thinking("overlooked", episode)]:
            n_corrected += 1
            assert number - 1 in looks_again(episode)
    assert n_looks > 10 and n_corrected > 5


def looks_again(episode):
    return {
        turn for occasion in ("look_at_conflict", "look_for_gap", "check") for turn in turns_thinking(occasion, episode)
    }


def test_what_a_correction_says_stands_on_the_page(world, play):
    n = 0
    pattern = re.compile(r"I correct the .+ of .+ from (\S+) to (\S+), as|is (\S+), not (\S+)\. ")
    for seed, task in enumerate(world.tasks[::7]):
        episode = play(task, only(misread=0.2, recover=1.0), seed)
        for before, turn in zip(episode.turns, episode.turns[1:], strict=False):
            for found in pattern.finditer(turn.action.reasoning):
                shown = "\n".join(seen.text for seen in before.observations)
                assert all(value in shown for value in found.groups() if value and value.isdigit())
                n += 1
    assert n > 3


def test_it_keeps_within_its_calls(world, play):
    episode = play(world.tasks[2], only(wander=0.5, malformed=0.5, repeat=0.5), max_steps=12)
    assert episode.ending == "step_limit" and episode.n_tool_calls <= 12 and "```markdown" in episode.answer


def test_calls_are_numbered_in_the_order_in_which_they_are_made(episodes):
    _, episode = episodes[0]
    ids = [call.id for turn in episode.turns for call in turn.action.tool_calls]
    assert ids == [f"call_{n}" for n in range(1, len(ids) + 1)]


@pytest.mark.parametrize("source", ["mild", "harsh"])
def test_it_errs_under_controls_as_well(world, play, score, source):
    tasks = world.tasks[::6]
    found = [
        score(task, play(task, NoiseRates(give_up=0), n, controls=load_controls(source), max_steps=150))
        for n, task in enumerate(tasks)
    ]
    assert 0.2 < statistics.mean(found) < 1


def test_settings_are_read_from_text():
    assert NoisySearcherSettings.parse("") == NoisySearcherSettings()
    read = NoisySearcherSettings.parse("wander=0.2&misread=0&thoughts=short")
    assert (read.wander, read.misread, read.thoughts) == (0.2, 0.0, "short")
    assert NoisySearcherSettings.parse(str(read)) == read
    planners = [NoisySearcherPlanner(SearchEnvironment, text) for text in ("", "forget=0.125", "thoughts=none")]
    assert len({planner.version for planner in planners}) == 3 and not any(one.clairvoyant for one in planners)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("wonder=0.2", "wonder"),
        ("wander=lots", "lots"),
        ("wander=1.5", "1.5"),
        ("wander=-0.1", "-0.1"),
        ("wander=nan", "nan"),
        ("wander", "wander"),
        ("wander=", "wander="),
        ("thoughts=loud", "loud"),
    ],
)
def test_what_is_no_setting_is_refused(settings, said):
    with pytest.raises(InputError, match="noisy-searcher") as error:
        NoisySearcherSettings.parse(settings)
    assert said in str(error.value)


def test_both_languages_have_the_same_occasions_with_the_same_slots():
    def slots(language):
        return {
            name: {frozenset(re.findall(r"\{(\w+)\}", text)) for text in texts}
            for name, texts in PHRASES[language].items()
        }

    english, chinese = slots("en"), slots("zh")
    assert english.keys() == chinese.keys()
    noisy = [
        name for name in english if name in ("repeat", "misread", "overlooked", "check", "give_up", "wander_search")
    ]
    assert len(noisy) == 6 and all(english[name] == chinese[name] for name in noisy)
