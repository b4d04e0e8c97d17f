"""What was measured, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.scale.measured import Measured, Results
from benchmarks.scale.steps import STAGES
from benchmarks.scale.targets import INDEXED, cpu_of, judged

BEGIN, END = "<!-- scale: begin, written by `python -m benchmarks.scale` -->", "<!-- scale: end -->"
PLOT = "![CPU seconds and memory of each step as pages grow](scale.svg)"
STEPS = (*STAGES, "search", "rollout", "export")
PEERS = {
    "populate": "random bits and ready texts, a cell each",
    "pages": "bare Arrow joins of the same bytes, bare Parquet writing",
    "index": "bare Tantivy",
    "tasks": "bare DuckDB, all queries posed",
    "audit": "bare reading of all files",
    "search": "bare Tantivy, ten addresses",
    "rollout": "bare Tantivy, the oracle's searches",
    "export": "bare pyarrow, the same columns",
}


def tables(results: Results) -> str:
    """Write the targets, then the growth, then a table a size."""
    parts = [
        f"Measured on {results.machine}; {results.workers} worker{'s' if results.workers > 1 else ''}.",
        _targets(results),
    ]
    if len(results.sizes) > 1:
        parts.append(_growth(results))
    parts += [
        part for size in results.sizes for part in (f"**{_pages(results, size):,} pages**", _steps(results, size))
    ]
    return "\n\n".join(parts) + "\n"


def put_into(path: Path, text: str) -> None:
    """Put the plot and the tables between the marks of a Markdown file. Raises ValueError where it has none."""
    before, after = around(path)
    path.write_text(f"{before}{BEGIN}\n\n{PLOT}\n\n{text}\n{END}{after}", encoding="utf-8")


def around(path: Path) -> tuple[str, str]:
    """Return what stands before and after the marks of a Markdown file. Raises ValueError where it has none."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN) if path.is_file() else ("", "", "")
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} has no two lines `{BEGIN}` and `{END}` to put the tables between")
    return before, after


def _targets(results: Results) -> str:
    said = {True: "met", False: "**missed**", None: "–"}
    rows = [(row.what, row.target, row.seen, said[row.met]) for row in judged(results)]
    return _table(("what", "target", "measured", ""), rows)


def _growth(results: Results) -> str:
    """Write CPU seconds of each step by size, and how they grew from the least to the most, beside pages."""
    sizes = [size for size in results.sizes if cpu_of(results, size) is not None]
    grown = _pages(results, sizes[-1]) / _pages(results, sizes[0])
    rows = []
    for step in STEPS:
        found = [results.of(step, size) for size in sizes]
        bare = [results.of(f"bare {step}", size) for size in sizes]
        rows.append((step, *(_seconds(one) for one in found), _times(found, grown), _times(bare, grown)))
    world = [cpu_of(results, size) or 0.0 for size in sizes]
    ratio = world[-1] / world[0] / grown
    rows.insert(len(INDEXED), ("**a world with its index**", *(f"{cpu_s:.2f}" for cpu_s in world), f"{ratio:.2f}", ""))
    heads = [f"{_pages(results, size):,} pages" for size in sizes]
    return _table(("CPU s", *heads, "growth, × linear in pages", "the bare library's"), rows)


def _seconds(found: Measured | None) -> str:
    return f"{found.cpu_s:.2f}" if found else "–"


def _times(found: Sequence[Measured | None], grown: float) -> str:
    """Say how CPU seconds grew from the first to the last, while pages grew so many times."""
    first, last = found[0], found[-1]
    if first is None or last is None:
        return "–"
    return f"{last.cpu_s / max(first.cpu_s, 0.01) / grown:.2f}"


def _steps(results: Results, size: int) -> str:
    rows = []
    for step in STEPS:
        found, bare = results.of(step, size), results.of(f"bare {step}", size)
        if found is None:
            rows.append((step, "**failed, or left out**", *[""] * 8))
            continue
        beside = ("–",) * 4
        if bare:
            cpu_s, wall_s = found.cpu_s / max(bare.cpu_s, 0.01), found.wall_s / max(bare.wall_s, 0.001)
            beside = (PEERS[step], f"{bare.cpu_s:.2f}", f"{cpu_s:.2f}, {wall_s:.2f} by the clock", _mb(bare.peak_bytes))
        rows.append(
            (
                step,
                f"{found.items:,} {found.unit}",
                f"{found.rate:,.0f}",
                f"{found.items / max(found.wall_s, 0.001):,.0f}",
                f"{found.cpu_s:.2f}",
                _mb(found.peak_bytes),
                _mb(found.n_bytes) if found.n_bytes else "–",
                *beside,
            )
        )
    heads = ("step", "items", "items/CPU s", "items/s", "CPU s", "peak MB", "MB written", "beside it", "its CPU s")
    return _table((*heads, "times as long", "its peak MB"), rows)


def _pages(results: Results, size: int) -> int:
    found = results.of("pages", size)
    return found.items if found else size


def _mb(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.0f}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
