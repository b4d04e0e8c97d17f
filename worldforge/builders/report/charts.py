"""Charts as inline SVG: bars, histograms, points on logarithmic axes, a graph. The same bytes for the same numbers.

Colours come from the page's style sheet by class (`c0` … `c7`), so that a chart follows light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import networkx as nx
import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

_WIDTH, _HEIGHT = 340, 200
_LEFT, _RIGHT, _TOP, _FLOOR = 46, 10, 12, 150
_ROW = 19  # height of a lying bar
_LABEL = 150  # width of a lying bar's label
N_COLOURS = 8


def bars(counts: Sequence[tuple[str, float]], what: str, rest: str = "") -> str:
    """Draw a lying bar a label, the number at its end; `what` says what is counted, `rest` what is left out."""
    if not counts:
        return _nothing()
    most = max([*(count for _, count in counts), 1e-9])
    width, floor = _WIDTH - _LABEL - 52, _ROW * len(counts)
    parts = []
    for place, (label, count) in enumerate(counts):
        top, length = place * _ROW, width * count / most
        parts.append(_text(_LABEL - 6, top + 14, _cut(label, 21), "end", title=label))
        parts.append(f'<rect class="c0" x="{_LABEL}" y="{top + 3}" width="{length:.1f}" height="{_ROW - 5}"/>')
        parts.append(_text(_LABEL + length + 4, top + 14, short(count)))
    parts.append(_text(_LABEL, floor + 16, f"{what}; {rest}" if rest else what))
    return _svg(_WIDTH, floor + 22, parts)


def histogram(values: Points, what: str, n_bins: int = 16, *, of: str = "", whole: bool = False) -> str:
    """Draw how often values fall into bins of one width; `what` names the values, `of` what is counted.

    `whole` values are years or counts: bins begin at whole numbers.
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return _nothing()
    low, high = float(values.min()), float(values.max())
    if whole:
        width = max(1, math.ceil((high - low + 1) / n_bins))
        edges = np.arange(low, high + width + 0.5, width)
    else:
        edges = np.linspace(low, high if high > low else low + 1, n_bins + 1)
    counts = np.histogram(values, edges)[0]
    step = (_WIDTH - _LEFT - _RIGHT) / len(counts)
    most = max(int(counts.max()), 1)
    parts = _frame(what, of or "rows", most)
    for place, count in enumerate(counts.tolist()):
        height = (_FLOOR - _TOP) * count / most
        parts.append(
            f'<rect class="c0" x="{_LEFT + place * step + 0.5:.1f}" y="{_FLOOR - height:.1f}" '
            f'width="{max(step - 1, 0.5):.1f}" height="{height:.1f}"/>'
        )
    last = high if whole else float(edges[-1])
    for x, value, anchor in (
        (_LEFT, low, "start"),
        ((_LEFT + _WIDTH - _RIGHT) / 2, (low + last) / 2, "middle"),
        (_WIDTH - _RIGHT, last, "end"),
    ):
        if whole and value != int(value):
            if high - low < 20:
                continue
            value = round(value)
        parts.append(_text(x, _FLOOR + 16, number(value, year=whole and low >= 1000 and last < 3000), anchor))
    return _svg(_WIDTH, _HEIGHT, parts)


def points_log(points: Sequence[tuple[float, float]], x_title: str, y_title: str) -> str:
    """Draw points on two logarithmic axes of base 10; all coordinates are above 0."""
    if not points:
        return _nothing()
    n_x, n_y = (max(1, math.ceil(math.log10(max(point[axis] for point in points)) + 1e-9)) for axis in (0, 1))
    width, height = _WIDTH - _LEFT - _RIGHT, _FLOOR - _TOP
    parts = [_axis(), _text((_LEFT + _WIDTH) / 2, _HEIGHT - 12, x_title, "middle"), _upright(y_title)]
    for n, axis in ((n_x, "x"), (n_y, "y")):
        for power in range(n + 1):
            if axis == "x":
                x = _LEFT + width * power / n
                parts.append(_text(x, _FLOOR + 16, short(10**power), "end" if power == n else "middle"))
                parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_FLOOR}"/>')
            else:
                y = _FLOOR - height * power / n
                parts.append(_text(_LEFT - 5, y + 4, short(10**power), "end"))
                parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
    for x, y in points:
        at_x, at_y = _LEFT + width * math.log10(x) / n_x, _FLOOR - height * math.log10(y) / n_y
        parts.append(f'<circle class="c0" cx="{at_x:.1f}" cy="{at_y:.1f}" r="3" fill-opacity="0.8"/>')
    return _svg(_WIDTH, _HEIGHT, parts)


def graph(sample: nx.Graph, kinds: Sequence[str]) -> str:
    """Draw a graph whose nodes have `label` and `kind`, each kind in a colour of its own, with a legend below."""
    if not sample:
        return _nothing()
    width, height = 760, 520
    at = _places(sample, width, height)
    parts = [
        f'<line class="edge" x1="{at[one][0]:.1f}" y1="{at[one][1]:.1f}" x2="{at[other][0]:.1f}" '
        f'y2="{at[other][1]:.1f}"><title>{escape(str(said))}</title></line>'
        for one, other, said in sample.edges(data="label", default="")
    ]
    taken: list[tuple[float, float, float, float]] = []
    for node, degree in sorted(sample.degree, key=lambda entry: -entry[1]):
        (x, y), label, kind = at[node], sample.nodes[node]["label"], sample.nodes[node]["kind"]
        size = 4 + min(6, math.sqrt(degree))
        colour = kinds.index(kind) % N_COLOURS
        parts.append(
            f'<circle class="c{colour}" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}">'
            f"<title>{escape(label)}</title></circle>"
        )
        spot = _free(x, y, size, 7.2 * len(_cut(label, 22)), width, taken)
        if spot is not None:
            parts.append(_text(spot, y + 4, _cut(label, 22), title=label))
    per_row = 5
    for place, kind in enumerate(kinds):
        x, y = 20 + place % per_row * (width - 40) / per_row, height + 16 + place // per_row * 20
        parts.append(f'<circle class="c{place % N_COLOURS}" cx="{x:.1f}" cy="{y}" r="6"/>')
        parts.append(_text(x + 11, y + 4, _cut(kind, 20)))
    return _svg(width, height + 12 + 20 * math.ceil(len(kinds) / per_row), parts)


def _places(sample: nx.Graph, width: int, height: int) -> Mapping[object, list[float]]:
    """Lay a graph out (Kamada and Kawai, 1989) in a rectangle, with room for labels at its sides."""
    margin = np.array([70, 24])
    places = nx.kamada_kawai_layout(sample)
    spots = np.array([places[node] for node in sample])
    extent = np.maximum(np.ptp(spots, axis=0), 1e-9)
    scaled = margin + (spots - spots.min(axis=0)) / extent * (np.array([width, height]) - 2 * margin)
    return dict(zip(sample, scaled.tolist(), strict=True))


def _free(
    x: float, y: float, size: float, length: float, width: int, taken: list[tuple[float, float, float, float]]
) -> float | None:
    """Return where a label may begin, right or left of its node, and take the place; None where none is free."""
    for begin in (x + size + 3, x - size - 3 - length):
        box = (begin, y - 7, begin + length, y + 7)
        if begin < 0 or box[2] > width or any(_meet(box, other) for other in taken):
            continue
        taken.append(box)
        return begin
    return None


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def short(value: float) -> str:
    """Write a count in few characters: `840`, `18.1k`, `2.4M`."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if letter == 'k' else size):.3g}{letter}"
    return f"{value:g}" if value == int(value) else f"{value:.2g}"


def number(value: float, *, year: bool = False) -> str:
    """Write a number beside an axis."""
    if year:
        return f"{value:.0f}"
    return short(value) if abs(value) >= 1e4 else f"{value:.4g}"


def _frame(x_title: str, y_title: str, most: int) -> list[str]:
    return [
        _axis(),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, x_title, "middle"),
        _upright(y_title),
        _text(_LEFT - 5, _TOP + 8, short(most), "end"),
        _text(_LEFT - 5, _FLOOR, "0", "end"),
    ]


def _axis() -> str:
    return f'<path class="axis" d="M{_LEFT} {_TOP}V{_FLOOR}H{_WIDTH - _RIGHT}"/>'


def _upright(title: str) -> str:
    middle = (_TOP + _FLOOR) / 2
    return f'<text transform="translate(12 {middle:.0f}) rotate(-90)" text-anchor="middle">{escape(title)}</text>'


def _text(x: float, y: float, text: str, anchor: str = "start", *, title: str = "") -> str:
    hover = f"<title>{escape(title)}</title>" if title and title != text else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{hover}{escape(text)}</text>'


def _cut(text: str, n: int) -> str:
    return text if len(text) <= n else f"{text[: n - 1]}…"


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {width} {height}" role="img">{"".join(parts)}</svg>'


def _nothing() -> str:
    return '<p class="quiet">Nothing to show.</p>'
