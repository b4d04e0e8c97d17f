"""How CPU time and memory grow with a world's pages, drawn: the same results give the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.scale.measured import Results
from benchmarks.scale.targets import INDEXED, cpu_of

COLOURS = {
    "populate": "#8c6d1f",
    "pages": "#1f6f8b",
    "index": "#2f855a",
    "tasks": "#b5533c",
    "audit": "#6b5b95",
    "rollout": "#888888",
    "export": "#c08497",
}
_LINEAR = 1.15


def draw(results: Results, path: Path) -> None:
    """Draw CPU seconds against pages, log by log, a line a step, with what is linear beside the whole; then memory."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "worldforge", "svg.fonttype": "none", "font.size": 10})
    from matplotlib import pyplot as plt

    figure, (time, memory) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for step, colour in COLOURS.items():
        found = [(results.of("pages", size), results.of(step, size)) for size in results.sizes]
        known = [(pages.items, one) for pages, one in found if pages and one]
        at = [pages for pages, _ in known]
        time.plot(at, [one.cpu_s for _, one in known], "o-", color=colour, label=step, lw=1.4, ms=4)
        memory.plot(at, [one.peak_bytes / 1e9 for _, one in known], "o-", color=colour, label=step, lw=1.4, ms=4)
    _whole(time, results)
    _finish(time, "CPU seconds")
    _finish(memory, "peak memory, GB")
    memory.set_yscale("linear")
    memory.set_ylim(bottom=0)
    figure.legend(*time.get_legend_handles_labels(), frameon=False, fontsize=9, loc="outside lower center", ncols=5)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def _whole(axes: Any, results: Results) -> None:
    """Draw a world with its index, the line that it would follow were it linear, and the band that is allowed."""
    known = [
        (pages.items, cpu_s)
        for size in results.sizes
        if (pages := results.of("pages", size)) and (cpu_s := cpu_of(results, size, INDEXED)) is not None
    ]
    if not known:
        return
    at, spent = zip(*known, strict=True)
    linear = [spent[0] * pages / at[0] for pages in at]
    axes.fill_between(at, linear, [_LINEAR * each for each in linear], color="#000000", alpha=0.18, lw=0)
    axes.plot(at, linear, "--", color="#000000", lw=0.9, label=f"linear, band of {_LINEAR} ×")
    axes.plot(at, spent, "s-", color="#000000", lw=2, ms=5, label="a world with its index")


def _finish(axes: Any, what: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("pages")
    axes.set_ylabel(what)
    axes.grid(visible=True, which="major", color="#dddddd", lw=0.6)
    axes.spines[["top", "right"]].set_visible(False)
