"""Texts by key in an SQLite file. The first text put under a key stays.

    with Store(path) as store:
        text = store.put(key, text)         # the text under the key now: `text`, or the one put there earlier

A kill leaves all that was put: SQLite commits it to its write-ahead log. One process writes a file. Code that may run
in a worker opens a store with `store_server.open_store`: worker processes, on this machine or on others, then read and
write through the process that started them. A rank, which shares no process with the others, writes to a file of its
own (`redirect_stores`), and the merge copies it into the common file (`Store.merge_from`).
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from worldforge.core.errors import InputError

_WAIT_S = 60.0  # for another command's write


@dataclass(frozen=True, slots=True)
class _Redirect:
    """The folder that stores write to instead of their own, and whether their own file is read as well."""

    folder: Path
    reads_original: bool


_redirect: _Redirect | None = None  # of this process; its `StoreServer` serves workers accordingly


@contextmanager
def redirect_stores(folder: Path, *, alone: bool = False) -> Iterator[None]:
    """Write to files of the same names in `folder` instead, in this process and its workers, within the block.

    The original files are read too, as immutable: no process may change them meanwhile. With `alone` they are not read.
    """
    global _redirect
    before, _redirect = _redirect, _Redirect(folder.absolute(), not alone)
    try:
        yield
    finally:
        _redirect = before


def store_exists(path: Path) -> bool:
    """Return whether there is a store at `path`, or where `redirect_stores` redirects it."""
    return path.exists() or (_redirect is not None and (_redirect.folder / path.name).exists())


class StoreError(InputError):
    """A store's file cannot be used. What needs it cannot go on: that is no failure of one item."""


class TextStore(ABC):
    """Texts by key, wherever they are kept. The first text put under a key stays. One object serves one thread."""

    path: Path

    @abstractmethod
    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the texts of those keys that have one."""

    @abstractmethod
    def put_many(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Put each text unless its key has one already; return the text that each key has now."""

    @abstractmethod
    def close(self) -> None:
        """Release the file or the connection."""

    def get(self, key: str) -> str | None:
        """Return the text under `key`, or None."""
        return self.get_many([key]).get(key)

    def put(self, key: str, text: str) -> str:
        """Put `text` under `key` unless there is one already; return the text that the key has now."""
        return self.put_many({key: text})[key]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class BatchedStore:
    """Reads and writes a text store for many coroutines: what they ask in one turn of the event loop is one request."""

    def __init__(self, store: TextStore) -> None:
        self._store = store
        self._reads: dict[str, asyncio.Future[str | None]] = {}
        self._writes: dict[str, tuple[str, asyncio.Future[str]]] = {}

    async def get(self, key: str) -> str | None:
        """Return the text under `key`, or None."""
        if key not in self._reads:
            self._reads[key] = self._new_request()
        return await asyncio.shield(self._reads[key])  # others may wait for it too

    async def put(self, key: str, text: str) -> str:
        """Put `text` under `key` unless there is one already; return the text that the key has now."""
        if key not in self._writes:
            self._writes[key] = text, self._new_request()
        return await asyncio.shield(self._writes[key][1])

    def _new_request(self) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        if not self._reads and not self._writes:
            loop.call_soon(self._send)
        return loop.create_future()

    def _send(self) -> None:
        reads, self._reads, writes, self._writes = self._reads, {}, self._writes, {}
        futures: list[asyncio.Future[Any]] = [*reads.values(), *(future for _, future in writes.values())]
        try:
            found = self._store.get_many(reads) if reads else {}
            now = self._store.put_many({key: text for key, (text, _) in writes.items()}) if writes else {}
        except StoreError as error:
            for future in futures:
                if not future.done():
                    future.set_exception(error)
            return
        results = [*(found.get(key) for key in reads), *(now[key] for key in writes)]
        for future, result in zip(futures, results, strict=True):
            if not future.done():  # cancelled meanwhile
                future.set_result(result)


class Store(TextStore):
    """A text store in an SQLite file that this process writes.

    Errors of the file (damaged, disk full) are raised as a StoreError that names it.
    """

    def __init__(self, path: Path) -> None:
        """Open the store at `path`; create it where there is none.

        Where the file cannot be written to, its texts are read, and new ones are kept in memory until it is closed.
        """
        redirect = _redirect
        original, path = path.absolute(), redirect.folder / path.name if redirect else path
        self.path = path
        self._tables = ["main.texts"]
        read_only = (
            not redirect and path.parent.is_dir() and not os.access(path if path.exists() else path.parent, os.W_OK)
        )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            place = ":memory:" if read_only else path
            self._connection = sqlite3.connect(
                place, timeout=_WAIT_S, isolation_level=None, uri=True, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from error
        weakref.finalize(self, _close, self._connection)  # at the latest when its process ends
        try:
            self._run("PRAGMA journal_mode = WAL")
            self._run("PRAGMA synchronous = NORMAL")
            self._run("CREATE TABLE IF NOT EXISTS texts (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID")
            if redirect.reads_original and original != path if redirect else read_only:
                self._attach(original, "original")
        except StoreError:
            self._connection.close()
            raise

    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the texts of those keys that have one."""
        return {key: text for key in keys if (text := self._text(key)) is not None}

    def put_many(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Put each text unless its key has one already, in one transaction; return the text that each key has now."""
        found = self.get_many(texts)
        new = [(key, text) for key, text in texts.items() if key not in found]
        if new:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                with self._connection:
                    self._connection.executemany("INSERT OR IGNORE INTO main.texts VALUES (?, ?)", new)
            except sqlite3.Error as error:
                raise self._broken(error) from error
        return found | self.get_many(key for key, _ in new)

    def _text(self, key: str) -> str | None:
        for table in self._tables:
            rows = self._run(f"SELECT text FROM {table} WHERE key = ?", key)
            if rows:
                return str(rows[0][0])
        return None

    def merge_from(self, path: Path) -> None:
        """Copy the texts of the store at `path` whose keys have no text here."""
        if self._attach(path, "taken"):
            self._run("INSERT OR IGNORE INTO main.texts SELECT key, text FROM taken.texts")
            self._run("DETACH taken")
            self._tables.pop()

    def items(self) -> Iterator[tuple[str, str]]:
        """Yield every key with its text, in the order of keys."""
        try:
            yield from self._connection.execute("SELECT key, text FROM main.texts ORDER BY key")
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _attach(self, path: Path, name: str) -> bool:
        """Attach the store at `path`, which nobody changes meanwhile; return whether it exists."""
        if not path.exists():
            return False
        self._run(f"ATTACH ? AS {name}", f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1")
        if not self._run(f"SELECT 1 FROM {name}.sqlite_master WHERE name = 'texts'"):  # all of it is in its log yet
            self._run(f"DETACH {name}")
            return False
        self._tables.append(f"{name}.texts")
        return True

    def _run(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> StoreError:
        hint = "see that the disk has room; if the file is damaged move it away: what it held is made again"
        return StoreError(f"{self.path} cannot be used: {error}", hint)


def _close(connection: sqlite3.Connection) -> None:
    """Close a store that nobody has closed, so that no write-ahead log stays beside it."""
    with suppress(sqlite3.Error):  # another thread's, which the system closes
        connection.close()
