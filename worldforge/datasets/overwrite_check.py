"""Refuse to export over anything but an earlier, unedited dataset."""

from __future__ import annotations

from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest
from worldforge.datasets.card import CARD
from worldforge.datasets.manifest import MANIFEST, read_manifest, strangers

_ELSEWHERE = "move it away, or choose another folder with `-o`"


def check_overwritable(folder: Path) -> Path:
    """Return the folder that a dataset may be put in place of: `folder`, or what it is a link to.

    Raises InputError where it holds anything that no export has written, or a card that somebody has edited.
    """
    if folder.is_symlink() or folder.name in ("", ".."):
        folder = folder.resolve()
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is no folder", "choose a folder with `-o`")
    if folder.is_dir():
        _check_ours(folder)
    return folder


def _check_ours(folder: Path) -> None:
    if not (folder / MANIFEST).exists():
        others = sorted(path for path in folder.rglob("*") if not path.is_dir())
        if others:
            name = others[0].relative_to(folder).as_posix()
            raise InputError(f"{folder} holds something that is no dataset: `{name}`", _ELSEWHERE)
        return
    manifest = read_manifest(folder)
    others_there = strangers(folder, manifest)
    if others_there:
        raise InputError(f"{folder} holds more than a dataset: `{others_there[0]}`", _ELSEWHERE)
    card, record = folder / CARD, manifest.files.get(CARD)
    if record and card.exists() and file_digest(card) != record.sha256:
        raise InputError(f"{card} was edited since it was exported, and would be lost", _ELSEWHERE)
