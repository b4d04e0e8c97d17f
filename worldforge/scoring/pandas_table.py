"""Reads a table as the benchmark does: by pandas, which guesses a type for each column, and back to strings.

That guess is a defect of the original which its results depend on: in a column with a blank, `2020` becomes `2020.0`
and the blank becomes `nan`. Both sides are read so, the answer from Markdown, the gold table from its CSV file. The
benchmark fixes pandas 2.3.1; other versions read numbers of over 15 digits otherwise.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from worldforge.scoring.answer_score import UnscorableError
from worldforge.scoring.gold_table import GoldTable, column_name

MOST_CHARACTERS = 16_000_000  # a table of 100,000 rows and ten columns
_MAX_PIPES = 4_096  # in one line; no gold table is as wide, and pandas takes long over such a line
_LONGEST_REASON = 300  # characters
_FENCED = re.compile(r"```markdown(.*?)```", re.DOTALL)
_PIPED = re.compile(r"(?:\|.*\n?)+")
_RULE = re.compile(r"[|\- :]*")
BLANK = "nan"
"""How a blank cell reads once pandas has seen it."""
_GOLDS_HELD = 64  # trials of a task are scored close together


class TextTable(dict[str, list[str]]):
    """Columns of strings by name, in order, all of one length; `kinds` are numpy's letters for the types read: `i`."""

    kinds: dict[str, str]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.values()), []))

    def keep(self, rows: list[int]) -> TextTable:
        """Return the table of these rows."""
        return TextTable({name: [cells[row] for row in rows] for name, cells in self.items()})


def read_answer(answer: str, n_columns: int) -> TextTable:
    """Read the table of an answer as the benchmark does.

    Raises UnscorableError where it finds none, or one that has not `n_columns` columns: no names would make it right.
    """
    if len(answer) > MOST_CHARACTERS:
        raise UnscorableError(f"answer longer than {MOST_CHARACTERS} characters")
    lines = list(_table_lines(_table_text(answer)))
    if any(line.count("|") > _MAX_PIPES for line in lines):
        raise UnscorableError(f"table wider than {_MAX_PIPES} columns")
    return _read("\n".join(lines), "|", n_columns)


@lru_cache(_GOLDS_HELD)
def read_gold(gold: GoldTable) -> TextTable:
    """Read a gold table as the benchmark does from its CSV file. The table is shared: it is not to be changed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rule.name for rule in gold.rules)
    writer.writerows(gold.rows)
    return _read(text.getvalue().removesuffix("\n"), ",", len(gold.rules))


def columns_differ(names: Iterable[str]) -> UnscorableError:
    """Say that an answer's columns are not those asked for."""
    listed = ", ".join(names)
    return UnscorableError(
        f"columns differ: {listed if len(listed) <= _LONGEST_REASON else listed[:_LONGEST_REASON] + '…'}"
    )


def _table_text(answer: str) -> str:
    """Cut out the first fenced block that is called markdown, or else the first run of lines with pipes."""
    if fenced := _FENCED.search(answer):
        return fenced[1]
    if answer.count("|") < 4:
        raise UnscorableError("no table")
    piped = _PIPED.search(answer)
    return piped[0] if piped else ""


def _table_lines(text: str) -> Iterator[str]:
    """Give the lines that pandas gets to see: no rules (nor rows of dashes alone), no spaces around cells."""
    first, *rest = text.strip().split("\n")
    for line in [first.replace(" ", "").lower(), *rest]:
        bare = line.strip()
        if "|" in bare and not _RULE.fullmatch(bare):
            yield "|".join([cell.strip() for cell in bare.split("|")])


def _read(text: str, separator: str, n_columns: int) -> TextTable:
    import pandas as pd  # late: it is slow to import

    try:
        frame = pd.read_csv(io.StringIO(text), sep=separator, low_memory=False)
    except ValueError as error:  # pandas' own errors are ValueErrors: a row too wide, no column at all
        raise UnscorableError(f"pandas cannot read the table: {error}") from error
    columns = [frame.iloc[:, place] for place, label in enumerate(frame.columns) if not label.startswith("Unnamed")]
    names = [column_name(column.name) for column in columns]
    if len(names) != n_columns:
        raise columns_differ(names)
    if len(set(names)) != len(names):
        raise UnscorableError(f"a column stands twice: {', '.join(names)}")
    blank = [column.isna().tolist() for column in columns]
    table = TextTable(
        (name, [BLANK if is_blank else str(cell) for cell, is_blank in zip(column.tolist(), blanks, strict=True)])
        for name, column, blanks in zip(names, columns, blank, strict=True)
    )
    table.kinds = dict(zip(names, (column.dtype.kind for column in columns), strict=True))
    return table
