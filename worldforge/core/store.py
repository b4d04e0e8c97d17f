"""A store of texts under digests, shared by any number of processes: what is put first stays.

    with Store(path) as store:
        text = store.put(key, text)         # what stands under the key now: `text`, or what was there before

SQLite with a write-ahead log: a reader never waits, a kill leaves what was committed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from worldforge.core.errors import InputError

_WAIT_S = 60.0  # for another process's write


class Store:
    """Texts by key, in one file. One object serves one thread.

    All that goes wrong with the file (it is damaged, the disk is full) is an InputError that names it.
    """

    def __init__(self, path: Path) -> None:
        """Open the store at `path`, a new one where there is none."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from error
        try:
            self._run("PRAGMA journal_mode = WAL")
            self._run("PRAGMA synchronous = NORMAL")
            self._run("CREATE TABLE IF NOT EXISTS texts (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID")
        except InputError:
            self._connection.close()
            raise

    def get(self, key: str) -> str | None:
        """Return the text under `key`, or None."""
        rows = self._run("SELECT text FROM texts WHERE key = ?", key)
        return str(rows[0][0]) if rows else None

    def put(self, key: str, text: str) -> str:
        """Keep `text` under `key`, unless there is one already; return what stands there."""
        self._run("INSERT OR IGNORE INTO texts VALUES (?, ?)", key, text)
        kept = self.get(key)
        assert kept is not None
        return kept

    def items(self) -> Iterator[tuple[str, str]]:
        """Give every key with its text, in the order of keys."""
        try:
            yield from self._connection.execute("SELECT key, text FROM texts ORDER BY key")
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def __len__(self) -> int:
        return int(self._run("SELECT count(*) FROM texts")[0][0])

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> InputError:
        hint = "see that the disk has room; if the file is damaged move it away: what it held is made again"
        return InputError(f"{self.path} cannot be used: {error}", hint)
