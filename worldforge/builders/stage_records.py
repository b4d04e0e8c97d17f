"""Record the inputs and outputs of a build stage, so that a later build can skip it.

    .build/pages.json   {"inputs": {"spec.pages": "…", "entities": "…", "code": "…"}, "outputs": {"pages.parquet": "…"}}

A stage need not run again when its inputs have the digests of the record and its outputs still have theirs. The record
is removed before a stage runs and written after its outputs: one that exists is true.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from worldforge.core.files import file_digest, files_below, remove, write_json

FOLDER = ".build"


@dataclass(frozen=True, slots=True)
class StageRecord:
    """Digests of what a stage read and of the files it wrote, by name."""

    inputs: dict[str, str]
    outputs: dict[str, str]


def record_path(folder: Path, stage: str) -> Path:
    """Return where the record of a stage lies."""
    return folder / FOLDER / f"{stage}.json"


def read_record(folder: Path, stage: str) -> StageRecord | None:
    """Read the record of a stage; None where there is none that can be read."""
    try:
        found = json.loads(record_path(folder, stage).read_text(encoding="utf-8"))
        return StageRecord(dict(found["inputs"]), dict(found["outputs"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_record(folder: Path, stage: str, record: StageRecord) -> None:
    """Write the record of a stage whose outputs are whole."""
    write_json(record_path(folder, stage), {"inputs": record.inputs, "outputs": record.outputs})


def remove_record(folder: Path, stage: str) -> None:
    """Remove the record of a stage that is about to run."""
    remove(record_path(folder, stage))


def output_digests(folder: Path, outputs: Sequence[str], workers: int = 1) -> dict[str, str]:
    """Return the digest of every file that a stage's outputs (files and folders below `folder`) consist of.

    They are read by `workers` threads: hashing lets go of the interpreter.
    """
    paths = [path for name in outputs for path in _files(folder / name)]
    with ThreadPoolExecutor(workers) as threads:
        digests = threads.map(file_digest, paths) if workers > 1 else map(file_digest, paths)
        return {path.relative_to(folder).as_posix(): digest for path, digest in zip(paths, digests, strict=True)}


def stale_reason(record: StageRecord | None, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> str:
    """Return why a stage must run; empty where it need not."""
    if record is None:
        return "not built yet"
    changed = [name for name in sorted({*inputs, *record.inputs}) if inputs.get(name) != record.inputs.get(name)]
    if changed:
        return f"{', '.join(changed)} changed"
    damaged = [name for name in sorted({*outputs, *record.outputs}) if outputs.get(name) != record.outputs.get(name)]
    if damaged:
        return f"{damaged[0]} is not as it was written"
    return ""


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return files_below(path)
    return [path] if path.is_file() else []
