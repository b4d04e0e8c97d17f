"""What presets show wrong: nothing, but for counts on old copies of pages, which say that they are old."""

import pyarrow.parquet as pq
import pytest

import worldforge as wf
from worldforge.environments.controls.control_plan import PRESETS
from worldforge.rollouts.environments import settings_from


def test_no_preset_shows_facts_wrongly():
    for plan in PRESETS.values():
        ends = [plan.schedule.begin, plan.schedule.to] if plan.schedule else [plan]
        assert [end.wrong_facts.rate for end in ends] == [0] * len(ends)


@pytest.mark.parametrize("preset", ["none", "mild", "harsh", "curriculum"])
def test_what_is_out_of_date_stands_on_old_copies(quickstart, tmp_path, preset):
    world = wf.open_world(quickstart)
    settings = settings_from("search", "plain", preset, None, 0)
    summary = wf.rollout(world, agent="oracle", environment=settings, limit=20, out=tmp_path)
    shards = sorted(summary.folder.glob("**/*.parquet"))
    seen = [one for shard in shards for row in pq.read_table(shard).to_pylist() for one in row["observations"]]
    altered = [one for one in seen if one["altered"]]
    assert bool(altered) == bool(summary.tally.n_altered) == (preset in ("harsh", "curriculum"))
    assert all("stale" in one["controls"] for one in altered)
