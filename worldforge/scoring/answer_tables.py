"""The tables of an answer: Markdown, in fenced blocks called markdown as the question asks, else anywhere in the text.

    read_tables("```markdown\\n| Club | Founded |\\n|---|---|\\n| Velmar Rovers | 1911 |\\n```")
        ->  [AnswerTable(("Club", "Founded"), (("Velmar Rovers", "1911"),))]

All tables count, not the first alone. An answer is not to be trusted: it is bounded, and read in linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldforge.scoring.answer_score import UnscorableError

MAX_CHARACTERS = 1_000_000  # 4,096 cells of 60 characters are a quarter of it
_FENCE = "```"
_TAG = re.compile(r"\s*(?:markdown|md)(?![a-z])", re.IGNORECASE)
_RULE = re.compile(r"[\s|:]*[-=–—][\s|:=–—-]*")
_QUOTED = re.compile(r"(?:\s{0,3}>)+(?=\s*\|)")  # a table in a block quote
_BLANK = re.compile(r"[\s|]*")
_CELL_END = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """A table as written: the labels of its columns, and rows, which need not be as wide."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def n_cells(self) -> int:
        """How many cells it has; a row counts as wide as the table at least."""
        return sum(max(len(row), len(self.columns)) for row in self.rows)

    def column(self, index: int) -> list[str]:
        """Return the cells of one column; a row that ends before it has a blank there."""
        return [row[index] if index < len(row) else "" for row in self.rows]


def read_tables(answer: str) -> list[AnswerTable]:
    """Read all tables of an answer. Raises UnscorableError where there is none, or the answer is too long to read."""
    if len(answer) > MAX_CHARACTERS:
        raise UnscorableError(f"answer longer than {MAX_CHARACTERS} characters")
    fenced = answer.split(_FENCE)[1::2]
    tagged = [block[tag.end() :] for block in fenced if (tag := _TAG.match(block))]
    tables = [table for block in tagged for table in _tables(block)] or _tables(answer.replace(_FENCE, "\n"))
    if not tables:
        raise UnscorableError("no table")
    return tables


def _tables(text: str) -> list[AnswerTable]:
    """Read tables from the lines with pipes. The first such line of a text, or after a gap, can be a header.

    It is one where a rule (`|---|---|`) follows; without a rule it goes on the table before it, if there is one.
    """
    tables: list[list[tuple[str, ...]]] = [[]]
    after_gap, ruled, can_be_header = True, False, False
    for written in text.split("\n"):
        quoted = _QUOTED.match(written)
        line = written[quoted.end() :] if quoted else written
        if "|" not in line:
            after_gap = True
        elif _RULE.fullmatch(line) and (can_be_header or not ruled):
            header, above = tables[-1][-1:], tables[-1][:-1]
            tables[-1:] = [above, header] if can_be_header else [header]
            after_gap, ruled, can_be_header = not header, bool(header), False
        elif not _BLANK.fullmatch(line):
            tables[-1].append(_cells(line))
            after_gap, can_be_header = False, after_gap
    found = [_without_blank_columns(header, rows) for header, *rows in filter(None, tables)]
    return [table for table in found if table.rows] or found[-1:]


def _without_blank_columns(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> AnswerTable:
    """Make a table without columns that have neither a label nor a cell, as a pipe too many makes them."""
    width = max(map(len, [header, *rows]))
    if "" not in header and width == len(header):
        return AnswerTable(header, tuple(rows))
    filled = {place for row in (header, *rows) for place, cell in enumerate(row) if cell}
    if len(filled) == width or not any(header):
        return AnswerTable(header, tuple(rows))
    keep, *kept = (tuple(cell for place, cell in enumerate(row) if place in filled) for row in (header, *rows))
    return AnswerTable(keep, tuple(kept))


def _cells(line: str) -> tuple[str, ...]:
    """Split a line at its pipes, those escaped with a backslash apart."""
    if "\\|" in line:
        cells = [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(line)]
    else:
        cells = [cell.strip() for cell in line.split("|")]
    return tuple(cells[not cells[0] : len(cells) - (not cells[-1])])
