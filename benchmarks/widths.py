"""How wide the tasks of shipped worlds are, beside those of WideSearch. Prints a Markdown table.

    python -m benchmarks.widths [finance sports …] [--scale 1] [--folder DIR]

Cells, rows and columns of gold tables; the share of tasks with two key columns; CPU seconds of posing them, with the
oracle's proof; what was set aside for which gate. A world that stands in the folder already is not built again.
"""

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks.topics import CHILD, print_rows
from worldforge.entry_points.build_world import build
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.spec_sources import shipped_specs
from worldforge.world.world import open_world

COLUMNS = (
    "world", "tasks", "cells: mean", "median", "least, quartiles, most", "rows: median", "most", "columns: median",
    "most", "two keys", "CPU s", "set aside"
)  # fmt: skip

_SIZES = ("n_cells", "n_rows", "n_columns")


def row(topic: str, scale: float, folder: Path | None) -> list[str]:
    """Build a world; return its cells."""
    with tempfile.TemporaryDirectory() as scratch:
        summary = build(load_spec(topic, [f"scale={scale:g}"]), (folder or Path(scratch)) / f"{topic}-{scale:g}")
        tasks = open_world(summary.folder).tasks
        reasons = pq.read_table(summary.folder / "set_aside.parquet")["reason"].to_pylist()
        cells, rows, columns = (np.array([getattr(task, name) for task in tasks]) for name in _SIZES)
        aside = Counter(reason.partition(":")[0] for reason in reasons)
        posing = next((stage.cpu_s for stage in summary.stages if stage.stage == "tasks"), 0.0)
        return [
            topic,
            str(len(tasks)),
            f"{cells.mean():,.0f}",
            f"{np.median(cells):,.0f}",
            ", ".join(f"{part:,.0f}" for part in np.quantile(cells, [0, 0.25, 0.75, 1])),
            f"{np.median(rows):,.0f}",
            f"{rows.max():,}",
            f"{np.median(columns):,.0f}",
            str(columns.max()),
            f"{sum(len(task.keys) > 1 for task in tasks) / len(tasks):.0%}",
            f"{posing:.0f}",
            ", ".join(f"{gate} {n}" for gate, n in aside.most_common()) or "nothing",
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("topics", nargs="*", default=sorted(shipped_specs()))
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--folder", type=Path, help="where worlds are built and kept; default: a temporary folder")
    parser.add_argument(CHILD, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(row(arguments.child, arguments.scale, arguments.folder)))
        return
    options = ["--scale", str(arguments.scale)]
    options += ["--folder", str(arguments.folder)] if arguments.folder else []
    print_rows("benchmarks.widths", COLUMNS, arguments.topics, options)


if __name__ == "__main__":
    main()
