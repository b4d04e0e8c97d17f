"""Histograms as SVG: a few rectangles and words, the same bytes for the same counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from worldforge.datasets.selection.selection_report import N_BINS, Histograms

FOLDER = "plots"
_WIDTH, _HEIGHT, _LEFT, _TOP, _FLOOR = 480, 220, 12, 44, 180
_MOST_BARS = 20
_INK, _BAR = "#808080", "#4c78a8"  # both legible on light and on dark


def plots(figures: Histograms) -> dict[str, str]:
    """Return the plots of a dataset's figures: SVG by file name; none where there is no trajectory."""
    if not figures.n_rows:
        return {}
    edges = [*(f"{step / N_BINS:g}" for step in range(N_BINS)), "=1"]
    shares = {
        "item_f1": histogram("item F1 (strict)", edges, figures.shares["item_f1"]),
        "coverage": histogram("share of gold cells seen", edges, figures.shares["coverage"]),
    }
    return {f"{name}.svg": plot for name, plot in (shares | {"steps": _steps(figures.n_steps)}).items()}


def histogram(title: str, labels: Sequence[str], counts: Sequence[int]) -> str:
    """Draw a bar a count, each over its label."""
    width, tallest = (_WIDTH - 2 * _LEFT) / len(counts), max([*counts, 1])
    parts = [_text(_LEFT, 20, title, "start", 14)]
    for place, (label, count) in enumerate(zip(labels, counts, strict=True)):
        left, height = _LEFT + place * width, (_FLOOR - _TOP) * count / tallest
        middle = left + width / 2
        parts.append(
            f'<rect x="{left + 1:.1f}" y="{_FLOOR - height:.1f}" width="{width - 2:.1f}" height="{height:.1f}" '
            f'fill="{_BAR}"/>'
        )
        parts.append(_text(middle, _FLOOR + 16, label, "middle", 11))
        if count:
            parts.append(_text(middle, _FLOOR - height - 4, _short(count), "middle", 10))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">'
    return "\n".join([head, *parts, "</svg>\n"])


def _steps(steps: Mapping[int, int]) -> str:
    low, high = min(steps), max(steps)
    width = -(-(high - low + 1) // _MOST_BARS)
    starts = range(low, high + 1, width)
    counts = [sum(steps.get(n, 0) for n in range(start, start + width)) for start in starts]
    return histogram(f"turns of the agent{f', in bins of {width}' if width > 1 else ''}", [*map(str, starts)], counts)


def _text(x: float, y: float, text: str, anchor: str, size: int) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
    return f'<text {place} fill="{_INK}">{escape(text)}</text>'


def _short(count: int) -> str:
    for size, letter in ((10**6, "M"), (10**3, "k")):
        if count >= 10 * size:
            return f"{count // size}{letter}"
    return str(count)
