"""An oracle that errs: imperfect in measure, the same for the same seed, honest in its words."""

import json
import statistics

import pytest

from worldforge.agents.planned_agent import PlannedAgent
from worldforge.core.errors import InputError
from worldforge.environments.search.noisy_oracle import NoiseRates, NoisyOracle
from worldforge.environments.search.oracle import SearchOracle

RATES = tuple(NoiseRates.model_fields)
NONE = NoiseRates(**dict.fromkeys(RATES, 0.0))


@pytest.fixture(scope="module")
def play(place):
    environment = place.environment()

    def play(task, noise, seed, **options):
        plan = NoisyOracle(task, place.planner.plan(task), noise, seed=seed).play()
        return place.play(PlannedAgent(plan, **options), environment.session())

    return play


def text(**rates):
    return NoiseRates(**(dict.fromkeys(RATES, 0.0) | rates))


def calls(episode):
    return [(call.name, call.arguments) for turn in episode.turns for call in turn.action.tool_calls]


def test_at_its_own_rates_it_is_useful_and_imperfect(place, play, score):
    trials = {
        task.id: [
            score(task, play(task, NoiseRates(), seed=100 * n + trial, max_steps=50).answer) for trial in range(3)
        ]
        for n, task in enumerate(place.tasks)
    }
    everything = [value for scores in trials.values() for value in scores]
    assert 0.5 < statistics.mean(everything) < 0.9
    assert sum(len(set(scores)) > 1 for scores in trials.values()) > len(trials) / 2
    assert min(everything) < 0.5 and max(everything) == 1


def test_the_same_seed_gives_the_same_trajectory(place, play):
    task = place.tasks[4]
    assert play(task, NoiseRates(), seed=8) == play(task, NoiseRates(), seed=8)
    assert len({play(task, NoiseRates(), seed=seed).turns for seed in range(6)}) > 3


def test_without_noise_it_does_as_the_oracle_does(place, play):
    for task in place.tasks[::5]:
        sober = place.play(
            PlannedAgent(SearchOracle(task, place.planner.plan(task)).play()), place.environment().session()
        )
        noisy = play(task, NONE, seed=1)
        assert calls(noisy) == calls(sober) and noisy.answer == sober.answer


@pytest.mark.parametrize("rate", ["misread", "forget"])
def test_a_second_look_puts_right_what_was_noted_wrongly(place, play, score, rate):
    lost, mended = [], []
    for n, task in enumerate(place.tasks[::2]):
        lost.append(score(task, play(task, text(**{rate: 0.3}), seed=n).answer))
        mended.append(score(task, play(task, text(**{rate: 0.3, "recover": 1.0}), seed=n).answer))
    assert statistics.mean(lost) < 0.95 and set(mended) == {1.0}


def test_a_misread_value_stands_on_the_page(place, play):
    """What it answers wrongly it has seen: nothing is made up, where nothing is to be worked out."""
    n_wrong = 0
    for n, task in enumerate(place.tasks):
        plan = place.planner.plan(task)
        readings = [reading for page in (*plan.lists, *plan.others) for reading in page.readings]
        relative = {reading.fact for reading in readings if reading.relation}
        facts = [fact for row in task.facts for fact in row]
        episode = play(task, text(misread=0.5), seed=n)
        seen = "\n".join(seen.text for turn in episode.turns for seen in turn.observations)
        cells = [cell.strip() for line in episode.answer.splitlines()[3:-1] for cell in line.strip("|").split("|")]
        assert all(cell in seen for cell, fact in zip(cells, facts, strict=True) if fact not in relative)
        n_wrong += sum(cell not in row for row, cell in zip((r for r in task.gold for _ in r), cells, strict=True))
    assert n_wrong > 50


def test_it_wanders_to_pages_and_searches_that_the_oracle_does_not_need(place, play):
    task = place.tasks[0]
    sober, wandering = calls(play(task, NONE, seed=0)), calls(play(task, text(wander=1.0), seed=1))
    assert [call for call in wandering if call in sober] == sober
    assert len(wandering) > len(sober) + 3


def test_it_repeats_calls(place, play):
    task = place.tasks[0]
    made = calls(play(task, text(repeat=1.0), seed=0))
    assert len(made) == 2 * len(set(made)) == 2 * len(calls(play(task, NONE, seed=0)))


def test_malformed_calls_get_their_errors_and_are_mended(place, play, score):
    errors = set()
    for n, task in enumerate(place.tasks[:10]):
        episode = play(task, text(malformed=1.0), seed=n)
        for turn in episode.turns[:-1:2]:
            assert len(turn.observations) == 1 and turn.observations[0].error
            errors.add(turn.observations[0].error)
        assert not any(seen.error for turn in episode.turns[1::2] for seen in turn.observations)
        assert score(task, episode.answer) == 1
    assert errors == {"malformed_request", "unknown_tool"}


def test_it_gives_up_and_says_so(place, play, score):
    task = place.tasks[0]
    episode = play(task, text(give_up=1.0), seed=0)
    assert episode.n_tool_calls == 0 and not episode.answer.startswith("```") and "```markdown" in episode.answer


def test_calls_are_numbered_in_the_order_in_which_they_are_made(place, play):
    noise = NoiseRates(wander=0.5, repeat=0.5, malformed=0.5, misread=0.3, recover=1.0, give_up=0)
    episode = play(place.tasks[0], noise, seed=3)
    ids = [call.id for turn in episode.turns for call in turn.action.tool_calls]
    assert ids == [f"call_{n}" for n in range(1, len(ids) + 1)]


def test_it_answers_before_a_limit(place, play):
    task = max(place.tasks, key=lambda task: task.measures.oracle_calls)
    episode = play(task, NoiseRates(wander=1.0, give_up=0), seed=0, max_steps=12)
    assert episode.ending == "step_limit" and episode.n_tool_calls <= 12 and "```markdown" in episode.answer


def test_its_words_vary(place, play):
    said = {
        turn.action.content
        for n, task in enumerate(place.tasks)
        for turn in play(task, NoiseRates(), seed=n).turns[:-1]
    }
    assert len({words.split("“")[0] for words in said}) > 20


@pytest.mark.parametrize("source", ["mild", "harsh"])
def test_it_errs_under_controls_as_well(place, score, source):
    environment, controls = place.environment("plain"), place.controls(source)
    scores = []
    for n, task in enumerate(place.tasks[::3]):
        noisy = NoisyOracle(task, place.planner.plan(task), NoiseRates(), seed=n, dialect=environment.dialect)
        agent = PlannedAgent(noisy.play(), max_steps=50)
        episode = place.play(agent, environment.session(controls=controls.session(task.id, n)))
        assert all(json.dumps(call.arguments) for turn in episode.turns for call in turn.action.tool_calls)
        scores.append(score(task, episode.answer))
    assert 0.4 < statistics.mean(scores) < 1


def test_rates_are_read_from_text():
    assert NoiseRates.parse("") == NoiseRates()
    assert NoiseRates.parse("wander=0.2&misread=0") == NoiseRates(wander=0.2, misread=0.0)
    assert NoiseRates.parse(str(NoiseRates(forget=0.125))) == NoiseRates(forget=0.125)


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        ("wonder=0.2", "wonder"),
        ("wander=lots", "lots"),
        ("wander=1.5", "1.5"),
        ("wander=-0.1", "-0.1"),
        ("wander=nan", "nan"),
        ("wander", "wander"),
        ("wander=", "wander="),
    ],
)
def test_what_is_no_rate_is_refused(rates, said):
    with pytest.raises(InputError, match="noisy-oracle") as error:
        NoiseRates.parse(rates)
    assert said in str(error.value)
