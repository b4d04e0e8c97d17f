"""A world in a folder that nobody can write to: what only reads works, what writes says where else it can."""

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import contextmanager

import pytest
from command import worldforge

import worldforge as wf
from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, locked
from worldforge.core.store import Store
from worldforge.entry_points.rescore_runs import rescore
from worldforge.models.scripted_model import ScriptedModel
from worldforge.rollouts.environments import settings_from
from worldforge.world_model.prompt import DISCLOSED, write_observation

ADDRESS = "scripted:world"


@contextmanager
def read_only(folder):
    """Let nobody write to a folder, root neither, by what this machine allows: rights, a mount, a flag of files."""
    bind = ["mount", "--bind", folder, folder]
    if os.getuid() != 0:
        subprocess.run(["chmod", "-R", "a-w", folder], check=True)
        undo = ["chmod", "-R", "u+w", folder]
    elif subprocess.run(bind, capture_output=True, check=False).returncode == 0:
        undo = ["umount", "--lazy", folder]
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=False)
    elif subprocess.run(["chattr", "-R", "+i", folder], capture_output=True, check=False).returncode == 0:
        undo = ["chattr", "-R", "-i", folder]
    else:
        pytest.skip("neither `mount --bind` nor `chattr +i` works here, and root writes everywhere else")
    try:
        if os.access(folder, os.W_OK):
            pytest.skip("this machine lets root write to a folder that is mounted read-only")
        yield
    finally:
        subprocess.run(undo, check=True)


def honest(request):
    return write_observation(request.messages[-1].content.partition(f"{DISCLOSED}\n")[2])


def played_with_model(world, model, **options):
    settings = settings_from("search", None, None, ADDRESS, 2)
    return wf.rollout(world, environment=settings, models={ADDRESS: ScriptedModel(model)}, run="worded", **options)


@pytest.fixture(scope="module")
def world(quickstart, tmp_path_factory):
    """The quickstart world with a run whose observations a model worded; read-only."""
    folder = tmp_path_factory.mktemp("locked") / "world"
    shutil.copytree(quickstart, folder)
    for lock in folder.glob("trajectories/*/.lock"):
        lock.unlink()
    played_with_model(wf.open_world(folder), honest, limit=2)
    with read_only(folder):
        yield folder


def test_what_reads_a_world_reads_it(world, tmp_path):
    assert "Title" in worldforge("search", world, "towns").stdout
    assert worldforge("explain", world, wf.open_world(world).tasks[0].id).stdout
    worldforge("audit", world, "--report", tmp_path / "report.html")
    (tmp_path / "answers.jsonl").write_text(json.dumps({"instance_id": "ws_en_001", "response": "none"}) + "\n")
    worldforge("score", tmp_path / "answers.jsonl", "--tasks", world)
    worldforge("push", world / "datasets", "--to", "owner/name", "--dry-run")
    summary = json.loads(worldforge("export", world, "--run", "oracle", "-o", tmp_path / "out", "--json").stdout)
    assert summary["n_rows"] == 40
    worldforge("bench", "transitions", world, "-o", tmp_path / "bench")
    worldforge("bench", "world-model", world, "--model", "engine", "--n", 5, "-o", tmp_path / "engine")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["rollout"], "--out"),
        (["rollout", "--run", "another", "--workers", "2"], "--out"),
        (["rollout", "--rank", "0", "--of", "2", "--run", "another"], "--out"),
        (["export"], "-o"),
        (["export", "--view", "pages"], "-o"),
        (["rescore"], "--trajectories"),
        (["audit"], "--report"),
        (["bench", "transitions"], "-o"),
        (["score", "--tasks", "."], "-o"),
        (["bench", "world-model", "--model", "engine"], "-o"),
    ],
    ids=" ".join,
)
def test_what_writes_into_it_says_where_else_it_can(world, command, told):
    error = worldforge(*command, world, code=2).stderr
    assert "read-only" in error or "cannot be written" in error
    assert f"`{told}" in error


def test_it_is_played_rescored_and_exported_elsewhere(world, tmp_path):
    runs = tmp_path / "runs"
    where = ["--trajectories", runs]
    worldforge(
        "rollout", world, "--agent", "noisy-searcher", "--max-steps", 30, "--trials", 2, "--workers", 2, "--out", runs
    )
    assert worldforge(
        "rollout",
        world,
        "--agent",
        "noisy-searcher",
        "--max-steps",
        30,
        "--trials",
        2,
        "--out",
        runs,
        "--resume",
        "require",
    )
    assert {path.name for path in runs.iterdir()} == {"noisy-searcher"}
    worldforge("rescore", world, *where)
    export = worldforge("export", world, *where, "--view", "trajectories", "-o", tmp_path / "out", "--json")
    assert json.loads(export.stdout)["runs"] == ["noisy-searcher"] and json.loads(export.stdout)["n_rows"] == 80
    worldforge("bench", "transitions", world, *where, "-o", tmp_path / "bench")
    refused = worldforge("export", world, *where, "--run", "oracle", "-o", tmp_path / "none", code=2)
    assert "noisy-searcher" in refused.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"runs", "out", "bench"}, "no lock is left"


def test_ranks_play_it_elsewhere(world, tmp_path):
    for rank in (0, 1):
        worldforge("rollout", world, "--limit", 4, "--rank", rank, "--of", 2, "--out", tmp_path / "runs")
    worldforge("rollout", world, "--limit", 4, "--merge", "--out", tmp_path / "runs")
    whole = wf.rollout(wf.open_world(world), limit=4, out=tmp_path / "whole").folder
    ours, theirs = (file_digest(folder / "shards" / "00000.parquet") for folder in (tmp_path / "runs/oracle", whole))
    assert ours == theirs


def test_what_a_model_has_worded_is_found_and_what_it_words_is_kept_with_the_runs(world, tmp_path):
    asked = []

    def counting(request):
        asked.append(request)
        return honest(request)

    opened, runs = wf.open_world(world), tmp_path / "runs"
    assert played_with_model(opened, counting, limit=2, out=runs).tally.rates.stored == 1.0
    assert not asked
    played_with_model(opened, counting, limit=3, out=runs, resume="never")
    assert asked and (runs / "observations.sqlite").exists()
    asked.clear()
    played_with_model(opened, counting, limit=3, out=runs, resume="never")
    assert not asked


def test_a_store_there_is_read_and_what_is_put_into_it_lasts_as_long_as_it_is_open(world):
    path = world / "observations.sqlite"
    before = file_digest(path)
    for _ in range(2):
        with Store(path) as store, Store(world / "none.sqlite") as empty:
            assert store.get("mine") is None and empty.get("mine") is None
            assert store.put("mine", "text") == empty.put("mine", "text") == "text" == store.get("mine")
    assert file_digest(path) == before and not (world / "none.sqlite").exists()
    key, kept = next(iter(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True).execute("SELECT * FROM texts")))
    with Store(path) as store:
        assert store.get(key) == kept == store.put(key, "another")


def test_runs_are_read_by_several_and_not_while_they_are_played(quickstart, tmp_path):
    shutil.copytree(quickstart, tmp_path / "world")
    opened = wf.open_world(tmp_path / "world")
    folder = tmp_path / "world" / "trajectories" / "oracle"
    with locked(folder / ".lock", ""), pytest.raises(InputError, match="another process"):
        wf.export(opened, out=tmp_path / "out")
    with locked(folder / ".lock", "", shared=True):
        wf.export(opened, out=tmp_path / "out")
        with pytest.raises(InputError, match="another process"):
            rescore(opened)
    lock = tmp_path / ".out.lock"
    with locked(lock, "", then_remove=True), pytest.raises(InputError, match="another process"):
        wf.export(opened, out=tmp_path / "out")
    assert not lock.exists()
