"""Export of trajectories beside bare pyarrow writing the same rows, and the memory that views take.

    python -m benchmarks.export 10000 [--kilobytes 30] [--views trajectories,sft,steps] [--times 50]

Bare pyarrow has the rows in memory, as tables of a thousand; export reads them from a run's shards, selects them, adds
a column, page index and content-defined chunking, and takes the files' digests. Each is measured in a process of its
own, by turns. Targets: at least 0.5 of bare pyarrow's rows, a CPU second and a second; memory that does not grow with
the rows, under 2 GB for a million steps. `--times 50` exports the run fifty times over, to see that. Reading back with
`datasets` is reported apart.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.files import file_digest
from worldforge.core.progress import Progress
from worldforge.datasets.load_check import check_loads
from worldforge.datasets.selection.select_rows import select
from worldforge.datasets.selection.selected_rows import RunShards
from worldforge.datasets.selection.selection_settings import Selection
from worldforge.datasets.view import ExportContext, load_views
from worldforge.datasets.view_writer import PATTERN, write_view
from worldforge.rollouts.shards import encode_shard, read_shard
from worldforge.rollouts.trajectory import TRAJECTORIES, conversation_columns
from worldforge.scoring.reward_recipe import DEFAULT

SYLLABLES = ("ka", "lo", "mer", "tin", "sar", "vel", "dor", "nis", "ulo", "pra", "gen", "hul", "ost", "wey", "bra")
OWN_TEXT = ("id", "task", "answer", "error", "ending")  # what is not the same in each row of a run
UNIT = 128  # rows of a shard: those of a run after its first 4,096 episodes
REPEATS = 3  # by turns; the quickest counts


def write_run(folder: Path, n_rows: int, kilobytes: float) -> int:
    """Write shards of invented trajectories whose messages hold about `kilobytes` each; return how many steps."""
    draw = random.Random(1)
    pages = [prose(draw, 1_500) for _ in range(400)]
    same = {field.name: prose(draw, 24) for field in TRAJECTORIES if field.type == pa.string()}
    same["tools"] = json.dumps([{"type": "function", "function": {"name": "web_search", "description": pages[0]}}])
    for first in range(0, n_rows, UNIT):
        numbers = range(first, min(first + UNIT, n_rows))
        rows = [same | row(number, pages, kilobytes, draw) for number in numbers]
        path = folder / f"{first // UNIT:05d}.parquet"
        path.write_bytes(encode_shard(path.name, rows)[0])
    return n_rows * n_turns(kilobytes)


def n_turns(kilobytes: float) -> int:
    return max(1, round(kilobytes / 3.2))


def row(number: int, pages: list[str], kilobytes: float, draw: random.Random) -> dict:
    from worldforge.agents.agent import Action
    from worldforge.agents.episode import AgentTurn
    from worldforge.environments.session import Observation
    from worldforge.models.chat import ToolCall

    turns = []
    for turn in range(n_turns(kilobytes)):
        call = ToolCall(f"call_{turn}", "web_search", json.dumps({"query": prose(draw, 40)}))
        seen = Observation("".join(draw.choices(pages, k=2)))
        turns.append(AgentTurn(Action(prose(draw, 80), (call,)), (seen,)))
    return {
        **{name: prose(draw, 24) for name in OWN_TEXT},
        **{field.name: draw.randrange(50) for field in TRAJECTORIES if pa.types.is_integer(field.type)},
        **{field.name: draw.random() for field in TRAJECTORIES if pa.types.is_floating(field.type)},
        **{field.name: draw.random() < 0.5 for field in TRAJECTORIES if pa.types.is_boolean(field.type)},
        "id": f"task/list-{number:06d}#0",
        **conversation_columns("Search.", prose(draw, 200), turns),
        "sub_agents": [],
    }


def prose(draw: random.Random, n_characters: int) -> str:
    words = ["".join(draw.choices(SYLLABLES, k=2)) for _ in range(n_characters // 6)]
    return " ".join(words)


def export_run(source: Path, target: Path, view_name: str, times: int) -> None:
    """Export as `worldforge.export` does, without the card and the check that `datasets` reads it."""
    shards = tuple(sorted(source.iterdir())) * times
    (view,) = load_views([view_name])
    context = ExportContext(SimpleNamespace(tasks=[]), (), "canary", DEFAULT)
    with select([RunShards("run", shards)], Selection(), None) as selected:
        portions = selected.groups() if view.takes == "groups" else selected.tables()
        for path in write_view(view, portions, context, target, Progress()):
            file_digest(path)


def write_bare(source: Path, target: Path, times: int = 1) -> tuple[float, float]:
    """Write the rows, read beforehand a thousand at a time, with pyarrow alone; return CPU and wall seconds."""
    target.mkdir(exist_ok=True)
    shards = sorted(source.iterdir()) * times
    step = 1_000 // UNIT
    cpu = wall = 0.0
    with pq.ParquetWriter(target / "all.parquet", TRAJECTORIES, compression="zstd", compression_level=1) as writer:
        for first in range(0, len(shards), step):
            table = pa.concat_tables(map(read_shard, shards[first : first + step])).combine_chunks()
            cpu_start, wall_start = time.process_time(), time.perf_counter()
            writer.write_table(table)
            cpu, wall = cpu + time.process_time() - cpu_start, wall + time.perf_counter() - wall_start
    return cpu, wall


def child(what: str, source: Path, target: Path, times: int) -> None:
    cpu, wall = time.process_time(), time.perf_counter()
    if what == "bare":
        cpu, wall = write_bare(source, target, times)
    else:
        export_run(source, target, what, times)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    n_bytes = sum(path.stat().st_size for path in target.iterdir())
    print(json.dumps({"cpu_s": cpu, "wall_s": wall, "peak_mb": peak_mb, "bytes": n_bytes}))


def measure(what: str, source: Path, target: Path, times: int = 1) -> dict:
    command = [sys.executable, "-m", "benchmarks.export", "--child", what, str(source), str(target), str(times)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)


def report(n_rows: int, kilobytes: float, views: list[str], times: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "shards"
        source.mkdir()
        n_steps = write_run(source, n_rows, kilobytes)
        kinds = ("bare", *views)
        turns = [{what: measure(what, source, Path(scratch) / what) for what in kinds} for _ in range(REPEATS)]
        print(f"\n{n_rows:,} trajectories of about {kilobytes} kB, {n_steps:,} steps")
        found = {}
        for what in kinds:
            best = {key: min(turn[what][key] for turn in turns) for key in ("cpu_s", "wall_s", "peak_mb", "bytes")}
            found[what] = best
            tell(what, best, n_rows)
        for way in ("cpu_s", "wall_s"):
            ratio = found["bare"][way] / found[views[0]][way]
            print(f"{views[0]} beside bare pyarrow, by {way}: {ratio:.2f} (target 0.5)")
        if times > 1:
            print(f"\n{n_rows * times:,} trajectories, {n_steps * times:,} steps")
            for view in views:
                tell(view, measure(view, source, Path(scratch) / f"{view}-long", times), n_rows * times)
        time_reading(Path(scratch), views[0], n_rows)


def tell(what: str, seen: dict, n_rows: int) -> None:
    print(
        f"{what:14} {n_rows / seen['cpu_s']:9,.0f} rows/CPU s  {n_rows / seen['wall_s']:9,.0f} rows/s  "
        f"peak {seen['peak_mb']:6,.0f} MB  {seen['bytes'] / n_rows:8,.0f} bytes a row"
    )


def time_reading(folder: Path, view: str, n_rows: int) -> None:
    card = f"configs:\n- config_name: {view}\n  data_files: [{{split: train, path: {view}/{PATTERN}}}]"
    (folder / "README.md").write_text(f"---\n{card}\n---\n")
    start = os.times()
    check_loads(folder, {view: n_rows})
    end = os.times()
    read_s = end.children_user + end.children_system - start.children_user - start.children_system
    print(f"{view} read back with `datasets`: {n_rows / read_s:,.0f} rows/CPU s, its start included")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", nargs="*", type=int, default=[10_000])
    parser.add_argument("--kilobytes", type=float, default=30.0, help="of a trajectory; quickstart's have 31")
    parser.add_argument("--views", default="trajectories", help="those to measure; the first beside bare pyarrow")
    parser.add_argument("--times", type=int, default=1, help="export the run so many times over, for its memory")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        what, source, target, times = arguments.child
        child(what, Path(source), Path(target), int(times))
        return
    for n_rows in arguments.rows:
        report(n_rows, arguments.kilobytes, arguments.views.split(","), arguments.times)


if __name__ == "__main__":
    main()
