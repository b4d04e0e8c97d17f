"""What ends a sitting before its time, and how the run goes on: budgets, failures, a model that is gone."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pyarrow.parquet as pq
import pytest

from worldforge.agents.agent import Action
from worldforge.core.errors import InputError, PartialError
from worldforge.core.files import file_digest
from worldforge.entry_points.play_run import rollout
from worldforge.models.chat import ToolCall, Usage
from worldforge.models.model import ModelUnavailableError
from worldforge.rollouts.factories import SessionAgent
from worldforge.rollouts.run_monitor import Budget


@dataclass(frozen=True)
class Agents:
    """Makes agents that search once and give up, at 100 tokens a turn; `broken` lists the trials that raise `error`."""

    broken: frozenset = frozenset()
    error: type = ValueError
    name: str = "brief"
    model: str = ""
    version: str = "1"
    clairvoyant: bool = False

    def system_prompt(self, tools, language):
        return "Be brief."

    @asynccontextmanager
    async def open(self, world, models, limits, stated):
        yield lambda trial, seed, session: SessionAgent(
            Brief(self.error if trial.index in self.broken else None), session
        )


class Brief:
    def __init__(self, error):
        self._error, self._turn = error, 0

    async def act(self, observations):
        self._turn += 1
        await asyncio.sleep(0)  # as a model would: others begin meanwhile
        if self._error is not None and self._turn == 2:
            raise self._error("out of order")
        search = (ToolCall("call_1", "web_search", '{"query": "club"}'),) if self._turn == 1 else ()
        return Action("Nothing.", search, usage=Usage(prompt=90, completion=10))


def shards(run):
    return {path.name: file_digest(path) for path in sorted((run / "shards").iterdir())}


def endings(run):
    return [
        ending for path in sorted(run.glob("shards/*.parquet")) for ending in pq.read_table(path)["ending"].to_pylist()
    ]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_token_budget_ends_a_sitting_and_the_next_goes_on(paper_world, workers):
    whole = rollout(paper_world, agent=Agents(), run="whole", trials=2)
    assert (whole.tally.n_prompt_tokens, whole.tally.n_completion_tokens) == (140 * 180, 140 * 20)
    with pytest.raises(PartialError, match=r"the budget is spent: \d+ of 140 episodes") as ended:
        rollout(paper_world, agent=Agents(), trials=2, concurrency=64, workers=workers, budget=Budget(tokens=2_000))
    assert ended.value.exit_code == 4
    run = paper_world.path / "trajectories" / "brief"
    n_played = sum(path.read_bytes().count(b"\n") for path in run.glob("shards/*.jsonl"))
    assert 10 <= n_played <= (10 if workers == 1 else 18) and not (run / "run.json").exists()
    summary = rollout(paper_world, agent=Agents(), trials=2, resume="require")
    assert summary.n_played == 140 - n_played
    assert shards(run) == shards(whole.folder)


def test_a_time_budget_lets_what_is_under_way_end(paper_world):
    with pytest.raises(PartialError, match="1 of 70 episodes"):
        rollout(paper_world, agent=Agents(), concurrency=1, budget=Budget(time_s=1e-9))


def test_what_failed_is_in_quarantine_and_can_be_played_again(paper_world):
    failing = rollout(paper_world, agent=Agents(broken=frozenset([3, 130])), trials=2, run="mended")
    assert failing.tally.n_failed == 2
    lines = [json.loads(line) for line in (failing.folder / "quarantine.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == ["task/list-0003#0", "task/list-0060#1"]
    assert all(line["error"].startswith("ValueError: out of order") and line["n_steps"] == 1 for line in lines)
    assert rollout(paper_world, agent=Agents(), trials=2, run="mended").tally.n_failed == 2
    mended = rollout(paper_world, agent=Agents(), trials=2, run="mended", retry_failed=True)
    assert (mended.n_played, mended.tally.n_failed) == (2, 0)
    assert not (mended.folder / "quarantine.jsonl").exists()
    assert shards(mended.folder) == shards(rollout(paper_world, agent=Agents(), trials=2, run="whole").folder)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_that_is_gone_ends_the_sitting_and_spoils_no_episode(paper_world, workers):
    gone = Agents(broken=frozenset(range(40, 140)), error=ModelUnavailableError)
    with pytest.raises(ModelUnavailableError, match="out of order"):
        rollout(paper_world, agent=gone, trials=2, concurrency=4, workers=workers)
    summary = rollout(paper_world, agent=Agents(), trials=2)
    assert summary.n_played >= 100 and endings(summary.folder) == ["answered"] * 140


def test_episodes_for_which_a_model_was_unavailable_are_left_to_the_next_call(paper_world):
    flaky = Agents(broken=frozenset(range(0, 70, 7)), error=ModelUnavailableError)
    with pytest.raises(ModelUnavailableError, match=r"out of order.*\n10 episodes were given up") as raised:
        rollout(paper_world, agent=flaky)
    assert raised.value.exit_code == 4 and "the same command goes on" in raised.value.hint
    mended = rollout(paper_world, agent=Agents())
    assert (mended.n_played, mended.tally.n_failed) == (10, 0) and endings(mended.folder) == ["answered"] * 70


def test_a_model_that_never_answers_records_nothing(paper_world):
    with pytest.raises(ModelUnavailableError):
        rollout(paper_world, agent=Agents(broken=frozenset(range(5)), error=ModelUnavailableError), limit=5)
    assert not list(paper_world.path.glob("trajectories/brief/shards/*"))


def test_resuming_what_is_not_there_is_refused(paper_world):
    with pytest.raises(InputError, match="no run"):
        rollout(paper_world, agent=Agents(), resume="require")
    assert not (paper_world.path / "trajectories" / "brief" / "config.json").exists()
