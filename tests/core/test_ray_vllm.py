"""A model in a worker of Ray, on a cluster that is begun for the run and ends with it."""

import json
import os
import shutil
import time

import psutil
import pyarrow.dataset as ds
import pytest
from tiny_model import LIGHT
from witnessed_model import WitnessedModel

from worldforge.core.ray_pool import RayEngine
from worldforge.entry_points.play_run import rollout
from worldforge.models.model_address import ModelAddress
from worldforge.world.world import open_world


@pytest.mark.xdist_group("ray_vllm")  # its engine is a worker's: no process holds two
def test_a_worker_holds_the_engine(quickstart, tiny_model, tmp_path, monkeypatch):
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    shutil.copytree(quickstart, tmp_path / "world")
    (seen := tmp_path / "seen").mkdir()
    address = ModelAddress.parse(f"vllm:{tiny_model}?max_tokens=16&max_model_len=8192&enforce_eager=true")
    before = set(psutil.Process().children(recursive=True))
    with RayEngine(workers=1) as engine:
        agent = WitnessedModel(address, seen=str(seen))
        played = rollout(
            open_world(tmp_path / "world"), agent=agent, run="ray", limit=3, trials=1, max_steps=1, workers=engine
        )
    assert (played.tally.n_episodes, played.tally.n_failed) == (3, 0)
    rows = ds.dataset(str(played.folder / "shards")).to_table().to_pylist()
    assert len(rows) == 3 and all(row["n_completion_tokens"] > 0 for row in rows)
    (told,) = (json.loads(path.read_text()) for path in seen.iterdir())
    assert told["has_engine"] and told["pid"] != os.getpid() and os.getpid() in told["above"]
    until = time.monotonic() + 20
    while left := set(psutil.Process().children(recursive=True)) - before:
        assert time.monotonic() < until, f"left behind: {left}"
        time.sleep(0.1)
