"""Write world.json, the manifest of a finished world with the digest of every file."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from worldforge.builders.pages.prose.prose_counts import TALLY
from worldforge.builders.stages import STAGES
from worldforge.core.files import file_digest, files_below, value_digest, write_json
from worldforge.schema.spec import WorldSpec
from worldforge.search.dense_search import FOLDER, read_dense_record
from worldforge.world.site_figures import SITE_FIGURES_FILE
from worldforge.world.table_files import REDIRECTS_FILE
from worldforge.world.world import FORMAT, MANIFEST, SPEC

_LIBRARIES = ("worldforge", "numpy", "pyarrow", "duckdb", "tantivy", "faker")


def write_manifest(spec: WorldSpec, folder: Path) -> str:
    """Write world.json over the finished files of a world; return the world's digest.

    The digest is the SHA-256 of the files' paths and digests: equal where, and only where, the content is. The versions
    of what built it stand beside it and are no part of it.
    """
    paths = world_files(folder)
    digests = {name: file_digest(path) for name, path in paths.items()}
    digest = value_digest(digests)
    manifest = {
        "format": FORMAT,
        "name": spec.name,
        "title": spec.title,
        "seed": spec.seed,
        "scale": spec.scale,
        "digest": digest,
        "counts": counts(spec, folder),
        "files": {name: {"sha256": digests[name], "bytes": path.stat().st_size} for name, path in paths.items()},
        "versions": versions(),
    }
    if spec.search.dense is not None:
        manifest["dense"] = read_dense_record(folder / "index" / FOLDER)
    write_json(folder / MANIFEST, manifest)
    return digest


def versions() -> dict[str, str]:
    """Return the versions of what builds a world."""
    return {name: version(name) for name in _LIBRARIES}


def world_files(folder: Path) -> dict[str, Path]:
    """Return the files that a world consists of, by their path below its folder, sorted."""
    found: list[Path] = []
    for name in (SPEC, *(name for stage in STAGES for name in stage.writes)):
        path = folder / name
        if path.exists() or name not in (REDIRECTS_FILE, SITE_FIGURES_FILE):
            found += files_below(path) if path.is_dir() else [path]
    return {path.relative_to(folder).as_posix(): path for path in sorted(found)}


def counts(spec: WorldSpec, folder: Path) -> dict[str, Any]:
    """Count what a world holds, from its files' footers; how a model's wording went, where one worded pages."""
    found: dict[str, Any] = {
        "entities": {name: _rows(folder / "entities" / f"{name}.parquet") for name in spec.types},
        "relations": {name: _rows(folder / "relations" / f"{name}.parquet") for name in spec.relations},
        "pages": _rows(folder / "pages.parquet"),
        "mentions": _rows(folder / "mentions.parquet"),
        "links": _rows(folder / "links.parquet"),
        "tasks": _rows(folder / "tasks.parquet"),
        "set_aside": _rows(folder / "set_aside.parquet"),
    }
    if spec.web.redirects:
        found["redirects"] = _rows(folder / REDIRECTS_FILE)
    if (folder / SITE_FIGURES_FILE).exists():
        found["site_figures"] = _rows(folder / SITE_FIGURES_FILE)
    if any(kind.prose == "model" for kind in spec.pages.values()) and (folder / TALLY).exists():
        found["prose"] = json.loads((folder / TALLY).read_text(encoding="utf-8"))
    return found


def _rows(path: Path) -> int:
    return int(pq.read_metadata(path).num_rows)
