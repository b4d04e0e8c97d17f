"""JSON lines that are appended one by one and survive a kill: a unit's finished episodes, and the ledger.

A process may die in the middle of a line, and a disk may change one, of which its checksum tells. The rows of a file
are the whole lines before the first that is not one.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

from worldforge.core.files import add_path_to_error

_SEAL = b', "crc32": "%08x"}\n'
_SEALED = len(_SEAL % 0)


def to_line(row: dict[str, Any]) -> bytes:
    """Write a row as one line of UTF-8 JSON. What UTF-8 cannot hold (half a surrogate pair) becomes `?`."""
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def sealed(line: bytes) -> bytes:
    """Add the checksum of a row's line to it, as one more key: the CRC-32 of all before, in hexadecimal."""
    body = line.removesuffix(b"}\n")
    return body + _SEAL % zlib.crc32(body)


def append(path: Path, line: bytes, *, safe: bool = False) -> None:
    """Append a line; it has left this process when the call returns, and with `safe` is on disk."""
    with add_path_to_error(path), path.open("ab") as file:
        file.write(line)
        if safe:
            file.flush()
            os.fsync(file.fileno())


def read(path: Path, *, repair: bool = False) -> list[dict[str, Any]]:
    """Read the rows in the order they were appended; no file has none. With `repair`, cut off what is torn."""
    content = path.read_bytes() if path.exists() else b""
    rows, n_whole = [], 0
    for line in content.splitlines(keepends=True):
        row = _parsed(line)
        if row is None:
            break
        rows.append(row)
        n_whole += len(line)
    if repair and n_whole < len(content):
        os.truncate(path, n_whole)
    return rows


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    if not isinstance(row, dict) or "id" not in row:
        return None
    if row.pop("crc32", None) is not None and line[-_SEALED:] != _SEAL % zlib.crc32(line[:-_SEALED]):
        return None
    return row
