"""A run from the outside: what a rollout leaves on disk, what it says, what it refuses."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pyarrow.parquet as pq
import pytest

from worldforge.agents.agent import Action
from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, locked
from worldforge.entry_points.play_run import rollout
from worldforge.models.chat import ToolCall
from worldforge.rollouts import ledger, run
from worldforge.rollouts.agents import ScriptedAgentFactory
from worldforge.rollouts.environments import settings_from
from worldforge.rollouts.factories import SessionAgent
from worldforge.rollouts.rank_shards import Merge, RankShard
from worldforge.rollouts.shards import ShardStore
from worldforge.rollouts.trajectory import TRAJECTORIES
from worldforge.world.world import World

SEARCH = ToolCall("call_1", "web_search", '{"query": "Velmar Rovers"}')


def shard_bytes(summary):
    return {path.name: file_digest(path) for path in sorted((summary.folder / "shards").iterdir())}


def rows_of(summary):
    return [row for path in sorted((summary.folder / "shards").iterdir()) for row in pq.read_table(path).to_pylist()]


def test_the_oracle_answers_every_task_perfectly(paper_world):
    summary = rollout(paper_world)
    config, counted = summary.config, summary.tally
    assert (summary.run, config.agent, config.n_tasks, counted.n_episodes) == ("oracle", "oracle@1", 70, 70)
    assert (counted.n_failed, counted.scores["item_f1"], counted.scores["compat_success"]) == (0, 1.0, 1.0)
    assert list(shard_bytes(summary)) == [f"{unit:05d}.parquet" for unit in range(9)]
    rows = rows_of(summary)
    assert [row["task"] for row in rows] == [task.id for task in paper_world.tasks]
    assert all(row["success"] and row["ending"] == "answered" and not row["error"] for row in rows)
    assert sum(row["n_tool_calls"] for row in rows) == counted.n_tool_calls
    assert all(row["n_pages_opened"] == len(task.gold) for row, task in zip(rows, paper_world.tasks, strict=True))


def test_a_row_is_a_conversation_that_a_chat_model_could_have_had(paper_world):
    summary = rollout(paper_world, limit=1)
    (path,) = (summary.folder / "shards").iterdir()
    assert pq.read_schema(path).equals(TRAJECTORIES)
    (row,) = rows_of(summary)
    messages = row["messages"]
    assert [messages[0]["role"], messages[1]["role"], messages[-1]["role"]] == ["system", "user", "assistant"]
    assert messages[1]["content"] == paper_world.tasks[0].wording
    assert messages[-1]["content"] == row["answer"] and messages[-1]["tool_calls"] is None
    assert all(isinstance(message["content"], str) for message in messages)
    asked = {call["id"]: call["function"] for message in messages for call in message["tool_calls"] or []}
    answered = {message["tool_call_id"]: message["name"] for message in messages if message["role"] == "tool"}
    assert {id_: function["name"] for id_, function in asked.items()} == answered
    assert all(isinstance(json.loads(function["arguments"]), dict) for function in asked.values())
    assert {tool["function"]["name"] for tool in json.loads(row["tools"])} >= {"web_search", "web_extractor"}


def test_workers_and_concurrency_change_no_byte(paper_world):
    alone = rollout(paper_world, run="alone", concurrency=1, trials=2)
    spread = rollout(paper_world, run="spread", concurrency=7, trials=2, workers=2)
    assert shard_bytes(alone) == shard_bytes(spread)
    assert list(shard_bytes(alone)) == [f"{unit:05d}.parquet" for unit in range(18)]


def test_trials_have_seeds_of_their_own_that_nothing_else_moves(paper_world):
    both = rows_of(rollout(paper_world, run="two", trials=2))
    first = rows_of(rollout(paper_world, run="one", limit=3))
    ids = [row["id"] for row in both]
    assert ids[:2] == ["task/list-0000#0", "task/list-0001#0"] and ids[len(ids) // 2] == "task/list-0000#1"
    assert len({row["seed"] for row in both}) == len(both)
    assert {row["id"]: row["seed"] for row in first}.items() <= {row["id"]: row["seed"] for row in both}.items()


def test_a_seed_gives_other_episodes_and_further_trials_can_be_played_by_themselves(paper_world):
    options = {"agent": "noisy-searcher", "limit": 6, "max_steps": 30}
    whole = rows_of(rollout(paper_world, trials=4, **options))
    again = rows_of(rollout(paper_world, trials=4, run="again", **options))
    later = rollout(paper_world, trials=2, first_trial=2, **options)
    other = rollout(paper_world, trials=4, seed=7, **options)
    assert whole == again and later.run == "noisy-searcher-from2" and other.run == "noisy-searcher-seed7"
    assert rows_of(later) == [row for row in whole if row["trial"] >= 2]
    seeded = rows_of(other)
    assert [row["id"] for row in seeded] == [row["id"] for row in whole] and {row["run_seed"] for row in seeded} == {7}
    assert len({row["episode"] for row in [*whole, *seeded]}) == 48 == len({row["seed"] for row in [*whole, *seeded]})
    assert sum(was["messages"] != now["messages"] for was, now in zip(whole, seeded, strict=True)) > 12


def test_an_episode_is_known_by_all_that_decides_it_and_by_nothing_else(paper_world):
    def first(limit=1, **options):
        number = len(list(paper_world.path.glob("trajectories/*")))
        return rows_of(rollout(paper_world, run=f"run{number}", limit=limit, **options))[0]

    plain, *same = (first(limit=None), first(limit=2), first(trials=2), first(workers=2, limit=2))
    assert all(row == plain for row in same)
    others = [first(seed=1), first(max_steps=49), first(agent="noisy-searcher"), first(first_trial=1)]
    others += [first(environment=settings_from("search", "plain", controls, None, 3)) for controls in (None, "mild")]
    assert len({row["episode"] for row in [plain, *others]}) == 7


@pytest.mark.parametrize("controls", [None, "curriculum"])
def test_trials_added_to_a_run_make_the_run_that_has_them_all(paper_world, controls):
    environment = settings_from("search", "plain", controls, None, 3)
    options = {"agent": "noisy-searcher", "environment": environment, "limit": 30, "max_steps": 20}
    at_once = rollout(paper_world, run="at-once", trials=3, **options)
    begun = rollout(paper_world, run="added", trials=1, **options)
    added = rollout(paper_world, run="added", trials=3, **options)
    assert (begun.n_played, added.n_played) == (30, 60) and added.tally == at_once.tally
    for name in ("ledger.jsonl", "config.json"):
        assert (added.folder / name).read_bytes() == (at_once.folder / name).read_bytes()
    assert shard_bytes(added) == shard_bytes(at_once)
    assert {path.name for path in added.folder.iterdir()} == {path.name for path in at_once.folder.iterdir()}
    with pytest.raises(InputError, match="`trials` was 3, is now 2"):
        rollout(paper_world, run="added", trials=2, **options)


def test_episodes_that_controls_break_are_set_aside_by_ranks_as_by_one_process(paper_world):
    options = {"environment": settings_from("search", "plain", "mild,errors.rate=0.3", None, 3), "max_steps": 7}
    whole = rollout(paper_world, run="whole", trials=2, **options)
    lines = [json.loads(line) for line in (whole.folder / "set_aside.jsonl").read_text().splitlines()]
    assert 10 < len(lines) == whole.n_set_aside == 140 - whole.tally.n_episodes < 100
    assert {line["reason"] for line in lines} == {"out of steps"}
    ids = {f"{task.id}#{trial}" for task in paper_world.tasks for trial in (0, 1)}
    assert {row["id"] for row in rows_of(whole)} == ids - {line["id"] for line in lines}
    assert all(row["success"] for row in rows_of(whole))
    assert rollout(paper_world, run="whole", trials=2, **options) == whole
    for rank in range(3):
        rollout(paper_world, run="ranks", trials=2, part=RankShard(rank, 3), **options)
    merged = rollout(paper_world, run="ranks", trials=2, part=Merge(), **options)
    assert merged.tally == whole.tally and shard_bytes(merged) == shard_bytes(whole)
    assert (merged.folder / "set_aside.jsonl").read_bytes() == (whole.folder / "set_aside.jsonl").read_bytes()


class KilledError(Exception):
    """Stands for a SIGKILL: nothing that was to follow is done."""


CHANGES = (
    (run, "write_set_aside"),
    (run, "remove"),
    (run, "write_json"),
    (ledger, "write_text"),
    (ShardStore, "remove"),
)


@pytest.mark.parametrize("n_calls", range(len(CHANGES)))
def test_killed_while_trials_are_added_nothing_is_lost(paper_world, monkeypatch, n_calls):
    """Before each call by which further trials change a file."""
    environment = settings_from("search", "plain", "mild,errors.rate=0.3", None, 3)
    options = {"environment": environment, "max_steps": 7, "limit": 30}
    at_once = rollout(paper_world, run="at-once", trials=2, **options)
    n_begun = rollout(paper_world, run="added", trials=1, **options).tally.n_episodes
    left = iter(range(n_calls))

    def doomed(change):
        def call(*given, **named):
            if next(left, None) is None:
                raise KilledError
            return change(*given, **named)

        return call

    with monkeypatch.context() as patch:
        for module, name in CHANGES:
            patch.setattr(module, name, doomed(getattr(module, name)))
        with pytest.raises(KilledError):
            rollout(paper_world, run="added", trials=2, **options)
    added = rollout(paper_world, run="added", trials=2, **options)
    assert added.n_played == at_once.tally.n_episodes - n_begun
    assert shard_bytes(added) == shard_bytes(at_once) and added.n_set_aside == at_once.n_set_aside > 0
    assert {path.name for path in added.folder.iterdir()} == {path.name for path in at_once.folder.iterdir()}


def test_a_finished_run_is_left_as_it_is(paper_world):
    first = rollout(paper_world)
    before = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*") if path.suffix}
    assert rollout(paper_world) == first
    assert {path: path.stat().st_mtime_ns for path in first.folder.rglob("*") if path.suffix} == before


def test_a_changed_configuration_is_refused_by_name_and_fresh_starts_anew(paper_world):
    rollout(paper_world, limit=5, trials=2)
    with pytest.raises(InputError, match=r"`n_tasks` was 5, is now 6, `trials` was 2, is now 1") as refused:
        rollout(paper_world, limit=6)
    assert "--run" in refused.value.hint and "--resume never" in refused.value.hint
    assert rollout(paper_world, limit=6, resume="never").tally.n_episodes == 6
    assert rollout(paper_world, limit=7, run="other").tally.n_episodes == 7


def test_a_damaged_configuration_costs_no_trajectories(paper_world):
    folder = rollout(paper_world, limit=5).folder
    shard, written = folder / "shards" / "00000.parquet", (folder / "config.json").read_bytes()
    (folder / "config.json").write_bytes(written[:-5])
    with pytest.raises(InputError, match=r"config\.json is damaged") as refused:
        rollout(paper_world, limit=5)
    assert "--resume never" in refused.value.hint and shard.exists()
    (folder / "config.json").write_bytes(written)
    assert rollout(paper_world, limit=5).n_played == 5


def test_two_at_once_on_one_run_are_refused(paper_world):
    folder = paper_world.path / "trajectories" / "oracle"
    with locked(folder / ".lock", "held by the test"), pytest.raises(InputError, match="another process"):
        rollout(paper_world, limit=1)
    assert not (folder / "config.json").exists()


@pytest.mark.parametrize(
    "options", [{"trials": 0}, {"limit": -1}, {"workers": 0}, {"run": "../out"}, {"agent": "nobody"}]
)
def test_what_cannot_be_played_is_an_input_error(paper_world, options):
    with pytest.raises(InputError):
        rollout(paper_world, **options)
    assert not (paper_world.path / "trajectories").exists()


@dataclass(frozen=True)
class ScriptedFactory:
    """Makes agents that search, then do what `then` says; every third task's agent, or all of them."""

    then: str
    name: str = "scripted"
    model: str = ""
    version: str = "1"
    clairvoyant: bool = False

    def system_prompt(self, tools, language):
        return "Do as you are told."

    @asynccontextmanager
    async def open(self, world, models, limits, stated):
        yield lambda trial, seed, session: SessionAgent(Scripted(self.then, trial.task), session)


class Scripted:
    def __init__(self, then, task):
        self._then, self._turn = then, 0
        self._due = int(task.id[-1]) % 3 == 0
        if then == "refuse" and self._due:
            raise ValueError("this task is not for me")

    async def act(self, observations):
        await asyncio.sleep(0)
        self._turn += 1
        if self._turn == 1 or (self._then == "never end" and self._due):
            return Action("Looking.", (SEARCH,))
        if self._then == "raise" and self._due:
            raise RuntimeError(f"lost after {len(observations)} observation")
        if self._then == "say None" and self._due:
            return Action(None)
        if self._then == "mumble" and self._due:
            return Action("half a \ud83d pair")
        return Action("I do not know.")


@pytest.mark.parametrize(
    ("then", "error", "roles"),
    [
        ("raise", "RuntimeError: lost after 1 observation (test_rollout.py:", "system user assistant tool"),
        (
            "say None",
            "TypeError: words, tool calls and observations are text, not NoneType (episode_player.py:",
            "system user assistant tool",
        ),
        ("refuse", "ValueError: this task is not for me (test_rollout.py:", "system user"),
    ],
)
def test_an_agent_that_raises_is_a_row_with_its_reason(paper_world, then, error, roles):
    summary = rollout(paper_world, agent=ScriptedFactory(then), limit=10)
    assert (summary.run, summary.tally.n_episodes, summary.tally.n_failed) == ("scripted", 10, 4)
    for number, row in enumerate(rows_of(summary)):
        assert row["item_f1"] == 0 and not row["success"] and row["strict_version"]
        if number % 3 == 0:
            assert (row["ending"], row["answer"]) == ("failed", "") and row["error"].startswith(error)
            assert " ".join(message["role"] for message in row["messages"]) == roles
        else:
            assert (row["ending"], row["answer"], row["error"]) == ("answered", "I do not know.", "")


def test_an_agent_that_never_ends_is_stopped_at_the_step_limit(paper_world):
    rows = rows_of(rollout(paper_world, agent=ScriptedFactory("never end"), limit=1, max_steps=4))
    assert [(row["ending"], row["n_tool_calls"], row["answer"], row["error"]) for row in rows] == [
        ("step_limit", 4, "", "")
    ]


def test_text_that_utf8_cannot_hold_does_not_stop_a_run(paper_world):
    rows = rows_of(rollout(paper_world, agent=ScriptedFactory("mumble"), limit=1))
    assert rows[0]["answer"] == "half a ? pair"


class NowhereFactory(ScriptedAgentFactory):
    """Cannot be opened: what it needs is not there."""

    @asynccontextmanager
    async def open(self, world, models, limits, stated):
        raise InputError("no model server answers at http://127.0.0.1:1")
        yield


@pytest.mark.parametrize("workers", [1, 2])
def test_a_prerequisite_that_is_missing_is_one_error_and_no_row(paper_world, workers):
    with pytest.raises(InputError, match="no model server"):
        rollout(paper_world, agent=NowhereFactory(), workers=workers)
    assert not list(paper_world.path.glob("trajectories/*/shards/*"))


def test_a_world_whose_spec_asks_for_no_tasks_is_refused_as_that(paper_world, monkeypatch):
    monkeypatch.setattr(World, "tasks", ())
    assert not paper_world.spec.tasks
    with pytest.raises(InputError, match="has no tasks to roll out") as refused:
        rollout(paper_world)
    assert refused.value.hint == "its spec asks for none: change `tasks`, and build it again"
