"""A DuckDB table of a few values of each row, filtered step by step; conversations stay in their shards.

    rows = RowTable(folder)
    rows.create("rows", table)
    rows.keep("success", "true", "success = ?", True)
    rows.steps                                                 # what each step removed and left

Memory is bounded: what does not fit moves to `folder`. The database is closed to files, network and settings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.locked_database import open_locked
from worldforge.datasets.selection.selection_report import SelectionStep

MEMORY = "256MB"


class RowTable:
    """The table `rows` of a database, with a column `place` that identifies a row, and the steps taken so far."""

    def __init__(self, folder: Path) -> None:
        self.connection = open_locked(memory_limit=MEMORY, temp_directory=str(folder / "database"))
        self.steps: list[SelectionStep] = []

    def run(self, sql: str, *values: Any) -> duckdb.DuckDBPyConnection:
        """Run a statement. Raises InputError where a value cannot be computed, WorldForgeError where the disk fails."""
        try:
            return self.connection.execute(sql, values)
        except (duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.InvalidInputException) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"a condition cannot be evaluated for some row: {reason}", "see `where`") from error
        except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
            reason = str(error).splitlines()[0]
            raise WorldForgeError(f"the selection's database failed: {reason}", "see that the disk has room") from error

    def create(self, name: str, content: pa.Table | pa.RecordBatchReader) -> None:
        """Create a table from Arrow data."""
        self.connection.register("content", content)
        self.run(f"CREATE TABLE {name} AS SELECT * FROM content")
        self.connection.unregister("content")

    def keep(self, name: str, setting: object, condition: str, *values: Any) -> None:
        """Remove the rows that do not make `condition` true, and record that as a step."""
        [(n_removed,)] = self.run(f"DELETE FROM rows WHERE ({condition}) IS NOT TRUE", *values).fetchall()
        self.steps.append(SelectionStep(name, str(setting), n_removed, self.n_rows))

    def keep_first(self, name: str, n_rows: int, order: str, of_each: str = "'all'", setting: object = None) -> None:
        """Remove all but the first `n_rows` in `order` of each value of `of_each`, and record that as a step."""
        nth = f"row_number() OVER (PARTITION BY {of_each} ORDER BY {order})"
        first = f"place IN (SELECT place FROM rows QUALIFY {nth} <= ?)"
        self.keep(name, n_rows if setting is None else setting, first, n_rows)

    def texts(self, column: str) -> list[str]:
        """List the texts of a column, each once, sorted."""
        return [text for (text,) in self.run(f'SELECT DISTINCT "{column}" FROM rows ORDER BY 1').fetchall()]

    @property
    def n_rows(self) -> int:
        """How many rows are left."""
        [(n_rows,)] = self.run("SELECT count(*) FROM rows").fetchall()
        return int(n_rows)
