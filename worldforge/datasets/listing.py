"""What a dataset's manifest lists, read as a push needs it: from a folder or from the Hub, trusted in neither case.

The manifest is a JSON object with `files`: path -> {"sha256": …, "bytes": …, "rows": …}; it lists neither itself.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from worldforge.core.errors import InputError

LARGEST = 64 << 20
"""Bytes of a manifest, at most: one of 100,000 files takes 20 MB."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A file as a manifest lists it; `n_rows` is None where it has none."""

    sha256: str
    n_bytes: int
    n_rows: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """A manifest: all it says, and its files by path."""

    manifest: dict[str, Any]
    files: dict[str, Listed]


def read_listing(content: bytes, where: str) -> Listing:
    """Read a manifest's bytes; `where` names it in errors. Raises InputError where it is none of WorldForge's."""
    try:
        manifest = json.loads(content)
        files = {_checked(path): _listed(entry) for path, entry in manifest["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{where} is no manifest of a dataset that `worldforge export` wrote ({error})") from error
    return Listing(manifest, files)


def find_dataset(path: Path) -> Path:
    """Return the dataset's folder: `path` itself, or `datasets/` in it where it is a world."""
    for folder in (path, path / "datasets"):
        if (folder / "manifest.json").is_file():
            return folder
    raise InputError(f"{path} holds no dataset: there is no manifest.json", "`worldforge export WORLD` writes one")


def _listed(entry: Any) -> Listed:
    sha256, n_bytes, n_rows = entry["sha256"], entry["bytes"], entry.get("rows")
    if not re.fullmatch(r"[0-9a-f]{64}", sha256) or type(n_bytes) is not int or type(n_rows) not in (int, type(None)):
        raise ValueError(f"a file is listed as {str(entry)[:100]}")
    return Listed(sha256, n_bytes, n_rows)


def _checked(path: str) -> str:
    """Refuse a path that is not plainly below the folder."""
    if not path or "\\" in path or path != PurePosixPath(path).as_posix() or ".." in path.split("/") or path[0] in "/.":
        raise ValueError(f"`{path[:100]}` is no path of a dataset's file")
    return path
