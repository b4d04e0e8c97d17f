"""What was measured of worlds, as Markdown tables."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._reading.skeletons import Skeletons
from benchmarks._reading.stated_facts import Labels, Lengths, Places

BEGIN, END = "<!-- reading: begin, written by `python -m benchmarks.reading` -->", "<!-- reading: end -->"
PLAYERS = ("largest_table", "scraper", "crawler")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was measured of one world. The overlaps are with a world of another seed and one of another schema."""

    world: str
    language: str
    n_pages: int
    labels: Labels
    skeletons: Skeletons
    places: Places
    lengths: Lengths
    seed_overlap: float
    schema_overlap: float
    item_f1: dict[str, float]


def tables(readings: Sequence[Reading], failed: Sequence[str] = ()) -> str:
    """Write a table of the text and one of what players reach that read no sentence."""
    lines = [
        _table(
            ["world", "labels", "one label", "skeletons", "least", "top ten", "seed", "schema"],
            [_wording(one) for one in readings],
            ["*target*", "", "0", "12", "", "", "0.35", ""],
        ),
        _table(
            [
                "world",
                "pages",
                "mean length",
                "very long",
                "longest",
                "only prose",
                "only long",
                "two statements",
                "structured",
            ],
            [_places(one) for one in readings],
            ["*target*", "", "550; zh 1,000", "5 %", "", "40 %", "15 %", "10 %", ""],
        ),
        _table(
            ["world", *(f"`{name}`" for name in PLAYERS)],
            [[one.world, *(f"{one.item_f1[name]:.2f}" for name in PLAYERS)] for one in readings],
            ["**mean**", *(f"**{_mean(readings, name):.2f}**" for name in PLAYERS)],
            ["*target*", "0.10", "0.10", "0.25"],
        ),
    ]
    lines += [f"Not built: {', '.join(failed)}."] if failed else []
    return "\n\n".join(lines) + "\n"


def put_into(path: Path, text: str) -> None:
    """Put the tables between the marks of a Markdown file, or into a new file. Raises ValueError for one without."""
    if not path.exists():
        path.write_text(text, encoding="utf-8")
        return
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} has no two lines `{BEGIN}` and `{END}` to put the tables between")
    path.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def _wording(one: Reading) -> list[str]:
    return [
        one.world,
        f"{one.labels.median:g}",
        _percent(one.labels.share_of_one),
        f"{one.skeletons.median:g}",
        f"{one.skeletons.least}",
        _percent(one.skeletons.commonest_share),
        f"{one.seed_overlap:.2f}",
        f"{one.schema_overlap:.2f}",
    ]


def _places(one: Reading) -> list[str]:
    return [
        one.world,
        f"{one.n_pages:,}",
        f"{one.lengths.mean:,.0f}",
        _percent(one.lengths.share_very_long),
        f"{one.lengths.longest:,}",
        _percent(one.places.only_prose),
        _percent(one.places.only_long),
        _percent(one.places.only_relative),
        _percent(one.places.structured),
    ]


def _mean(readings: Sequence[Reading], player: str) -> float:
    return statistics.fmean(one.item_f1[player] for one in readings) if readings else 0.0


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def _table(heads: Sequence[str], *rows: Sequence[Sequence[str]] | Sequence[str]) -> str:
    """Write a table; a list of cells is a row, and a list of such lists several."""
    flat = [row for part in rows for row in ([part] if part and isinstance(part[0], str) else part)]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *flat]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
