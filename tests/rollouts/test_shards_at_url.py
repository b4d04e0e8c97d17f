"""Shards that workers put at a URL: the same bytes, fetched when they are read."""

import fsspec
import pytest

from worldforge.core.errors import InputError, PartialError
from worldforge.core.files import file_digest
from worldforge.entry_points.play_run import estimate_rollout, rollout
from worldforge.rollouts.ledger import Ledger, whole_shards
from worldforge.rollouts.run_monitor import Budget


def digests(paths):
    return {path.name: file_digest(path) for path in paths}


@pytest.fixture
def alone(paper_world):
    run = rollout(paper_world, run="alone", limit=20)
    return digests((run.folder / "shards").iterdir())


def play(world, url, **options):
    return rollout(world, run="away", limit=20, shards=url, **options)


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_write_the_shards_and_readers_fetch_them(paper_world, alone, tmp_path, workers):
    url = f"file://{tmp_path}/bucket"
    summary = play(paper_world, url, workers=workers)
    assert summary.tally.n_episodes == 20 and not list((summary.folder / "shards").iterdir())
    assert digests((tmp_path / "bucket" / "away").iterdir()) == alone
    assert digests(whole_shards(summary.folder, 20)) == alone
    assert play(paper_world, url) == summary
    with pytest.raises(InputError, match="`shards`"):
        rollout(paper_world, run="away", limit=20)


def test_a_run_at_a_url_goes_on_and_plays_what_was_lost_there(paper_world, alone):
    url = "memory://lost"
    with pytest.raises(PartialError):
        play(paper_world, url, budget=Budget(episodes=9))
    assert estimate_rollout(paper_world, run="away", limit=20, shards=url).n_left == 11
    summary = play(paper_world, url)
    assert summary.n_played == 11
    (summary.folder / "run.json").unlink()
    fsspec.filesystem("memory").rm("/lost/away/00001.parquet")
    assert play(paper_world, url).n_played == 8
    assert digests(whole_shards(summary.folder, 20)) == alone


def test_a_shard_that_differs_from_the_ledger_is_refused(paper_world):
    folder = play(paper_world, "memory://changed").folder
    fsspec.filesystem("memory").pipe_file("/changed/away/00000.parquet", b"other bytes")
    with pytest.raises(InputError, match="damaged"):
        whole_shards(folder, 20)
    assert not Ledger(folder, [f"task/list-{n:04d}#0" for n in range(20)]).missing


@pytest.mark.parametrize("url", ["nowhere://bucket", "bucket", "file:///proc/none"])
def test_a_url_that_cannot_be_used_is_one_error(paper_world, url):
    with pytest.raises(InputError):
        play(paper_world, url)
    assert not list(paper_world.path.glob("trajectories/*/config.json")), "no run was begun"
