"""One writer a store: the process that started the workers serves its text stores to them.

    with serving_stores():                      # in the parent, around its workers
        ...
    use_server(address)                         # in a worker, once
    with open_store(path) as store:             # in either: a `Store` in the parent, a `StoreClient` in a worker
        text = store.put(key, text)

Connections are those of `multiprocessing.connection`, authenticated by a key of the server's own: Unix sockets for
processes of this machine, TCP for workers on other nodes.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, answer_challenge, deliver_challenge
from pathlib import Path
from typing import Any, Literal

from worldforge.core.folder_cache import driver_path
from worldforge.core.store import Store, StoreError, TextStore

_BACKLOG = 1_024  # connections that may wait to be accepted
_KEY_BYTES = 32

Method = Literal["get_many", "put_many"]


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a `StoreServer` listens, and the key that its clients authenticate with."""

    place: str | tuple[str, int]
    key: bytes

    def __repr__(self) -> str:
        return f"ServerAddress({self.place!r})"  # the key stays out of logs


_address: ServerAddress | None = None  # of the server for this process's workers, or of the one that this worker uses
_is_worker = False


def open_store(path: Path) -> TextStore:
    """Open the text store at `path`: its file, or, in a worker, a connection to the process that writes it."""
    if _is_worker and _address is not None:
        return StoreClient(path, _address)
    return Store(path)


def server_address() -> ServerAddress | None:
    """Return the address of the server that workers of this process should use."""
    return _address


def use_server(address: ServerAddress | None) -> None:
    """Make this process a worker, whose stores are those of the server at `address` (None: its own files)."""
    global _address, _is_worker
    _address, _is_worker = address, address is not None


@contextmanager
def serving_stores(host: str | None = None) -> Iterator[ServerAddress]:
    """Serve this process's text stores to the workers that it starts within the block.

    `host` is this machine's address for workers on other nodes. A worker's own workers use the server that it uses.
    """
    global _address
    if _is_worker and _address is not None:
        yield _address
        return
    server = StoreServer(host)
    before, _address = _address, server.address
    try:
        yield server.address
    finally:
        _address = before
        server.close()


class StoreServer:
    """Reads and writes text stores for clients, one request at a time, from threads of this process."""

    def __init__(self, host: str | None = None) -> None:
        """Listen on a Unix socket, or on a free TCP port of `host`."""
        place = _unix_place() if host is None else (host, 0)
        self._listener = Listener(place, "AF_UNIX" if host is None else "AF_INET", _BACKLOG)
        self.address = ServerAddress(self._listener.address, secrets.token_bytes(_KEY_BYTES))
        self._stores: dict[str, Store] = {}
        self._lock = threading.Lock()
        self._is_closed = False
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Accept no further client or request, and close all files."""
        with self._lock:
            self._is_closed = True
            for store in self._stores.values():
                store.close()
            self._stores.clear()
        with suppress(OSError):
            Client(self.address.place).close()  # wakes the thread that waits for clients
        self._thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()
            except OSError:  # this client has gone
                continue
            if self._is_closed:
                connection.close()
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        """Answer one client until it closes its connection."""
        with connection, suppress(OSError, EOFError, AuthenticationError):
            _send_at_once(connection)
            deliver_challenge(connection, self.address.key)
            answer_challenge(connection, self.address.key)
            while True:
                connection.send(self._answer(*connection.recv()))

    def _answer(self, path: str, method: Method, values: Any) -> tuple[dict[str, str], Exception | None]:
        with self._lock:
            try:
                if self._is_closed:
                    raise StoreError(f"{path} is no longer served")
                if path not in self._stores:
                    self._stores[path] = Store(Path(path))
                call: Callable[[Any], dict[str, str]] = getattr(self._stores[path], method)
                return call(values), None
            except Exception as error:  # noqa: BLE001 - the client raises it
                return {}, error


class StoreClient(TextStore):
    """A text store that another process reads and writes for this one."""

    def __init__(self, path: Path, address: ServerAddress) -> None:
        """Connect to the server. Raises StoreError where it has gone."""
        self.path = path
        try:
            self._connection = Client(address.place, authkey=address.key)
        except (OSError, EOFError, AuthenticationError) as error:
            raise self._lost(error) from error
        _send_at_once(self._connection)

    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the texts of those keys that have one."""
        return self._request("get_many", list(keys))

    def put_many(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Put each text unless its key has one already; return the text that each key has now."""
        return self._request("put_many", dict(texts))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _request(self, method: Method, values: Any) -> dict[str, str]:
        try:
            self._connection.send((str(driver_path(self.path)), method, values))
            texts, error = self._connection.recv()
        except (OSError, EOFError) as lost:
            raise self._lost(lost) from lost
        if error is not None:
            raise error
        found: dict[str, str] = texts
        return found

    def _lost(self, error: Exception) -> StoreError:
        return StoreError(
            f"{self.path} cannot be reached: the process that writes it has gone, or refuses connections ({error!r})",
            "the same command goes on from here; on a cluster, workers must reach the command's node by TCP",
        )


def _unix_place() -> str | None:
    """Return an address that leaves no file behind, whatever ends this process; None where the system has none."""
    return f"\0worldforge-{os.getpid()}-{secrets.token_hex(8)}" if sys.platform == "linux" else None


def _send_at_once(connection: Connection) -> None:
    """Let TCP not wait for the acknowledgement of one part of a message before it sends the next."""
    with socket.socket(fileno=os.dup(connection.fileno())) as one:
        if one.family != socket.AF_UNIX:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
