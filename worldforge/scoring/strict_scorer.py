"""The scorer for rewards: WideSearch's metrics, hardened against answers that are not better tables.

    score_strict(answer, gold).item_f1          in [0, 1]; 1 for gold itself

What differs from the benchmark (`compatible.py`): names are mapped first and duplicates dealt with after, so that each
gold row is found once at most; a column or row too many costs precision, a column missing costs recall, and neither
makes everything 0; all tables of the answer count; types are never guessed from other cells; cells agree by what they
say (`cell.py`), never because both are unreadable. Columns to be judged by a model are compared by their words.

An answer that says two things of one cell is wrong there: no list of guesses pays. No order of rows matters, but for
`row_order`, the share of pairs of rows that stand as a ranking ranks them.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from worldforge.scoring.answer_score import Score, UnscorableError, score_of, zero
from worldforge.scoring.answer_tables import AnswerTable, read_tables
from worldforge.scoring.cell_reader import CellReader, Reading, reader_of
from worldforge.scoring.cell_text import same_text
from worldforge.scoring.column_matching import match_columns
from worldforge.scoring.gold_table import GoldTable, column_name

VERSION = "strict-2"
_GOLDS_HELD = 64  # trials of a task are scored close together

Key = tuple[Reading | None, ...]
Cells = Sequence[str]


def score_strict(answer: str, gold: GoldTable) -> Score:
    """Score the text of an answer against gold. Never raises for what an answer holds; takes time linear in it.

    Items: cells that agree, over the answer's cells (precision) and gold's (recall); a key cell agrees where its row is
    found. Rows: gold rows of which every cell agrees, over the answer's rows and gold's. Gold rows that repeat a key
    count once.
    """
    columns, places = _wanted_columns(gold)
    try:
        tables = read_tables(answer)
        agreeing, found = _rows_agreeing(tables, columns, places)
    except UnscorableError as error:
        return zero(VERSION, str(error))
    items = (sum(map(len, agreeing)), sum(table.n_cells for table in tables), len(places) * len(columns))
    rows = (len(set.intersection(*agreeing)), sum(len(table.rows) for table in tables), len(places))
    reason = "" if items[0] else "no row has a key of the gold table"
    row_order = share_in_order(found) if gold.ordered else float(bool(found))
    return score_of(items, rows, VERSION, reason=reason, row_order=row_order)


def share_in_order(rows: Sequence[int]) -> float:
    """Return the share of pairs of rows that stand in ascending order; 1 for a single row, 0 for none."""
    ascending, n_before = list[int](), 0
    for row in rows:
        place = bisect(ascending, row)
        n_before += place
        ascending.insert(place, row)
    n_pairs = len(rows) * (len(rows) - 1) // 2
    return n_before / n_pairs if n_pairs else float(bool(rows))


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of gold: its label, its cells, and what reads them (remembering each) and the answer's."""

    label: str
    cells: Cells
    reader: CellReader
    read_gold: Callable[[str], Reading]

    @property
    def is_key(self) -> bool:
        return self.reader.rule.is_key


@lru_cache(_GOLDS_HELD)
def _wanted_columns(gold: GoldTable) -> tuple[Sequence[_Column], Mapping[Key, int]]:
    """Read a gold table: its columns, and its rows numbered by key; a key that comes again is passed over."""
    aliases = {column_name(label): names for label, names in gold.aliases.items()}
    columns = []
    for label, rule, cells in zip(gold.columns, gold.rules, zip(*gold.rows, strict=True), strict=True):
        reader = reader_of(label, rule, aliases.get(rule.name, {}), cells)
        columns.append(_Column(label, cells, reader, cache(reader.read)))
    places: dict[Key, int] = {}
    readings = [map(column.reader.read, column.cells) for column in columns if column.is_key]
    for place, key in enumerate(zip(*readings, strict=True)):
        places.setdefault(key, place)
    return columns, places


def _rows_agreeing(
    tables: Iterable[AnswerTable], columns: Sequence[_Column], places: Mapping[Key, int]
) -> tuple[list[set[int]], list[int]]:
    """Give for each column the gold rows whose cell the answer gives, and the rows found, as the answer has them.

    Raises UnscorableError where a key is missing.
    """
    labels = [(column.label, column.is_key) for column in columns]
    found = [_cells_by_column(table, columns, labels) for table in tables]
    keyed = [entry for entry in found if all(entry[index] for index, column in enumerate(columns) if column.is_key)]
    if not keyed:
        keys = ", ".join(same_text(column.label) for column in columns if column.is_key)
        raise UnscorableError(f"no table has the key columns: {keys}")
    named = [_named_rows(entry, columns, places) for entry in keyed]
    in_order = list(dict.fromkeys(row for rows in named for row in rows if row is not None))
    rows_found = set(in_order)
    rows_right = []
    for index, column in enumerate(columns):
        claims = ((cells, rows) for entry, rows in zip(keyed, named, strict=True) for cells in entry[index])
        rows_right.append(rows_found if column.is_key else _rows_right(column, claims))
    return rows_right, in_order


def _cells_by_column(
    table: AnswerTable, columns: Sequence[_Column], labels: Sequence[tuple[str, bool]]
) -> list[list[Cells]]:
    """Find gold's columns in a table: the cells of each, which may stand nowhere, or more than once."""
    places = match_columns(labels, table.columns)
    return [
        [column.reader.in_context(table.column(place)) for place in found]
        for column, found in zip(columns, places, strict=True)
    ]


def _named_rows(
    rows: Sequence[Sequence[Cells]], columns: Sequence[_Column], places: Mapping[Key, int]
) -> list[int | None]:
    """Return the gold row that each row of a table names by its key."""
    readings = [
        _one_reading(column.reader, cells) for column, cells in zip(columns, rows, strict=True) if column.is_key
    ]
    return [places.get(key) for key in zip(*readings, strict=True)]


def _one_reading(reader: CellReader, readings: Sequence[Cells]) -> list[Reading | None]:
    """Read a key column; where it stands twice and says two things, it says nothing."""
    first, *others = ([reader.read(cell) for cell in cells] for cells in readings)
    return [value if all(other[row] == value for other in others) else None for row, value in enumerate(first)]


def _rows_right(column: _Column, claims: Iterable[tuple[Cells, Sequence[int | None]]]) -> set[int]:
    """Return the gold rows of which every cell that the answer gives for `column` agrees with gold's."""
    right: set[int] = set()
    wrong: set[int] = set()
    for cells, rows in claims:
        for cell, row in zip(cells, rows, strict=True):
            if row is not None:
                gold_cell = column.cells[row]
                agrees = cell == gold_cell or column.reader.agrees(cell, gold_cell, column.read_gold(gold_cell))
                (right if agrees else wrong).add(row)
    return right - wrong
