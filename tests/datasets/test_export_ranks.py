"""A dataset written by workers, or by ranks and a merge, has the bytes of one process; gaps are refused."""

import shutil

import pytest
from command import worldforge

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest
from worldforge.core.ranks import GapsError, Merge, Share
from worldforge.datasets.selection.selection_settings import Selection
from worldforge.entry_points.export import export
from worldforge.entry_points.rollout import rollout
from worldforge.world.world import open_world

VIEWS = ["trajectories", "sft", "dpo", "pages"]


@pytest.fixture(scope="module")
def world(paper_files, tmp_path_factory):
    """The world on paper, with a run of two trials."""
    from paper_world import linked

    world = linked(paper_files, tmp_path_factory.mktemp("exported") / "world")
    rollout(world, agent="noisy-oracle", trials=2)
    return world


def contents(folder):
    return {str(path.relative_to(folder)): file_digest(path) for path in folder.rglob("*") if path.is_file()}


def test_workers_and_ranks_write_what_one_process_writes(world, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "worldforge.entry_points.export.check_loads", lambda *_: None
    )  # minutes, of what test_export looks at
    options = {"views": VIEWS, "selection": Selection(order="shuffled", seed=3)}
    alone = export(world, out=tmp_path / "alone", **options)
    export(world, out=tmp_path / "by-two", workers=2, **options)
    assert contents(tmp_path / "by-two") == contents(alone.folder)
    for rank in (2, 4, 0, 3, 1):
        export(world, out=tmp_path / "ranks", part=Share(rank, 5), **options)
    merged = export(world, out=tmp_path / "ranks", part=Merge(), **options)
    assert contents(tmp_path / "ranks") == contents(alone.folder)
    assert (merged.n_files, merged.views, merged.report) == (alone.n_files, alone.views, alone.report)
    for part in (Merge(), Share(3, 5)):  # again: it is done
        assert export(world, out=tmp_path / "ranks", part=part, **options) == merged
    assert not (tmp_path / "ranks.ranks").exists()


def test_what_a_killed_rank_has_written_stays_and_gaps_are_refused(world, tmp_path, monkeypatch):
    monkeypatch.setattr("worldforge.entry_points.export.check_loads", lambda *_: None)
    out = tmp_path / "data"
    options = {"views": VIEWS, "out": out}
    export(world, part=Share(1, 2), **options)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        write = "worldforge.datasets.view_export.write_view"
        from worldforge.datasets.view_export import write_view

        def killed(view, *given):
            if view.name == "dpo":
                raise KeyboardInterrupt
            return write_view(view, *given)

        patch.setattr(write, killed)
        export(world, part=Share(0, 2), **options)
    with pytest.raises(GapsError, match="rank 0: has begun, and is not finished"):
        export(world, part=Merge(), **options)
    first = next((tmp_path / "data.ranks" / "0-of-2" / "trajectories").iterdir())
    before = first.stat().st_mtime_ns
    export(world, part=Share(0, 2), **options)
    assert first.stat().st_mtime_ns == before
    with pytest.raises(InputError, match=r"rank 0: `selection` was \w+, is now \w+"):
        export(world, part=Merge(), selection=Selection(limit=3), **options)
    first.write_bytes(first.read_bytes()[1:])
    with pytest.raises(GapsError, match=r"rank 0: trajectories/.* is not as it was written"):
        export(world, part=Merge(), **options)
    assert not out.exists()
    export(world, part=Share(0, 2), **options)
    shutil.rmtree(tmp_path / "data.ranks" / "1-of-2" / "sft")
    export(world, part=Share(1, 2), **options)
    export(world, part=Merge(), **options)
    assert contents(out) == contents(export(world, out=tmp_path / "alone", views=VIEWS).folder)


def test_the_command_splits_and_merges(world, tmp_path):
    told = ("export", world.path, "--view", "sft", "--view", "tasks", "-o", tmp_path / "data")
    worldforge(*told, "--rank", 1, "--of", 2)
    refused = worldforge(*told, "--merge", code=4).stderr
    assert "rank 0: has not begun" in refused and "--rank 0 --of 2" in refused.splitlines()[-1]
    assert "is whole" in worldforge(*told, "--rank", 0, "--of", 2).stderr
    first, made = worldforge(*told, "--merge", "--json").stdout, contents(tmp_path / "data")
    assert worldforge(*told, "--merge", "--json").stdout == first and contents(tmp_path / "data") == made
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
    refused = worldforge(*told, "--limit", 3, "--merge", code=2).stderr
    assert "`selection` was" in refused and "--rank 0 --of N" in refused
    shard = next((tmp_path / "data" / "sft").iterdir())
    shard.write_bytes(shard.read_bytes()[1:])
    assert f"{shard} is not as it was written" in worldforge(*told, "--merge", code=2).stderr
    assert contents(tmp_path / "data").keys() == made.keys()
    assert open_world(world.path).digest == world.digest
