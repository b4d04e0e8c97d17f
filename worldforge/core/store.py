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

from worldforge.core.errors import InputError

_WAIT_S = 60.0  # for another process's write


class Store:
    """Texts by key, in one file. One object serves one thread."""

    def __init__(self, path: Path) -> None:
        """Open the store at `path`, a new one where there is none. Raises InputError where the file is damaged."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._connection = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("CREATE TABLE IF NOT EXISTS texts (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID")
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise InputError(f"{path} cannot be read: {error}", "move it away; what it held is made again") from error

    def get(self, key: str) -> str | None:
        """Return the text under `key`, or None."""
        row = self._connection.execute("SELECT text FROM texts WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row is not None else None

    def put(self, key: str, text: str) -> str:
        """Keep `text` under `key`, unless there is one already; return what stands there."""
        self._connection.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (key, text))
        kept = self.get(key)
        assert kept is not None
        return kept

    def items(self) -> Iterator[tuple[str, str]]:
        """Give every key with its text, in the order of keys."""
        yield from self._connection.execute("SELECT key, text FROM texts ORDER BY key")

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM texts").fetchone()[0])

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
