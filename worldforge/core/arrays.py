"""Arrays: the type of whole numbers, and files of their own."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from worldforge.core.files import add_path_to_error

Integers = npt.NDArray[np.int64]


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write an array as a .npy file. Raises OSError with `path` and the reason where the disk refuses."""
    with add_path_to_error(path), path.open("wb") as file:
        sink = SimpleNamespace(write=file.write)  # given the file itself, numpy would not say why a write failed
        np.save(sink, array)
