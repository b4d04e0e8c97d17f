"""What a run would take: by a sample of its own episodes, which stay on record; and without playing anything."""

import asyncio
import json

import pytest
from command import worldforge

from worldforge.core.errors import InputError
from worldforge.entry_points.play_run import estimate_rollout, rollout
from worldforge.models.chat import Reply, Usage
from worldforge.models.model_address import ModelAddress
from worldforge.models.scripted_model import ScriptedModel
from worldforge.rollouts.estimate import EpisodeSample, RunPlan, spread

ADDRESS = "scripted:agent"
TABLE = "| name |\n|---|\n| none |"


async def slow(request):
    await asyncio.sleep(0.1)
    return Reply(TABLE, usage=Usage(1_000, 400, 50))


def options(out):
    return {"agent": ADDRESS, "models": {ADDRESS: ScriptedModel(slow)}, "out": out, "concurrency": 4}


def test_a_dry_run_writes_nothing(world, tmp_path):
    estimate = estimate_rollout(world, **options(tmp_path / "runs"))
    assert estimate.n_left == estimate.n_episodes == len(world.tasks) and estimate.sample is None
    assert estimate.seconds is None and estimate.n_at_once == 4
    assert not (tmp_path / "runs").exists()


def test_a_sample_is_measured_and_the_run_goes_on_from_it(world, tmp_path):
    estimate = estimate_rollout(world, sample=8, **options(tmp_path))
    n_left = len(world.tasks) - 8
    assert estimate.n_left == n_left and estimate.sample.n_episodes == 8
    assert (estimate.prompt_tokens, estimate.completion_tokens) == (1_000 * n_left, 50 * n_left)
    least, most = estimate.seconds
    summary = rollout(world, **options(tmp_path))
    assert summary.n_played == n_left and 0 < least <= most and summary.wall_s < 3 * most
    assert estimate_rollout(world, **options(tmp_path)).n_left == 0


def test_a_dry_run_tells_by_the_last_sample(world, tmp_path):
    sampled = estimate_rollout(world, sample=4, **options(tmp_path))
    before = sorted(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert estimate_rollout(world, **options(tmp_path)) == sampled
    assert sorted(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()) == before


def test_a_run_of_another_configuration_is_refused_by_a_dry_run(world, tmp_path):
    estimate_rollout(world, sample=1, run="one", **options(tmp_path))
    with pytest.raises(InputError, match="max_tokens"):
        estimate_rollout(world, run="one", max_tokens=7, **options(tmp_path))


def test_samples_are_spread():
    assert spread(40, 4) == [0, 10, 20, 30] and spread(3, 8) == [0, 1, 2] and spread(3, None) == [0, 1, 2]


def sample(n_at_once, seconds, wall_s, n=10):
    return EpisodeSample(n, n_at_once, seconds, wall_s, 100, 0, 10)


def plan(address, concurrency=40, n_workers=2, gpus=0):
    return RunPlan(None, str(ModelAddress.parse(address)), "", 1_000, n_workers, concurrency, gpus)


class Folder:
    name = "run"


def estimated(address, measured, **changes):
    from dataclasses import replace

    return replace(plan(address, **changes), folder=Folder()).estimate(1_000, measured)


def test_more_at_once_may_be_faster_where_episodes_wait():
    estimate = estimated("openai:m@http://h/v1?gpus=8", sample(10, seconds=100.0, wall_s=10.0))
    assert estimate.seconds == (125.0, 1_000.0) and estimate.n_at_once == 80
    assert estimate.gpu_hours == pytest.approx((8 * 125 / 3_600, 8 * 1_000 / 3_600))


def test_more_at_once_is_not_faster_where_episodes_do_not_wait():
    assert estimated("openai:m@http://h/v1", sample(10, seconds=10.0, wall_s=10.0)).seconds == (1_000.0, 1_000.0)


def test_a_limit_of_requests_bounds_what_is_at_once():
    assert plan("openai:m@http://h/v1?concurrency=16").n_at_once == 16
    assert plan("openai:m@http://a/v1,http://b/v1", concurrency=1_000).n_at_once == 2 * 2 * 64


def test_gpus_of_engines_are_known_and_those_of_servers_are_told():
    assert plan("vllm:m?tensor_parallel_size=4", gpus=4).n_gpus == 8
    assert plan("openai:m@http://h/v1").n_gpus is None
    assert estimated("openai:m@http://h/v1", sample(10, 100.0, 10.0)).gpu_hours is None


def test_the_command_estimates(quickstart, tmp_path):
    script = tmp_path / "replies.jsonl"
    script.write_text(json.dumps({"text": TABLE}), encoding="utf-8")
    asked = ["rollout", quickstart, "--agent", f"scripted:{script}", "-o", tmp_path / "runs"]
    assert "what they take is not known" in worldforge(*asked, "--dry-run").stderr
    told = json.loads(worldforge(*asked, "--sample", 3, "--json").stdout)
    assert told["n_left"] == told["n_episodes"] - 3 and told["sample"]["n_episodes"] == 3
    said = worldforge(*asked, "--dry-run").stderr
    assert "3 of 40 episodes on record" in said and "the rest: " in said
    worldforge(*asked, "--dry-run", "--sample", 3, code=2)
