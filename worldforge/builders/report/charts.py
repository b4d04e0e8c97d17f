"""Charts as HTML and SVG: bars, histograms, a graph, tables. The same bytes for the same numbers.

Colours come from the page's style sheet by class (`c0` … `c7`), so that a chart follows light and dark.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

import networkx as nx
import numpy as np
import numpy.typing as npt
import pyarrow as pa

N_COLOURS = 8
_NOTHING = '<p class="quiet">Nothing to show.</p>'
_GRAPH_SIZE = np.array([760, 520])
_MARGIN = np.array([70, 24])  # room for labels
_PER_ROW = 5  # kinds in the legend of a graph


def top(values: pa.ChunkedArray, what: str, most: int = 10, names: dict[str, str] | None = None) -> str:
    """Draw how often the most frequent values occur; `what` names what is counted, `names` the values."""
    counted = Counter({str(entry["values"]): entry["counts"] for entry in values.value_counts().to_pylist()})
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(count for _, count in ordered[most:])
    note = f"{what}; {len(ordered) - most:,} other values in {rest:,}" if rest else what
    return bars([((names or {}).get(value, value), count) for value, count in ordered[:most]], note)


def bars(counts: Sequence[tuple[str, int]], note: str) -> str:
    """Draw a bar for each label, with its number at the end."""
    if not counts:
        return _NOTHING
    most = max(count for _, count in counts) or 1
    rows = "".join(
        f'<tr><td>{escape(label)}</td><td><i class="c0" style="width:{75 * count / most:.1f}%"></i>{count:,}</td></tr>'
        for label, count in counts
    )
    return f'<table class="bars">{rows}</table><p class="quiet">{escape(note)}</p>'


def histogram(
    values: npt.NDArray[np.float64], what: str, n_bins: int = 16, *, of: str = "rows", whole: bool = False
) -> str:
    """Draw how often values fall into bins of one width; `what` names the values, `of` what is counted.

    `whole` values are years or counts: bins begin at whole numbers.
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return _NOTHING
    low, high = float(values.min()), float(values.max())
    if whole:
        width = max(1, math.ceil((high - low + 1) / n_bins))
        edges = np.arange(low, high + width + 0.5, width)
    else:
        edges = np.linspace(low, high if high > low else low + 1, n_bins + 1)
    counts = np.histogram(values, edges)[0].tolist()
    columns = "".join(
        f'<i class="c0" style="height:{100 * count / max(counts):.1f}%" title="from {edge:.6g}: {count:,}"></i>'
        for count, edge in zip(counts, edges.tolist(), strict=False)
    )
    note = f"{what}, {low:.6g} to {high:.6g}; {max(counts):,} {of} in the highest column"
    return f'<div class="histogram">{columns}</div><p class="quiet">{escape(note)}</p>'


def graph(sample: nx.MultiDiGraph, kinds: Sequence[str]) -> str:
    """Draw a graph whose nodes have `name` and `type`, each type in a colour of its own, with a legend below."""
    if not sample:
        return _NOTHING
    places = nx.kamada_kawai_layout(nx.Graph(sample))  # Kamada and Kawai, 1989
    spots = np.array([places[node] for node in sample])
    extent = np.maximum(np.ptp(spots, axis=0), 1e-9)
    at = dict(zip(sample, _MARGIN + (spots - spots.min(axis=0)) / extent * (_GRAPH_SIZE - 2 * _MARGIN), strict=True))
    parts = [
        f'<path class="edge" d="M{at[one][0]:.1f} {at[one][1]:.1f}L{at[other][0]:.1f} {at[other][1]:.1f}">'
        f"<title>{escape(key)}</title></path>"
        for one, other, key in sample.edges(keys=True)
    ]
    labelled: list[tuple[float, float, float]] = []
    for node, degree in sorted(sample.degree, key=lambda entry: -entry[1]):
        (x, y), name, kind = at[node], str(sample.nodes[node]["name"]), sample.nodes[node]["type"]
        label = name if len(name) <= 22 else f"{name[:21]}…"
        box = (x, x + 12 + 7.2 * len(label), y)
        is_free = all(box[1] < left or right < x or abs(y - height) > 14 for left, right, height in labelled)
        labelled += [box] if is_free else []
        parts.append(_dot(x, y, kinds.index(kind), label if is_free else "", name, 4 + min(6, math.sqrt(degree))))
    width, height = _GRAPH_SIZE.tolist()
    for place, kind in enumerate(kinds):
        row, column = divmod(place, _PER_ROW)
        parts.append(_dot(20 + column * (width - 40) / _PER_ROW, height + 16 + 20 * row, place, kind, kind))
    height += 12 + 20 * math.ceil(len(kinds) / _PER_ROW)
    return f'<svg viewBox="0 0 {width} {height}" role="img">{"".join(parts)}</svg>'


def _dot(x: float, y: float, colour: int, label: str, title: str, radius: float = 6) -> str:
    return (
        f'<circle class="c{colour % N_COLOURS}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{escape(title)}'
        f'</title></circle><text x="{x + radius + 3:.1f}" y="{y + 4:.1f}">{escape(label)}</text>'
    )


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table; columns of numbers are set to the right."""

    def line(cells: Sequence[object], tag: str) -> str:
        written = (
            f"<{tag} class=n>{cell:,}</{tag}>" if isinstance(cell, int) else f"<{tag}>{escape(str(cell))}</{tag}>"
            for cell in cells
        )
        return f"<tr>{''.join(written)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f'<div class="scroll"><table><thead>{line(header, "th")}</thead><tbody>{body}</tbody></table></div>'


def figure(title: str, drawn: str) -> str:
    """Write a chart with its title."""
    return f"<figure><figcaption>{escape(title)}</figcaption>{drawn}</figure>"
