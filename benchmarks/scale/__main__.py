"""Measures at each size, prints the tables, writes results, draws them."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks.scale import peers, steps
from benchmarks.scale.curve import draw
from benchmarks.scale.measured import Measured, Results, machine, measure, middle
from benchmarks.scale.table import around, put_into, tables
from benchmarks.scale.workers import SHARED, by_workers

APART = ("scoring", "command", "vllm", "phantomwiki")  # whatever the sizes
PEOPLE = 100_000  # of PhantomWiki's universe: an article each
TURNS, MANY_TURNS = 3, 9  # of what takes seconds, and of what takes no more than two; the quickest counts
QUICK = 100_000  # pages: stages of worlds up to here take seconds
WRITTEN = ("populate", "pages")  # stages that take two seconds at most up to there
SMALL = 1_000  # pages of the world that is called quickstart's
Take = Callable[[Measured], None]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*", type=_positive, default=[10_000, 100_000])
    parser.add_argument("--workers", type=_positive, default=1, help="of build, rollout and export")
    parser.add_argument("--tasks", type=_positive, default=500, help="posed in each world")
    parser.add_argument("--queries", type=_positive, default=2_000)
    parser.add_argument(
        "--without", default="", help=f"left out, by commas: two-workers, posing, small, {', '.join(APART)}"
    )
    parser.add_argument(
        "--phantomwiki",
        default=shutil.which("pw-generate"),
        help="PhantomWiki's command, in an environment of its own; it is left out where there is none",
    )
    parser.add_argument("--scratch", type=Path, help="where worlds are built; a million pages take 6 GB")
    parser.add_argument("--json", type=Path, help="write what was measured to this file")
    parser.add_argument("--draw", type=Path, help="measure nothing: take what was written to this file")
    parser.add_argument(
        "--out", type=Path, help="put the tables into this Markdown file, between its marks, the plot beside it"
    )
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(*options.child)
    try:  # before anything is measured
        stored = _prepared(options)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    failures: list[str] = []
    results = stored or measured(options, failures)
    if options.json:
        results.write(options.json)
    print(tables(results))
    if options.out:
        put_into(options.out, tables(results))
        draw(results, options.out.with_name("scale.svg"))
    return 1 if failures else 0


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _prepared(options: argparse.Namespace) -> Results | None:
    """Make the folders that are written to and read what is to be drawn.

    Raises OSError or ValueError where results could not be kept, or have not been.
    """
    if options.out:
        around(options.out)
    if options.scratch:
        options.scratch.mkdir(parents=True, exist_ok=True)
    if options.phantomwiki and shutil.which(options.phantomwiki) is None:
        raise ValueError(f"--phantomwiki {options.phantomwiki} is no command that can be run")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.open("a").close()
    return Results.read(options.draw) if options.draw else None


def child(function: str, arguments: str) -> int:
    """Run one step and print its figures as the last line."""
    with contextlib.redirect_stdout(io.StringIO()):
        found = next(getattr(room, function) for room in (steps, peers) if hasattr(room, function))(
            **json.loads(arguments)
        )
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps(found | {"peak_bytes": peak * 1024}))
    return 0


def measured(options: argparse.Namespace, failures: list[str]) -> Results:
    """Measure all that is asked for; what fails is told on stderr and left out."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what lies in the scratch folder goes
    without = set(options.without.split(","))
    found: list[Measured] = []
    for name in APART:  # first, its last beside the pages that are compared with it
        if name not in without:
            found += _told(apart(name, options), failures)
    for size in sorted(set(options.pages)):
        with tempfile.TemporaryDirectory(prefix="worldforge-scale-", dir=options.scratch) as scratch:
            found += _told(at_size(size, options, without, Path(scratch)), failures)
            if "two-workers" not in without:
                shared = _shared_at(size, options.pages)
                found += _told(by_workers(shared, size, options.tasks, Path(scratch)), failures)
    if "small" not in without:
        with tempfile.TemporaryDirectory(prefix="worldforge-scale-", dir=options.scratch) as scratch:
            found += _told(small(options, Path(scratch)), failures)
    return Results(machine(), options.workers, tuple(found))


def _told(works: Iterator[Callable[[], Measured | list[Measured]]], failures: list[str]) -> list[Measured]:
    """Run one step after the other, saying how each went."""
    found: list[Measured] = []
    for work in works:
        try:
            done = work()
        except RuntimeError as error:
            failures.append(str(error))
            print(error, file=sys.stderr, flush=True)
            continue
        for one in done if isinstance(done, list) else [done]:
            print(
                f"{one.size:9,} {one.step:16} {one.items:11,} {one.unit:12} {one.cpu_s:8.2f} CPU s {one.wall_s:8.2f} s "
                f"{one.rate:10,.0f}/CPU s {one.peak_bytes / 1e6:7,.0f} MB held",
                file=sys.stderr,
                flush=True,
            )
            found.append(one)
    return found


def at_size(
    size: int, options: argparse.Namespace, without: set[str], scratch: Path
) -> Iterator[Callable[[], Measured | list[Measured]]]:
    """Give the steps at one size: each stage and step, then the bare library doing its work."""
    world, workers = scratch / "world", options.workers
    folder, run = str(world), "scale"
    more = {"populate": {"pages": size}, "tasks": {"pages": size}}
    for name in steps.STAGES:
        given = {"name": name, "pages": size, "tasks": options.tasks, "folder": folder, "workers": workers}
        beside = {"folder": folder} | more.get(name, {})
        turns = _turns(name, size)
        yield lambda name=name, given=given, turns=turns: quickest(lambda: measure(name, size, "stage", **given), turns)
        yield lambda name=name, beside=beside, turns=turns: quickest(
            lambda: measure(f"bare {name}", size, f"bare_{name}", **beside), turns
        )
    yield lambda: measure("search", size, folder=folder, n=options.queries)
    yield lambda: measure("bare search", size, "bare_search", folder=folder, n=options.queries)
    shards = world / "trajectories" / run / "shards"
    yield lambda: measure("rollout", size, folder=folder, workers=workers, run=run)
    yield lambda: measure("bare rollout", size, "bare_rollout", folder=folder, shards=str(shards))
    yield lambda: middle([beside_pyarrow(size, shards, scratch) for _ in range(TURNS)])
    if "posing" not in without:
        given = {"folder": folder, "pages": size, "tasks": 2 * options.tasks}
        yield lambda: quickest(lambda: measure("posing", size, **given), _turns("posing", size))


def _turns(name: str, size: int) -> int:
    """Say how often a stage is measured: what makes a world at any size, the others while they take seconds."""
    if name in WRITTEN and size <= QUICK:
        return MANY_TURNS
    return TURNS if size <= QUICK or name in (*WRITTEN, "index") else 1


def quickest(take: Callable[[], Measured], turns: int = TURNS) -> Measured:
    """Measure some times; the quickest counts: what else a machine does only adds to it."""
    return min((take() for _ in range(turns)), key=lambda one: one.cpu_s)


def beside_pyarrow(size: int, shards: Path, scratch: Path) -> list[Measured]:
    """Export, then have bare pyarrow write the same: one turn."""
    return [exported(name, size, shards, scratch / name.replace(" ", "-")) for name in ("export", "bare export")]


def exported(name: str, size: int, shards: Path, target: Path) -> Measured:
    """Export a row for ten pages: the run's shards, as many times over; leave nothing of it."""
    import pyarrow.parquet as pq

    n_rows = sum(pq.read_metadata(path).num_rows for path in shards.glob("*.parquet"))
    if not n_rows:
        raise RuntimeError(f"there is nothing to export at {size:,} pages")
    times = max(1, round(size / 10 / n_rows))
    try:
        return measure(name, size, name.replace(" ", "_"), shards=str(shards), target=str(target), times=times)
    finally:
        shutil.rmtree(target, ignore_errors=True)


def small(options: argparse.Namespace, scratch: Path) -> Iterator[Callable[[], Measured]]:
    """Give searches of a world of the quickstart's own size."""
    folder = str(scratch / "world")

    def searched() -> Measured:
        for name in steps.STAGES:
            given = {"pages": SMALL, "tasks": 1, "folder": folder, "workers": 1}
            measure(f"small {name}", SMALL, "stage", name=name, **given)
        return quickest(lambda: measure("small search", SMALL, "search", folder=folder, n=options.queries), MANY_TURNS)

    yield searched


def apart(name: str, options: argparse.Namespace) -> Iterator[Callable[[], Measured]]:
    """Give what is measured once; nothing where it is not installed."""
    if name == "vllm" and find_spec("vllm"):
        yield lambda: measure(name, 0)  # a ratio, of turns of its own
    elif name == "phantomwiki" and options.phantomwiki:
        yield lambda: measure(name, PEOPLE, command=options.phantomwiki, people=PEOPLE)
    elif name in ("scoring", "command"):
        yield lambda: quickest(lambda: measure(name, 0))


def _shared_at(size: int, sizes: list[int]) -> list[str]:
    """Say which steps are taken by one worker and by two at a size: pages, the shortest of them, at the largest."""
    middle = max((one for one in sizes if one <= QUICK), default=min(sizes))
    return [step for step in SHARED if size == (max(sizes) if step == "pages" else middle)]


if __name__ == "__main__":
    sys.exit(main())
