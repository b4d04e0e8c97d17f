"""Trajectories scored anew: those of an older version become what they would be now, whenever that is killed."""

import json
import shutil
import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import started, worldforge
from paper_world import linked

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, locked
from worldforge.entry_points.export_dataset import export
from worldforge.entry_points.play_run import rollout
from worldforge.entry_points.rescore_runs import rescore
from worldforge.rollouts.journal import to_line
from worldforge.rollouts.run import read_record
from worldforge.rollouts.scores import COMPONENTS, REWARDS
from worldforge.rollouts.trajectory import TRAJECTORIES

SCRIPT = Path(__file__).with_name("killed_rescore.py")
NEW = [name for name, _ in REWARDS]


@pytest.fixture(scope="module")
def run_files(paper_files, tmp_path_factory):
    """A run of 18 shards on the world on paper. Not to be changed: `played` has a copy."""
    world = linked(paper_files, tmp_path_factory.mktemp("played") / "world")
    return rollout(world, max_steps=6, trials=2, run="played").folder


@pytest.fixture
def played(paper_world, run_files):
    """The world on paper with a run of 18 shards."""
    shutil.copytree(run_files, folder_of(paper_world), ignore=shutil.ignore_patterns(".lock"))
    return paper_world


def folder_of(world, run="played"):
    return world.path / "trajectories" / run


def contents(folder):
    """Return the digests of all that a run is, but for its lock."""
    return {path.relative_to(folder): file_digest(path) for path in folder.rglob("*") if path.suffix}


def older(kind):
    """Take what is new out of a type."""
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, older(field.type)) for field in kind if field.name != "gold_seen"])
    return pa.list_(older(kind.value_type)) if pa.types.is_list(kind) else kind


def make_older(folder):
    """Make a run what an older version would have left: without the new columns, and scored otherwise."""
    schema = pa.schema([(field.name, older(field.type)) for field in TRAJECTORIES if field.name not in NEW])
    lines = []
    for shard in sorted((folder / "shards").iterdir()):
        rows = [row | {"item_f1": 0.125} for row in pq.read_table(shard).to_pylist()]
        pq.write_table(pa.Table.from_pylist(rows, schema), shard)
        lines.append(to_line({"id": shard.name, "sha256": file_digest(shard)}))
    (folder / "ledger.jsonl").write_bytes(b"".join(lines))
    record = json.loads((folder / "run.json").read_text())
    for name in COMPONENTS:
        del record["tally"]["scores"][name]
    (folder / "run.json").write_text(json.dumps(record))


def whole(folder):
    """Say whether every shard is one that the ledger knows."""
    lines = (folder / "ledger.jsonl").read_bytes().split(b"\n")[:-1]
    known = {(line["id"], line["sha256"]) for line in map(json.loads, lines)}
    return all((shard.name, file_digest(shard)) in known for shard in (folder / "shards").glob("*.parquet"))


def test_what_is_up_to_date_stays_as_it_is(played):
    folder = folder_of(played)
    before = contents(folder), {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.suffix}
    (summary,) = rescore(played)
    assert (summary.n_shards, summary.n_changed, summary.run) == (18, 0, read_record(folder))
    assert (contents(folder), {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.suffix}) == before


def test_an_older_run_becomes_what_it_would_be_now(played):
    folder = folder_of(played)
    before, record = contents(folder), read_record(folder)
    make_older(folder)
    assert contents(folder) != before
    (summary,) = rescore(played, runs=["played"])
    assert (summary.n_changed, summary.run) == (18, record)
    assert contents(folder) == before
    assert rollout(played, max_steps=6, trials=2, run="played") == record


def test_an_older_run_is_not_exported_nor_gone_on_with_but_told_what_to_do(played):
    make_older(folder_of(played))
    for go in (export, lambda world: rollout(world, max_steps=6, trials=2, run="played")):
        with pytest.raises(InputError, match=r"00000.parquet was written by another version.*`coverage`") as refused:
            go(played)
        assert "worldforge rescore" in refused.value.hint
    rescore(played)
    assert export(played).n_rows == 140


@pytest.mark.parametrize(
    ("where", "n"), [("append", 1), ("replace", 1), ("remove", 2), ("append", 2), ("settle", 1), ("record", 1)]
)
def test_killed_in_the_middle_every_shard_is_whole_and_a_repeat_finishes(played, where, n):
    folder = folder_of(played)
    before = contents(folder)
    make_older(folder)
    killed = started(SCRIPT, played.path, where, n).wait()
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert whole(folder)
    assert read_record(folder) is not None
    rescore(played)
    assert contents(folder) == before


def test_an_episode_that_failed_and_sub_agents_are_rescored_too(played):
    folder = folder_of(played)
    shard = folder / "shards" / "00000.parquet"
    rows = pq.read_table(shard).to_pylist()
    first, second, *_ = (index for index, row in enumerate(rows) if row["n_tool_calls"] > row["n_tool_errors"])
    row = rows[first]
    row["sub_agents"] = [
        {
            "tool_call_id": row["observations"][0]["tool_call_id"],
            "messages": row["messages"],
            "observations": row["observations"],
            "ending": "answered",
            "error": "",
        }
    ]
    failed = {"answer": "", "ending": "failed", "messages": rows[second]["messages"][:2], "observations": []}
    rows[second] |= failed
    pq.write_table(pa.Table.from_pylist(rows, TRAJECTORIES), shard)
    lines = (folder / "ledger.jsonl").read_bytes() + to_line({"id": shard.name, "sha256": file_digest(shard)})
    (folder / "ledger.jsonl").write_bytes(lines)
    rescore(played)
    table = pq.read_table(shard).to_pylist()
    team, failed = table[first], table[second]
    assert team["n_redundant_calls"] >= row["n_tool_calls"] - row["n_tool_errors"] > 0
    assert team["coverage"] == row["coverage"] > 0
    assert team["efficiency"] == pytest.approx(row["efficiency"] / 2)
    assert (failed["item_f1"], failed["coverage"], failed["efficiency"]) == (0.0, 0.0, 0.0)


def test_runs_that_cannot_be_rescored_are_refused(played):
    folder = folder_of(played)
    with pytest.raises(InputError, match="there is no run `none`") as refused:
        rescore(played, runs=["none"])
    assert refused.value.hint == "its runs are played"
    with locked(folder / ".lock", ""), pytest.raises(InputError, match="another process"):
        rescore(played)
    config = (folder / "config.json").read_text()
    (folder / "config.json").write_text(config.replace(played.digest, "e2" * 32))
    with pytest.raises(InputError, match="built anew"):
        rescore(played)
    (folder / "config.json").write_text(config)
    shard = folder / "shards" / "00001.parquet"
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"00001.parquet is missing or damaged"):
        rescore(played)
    (folder / "run.json").unlink()
    with pytest.raises(InputError, match="`played` is not finished"):
        rescore(played)


def test_the_command_says_what_changed(played):
    make_older(folder_of(played))
    said = worldforge("rescore", played.path).stderr
    assert "played: 140 trajectories, 18 of 18 shards changed" in said and "coverage 1.000" in said
    (summary,) = json.loads(worldforge("rescore", played.path, "--run", "played", "--json").stdout)
    assert (summary["n_changed"], summary["run"]["run"]) == (0, "played")
    assert "there is no run `other`" in worldforge("rescore", played.path, "--run", "other", code=2).stderr
