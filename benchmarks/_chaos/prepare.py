"""What stages begin with and no command makes: answers to be scored, a run that an older scorer has scored."""

from __future__ import annotations

import json
from pathlib import Path

from worldforge.rollouts.ledger import rewrite_shard, settle, whole_shards
from worldforge.rollouts.run import read_record, renew_tally
from worldforge.rollouts.shards import read_shard
from worldforge.world.world import open_world


def answers(world: str, run: str, out: str) -> int:
    """Write the answers of a run as lines to be scored; return how many."""
    folder, n = _run(world, run)
    rows = [row for shard in whole_shards(folder, n) for row in read_shard(shard, ["id", "answer"]).to_pylist()]
    Path(out).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return len(rows)


def age(world: str, run: str) -> int:
    """Give every row of a run the scores that it might have had of an older scorer; return how many rows."""
    folder, n = _run(world, run)
    for shard in whole_shards(folder, n):
        rewrite_shard(folder, shard, [{**row, "item_f1": 0.25} for row in read_shard(shard).to_pylist()])
    settle(folder, n)
    renew_tally(folder)
    return n


def rows(world: str, run: str) -> list[list[str]]:
    """Return what an agent did, an episode each, without what depends on how fast it was."""
    folder, n = _run(world, run)
    columns = ["id", "answer", "ending", "error", "messages", "item_f1"]
    found = [row for shard in whole_shards(folder, n) for row in read_shard(shard, columns).to_pylist()]
    return [[row["id"], json.dumps(row, sort_keys=True, default=str)] for row in found]


def _run(world: str, run: str) -> tuple[Path, int]:
    folder = open_world(world).path / "trajectories" / run
    record = read_record(folder)
    assert record is not None, "the run is finished"
    return folder, record.tally.n_episodes
