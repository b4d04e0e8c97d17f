"""Export of trajectories beside bare pyarrow writing the same rows, and the memory that it takes.

    python -m benchmarks.export 5000 20000 [--kilobytes 12]

Bare pyarrow has the rows in memory, as tables of a thousand; export reads them from a run's shards and adds page index
and content-defined chunking. Each is measured in a process of its own. Targets: at least 0.5 of bare pyarrow's rows a
CPU second; memory that does not grow with the rows. Reading them back with `datasets` is reported apart.
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

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.progress import Silent
from worldforge.datasets.loading import n_rows_loaded
from worldforge.datasets.shards import PATTERN, plan_sizes, write_files
from worldforge.rollouts.ledger import EPISODES_PER_UNIT
from worldforge.rollouts.scores import FRACTIONS, SUCCESSES
from worldforge.rollouts.shards import read_shard, write_shard
from worldforge.rollouts.trajectory import TRAJECTORIES, messages

SYLLABLES = ("ka", "lo", "mer", "tin", "sar", "vel", "dor", "nis", "ulo", "pra", "gen", "hul", "ost", "wey", "bra")
ROWS_PER_FILE = 10_000
REPEATS = 3  # by turns; the quickest counts


def write_run(folder: Path, n_rows: int, kilobytes: float) -> None:
    """Write shards of invented trajectories whose messages hold about `kilobytes` each."""
    draw = random.Random(1)
    pages = [prose(draw, 1_500) for _ in range(400)]
    for first in range(0, n_rows, EPISODES_PER_UNIT):
        numbers = range(first, min(first + EPISODES_PER_UNIT, n_rows))
        rows = [row(number, pages, kilobytes, draw) for number in numbers]
        write_shard(folder / f"{first // EPISODES_PER_UNIT:05d}.parquet", rows)


def row(number: int, pages: list[str], kilobytes: float, draw: random.Random) -> dict:
    from worldforge.agents.agent import Action
    from worldforge.agents.episode import Turn
    from worldforge.environments.session import Observation
    from worldforge.models.chat import ToolCall

    turns = []
    for turn in range(max(1, round(kilobytes / 3.2))):
        call = ToolCall(f"call_{turn}", "web_search", json.dumps({"query": prose(draw, 40)}))
        seen = Observation("".join(draw.choices(pages, k=2)))
        turns.append(Turn(Action(prose(draw, 80), (call,)), (seen,)))
    return {
        **{field.name: prose(draw, 24) for field in TRAJECTORIES if field.type == pa.string()},
        **{field.name: draw.randrange(50) for field in TRAJECTORIES if pa.types.is_integer(field.type)},
        **{name: draw.random() for name in FRACTIONS},
        **{name: draw.random() < 0.5 for name in SUCCESSES},
        "id": f"task/list-{number:06d}#0",
        "messages": messages("Search.", prose(draw, 200), turns),
    }


def prose(draw: random.Random, n_characters: int) -> str:
    words = ["".join(draw.choices(SYLLABLES, k=2)) for _ in range(n_characters // 6)]
    return " ".join(words)


def export_run(source: Path, target: Path) -> None:
    shards = sorted(source.iterdir())
    write_files(shards, target, plan_sizes(shards, ROWS_PER_FILE), Silent())


def write_bare(source: Path, target: Path) -> tuple[float, float]:
    """Write the rows, read beforehand a thousand at a time, with pyarrow alone; return CPU and wall seconds."""
    target.mkdir(exist_ok=True)
    shards = sorted(source.iterdir())
    step = 1_000 // EPISODES_PER_UNIT
    cpu = wall = 0.0
    with pq.ParquetWriter(target / "all.parquet", TRAJECTORIES, compression="zstd", compression_level=1) as writer:
        for first in range(0, len(shards), step):
            table = pa.concat_tables(map(read_shard, shards[first : first + step])).combine_chunks()
            cpu_start, wall_start = time.process_time(), time.perf_counter()
            writer.write_table(table)
            cpu, wall = cpu + time.process_time() - cpu_start, wall + time.perf_counter() - wall_start
    return cpu, wall


def child(what: str, source: Path, target: Path) -> None:
    cpu, wall = time.process_time(), time.perf_counter()
    if what == "export":
        export_run(source, target)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    else:
        cpu, wall = write_bare(source, target)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    n_bytes = sum(path.stat().st_size for path in target.iterdir())
    print(json.dumps({"cpu_s": cpu, "wall_s": wall, "peak_mb": peak_mb, "bytes": n_bytes}))


def measure(what: str, source: Path, target: Path) -> dict:
    command = [sys.executable, "-m", "benchmarks.export", "--child", what, str(source), str(target)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)


def report(n_rows: int, kilobytes: float) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "shards"
        source.mkdir()
        write_run(source, n_rows, kilobytes)
        kinds = ("bare", "export")
        turns = [{what: measure(what, source, Path(scratch) / what) for what in kinds} for _ in range(REPEATS)]
        found = {what: min((turn[what] for turn in turns), key=lambda seen: seen["cpu_s"]) for what in kinds}
        start = os.times()
        assert n_rows_loaded(str(Path(scratch) / "export" / PATTERN)) == n_rows
        end = os.times()
    read_s = end.children_user + end.children_system - start.children_user - start.children_system
    print(f"\n{n_rows:,} trajectories of about {kilobytes} kB")
    for what, seen in found.items():
        print(
            f"{what:7} {n_rows / seen['cpu_s']:9,.0f} rows/CPU s  {n_rows / seen['wall_s']:9,.0f} rows/s  "
            f"peak {seen['peak_mb']:6,.0f} MB  {seen['bytes'] / n_rows:8,.0f} bytes a row"
        )
    print(f"export beside bare pyarrow: {found['bare']['cpu_s'] / found['export']['cpu_s']:.2f} (target 0.5)")
    print(f"read back with `datasets`: {n_rows / read_s:,.0f} rows/CPU s, its start included")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", nargs="*", type=int, default=[5_000])
    parser.add_argument("--kilobytes", type=float, default=12.0)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        what, source, target = arguments.child
        child(what, Path(source), Path(target))
        return
    for n_rows in arguments.rows:
        report(n_rows, arguments.kilobytes)


if __name__ == "__main__":
    main()
