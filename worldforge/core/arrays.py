"""Arrays: the type of whole numbers, the places of rows in their groups, and files of their own."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from worldforge.core.files import add_path_to_error

Integers = npt.NDArray[np.int64]


def rank_in_group(groups: Integers) -> Integers:
    """Count, for each row, the earlier rows of its group: `[7, 9, 7, 7]` gives `[0, 0, 1, 2]`."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    rank = np.empty(len(groups), np.int64)
    rank[order] = np.arange(len(groups)) - np.searchsorted(ordered, ordered)
    return rank


def first_in_group(groups: Integers) -> Integers:
    """Return, for each row, the first row of its group: `[7, 9, 7, 7]` gives `[0, 1, 0, 0]`."""
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return first[group]


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write an array as a .npy file. Raises OSError with `path` and the reason where the disk refuses."""
    with add_path_to_error(path), path.open("wb") as file:
        sink = SimpleNamespace(write=file.write)  # given the file itself, numpy would not say why a write failed
        np.save(sink, array)
