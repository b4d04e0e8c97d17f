"""A run split among ranks: any number of them, in any order, some killed and repeated, makes the run of one process."""

import json
import shutil
import signal
import time
from pathlib import Path

import pytest
from command import started, worldforge
from hypothesis import given, settings
from hypothesis import strategies as st
from test_ledger import EMPTY

import worldforge.rollouts.ranks as ranks_module
from worldforge.core.errors import InputError, PartialError
from worldforge.core.files import file_digest
from worldforge.core.progress import Progress
from worldforge.core.store import Store
from worldforge.entry_points.play_run import rollout
from worldforge.models.scripted_model import ScriptedModel
from worldforge.rollouts.environments import settings_from
from worldforge.rollouts.journal import to_line
from worldforge.rollouts.ledger import Ledger, shard_paths, unit_of
from worldforge.rollouts.rank_shards import Merge, RankShard
from worldforge.world_model.prompt import DISCLOSED, write_observation

SCRIPT = Path(__file__).with_name("slow_oracle.py")
RANKS = "ranks"
FOLDER = Path("trajectories") / "oracle"


def shard_bytes(run):
    return {path.name: file_digest(path) for path in sorted((run / "shards").glob("*"))}


def line(place):
    said = {"messages": [{"role": "user", "content": f"pläce {place}", "tool_calls": None}] * (place % 3)}
    return to_line(EMPTY | said | {"id": f"task/{place}#0", "answer": "x" * (place % 50), "item_f1": place / 7})


def write(folder, places):
    """Put episodes on record, as a run of their own."""
    ids = [f"task/{place}#0" for place in places]
    ledger = Ledger(folder, ids)
    for index in ledger.missing:
        ledger.keep(unit_of(index), [line(places[index])])
    assert not Ledger(folder, ids).missing


@settings(max_examples=8)
@given(st.integers(1, 300), st.integers(1, 9), st.sampled_from([1, 2, 7]))
def test_shards_dealt_out_again_are_those_of_one_process(tmp_path_factory, n_episodes, n_ranks, every):
    """Some episodes are set aside: those at places that are divisible by `every`, where that is more than 1."""
    place = tmp_path_factory.mktemp("dealt")
    played = [number for number in range(n_episodes) if every == 1 or number % every]
    write(place / "one", played)
    shares = [RankShard(rank, n_ranks) for rank in range(n_ranks)]
    for share in shares:
        write(share.folder(place / RANKS), [number for number in share.mine(range(n_episodes)) if number in played])
    ranks_module._write_shards(place, [share.folder(place / RANKS) for share in shares], played, Progress())
    assert shard_bytes(place) == shard_bytes(place / "one")
    assert not Ledger(place, [f"task/{number}#0" for number in played]).missing
    shutil.rmtree(place)


@pytest.fixture(scope="module")
def played(paper_files, tmp_path_factory):
    """Shards of a run by one process, and its run.json: three trials of seventy tasks."""
    from paper_world import linked

    world = linked(paper_files, tmp_path_factory.mktemp("alone") / "world")
    run = rollout(world, run="oracle", trials=3).folder
    return shard_bytes(run), json.loads((run / "run.json").read_text())


@pytest.fixture(scope="module")
def halves(paper_files, tmp_path_factory):
    """The same run as two ranks left it, not merged. Not to be changed: `lay_down` copies it."""
    from paper_world import linked

    world = linked(paper_files, tmp_path_factory.mktemp("halves") / "world")
    for number in range(2):
        rollout(world, trials=3, part=RankShard(number, 2))
    return world.path / FOLDER


def lay_down(halves, world):
    """Put what two ranks played into a world, as if they had played there."""
    shutil.copytree(halves, world.path / FOLDER, ignore=shutil.ignore_patterns(".lock"), dirs_exist_ok=True)


def rank(world, number, of, *options, code=0):
    return worldforge("rollout", world.path, "--trials", 3, "--rank", number, "--of", of, *options, code=code)


def merge(world, *options, code=0):
    return worldforge("rollout", world.path, "--trials", 3, "--merge", *options, code=code)


def kill_in_the_middle(world, number, of):
    """Start a slow rank, and kill it when some of its episodes are on record and others are not."""
    shards = RankShard(number, of).folder(world.path / FOLDER / RANKS) / "shards"
    deadline = time.monotonic() + 60
    with started(SCRIPT, world.path, 1, 3, number, of) as process:
        while not any(path.read_bytes().count(b"\n") > 2 for path in shards.glob("*.jsonl")):
            assert process.works() and time.monotonic() < deadline, "it ended before it could be killed"
            time.sleep(0.002)
        process.send(signal.SIGKILL)
        assert process.wait().returncode == -signal.SIGKILL


def test_ranks_in_any_order_one_of_them_killed_make_the_run_of_one_process(paper_world, played):
    run = paper_world.path / FOLDER
    rollout(paper_world, trials=3, part=RankShard(2, 3))
    kill_in_the_middle(paper_world, 1, 3)
    refused = merge(paper_world, code=4).stderr
    assert "rank 0: has not begun" in refused and "rank 1: has begun, and is not finished" in refused
    assert "`--rank R --of 3` for R = 0-1" in refused
    for rank in (0, 1):
        assert "is whole" in worldforge("rollout", paper_world.path, "--trials", 3, "--rank", rank, "--of", 3).stderr
    assert rollout(paper_world, trials=3, part=RankShard(2, 3)).tally.n_episodes == 70
    merge(paper_world)
    shards, record = played
    assert shard_bytes(run) == shards and not (run / "ranks").exists()
    merged = json.loads((run / "run.json").read_text())
    timed = {"n_played", "wall_s", "steps_per_s", "tokens_per_s"}
    assert {key: merged[key] for key in merged.keys() - timed} == {key: record[key] for key in record.keys() - timed}
    before = (run / "run.json").read_bytes()
    for part in (Merge(), RankShard(1, 3), None):
        assert rollout(paper_world, trials=3, part=part).tally.n_episodes == 210
    assert (run / "run.json").read_bytes() == before and not (run / "ranks").exists()


def test_gaps_are_refused_each_by_its_name(paper_world, halves):
    run = paper_world.path / FOLDER
    assert "--rank 0 --of N" in merge(paper_world, code=2).stderr
    lay_down(halves, paper_world)
    with pytest.raises(PartialError, match="3 of 3 ranks are not whole"):
        rollout(paper_world, trials=3, part=Merge(3))
    rollout(paper_world, trials=3, part=RankShard(4, 5))
    with pytest.raises(InputError, match=r"2 and of 5 ranks[\s\S]*--merge --of N"):
        rollout(paper_world, trials=3, part=Merge())
    with pytest.raises(InputError, match=r"rank 0: `trials` was 3, is now 2"):
        rollout(paper_world, trials=2, part=Merge(2))
    with pytest.raises(InputError, match="is played by ranks"):
        rollout(paper_world, trials=3)
    shard = shard_paths(RankShard(1, 2).folder(run / RANKS), 105)[0]
    shard.write_bytes(shard.read_bytes()[:-9])
    with pytest.raises(PartialError, match=r"rank 1: .*1-of-2/shards/00000.parquet is missing or damaged"):
        rollout(paper_world, trials=3, part=Merge(2))
    assert not (run / "run.json").exists() and not (run / "shards").exists()
    rollout(paper_world, trials=3, part=RankShard(1, 2))
    assert rollout(paper_world, trials=3, part=Merge(2)).tally.n_episodes == 210


@pytest.mark.parametrize("moment", ["close_run", "remove_at_once"])
def test_a_merge_that_was_killed_is_repeated(paper_world, played, halves, moment, monkeypatch):
    lay_down(halves, paper_world)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(ranks_module, moment, killed)
        rollout(paper_world, trials=3, part=Merge())
    assert rollout(paper_world, trials=3, part=RankShard(1, 2)).tally.n_episodes == 105
    merged = rollout(paper_world, trials=3, part=Merge())
    assert shard_bytes(merged.folder) == played[0] and not (merged.folder / "ranks").exists()


def test_a_merged_run_that_is_damaged_is_refused_and_played_again_without_merge(paper_world, played):
    rollout(paper_world, trials=3, part=RankShard(0, 1))
    folder = rollout(paper_world, trials=3, part=Merge()).folder
    shard = sorted((folder / "shards").iterdir())[0]
    shard.write_bytes(shard.read_bytes()[:-9] + bytes(9))
    with pytest.raises(InputError, match=f"{shard.name} is missing or damaged") as refused:
        rollout(paper_world, trials=3, part=Merge())
    assert refused.value.hint == "the same command without `--merge` plays again what is damaged"
    assert shard_bytes(rollout(paper_world, trials=3).folder) == played[0]


def test_a_budget_that_is_spent_leaves_the_share_open_and_more_ranks_than_episodes_are_no_harm(paper_world):
    options = ("--trials", 1, "--limit", 2)
    rank(paper_world, 1, 4, *options, "--time-budget", 0.000001)
    left = worldforge(
        "rollout", paper_world.path, "--rank", 0, "--of", 2, "--time-budget", 0.000001, "--concurrency", 1, code=4
    )
    assert "the same command goes on" in left.stderr
    worldforge("rollout", paper_world.path, "--resume", "never", "--limit", 1)
    refused = worldforge("rollout", paper_world.path, "--rank", 0, "--of", 2, "--resume", "auto", code=2)
    assert "`n_tasks` was 1" in refused.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rank", "4", "--of", "4"], "ranks count from 0, so they go from 0 to 3"),
        (["--rank", "1"], "`--rank` needs `--of`"),
        (["--of", "3"], "`--of` needs `--rank`"),
        (["--rank", "-1", "--of", "3"], "-1"),
        (["--rank", "0", "--of", "0"], "0"),
        (["--rank", "x", "--of", "3"], "x"),
        (["--rank", "0", "--of", "3", "--merge"], "exclude each other"),
    ],
)
def test_rubbish_numbers_are_the_users_mistake(paper_world, options, said):
    assert said in worldforge("rollout", paper_world.path, *options, code=2).stderr
    assert not (paper_world.path / FOLDER).exists()


def test_what_a_model_words_for_ranks_is_kept_by_each_and_shared_after_the_merge(quickstart, tmp_path):
    from worldforge.world.world import open_world

    folder = tmp_path / "world"
    shutil.copytree(quickstart, folder, ignore=shutil.ignore_patterns("trajectories", "datasets"))

    def honest(request):
        return write_observation(request.messages[-1].content.partition(f"{DISCLOSED}\n")[2])

    def play(**options):
        models, worded = (
            {"scripted:world": ScriptedModel(honest)},
            settings_from("search", None, None, "scripted:world", 2),
        )
        return rollout(open_world(folder), environment=worded, models=models, run="worded", limit=4, **options)

    for number in range(2):
        play(part=RankShard(number, 2))
        assert not (folder / "observations.sqlite").exists()
    play(part=Merge())
    with Store(folder / "observations.sqlite") as store:
        assert len(list(store.items())) > 4
    play(part=RankShard(0, 2), resume="never")
    own = RankShard(0, 2).folder(folder / "trajectories" / "worded" / RANKS) / "observations.sqlite"
    with Store(own) as store:
        assert len(list(store.items())) == 0, "the shared store had it all"
