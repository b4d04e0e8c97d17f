"""A table as the benchmark reads it: by pandas, which guesses a type for each column, and then back to strings.

That guess is a defect of the original which its results depend on: in a column with a blank, `2020` becomes `2020.0`
and the blank becomes `nan`. Both sides are read so, the answer from Markdown, the gold table from its CSV file. Types
are guessed by `pandas_types.py`, as the version does that the benchmark fixes. pandas itself takes only odd tables
apart: it needs a millisecond for the smallest, and others come out the same when split at their separators.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from worldforge.scoring.answer_score import UnscorableError
from worldforge.scoring.gold_table import GoldTable, column_name
from worldforge.scoring.pandas_types import Kind, as_pandas_reads

MOST_CHARACTERS = 16_000_000  # a table of 100,000 rows and ten columns
_MAX_PIPES = 4_096  # in one line; no gold table is as wide, and pandas takes long over such a line
_LONGEST_REASON = 300  # characters
_FENCED = re.compile(r"```markdown(.*?)```", re.DOTALL)
_PIPED = re.compile(r"(?:\|.*\n?)+")
_RULE = re.compile(r"[|\- :]*")
_GOLDS_HELD = 64  # trials of a task are scored close together
_ODD = re.compile(r'["\r\0\ufeff\ud800-\udfff]|Unnamed|(?:\A|\n)(?:[ \t\n]|\Z)')
"""What pandas reads as something else than a cell's character: quotes, ends of lines and of text, the mark of a byte
order, what is no UTF-8; a label as it makes one up for a column without; a blank line, which it passes over, and spaces
before a line, which it drops."""


class TextTable(dict[str, list[str]]):
    """Columns of strings by name, in order, all of one length; `kinds` are the types they were read as."""

    kinds: dict[str, Kind]

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
    said = ", ".join(names)
    return UnscorableError(f"columns differ: {said if len(said) <= _LONGEST_REASON else said[:_LONGEST_REASON] + '…'}")


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
    found = _split(text, separator) or _split_by_pandas(text, separator)
    names = [column_name(label) for label, _ in found]
    if len(names) != n_columns:
        raise columns_differ(names)
    if len(set(names)) != len(names):
        raise UnscorableError(f"a column stands twice: {', '.join(names)}")
    columns = [as_pandas_reads(cells) for _, cells in found]
    table = TextTable(zip(names, (column.cells for column in columns), strict=True))
    table.kinds = dict(zip(names, (column.kind for column in columns), strict=True))
    return table


def _split(text: str, separator: str) -> list[tuple[str, Sequence[str]]]:
    """Split a table as pandas would into columns, those without a label left out; none where only pandas can."""
    lines = text.split("\n")
    width = lines[0].count(separator) + 1
    if _ODD.search(text) or any(line.count(separator) + 1 != width for line in lines):
        return []
    cells = text.replace("\n", separator).split(separator)
    named = [index for index, label in enumerate(cells[:width]) if label]
    if len({cells[index] for index in named}) != len(named):
        return []
    return [(cells[index], cells[index + width :: width]) for index in named]


def _split_by_pandas(text: str, separator: str) -> list[tuple[str, Sequence[str]]]:
    import pandas as pd  # late: it is slow to import, and few tables are odd

    try:
        frame = pd.read_csv(io.StringIO(text), sep=separator, dtype=object, na_filter=False)
    except ValueError as error:  # pandas' own errors are ValueErrors: a row too wide, no column at all
        raise UnscorableError(f"pandas cannot read the table: {error}") from error
    named = [index for index, column in enumerate(frame.columns) if not column.startswith("Unnamed")]
    return [(frame.columns[index], frame.iloc[:, index].tolist()) for index in named]
