"""The oracle on a real world: as ever where nothing comes between, persistent where much does."""

import json

import pytest

from worldforge.agents.agent import EpisodeLimits
from worldforge.agents.planned_agent import PlannedAgent
from worldforge.environments.search.evidence_plan import PlannedPage, PlannedReading, read_page
from worldforge.environments.search.oracle import SearchOracle
from worldforge.environments.session import Observation
from worldforge.world.value_formats import NUMBERS_BELOW_100, TIMES

PRESETS = ["mild", "harsh"]
ONE_AT_A_TIME = [
    "none,errors.rate=0.3",
    "none,truncation.rate=0.5",
    "none,malformed.rate=0.4",
    "none,stale.rate=0.5,stale.changed=1",
    "none,batch.rate=0.5",
    "none,partial.rate=0.8",
    "none,pagination.rate=1,pagination.size=2",
    "none,withheld.rate=0.3,withheld.links=0.5",
    "none,distractors.unrelated=0.6",
    "none,distractors.rate=1,distractors.most=3",
    "none,fields.rate=1,fields.reordered=1",
]


def oracle(place, task, dialect="agentworld", **options):
    plan = SearchOracle(task, place.planner.plan(task), place.environment(dialect).dialect).play()
    return PlannedAgent(plan, **options)


def test_nothing_in_the_way_takes_the_calls_it_always_took(place, score):
    environment = place.environment()
    for task in place.tasks:
        episode = place.play(oracle(place, task), environment.session())
        assert (score(task, episode.answer), episode.ending) == (1, "answered")
        assert episode.n_tool_calls == task.measures.oracle_calls


@pytest.mark.parametrize("source", PRESETS)
@pytest.mark.parametrize("dialect", ["agentworld", "widesearch", "plain"])
def test_controls_do_not_keep_it_from_any_answer(place, score, source, dialect):
    environment, controls = place.environment(dialect), place.controls(source)
    for task in place.tasks:
        episode = place.play(oracle(place, task, dialect), environment.session(controls=controls.session(task.id, 5)))
        assert (score(task, episode.answer), episode.ending) == (1, "answered"), task.id


@pytest.mark.parametrize("source", ONE_AT_A_TIME)
def test_it_gets_past_each_control_by_itself(place, score, source):
    environment, controls = place.environment(), place.controls(source)
    touched = 0
    for task in place.tasks[::3]:
        agent = oracle(place, task, max_steps=50)
        episode = place.play(agent, environment.session(controls=controls.session(task.id, 1)))
        assert score(task, episode.answer) == 1, task.id
        touched += sum(bool(seen.controls) for turn in episode.turns for seen in turn.observations)
    assert touched


def test_it_believes_what_it_is_shown(place):
    """A wrong fact is read as it stands, and cells that are not wrong are read beside it."""
    environment, controls = place.environment(), place.controls("none,wrong_facts.rate=0.2")
    numbers = {word: number for words in (NUMBERS_BELOW_100, TIMES) for number, word in words.items()}
    n_wrong = 0
    for task in place.tasks:
        episode = place.play(oracle(place, task), environment.session(controls=controls.session(task.id, 0)))
        altered = [a for turn in episode.turns for seen in turn.observations for a in seen.altered]
        shown = {a.fact: numbers.get(a.shown.lower(), a.shown).removesuffix(" times") for a in altered}
        rows = [line.strip("| ").split(" | ") for line in episode.answer.splitlines()[3:-1]]
        for row, facts, gold in zip(rows, task.facts, task.gold, strict=True):
            assert row == [shown.get(fact, cell) for fact, cell in zip(facts, row, strict=True)]
            n_wrong += sum(cell != true for cell, true in zip(row, gold, strict=True) if cell in shown.values())
    assert n_wrong > 20


def test_lines_that_read_alike_are_told_apart_by_their_order():
    """Of two lines that differ in their values alone, both of them altered, each is read where it stands."""
    text = "## Velmar\n\nIt was founded in 1901.\n\n## Orsk\n\nIt was founded in 1950.\n"
    line, where = "It was founded in 1950.", (18, 22)
    reading = PlannedReading("club/1#founded", 1, line, *where, (where,), number=1, n_alike=2)
    page = PlannedPage("https://a.example/", "Clubs", (reading,))
    assert read_page(page, 1, text) == {reading.fact: "1950"}
    assert read_page(page, 1, text.replace("1901", "1888").replace("1950", "1777")) == {reading.fact: "1777"}
    assert read_page(page, 1, text.replace("1950", "1777").replace("1901", "1950")) == {reading.fact: "1777"}
    assert read_page(page, 1, text.partition("## Orsk")[0]) == {}  # one of them alone might be either


class Bare:
    """A session of whose observations nothing but the text is left, but on the record that it keeps."""

    def __init__(self, inner):
        self.inner, self.seen = inner, []

    @property
    def tools(self):
        return self.inner.tools

    async def step(self, call):
        self.seen.append(await self.inner.step(call))
        return Observation(self.seen[-1].text)


def test_it_goes_by_the_text_alone(place):
    environment, controls = place.environment(), place.controls("harsh")
    errors = 0
    for task in place.tasks[::4]:
        sessions = [environment.session(controls=controls.session(task.id, 2)) for _ in range(2)]
        bare = Bare(sessions[1])
        first, second = (place.play(oracle(place, task), session) for session in (sessions[0], bare))
        assert [turn.action for turn in first.turns] == [turn.action for turn in second.turns]
        errors += sum(bool(seen.error) for seen in bare.seen)
    assert errors > 10


class Down:
    """A session that is never there."""

    tools = ()

    async def step(self, call):
        return Observation("Error: 500 Internal Server Error. Try again.", "server_error")


def test_where_nothing_helps_it_ends_with_an_empty_table(place, score):
    task = place.tasks[0]
    episode = place.play(oracle(place, task), Down(), EpisodeLimits(100_000))
    assert episode.ending == "answered" and score(task, episode.answer) == 0
    assert episode.answer.splitlines()[1:] == [f"| {' | '.join(task.labels)} |", episode.answer.splitlines()[2], "```"]


@pytest.mark.parametrize("max_steps", [1, 4, 7])
def test_it_answers_with_what_it_has_before_a_limit(place, score, max_steps):
    task = max(place.tasks, key=lambda task: task.measures.oracle_calls)
    agent = oracle(place, task, max_steps=max_steps)
    episode = place.play(agent, place.environment().session(), EpisodeLimits(max_steps))
    assert episode.ending == "step_limit" and episode.n_tool_calls <= max_steps
    assert episode.answer.startswith("```markdown\n|") and score(task, episode.answer) < 1


def test_a_call_that_failed_in_passing_is_made_again_as_it_was(place):
    environment, controls = place.environment(), place.controls("none,errors.rate=0.5")
    task = place.tasks[3]
    episode = place.play(oracle(place, task), environment.session(controls=controls.session(task.id, 3)))
    made = [(call.name, call.arguments) for turn in episode.turns for call in turn.action.tool_calls]
    failed = [
        (call.name, call.arguments)
        for turn in episode.turns
        for call, seen in zip(turn.action.tool_calls, turn.observations, strict=True)
        if seen.error
    ]
    assert failed and all(made.count(call) > 1 for call in failed)
    assert any(turn.action.content.endswith("I will try again.") for turn in episode.turns)


def test_a_missing_cell_is_looked_for_on_other_pages(place, score):
    n_gone = 0
    for task in place.tasks:
        gone = replaceable_page(place, task)
        if gone is None:
            continue
        plan = place.planner.plan(task)
        planned = {page.url for page in (*plan.lists, *plan.others)}

        class Without(Bare):
            async def step(self, call, gone=gone):
                if json.loads(call.arguments).get("url") == gone:
                    return Observation("Error: 404, no page there.", "page_not_found")
                return await self.inner.step(call)

        episode = place.play(oracle(place, task), Without(place.environment().session()))
        opened = {json.loads(call.arguments).get("url") for turn in episode.turns for call in turn.action.tool_calls}
        assert score(task, episode.answer) == 1 and opened - planned
        n_gone += 1
    assert n_gone > 5


def replaceable_page(place, task):
    """Find a page of the plan that states cells alone in it, which other pages of the world state as well."""
    plan = place.planner.plan(task)
    pages = (*plan.lists, *plan.others)
    cells = {fact for row in task.facts for fact in row}
    for page in pages:
        planned = {reading.fact for other in pages if other is not page for reading in other.readings}
        alone = [reading.fact for reading in page.readings if reading.fact in cells - planned]
        others = plan.elsewhere(alone, {(page.url, fact) for fact in alone})
        if alone and {r.fact for other in others for r in other.readings} == set(alone):
            return page.url
    return None
