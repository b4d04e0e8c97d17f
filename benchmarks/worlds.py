"""The shipped worlds side by side: how large each is, what its audit found, how long it took. Prints a Markdown table.

    python -m benchmarks.worlds [finance sports …] [--scale 20] [--tasks 200] [--folder DIR]

`sameness` is the median Jaccard similarity of the 5-word shingles of two articles about entities of one type, over
pairs drawn at random, tables and headings left out: how much of its wording a page shares with the next of its kind.
Target: under 0.25. A world that stands in the folder already, as `benchmarks.reading` keeps them, takes no CPU seconds.
"""

import argparse
import json
import statistics
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.sameness import similarities
from benchmarks.topics import CHILD, print_rows
from worldforge.entry_points.build_world import build
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.spec_sources import shipped_specs
from worldforge.schema.table_columns import columns_of
from worldforge.world.world import World, open_world

PAIRS = 2_000
COLUMNS = (
    "world", "types", "columns", "entities", "pages", "facts", "tasks", "set aside", "audit", "sameness", "CPU s"
)  # fmt: skip


def row(topic: str, scale: float, tasks: int | None, folder: Path | None) -> list[str]:
    """Build a world; return its cells. A world that its audit refuses raises GateError."""
    asked = [f"scale={scale:g}"] + ([f"tasks.list.count={tasks}"] if tasks else [])
    spec = load_spec(topic, asked)
    with tempfile.TemporaryDirectory() as scratch:
        summary = build(spec, (folder or Path(scratch)) / f"{topic}-{scale:g}")
        world = open_world(summary.folder)
        checks = json.loads((summary.folder / "audit.json").read_text())["checks"]
        own = sum(len(columns_of(spec, table)) for table in (*spec.types, *spec.relations))
        counts = summary.counts
        return [
            topic,
            str(len(spec.types)),
            str(own),
            f"{sum(counts['entities'].values()):,}",
            f"{counts['pages']:,}",
            f"{counts['mentions']:,}",
            str(counts["tasks"]),
            str(counts["set_aside"]),
            f"{sum(check['n_failed'] for check in checks)} of {sum(check['n_checked'] for check in checks):,}",
            f"{sameness(world):.2f}",
            f"{sum(stage.cpu_s for stage in summary.stages):.1f}",
        ]


def sameness(world: World) -> float:
    """Return the largest, over kinds of article, of the median similarity of two pages."""
    counts = Counter(world.pages["kind"].to_pylist())
    articles = [name for name, kind in world.spec.pages.items() if kind.generator == "pages.encyclopedia"]
    return max(
        (statistics.median(similarities(world, name, PAIRS)) for name in articles if counts[name] > 10), default=0.0
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("topics", nargs="*", default=sorted(shipped_specs()))
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--tasks", type=int, help="how many tasks are posed; default: as the spec says")
    parser.add_argument("--folder", type=Path, help="where worlds are built and kept; default: a temporary folder")
    parser.add_argument(CHILD, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(row(arguments.child, arguments.scale, arguments.tasks, arguments.folder)))
        return
    options = ["--scale", str(arguments.scale)]
    options += ["--tasks", str(arguments.tasks)] if arguments.tasks else []
    options += ["--folder", str(arguments.folder)] if arguments.folder else []
    print_rows("benchmarks.worlds", COLUMNS, arguments.topics, options)


if __name__ == "__main__":
    main()
