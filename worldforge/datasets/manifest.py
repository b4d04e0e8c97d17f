"""The manifest of a dataset: contents, sources, and a digest of every file. Written last.

    manifest = verify(Path("output/mine/datasets"))        # every file there, and as it was written; nothing else
    manifest.views["sft"].n_rows

Nothing in it depends on when, where or how fast the dataset was written.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from pydantic import TypeAdapter

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, value_digest, write_json

MANIFEST = "manifest.json"
CARD = "README.md"
"""What the Hub shows of a repository, and reads its configurations from."""
FORMAT = "worldforge/dataset@1"
_ELSEWHERE = "move it away, or choose another folder with `-o`"


@dataclass(frozen=True, slots=True)
class File:
    """A file: its size, and the SHA-256 of its bytes in hexadecimal."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ViewRecord:
    """A view: how many rows it has, the bytes of its files, and these, as paths in the dataset.

    `takes` and `leaves_out` are those of its `DatasetView`, `columns` is a digest of its columns' names and types.
    """

    n_rows: int
    n_bytes: int
    files: tuple[str, ...]
    takes: str = "trajectories"
    leaves_out: str = ""
    columns: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The record of a dataset. `runs` have a `name`, `config_sha256`, `config`, `identity`, episode counts, `scores`.

    `empty_views` were asked for, and nothing that was selected made a row of them. `selection` holds what was asked and
    the `report` of what it did; `recipe` the terms of the reward that views show.
    """

    world: Mapping[str, Any]
    runs: Sequence[Mapping[str, Any]]
    selection: Mapping[str, Any]
    recipe: Mapping[str, Any]
    canary: str
    license: str
    versions: Mapping[str, str]
    views: Mapping[str, ViewRecord]
    empty_views: Sequence[str]
    files: Mapping[str, File]

    @property
    def configs(self) -> dict[str, int]:
        """The views that `datasets` loads by name, the tables, and how many rows each has."""
        return {name: view.n_rows for name, view in self.views.items() if view.files[0].endswith(".parquet")}

    @property
    def n_without_row(self) -> dict[str, int]:
        """By view, how many trajectories that were selected for it make no row, where it says which do not."""
        counts = {name: self.n_selected(name) - view.n_rows for name, view in self.views.items() if view.leaves_out}
        return {name: n for name, n in counts.items() if n}

    def n_selected(self, view: str) -> int:
        """Return how many trajectories were selected for a view."""
        imitated = self.selection.get("imitated", {})
        return int((imitated if view in imitated.get("views", ()) else self.selection)["report"]["n_left"])

    def digest_of(self, view: str) -> str:
        """Return the digest of a view: the SHA-256 of its files' paths, each with the digest of its bytes, as JSON."""
        return value_digest({path: self.files[path].sha256 for path in self.views[view].files})

    def as_data(self) -> dict[str, Any]:
        """Write it as JSON values, in the order in which they are read best."""
        return {"format": FORMAT, **asdict(self)}


def canary_of(world_digest: str, configs: Sequence[Mapping[str, Any]]) -> str:
    """Return the canary of a dataset: the same for the same world and configurations of runs.

    A string that stands nowhere else: a model that can complete it has been trained on the dataset.
    """
    digest = value_digest(["canary", world_digest, sorted(value_digest(dict(config)) for config in configs)])
    return f"worldforge:canary:{uuid5(NAMESPACE_URL, digest)}"


def record_file(path: Path) -> File:
    """Record a file."""
    return File(path.stat().st_size, file_digest(path))


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest of the dataset in `folder`; the dataset is whole from then on."""
    write_json(folder / MANIFEST, manifest.as_data())


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of the dataset in `folder`. Raises InputError where there is none that can be read."""
    path = folder / MANIFEST
    try:
        return parse_manifest(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{folder} holds no dataset: it has no {MANIFEST}", "`worldforge export WORLD`") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}", "`worldforge export WORLD` writes it anew") from error


def parse_manifest(text: str) -> Manifest:
    """Read a manifest's text. Raises ValueError where it is something else."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    manifest = TypeAdapter(Manifest).validate_python(data)
    lost = [path for view in manifest.views.values() for path in view.files if path not in manifest.files]
    if lost:
        raise ValueError(f"`{lost[0]}` is in a view, and not among its files")
    return manifest


def verify(folder: Path) -> Manifest:
    """Return the manifest of the dataset in `folder`, having read every file.

    Raises InputError where a file is missing, is not as it was written, or is not of the dataset.
    """
    manifest = read_manifest(folder)
    again = "`worldforge export WORLD` writes the dataset anew"
    for name, file in manifest.files.items():
        path = folder / name
        if not path.is_file():
            raise InputError(f"{folder} lacks `{name}`", again)
        if path.stat().st_size != file.bytes or file_digest(path) != file.sha256:
            raise InputError(f"{path} is not as it was written", again)
    found = unknown_files(folder, manifest.files)
    if found:
        raise InputError(f"`{found[0]}` in {folder} is not of the dataset", "move it elsewhere")
    return manifest


def unknown_files(folder: Path, known: Collection[str]) -> list[str]:
    """List the files in `folder`, as paths in it, sorted, that are neither `known` nor the manifest."""
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return [name for name in found if name != MANIFEST and name not in known]


def check_overwritable(folder: Path) -> Path:
    """Return the folder that a dataset may be put in place of: `folder`, or what it is a link to.

    Raises InputError where it holds anything that no export has written, or a card that somebody has edited.
    """
    if folder.is_symlink() or folder.name in ("", ".."):
        folder = folder.resolve()
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is no folder", "choose a folder with `-o`")
    manifest = read_manifest(folder) if (folder / MANIFEST).exists() else None
    others = unknown_files(folder, manifest.files if manifest else ())
    if others:
        held = "more than a dataset" if manifest else "something that is no dataset"
        raise InputError(f"{folder} holds {held}: `{others[0]}`", _ELSEWHERE)
    card, record = folder / CARD, manifest.files.get(CARD) if manifest else None
    if record and card.exists() and file_digest(card) != record.sha256:
        raise InputError(f"{card} was edited since it was exported, and would be lost", _ELSEWHERE)
    return folder
