"""The look of the web in Markdown: tables, fillers, dates of publication, blocks that change places."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from generators.pages.english_starts import capitalised
from worldforge.core.chance import Stream
from worldforge.world.page_draft import ListingPages, PageColumn, RelatedRows, Subjects
from worldforge.world.passages import (
    Part,
    Passages,
    Positions,
    concat,
    fill,
    fill_chosen,
    gather,
    picked,
    plain,
    repeat,
)
from worldforge.world.value_text import as_written

_EPOCH = datetime.date(1970, 1, 1)


def draw(stream: Stream, rows: Positions, bank: Sequence[str]) -> Part:
    """Draw one of a bank's texts for each row."""
    return picked(bank, stream.integers(rows, 0, len(bank) - 1))


def draw_filled(stream: Stream, rows: Positions, templates: Sequence[str], **slots: Part) -> Passages:
    """Draw one of the templates for each row and fill its slots; see `passages.fill`."""
    return fill_chosen(stream.integers(rows, 0, len(templates) - 1), templates, **slots)


def dealt(
    stream: Stream, rows: Positions, sentences: Mapping[str, Passages], share: float = 1.0
) -> tuple[list[Passages], list[Passages]]:
    """Deal sentences out by chance, row by row, to two places in a text; each is said with probability `share`.

    The first place keeps their order, the second has them the other way round.
    """
    first, second = [], []
    for key, said in sentences.items():
        chosen = stream.child(key).uniform(rows)
        first.append(said.keep(chosen < share / 2))
        second.append(said.keep((chosen >= share / 2) & (chosen < share)))
    return first, second[::-1]


def unmarked(passages: Passages) -> Passages:
    """Write the same texts without stating anything."""
    return Passages(passages.text, passages.length)


def days_before(stream: Stream, about: Subjects | ListingPages, n_days: int) -> pa.Array:
    """Return a day for each page (date32): the one that is settled, else drawn.

    Drawn days are at most `n_days` before today, and not before what the page tells of; later ones are the likelier.
    """
    if about.published is not None:
        return about.published
    today = (about.as_of - _EPOCH).days
    room = n_days if about.not_before is None else np.minimum(n_days, today - about.not_before)
    back = np.floor(stream.uniform(about.rows) ** 2 * room).astype(np.int64)
    return pa.array(today - back, pa.int32()).cast(pa.date32())


def later(days: pa.Array, n_days: Positions, as_of: datetime.date) -> pa.Array:
    """Return each day `n_days` later, but not after `as_of`."""
    numbers = np.minimum(days.cast(pa.int32()).to_numpy() + n_days, (as_of - _EPOCH).days)
    return pa.array(numbers, pa.int32()).cast(pa.date32())


def dated(days: pa.Array, language: str = "en") -> Passages:
    """Write days as `18 June 2024`, or as another language does: each once, however many are alike."""
    encoded = days.dictionary_encode()
    return plain(as_written(encoded.dictionary, "date", language).take(encoded.indices))


def table(columns: Sequence[tuple[str, bool, Passages]], offsets: Positions) -> Passages:
    """Write a Markdown table for each run of rows, nothing where it has none.

    Each column is a heading, whether it is set to the right, and a cell a row; an empty cell holds a dash.
    """
    head = " | ".join(heading for heading, _, _ in columns)
    rule = "|".join("---:" if right else ":---" for _, right, _ in columns)
    cells: list[Part] = []
    for _, _, cell in columns:
        cells += [" | ", cell.otherwise("–")]
    rows = concat("| ", *cells[1:], " |\n")
    return fill("{head}{rows}", head=f"| {head} |\n|{rule}|\n", rows=gather(rows, offsets))


def section(related: RelatedRows) -> Passages:
    """Write a relation's rows as a table under a heading; nothing where a subject has none.

    Below a table that goes on elsewhere stands the way there.
    """
    columns = [(capitalised(column.label), is_figure(column), column.value) for column in related.columns]
    rows = table(columns, related.offsets)
    if related.more is not None:
        rows = concat(rows, fill("\n{more}\n", more=related.more)).keep(rows.said | related.more.said)
    return fill("## {title}\n\n{rows}\n", title=related.title, rows=rows)


def under_heading(heading: Sequence[Part], lines: Sequence[Passages]) -> list[Part]:
    """Write lines under a heading, and an empty line after them; nothing where none of the lines is said."""
    if not lines:
        return []
    some = np.logical_or.reduce([line.said for line in lines])
    return [concat(*heading, repeat("", len(some))).keep(some), *lines, repeat("\n", len(some)).keep(some)]


def is_figure(column: PageColumn) -> bool:
    """Tell whether a table sets a column to the right."""
    return column.kind in ("integer", "number", "year")


def headed(column: PageColumn, form: str) -> str:
    """Return a table's heading for a column, its unit put as `form` has it."""
    return capitalised(column.label) + (form.replace("{unit}", column.unit) if column.unit else "")


def cell_of(column: PageColumn) -> Passages:
    """Return a column's cells in a table whose heading gives the unit."""
    return column.bare if column.unit else column.value
