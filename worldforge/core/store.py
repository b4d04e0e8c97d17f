"""A store of texts under digests, shared by any number of processes: what is put first stays.

    with Store(path) as store:
        text = store.put(key, text)         # what stands under the key now: `text`, or what was there before

SQLite with a write-ahead log: a reader never waits, a kill leaves what was committed. Machines must not share such
a log: who works on a folder that others share keeps a store of its own, `kept_in(folder)`, that finds what the shared
one had, and is put into it afterwards, `take_in`. Workers on other machines write to no file (`hold_texts`): they send
what they have put (`held_texts`) to the process that began them, which keeps it (`Keeper`).
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, ClassVar
from urllib.parse import quote

from worldforge.core.errors import InputError

_WAIT_S = 60.0  # for another process's write
_KEPT_IN = "WORLDFORGE_STORES_KEPT_IN"  # set by `kept_in` alone; in the environment, so that workers see it
_ALONE = "WORLDFORGE_STORES_ALONE"  # likewise


class _Held:
    """What has been put in this process, where its stores write to no file: texts by key, by the store's path."""

    is_on: ClassVar[bool] = False
    texts: ClassVar[dict[str, dict[str, str]]] = {}
    lock: ClassVar[Lock] = Lock()


def hold_texts() -> None:
    """Let stores that this process opens from now on write to no file: another process keeps what is put into them.

    What their files have is found. Nobody may change those in place meanwhile: only append to their logs, as `Keeper`.
    """
    _Held.is_on = True


def held_texts() -> dict[str, dict[str, str]]:
    """Return what has been put since the last call, for a `Keeper`."""
    with _Held.lock:
        texts, _Held.texts = _Held.texts, {}
    return texts


class Keeper:
    """Puts what others hold (`held_texts`) into the files that it is meant for, as the only writer of each.

    Until it is closed, their logs alone grow: who reads the files without the logs finds them as they were.
    """

    def __init__(self) -> None:
        self._stores: dict[str, Store] = {}

    def keep(self, texts: Mapping[str, Mapping[str, str]]) -> None:
        """Put texts by key, by store, unless there is a text already."""
        for path, found in texts.items():
            if path not in self._stores:
                self._stores[path] = Store(Path(path), checkpoints=False)
            for key, text in found.items():
                self._stores[path].put(key, text)

    def close(self) -> None:
        """Let go of all files."""
        for store in self._stores.values():
            store.close()
        self._stores.clear()


@contextmanager
def kept_in(folder: Path, *, alone: bool = False) -> Iterator[None]:
    """Let stores that are opened meanwhile, here and in workers, keep in `folder` what is put into them.

    What the file has that they name is found, and not written to: nobody may, at the same time. With `alone` it is
    not looked at, as somebody may.
    """
    mine = {_KEPT_IN: str(folder.absolute()), _ALONE: "yes" if alone else ""}
    before = {name: os.environ.get(name) for name in mine}
    os.environ.update(mine)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def is_kept(path: Path) -> bool:
    """Say whether there is a store to open at `path`, or where `kept_in` has it kept."""
    own = os.environ.get(_KEPT_IN)
    return path.exists() or (own is not None and (Path(own) / path.name).exists())


class StoreError(InputError):
    """A store's file cannot be used. What needs it cannot go on: that is no failure of one item."""


class Store:
    """Texts by key, in one file. One object serves one thread.

    All that goes wrong with the file (it is damaged, the disk is full) is a StoreError that names it.
    """

    def __init__(self, path: Path, *, checkpoints: bool = True) -> None:
        """Open the store at `path`, a new one where there is none.

        Where nothing can be written to, what it has is found, and what is put into it is kept as long as it is open.
        Without `checkpoints` what is put stays in its log until it is closed.
        """
        own = os.environ.get(_KEPT_IN)
        shared, path = path, Path(own) / path.name if own else path
        self.path, self._shared = path, shared
        self._tables = ["main.texts"]
        self._is_held = _Held.is_on
        read_only = self._is_held or (
            not own and path.parent.is_dir() and not os.access(path if path.exists() else path.parent, os.W_OK)
        )
        try:
            if not self._is_held:
                path.parent.mkdir(parents=True, exist_ok=True)
            place = ":memory:" if read_only else path
            self._connection = sqlite3.connect(place, timeout=_WAIT_S, isolation_level=None, uri=True)
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from error
        weakref.finalize(self, _let_go, self._connection)  # at the latest when its process ends
        try:
            self._run("PRAGMA journal_mode = WAL")
            self._run("PRAGMA synchronous = NORMAL")
            self._run("CREATE TABLE IF NOT EXISTS texts (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID")
            if not checkpoints:
                self._run("PRAGMA wal_autocheckpoint = 0")
            beside = [path] if self._is_held and own else []
            beside += [shared] if (shared != path or read_only) and not (own and os.environ.get(_ALONE)) else []
            for number, one in enumerate(beside):
                self._attach(one, f"beside{number}")
        except StoreError:
            self._connection.close()
            raise

    def get(self, key: str) -> str | None:
        """Return the text under `key`, or None."""
        for table in self._tables:
            rows = self._run(f"SELECT text FROM {table} WHERE key = ?", key)
            if rows:
                return str(rows[0][0])
        return None

    def put(self, key: str, text: str) -> str:
        """Keep `text` under `key`, unless there is one already; return what stands there."""
        if len(self._tables) > 1 and (kept := self.get(key)) is not None:
            return kept
        self._run("INSERT OR IGNORE INTO main.texts VALUES (?, ?)", key, text)
        if self._is_held:
            with _Held.lock:
                _Held.texts.setdefault(str(self._shared.absolute()), {}).setdefault(key, text)
        kept = self.get(key)
        assert kept is not None
        return kept

    def take_in(self, path: Path) -> None:
        """Put into this store what the one at `path` has, but for what has a text here already."""
        if self._attach(path, "taken"):
            self._run("INSERT OR IGNORE INTO main.texts SELECT key, text FROM taken.texts")
            self._run("DETACH taken")
            self._tables.pop()

    def items(self) -> Iterator[tuple[str, str]]:
        """Give every key with its text, in the order of keys."""
        try:
            yield from self._connection.execute("SELECT key, text FROM main.texts ORDER BY key")
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def __len__(self) -> int:
        return int(self._run("SELECT count(*) FROM main.texts")[0][0])

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _attach(self, path: Path, name: str) -> bool:
        """Let the store at `path`, which nobody changes meanwhile, be read beside this one; say whether it is there."""
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


def _let_go(connection: sqlite3.Connection) -> None:
    """Close a store that nobody has closed: its log is then put into it, and does not stay beside it."""
    with suppress(sqlite3.Error):  # another thread's, which the system closes
        connection.close()
