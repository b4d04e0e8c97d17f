"""The outcome of a check: how much it looked at, and what failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import duckdb
import numpy as np
import pyarrow.dataset as ds

from worldforge.world.database import connect
from worldforge.world.parquet_reader import ParquetReader, Table

MOST_SHOWN = 5


@dataclass(slots=True)
class Finding:
    """The outcome of one check, which counts as it goes. `failures` spells out at most MOST_SHOWN of the `n_failed`.

    `against` names the other world of a comparison, `note` adds what is not a failure. `seconds` is how long the check
    took, and is never written to a file of a world.
    """

    check: str
    n_checked: int = 0
    n_failed: int = 0
    failures: tuple[str, ...] = ()
    seconds: float = 0.0
    against: str = ""
    note: str = ""

    @property
    def title(self) -> str:
        """The check's name in a table, with the world that it compares with."""
        return f"{self.check}: {self.against}" if self.against else self.check

    def lasting(self) -> dict[str, Any]:
        """Return the fields that are the same on every run, without empty ones."""
        written = {key: value for key, value in asdict(self).items() if key != "seconds"}
        return {key: value for key, value in written.items() if value or key not in ("against", "note")}

    def fail(self, failures: Iterable[str], n_failed: int | None = None) -> None:
        """Add failures in words. Give `n_failed` where only as many are to be put into words as are shown."""
        shown = list(failures) if n_failed is None else list(islice(failures, MOST_SHOWN))
        self.n_failed += len(shown) if n_failed is None else n_failed
        self.failures = (*self.failures, *shown)[:MOST_SHOWN]

    def query(self, connection: duckdb.DuckDBPyConnection, message: str, query: str) -> None:
        """Run a query for what is wrong: each row is a failure, put into the slots of `message`."""
        rows = connection.execute(query).fetchall()
        self.fail((message.format(*row) for row in rows), len(rows))


def open_files(tables: Mapping[str, Table]) -> duckdb.DuckDBPyConnection:
    """Open a database over Arrow tables and Parquet files, which queries read in a stream."""
    connection = connect({})
    for name, table in tables.items():
        connection.register(name, ds.dataset(table.path) if isinstance(table, ParquetReader) else table)
    return connection


def even_sample(n: int, most: int) -> list[int]:
    """Choose at most `most` of `n` rows, evenly spread."""
    return np.unique(np.linspace(0, n - 1, num=min(most, n), dtype=np.int64)).tolist() if n else []
