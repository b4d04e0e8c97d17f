"""Arrays as files of their own."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from worldforge.core.files import add_path_to_error


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write an array as a .npy file. Raises OSError that says `path` and why, where the disk refuses.

    Of a file that it knows to be one numpy says how many bytes were not taken, but not why.
    """
    with add_path_to_error(path), path.open("wb") as file:
        np.save(_Sink(file), array)


class _Sink:
    """Takes bytes for a file, and is none."""

    def __init__(self, file: IO[bytes]) -> None:
        self.write = file.write
