"""What WorldForge does at each size: every function is one step, run in a process of its own; returns its figures."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from worldforge.core.progress import Progress

STAGES = ("populate", "pages", "index", "tasks", "audit")
PAGES_AT_SCALE_1 = 960  # roughly: what is counted is exact
EPISODES_A_TASK = 2
CELLS = 4_096  # of the table that is scored
TURNS = 3  # of what takes a second or so; the quickest counts
Figures = dict[str, Any]


class StoppedError(Exception):
    """A build was to go no further."""


class OneStage(Progress):
    """A progress that notes when a stage begins, and stops the build before the next."""

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self._began: tuple[float, float] | None = None
        self.took: Figures = {}

    def start(self, stage: str, total: int | None = None, why: str = "") -> None:
        """Note the time where the stage itself starts; stop where another does."""
        if stage not in STAGES or total is not None:
            return
        if self._began is not None and stage != self._stage:
            self.took = since(self._began)
            raise StoppedError
        if stage == self._stage:
            self._began = clocks()


def clocks() -> tuple[float, float]:
    """Return CPU seconds of this process and the workers it has ended, and seconds by the clock."""
    return sum(os.times()[:4]), time.perf_counter()


def since(began: tuple[float, float]) -> Figures:
    """Return the figures that say how long something took."""
    cpu, wall = clocks()
    return {"cpu_s": cpu - began[0], "wall_s": wall - began[1]}


def spec_of(pages: int, tasks: int) -> Any:
    """Load the quickstart spec at about so many pages, with so many tasks."""
    from worldforge.schema.spec_loader import load_spec

    return load_spec("quickstart", [f"scale={pages / PAGES_AT_SCALE_1}", f"tasks.list.count={tasks}"])


def stage(name: str, pages: int, tasks: int, folder: str, workers: int) -> Figures:
    """Build a world whose earlier stages are there one stage further, as a build that is gone on with does."""
    import pyarrow.parquet as pq

    from worldforge.builders.stage_records import output_digests, remove_record
    from worldforge.builders.stages import STAGES as ALL
    from worldforge.entry_points.build_world import build

    spec, world, progress = spec_of(pages, tasks), Path(folder), OneStage(name)
    remove_record(world, name)
    try:
        (ran,) = (one for one in build(spec, world, workers=workers, progress=progress).stages if one.stage == name)
        took = {"cpu_s": ran.cpu_s, "wall_s": ran.wall_s}  # it was the last, or those after it had no need to run
    except StoppedError:
        took = progress.took
    writes = next(each.writes for each in ALL if each.name == name)
    counted = {"populate": ("entities", "entities"), "tasks": ("tasks kept", "tasks")}
    unit, file = counted.get(name, ("pages", "pages"))
    files = sorted((world / "entities").iterdir()) if file == "entities" else [world / f"{file}.parquet"]
    return {
        "items": sum(pq.read_metadata(path).num_rows for path in files),
        "unit": unit,
        **took,
        "n_bytes": sum((world / path).stat().st_size for path in output_digests(world, writes)),
    }


def queries(world: Any, n: int) -> list[str]:
    """Write queries of two to six words as agents do: an entity's name, with a column's, a type's or another name."""
    draw = random.Random(1)
    types = sorted(world.spec.types)
    names = {name: world.entities(name)["name"] for name in types}
    columns = {name: [column.replace("_", " ") for column in world.spec.types[name].attributes] for name in types}

    def one() -> str:
        of = draw.choice(types)
        name = names[of][draw.randrange(len(names[of]))].as_py()
        other = draw.choice(types)
        further = names[other][draw.randrange(len(names[other]))].as_py()
        return f"{name} {draw.choice(('', of, draw.choice(columns[of]), further))}".strip()

    return [one() for _ in range(n)]


def quickest(ask: Callable[[str], object], world: Any, n: int) -> tuple[float, list[float]]:
    """Ask `n` queries, and as many others in each of some turns; return CPU seconds and latencies of the quickest."""
    from benchmarks.search import timed

    asked = queries(world, (TURNS + 1) * n)
    timed(ask, asked[:n])  # imports, caches of terms and pages
    return min(timed(ask, asked[turn * n : (turn + 1) * n]) for turn in range(1, TURNS + 1))


def search(folder: str, n: int) -> Figures:
    """Open a world with its index, then search as the tool does: hits, snippets, the text of an observation."""
    import worldforge.schema.spec_loader  # noqa: F401 - what opening imports is no part of it
    from benchmarks.search import step_with
    from worldforge.environments.search.environment import SearchEnvironment
    from worldforge.search.search_index import open_index
    from worldforge.world.world import open_world

    began = time.perf_counter()
    world = open_world(folder)
    assert world.spec
    index = open_index(Path(folder) / "index")
    opened_s = time.perf_counter() - began
    cpu_s, latencies = quickest(step_with(SearchEnvironment(index), "web_search", "query"), world, n)
    p50, p99 = (float(cut) for cut in np.percentile(latencies, [50, 99]) * 1e3)
    more = {"opened_s": opened_s, "p50_ms": p50, "p99_ms": p99}
    return {"items": n, "unit": "searches", "cpu_s": cpu_s, "wall_s": sum(latencies), "more": more}


def rollout(folder: str, workers: int, run: str, trials: int = EPISODES_A_TASK) -> Figures:
    """Let the oracle play every task of a world, so many times."""
    from worldforge.entry_points.play_run import rollout as play
    from worldforge.world.world import open_world

    world = open_world(folder)
    assert world.tasks  # reading them is no part of playing
    began = clocks()
    summary = play(world, agent="oracle", trials=trials, workers=workers, run=run, resume="never")
    took = since(began)
    counted = summary.tally
    n_bytes = sum(path.stat().st_size for path in (summary.folder / "shards").iterdir())
    more = {"episodes": counted.n_episodes, "failed": counted.n_failed}
    return {"items": counted.n_tool_calls, "unit": "tool calls", **took, "n_bytes": n_bytes, "more": more}


def export(shards: str, target: str, times: int) -> Figures:
    """Export the trajectories of a run, as many times over as `times` says."""
    from benchmarks.export import export_run

    began = clocks()
    export_run(Path(shards), Path(target), "trajectories", times)
    took = since(began)
    return exported(Path(target)) | took


def exported(target: Path) -> Figures:
    """Count the rows and bytes of what an export left."""
    import pyarrow.parquet as pq

    files = sorted(target.rglob("*.parquet"))
    n_rows = sum(pq.read_metadata(path).num_rows for path in files)
    return {"items": n_rows, "unit": "trajectories", "n_bytes": sum(path.stat().st_size for path in files)}


def posing(folder: str, pages: int, tasks: int) -> Figures:
    """Pose tasks over a world, give them their gold both ways, and judge them."""
    from benchmarks.tasks import measure

    began = clocks()
    more = measure(Path(folder), spec_of(pages, tasks), tasks)
    return {"items": tasks, "unit": "tasks", **since(began), "more": more}


def scoring() -> Figures:
    """Score answers by both scorers."""
    from benchmarks.scoring import LABELS, measure
    from worldforge.scoring.compatible_scorer import score_compatible
    from worldforge.scoring.strict_scorer import score_strict

    began = clocks()
    first, large, _ = measure(CELLS // len(LABELS), score_strict)
    ten_thousand_s = sum(measure(20, score)[0] * 10 for score in (score_strict, score_compatible))
    more = {"strict_ms": large, "first_ms": first, "ten_thousand_s": ten_thousand_s}
    return {"items": 10_000, "unit": "tables", **since(began), "more": more}


def command() -> Figures:
    """Run `worldforge --help` five times; the quickest counts."""
    took = []
    began = clocks()
    for _ in range(5):
        before = sum(os.times()[2:4])
        subprocess.run([sys.executable, "-m", "worldforge.cli.main", "--help"], stdout=subprocess.DEVNULL, check=True)
        took.append(sum(os.times()[2:4]) - before)
    return {"items": 5, "unit": "runs", **since(began), "more": {"help_s": min(took)}}


def vllm() -> Figures:
    """Play tasks over vLLM, beside a bare script that sends the same prompts to the same engine."""
    import asyncio

    from benchmarks.rollout import beside_bare, tiny_address
    from worldforge.entry_points.build_world import build
    from worldforge.world.world import open_world

    began = clocks()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        build(spec_of(PAGES_AT_SCALE_1, 40), folder / "world")
        ratio = asyncio.run(beside_bare(open_world(folder / "world"), tiny_address(folder), 24, 24, 5))
    return {"items": 24, "unit": "episodes", **since(began), "more": {"ratio": ratio}}
